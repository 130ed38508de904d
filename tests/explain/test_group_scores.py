"""The scores of groups, compared with those of their rows alone, and with scikit-learn and SciPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from conceptrules.explain.auditing import audit
from conceptrules.explain.group_scores import GroupFigure
from conceptrules.explain.scores import evaluate
from conceptrules.model.errors import InputError
from conceptrules.model.heads import Points
from conceptrules.model.network import Level, Literal, Rule, RuleNetwork
from conceptrules.model.policy import Fair, Policy
from conceptrules.model.precision import wilson_interval
from conceptrules.tables.prediction import find_scores
from tests.model.test_heads import CARD, COLUMNS, PREDICATES

RNG = np.random.default_rng(0)
TABLE = [
    {"age": int(age), "debt": int(debt), "sex": sex}
    for age, debt, sex in zip(
        RNG.integers(20, 80, 300), RNG.integers(0, 9000, 300), RNG.choice(["f", "m", None], 300), strict=True
    )
]
TRUE = [("bad" if row["age"] + RNG.normal(0, 20) > 45 else "good") for row in TABLE]
NUMBER = RuleNetwork(COLUMNS, PREDICATES, [Level([Rule([Literal(0)])], ())], (), head=Points([[3]], [1], step=0.5))


def rows_of(group: str | None) -> list[int]:
    return [number for number, row in enumerate(TABLE) if row["sex"] == group]


def test_each_group_has_the_scores_of_its_rows_alone() -> None:
    groups = audit(CARD, TABLE, TRUE, by=["sex"]).groups
    assert [each.group for each in groups] == ["f", "m", None]
    for each in groups:
        own = rows_of(each.group)
        alone = evaluate(CARD, [TABLE[row] for row in own], [TRUE[row] for row in own])
        accuracy, area, answered = each.figures
        assert (each.rows, accuracy.value, area.value) == (len(own), alone.accuracy, pytest.approx(alone.auc))
        assert accuracy[2:] == wilson_interval(round(alone.accuracy * len(own)), len(own))
        bad = sum(label == "bad" for label in CARD.predict([TABLE[row] for row in own]).tolist())
        assert answered[:2] == ("answered bad", bad / len(own))


def test_the_interval_of_the_auc_is_as_wide_as_resamples_differ() -> None:
    (group,) = audit(CARD, [{**row, "sex": "f"} for row in TABLE], TRUE, by=["sex"]).groups
    area = group.figures[1]
    truth, scores = np.array(TRUE) == "bad", find_scores(CARD, TABLE)[:, 0]
    draws = [RNG.integers(0, 300, 300) for _ in range(300)]
    spread = np.std([roc_auc_score(truth[rows], scores[rows]) for rows in draws])
    assert (area.high - area.low) / 2 == pytest.approx(1.96 * spread, rel=0.15)


def test_a_number_has_its_error_and_its_bias() -> None:
    truth = RNG.normal(1, 1, len(TABLE))
    errors = NUMBER.predict(TABLE) - truth
    for each in audit(NUMBER, TABLE, truth, by=["sex"]).groups:
        own = errors[rows_of(each.group)]
        for figure, values in zip(each.figures, (np.abs(own), own), strict=True):
            ends = stats.norm.interval(0.95, values.mean(), stats.sem(values))
            assert figure[1:] == pytest.approx((values.mean(), *ends), rel=1e-4)


def test_the_policy_names_columns_too_and_text_shows_them() -> None:
    asked = replace(CARD, policy=Policy([Fair("sex", "bad", 0.5)]))
    assert audit(asked, TABLE, TRUE).groups == audit(CARD, TABLE, TRUE, by=["sex"]).groups
    assert "by sex" in str(audit(asked, TABLE, TRUE))
    assert audit(asked, [{"age": 50, "debt": 0}], ["bad"]).groups == ()  # the table has no such column


def test_rows_that_say_nothing_have_no_interval() -> None:
    (group,) = audit(CARD, TABLE[:1], TRUE[:1], by=["sex"]).groups
    assert group.figures[1] == GroupFigure("AUC", None, None, None)
    (group,) = audit(NUMBER, TABLE[:1], [1.0], by=["sex"]).groups
    assert group.figures[0].low is None


def test_columns_that_make_no_groups_are_refused() -> None:
    with pytest.raises(InputError, match="by: the table has no column 'sexe'; did you mean sex"):
        audit(CARD, TABLE, TRUE, by=["sexe"])
    with pytest.raises(InputError, match=r"by: the column 'debt' has .* ranges first"):
        audit(CARD, TABLE, TRUE, by=["debt"])
    with pytest.raises(InputError, match="give a table and its labels"):
        audit(CARD, by=["sex"])
