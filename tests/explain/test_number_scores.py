"""The figures of a network that predicts a number, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.explain import audit
from conceptrules.explain.number_scores import evaluate_numbers
from conceptrules.model import Column, Interval, Level, Literal, Points, Rule, RuleNetwork

LEVEL = Level([Rule([Literal(0)]), Rule([Literal(1)])], ())
PRICES = RuleNetwork(
    [Column("area"), Column("age"), Column("unused")],
    [Interval("area", 100), Interval("age", 50)],
    [LEVEL],
    (),
    head=Points([[4], [-1]], [10], step=5.0),
)
ROWS = [[120, 10, 0], [120, 60, 0], [80, 10, 0], [80, 60, None]]  # 70, 65, 50, 45
TRUE = [72.0, 65.0, 40.0, 50.0]


def test_errors_are_counted_by_prediction_by_rule_and_as_a_distribution() -> None:
    result = evaluate_numbers(PRICES, ROWS, TRUE)
    assert result.mae == pytest.approx((2 + 0 + 10 + 5) / 4)
    assert [(each.predicted, each.true, each.rows) for each in result.by_prediction] == [
        (45, 50, 1),
        (50, 40, 1),
        (65, 65, 1),
        (70, 72, 1),
    ]
    assert [(each.text, each.rows, each.bias, each.mae) for each in result.by_rule] == [
        ("no rule holds", 1, 10, 10),
        ("age > 50", 2, -2.5, 2.5),
        ("area > 100", 2, -1, 1),
    ]
    assert result.residuals[0][0] == pytest.approx(-4.91)
    assert sum(rows for *_, rows in result.residuals) == 4


@given(st.lists(st.tuples(st.floats(0, 200), st.integers(-(10**9), 10**9)), min_size=1, max_size=60))
def test_no_row_is_lost(pairs: list[tuple[float, int]]) -> None:
    area, true = zip(*pairs, strict=True)
    result = evaluate_numbers(PRICES, [[each, 10, 0] for each in area], true)
    assert sum(each.rows for each in result.by_prediction) == sum(rows for *_, rows in result.residuals) == len(pairs)
    assert all(each.low <= each.high for each in result.by_prediction)
    assert np.average([each.true for each in result.by_prediction], weights=[g.rows for g in result.by_prediction]) == (
        pytest.approx(np.mean(true), abs=1e-3)
    )


def test_the_audit_of_a_network_that_predicts_a_number_has_its_metrics_and_no_scores_of_classes() -> None:
    audited = audit(PRICES, ROWS, TRUE)
    assert audited.scores is None
    assert audited.numbers == evaluate_numbers(PRICES, ROWS, TRUE)
    assert audited.unused == ("unused",)
    assert "always the mean" in str(audited)
    assert "No rows were given" in str(audit(PRICES))


def test_numbers_that_are_nearly_equal_have_no_r2() -> None:
    assert evaluate_numbers(PRICES, ROWS[:2], [0.0, 1e-200]).r2 is None
