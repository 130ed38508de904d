"""What given rows say: shares and their lower bounds, groups, and labels that fit the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.policies.given_rows import compare_groups, lower_bound
from conceptrules.logic.policies.proof import prove
from conceptrules.model import InputError, Rule
from conceptrules.model.policy import Fair, Policy
from conceptrules.model.precision import wilson_interval
from tests.logic.policies.test_proof import LABELS, ROWS, A, people

GROUPS = np.array(["f", "f", "f", "f", "m", "m", None], dtype=object)
ANSWERED = np.array([True, True, True, False, True, False, True])


@given(st.integers(1, 500), st.data())
def test_the_lower_bound_is_that_of_the_interval_on_both_sides(rows: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, rows))
    ends = wilson_interval(right, rows)  # 95 % on both sides, so 97.5 % on one
    assert ends is not None
    assert lower_bound(right, rows, 0.975) == pytest.approx(ends[0], abs=1e-12)
    assert lower_bound(right, rows, None) == right / rows


def test_of_no_rows_nothing_is_right() -> None:
    assert lower_bound(0, 0, None) == lower_bound(0, 0, 0.9) == 0


@pytest.mark.parametrize(
    ("measure", "bound", "fair"),
    [
        ("positive_rate", 0.25, True),
        ("positive_rate", 0.24, False),
        ("selection_ratio", 2 / 3, True),
        ("selection_ratio", 0.67, False),
    ],
)
def test_groups_are_alike_up_to_the_bound(measure: str, bound: float, fair: bool) -> None:
    clause = Fair("sex", "yes", bound, measure)  # type: ignore[arg-type]
    found, said = compare_groups(clause, GROUPS, ANSWERED, np.ones(7))
    assert found is fair
    assert said.startswith("f 75%, m 50%: a ")


def test_rows_of_no_weight_do_not_count() -> None:
    clause = Fair("sex", "yes", 0.0)
    weight = np.array([1.0, 1, 0, 0, 1, 0, 1])
    assert compare_groups(clause, GROUPS, ANSWERED, weight) == (True, "m 100%, f 100%: a difference of 0.0000")
    alone = np.array([1.0, 1, 1, 1, 0, 0, 1])
    assert compare_groups(clause, GROUPS, ANSWERED, alone) == (True, "there is only 1 group of sex")


def test_nobody_is_answered_yes_and_that_is_fair() -> None:
    clause = Fair("sex", "yes", 1.0, "selection_ratio")
    assert compare_groups(clause, GROUPS, np.zeros(7, dtype=bool), np.ones(7))[0]


def test_what_rows_and_labels_lack_is_told() -> None:
    network = people(Rule((A,)))
    fair = {"column": "sex", "positive": "yes", "bound": 0.1}
    for keys, data, labels, message in (
        ({"min_rows": 1}, ROWS, LABELS[1:], "the data have 6 rows, but there are 5 labels"),
        ({"fair": [{**fair, "column": "sexx"}]}, ROWS, None, "the data have no column 'sexx'"),
        ({"fair": [{**fair, "measure": "true_positive_rate"}]}, ROWS, None, "need the class of each row"),
    ):
        with pytest.raises(InputError, match=message):
            prove(network, Policy.of(**keys), data=data, labels=labels)
    (verdict,) = prove(network, Policy.of(min_precision=0.5), data=ROWS).verdicts
    assert (verdict.outcome, verdict.reason.rpartition("there are ")[2]) == ("undecided", "no classes of the rows")


def test_least_rows_need_no_labels() -> None:
    verdicts = [prove(people(Rule((A,))), Policy.of(min_rows=rows), data=ROWS).verdicts[0] for rows in (3, 4)]
    assert [verdict.outcome for verdict in verdicts] == ["proved", "refuted"]


def test_rows_of_classes_that_the_network_does_not_know_do_not_count() -> None:
    labels = ["odd", *LABELS[1:]]
    (verdict,) = prove(people(Rule((A,))), Policy.of(min_rows=3), data=ROWS, labels=labels).verdicts
    assert verdict.reason == "this rule covers 2 rows: age > 41, on 6 rows"
