"""Contributions by rule and by column add up to the scores."""

import sys

import numpy as np
import pytest
from hypothesis import given

from conceptrules.model import InputError, RuleNetwork
from tests.explain.test_reasons import CARD, DECISION, ROWS
from tests.strategies import all_inputs, scorecards


def test_points_of_several_columns_are_shared_evenly():
    assert CARD.contributions(ROWS).values.tolist() == [[3.5, -1.5, 0], [0, 0, 4]]
    by_rule = CARD.contributions(ROWS, by="rule")
    assert by_rule.values.tolist() == [[3, -2, 1, 0], [0, 0, 0, 4]]
    assert by_rule.names[2] == "age > 41 and debt > 1000"


@given(scorecards())
def test_contributions_add_up_to_the_scores(card: RuleNetwork):
    rows = all_inputs(len(card.columns))[:32].tolist()
    if not card.columns:
        return
    for by in ("rule", "column"):
        parts = card.contributions(rows, by=by)
        np.testing.assert_array_equal(parts.scores, card.scores(rows))
        assert parts.values.shape[:2] == (len(rows), len(parts.names))


def test_contributions_as_shap_has_them(monkeypatch):
    class Explanation:
        def __init__(self, **values):
            self.__dict__.update(values)

    monkeypatch.setitem(sys.modules, "shap", type(sys)("shap"))
    sys.modules["shap"].Explanation = Explanation
    explanation = CARD.contributions(ROWS).to_shap()
    assert (explanation.values.sum(axis=1) + explanation.base_values).tolist() == CARD.scores(ROWS).tolist()
    assert explanation.data.tolist() == ROWS
    assert explanation.feature_names == ["age", "debt", "job"]
    assert CARD.contributions(ROWS, by="rule").to_shap().data is None


def test_what_cannot_be_asked(monkeypatch):
    with pytest.raises(InputError, match="only a scorecard has contributions"):
        DECISION.contributions(ROWS)
    with pytest.raises(InputError, match="by is 'row'; use 'rule' or 'column'"):
        CARD.contributions(ROWS, by="row")
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(InputError, match="shap is not installed"):
        CARD.contributions(ROWS).to_shap()
