"""Another scale changes no decision, no probability and no order of rows."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.edit import Scale, edit, replay, undo
from conceptrules.edit.rules import normalise
from conceptrules.edit.trail import log_text
from conceptrules.model import Column, Equals, InputError, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.errors import ConceptRulesWarning
from conceptrules.model.heads import MAX_SCORE
from tests.explain.test_reasons import CARD, COLUMNS, DECISION, ROWS
from tests.strategies import all_inputs, scorecards

WHO = {"who": "anna", "why": "our scale", "when": "2026-11-16 12:00:00"}
SLOPE = math.log(2) / 10  # ten points double the odds
TABLE = [(score, 1 / (1 + math.exp(-SLOPE * score))) for score in range(-40, 41)]
TESTS = [Interval("age", 41), Interval("debt", 1000)]
RULES = Level([Rule([Literal(0)]), Rule([Literal(1)]), Rule([Literal(0), Literal(1)])], ())
EXACT = RuleNetwork(COLUMNS, TESTS, [RULES], ["bad", "good"], head=Points([[9], [-6], [-3]], [4], 3, TABLE))
TABLE_ROWS = [[age, debt, "cook"] for age in (20, 50) for debt in (0, 2000, None)]


def test_points_double_the_odds_from_the_score_on():
    card = EXACT.scaled(pdo=20, score=600, odds=50)
    assert card.head.points == ((18,), (-12,), (-6,))
    shares = card.predict_proba(TABLE_ROWS)[:, 1]
    odds, scores = shares / (1 - shares), card.scores(TABLE_ROWS)
    np.testing.assert_allclose(np.log2(odds), (scores - 600) / 20 + math.log2(50), atol=0.05)
    assert (shares == EXACT.predict_proba(TABLE_ROWS)[:, 1]).all()


def test_all_points_are_at_least_0_where_that_is_asked_for():
    counted = EXACT.measure([*TABLE_ROWS, *ROWS], ["good", "bad"] * 4)
    card = counted.scaled(nonnegative=True)
    assert min(min(row) for row in card.head.points) >= 0
    assert (card.predict_proba(TABLE_ROWS) == EXACT.predict_proba(TABLE_ROWS)).all()
    assert card.statistics is None  # who fails just one of two conditions was not counted
    single = replace(EXACT, levels=[Level(RULES.rules[:2], ())], head=Points([[9], [-6]], [4], 3, TABLE))
    single = single.measure(TABLE_ROWS, ["good", "bad"] * 3).scaled(nonnegative=True)
    assert single.statistics == single.measure(TABLE_ROWS, ["good", "bad"] * 3).statistics


def test_the_other_class_can_be_scored():
    card = EXACT.scaled(label="bad")
    assert card.classes == ("good", "bad")
    assert card.predict(TABLE_ROWS).tolist() == EXACT.predict(TABLE_ROWS).tolist()
    np.testing.assert_allclose(card.predict_proba(TABLE_ROWS)[:, ::-1], EXACT.predict_proba(TABLE_ROWS), atol=1e-15)
    assert (np.diff(card.scores(TABLE_ROWS)) * np.diff(EXACT.scores(TABLE_ROWS)) <= 0).all()


def test_the_last_bits_of_probabilities_are_no_change():
    edited = edit(EXACT, Scale(20, 600, 50, label="bad"), **WHO, data=TABLE_ROWS, labels=["bad", "good"] * 3)
    assert [(figure.low, figure.high) for figure in edited.effect.figures] == [(0, 0)] * 3
    assert str(edited).count("(+0 [+0 to +0])") == 3


def test_a_scale_is_an_edit():
    operation = Scale(20, 600, 50, label="bad", nonnegative=True)
    edited = edit(EXACT, operation, **WHO, data=TABLE_ROWS).network
    assert edited.trail[-1].effect["changes"] == []
    assert log_text(edited.trail).startswith("1. scale: 20 points, or as near as can be, double the odds")
    assert undo(edited, **WHO).network == normalise(EXACT)
    assert replay(edited.trail, EXACT).network == edited
    with pytest.raises(InputError, match="the card has a trail of edits"):
        edited.scaled()


@settings(max_examples=80)
@given(scorecards(), st.floats(1, 200), st.booleans(), st.booleans())
@pytest.mark.filterwarnings("ignore::conceptrules.model.errors.ConceptRulesWarning")
def test_another_scale_changes_no_answer(card: RuleNetwork, pdo: float, nonnegative: bool, first: bool):
    rows = all_inputs(len(card.columns))[:32].tolist()
    if len(card.classes) != 2 or not card.columns or max(map(abs, sum(card.head.bounds, ()))) > MAX_SCORE // 1000:
        return
    label = card.classes[0] if first else None
    shares = [share for _, share in card.head.probabilities if 0 < share < 1]
    if len(set(shares)) < 2:
        with pytest.raises(InputError, match="do not rise with its score"):
            card.scaled(nonnegative=nonnegative, label=label)
        return
    try:
        scaled = card.scaled(pdo=pdo, score=600, odds=20, label=label, nonnegative=nonnegative)
    except InputError:  # points beyond what fits a whole number of 31 bits
        return
    assert scaled.predict(rows).tolist() == card.predict(rows).tolist()
    before, after = card.predict_proba(rows), scaled.predict_proba(rows)
    np.testing.assert_allclose(after[:, ::-1] if first else after, before, atol=1e-15, rtol=0 if first else 1e-300)
    scores, new = card.scores(rows) * (-1 if first else 1), scaled.scores(rows)
    order = np.sign(np.subtract.outer(scores, scores))
    np.testing.assert_array_equal(np.sign(np.subtract.outer(new, new)), order)
    if nonnegative:
        assert all(points >= 0 for (points,) in scaled.head.points)


def test_a_scale_that_whole_points_cannot_have_is_told():
    with pytest.warns(ConceptRulesWarning, match="the odds double every 3.33 points, not 4"):
        EXACT.scaled(pdo=4)


@pytest.mark.parametrize(
    ("card", "options", "message"),
    [
        (DECISION, {}, "only a scorecard of two classes"),
        (CARD, {"pdo": 0}, "pdo is 0; it must be positive"),
        (CARD, {"odds": -1}, "odds is -1; it must be positive"),
        (CARD, {"label": "badd"}, "label is 'badd', which is not a class of the network; did you mean bad?"),
        (replace(CARD, head=replace(CARD.head, probabilities=((0, 0.5),))), {}, "do not rise with its score"),
    ],
)
def test_what_cannot_be_asked(card, options, message):
    with pytest.raises(InputError) as error:
        card.scaled(**options)
    assert message in str(error.value)


def test_the_lowest_probability_stays_where_no_row_reaches_its_score():
    level = Level([Rule([Literal(0)])], ())
    head = Points([[-2]], [1], cutoff=0, probabilities=[(0, 0.5), (1, 0.75)])
    card = RuleNetwork([Column("a", "boolean")], [Equals("a", True)], [level], ["no", "yes"], head=head)
    assert card.scaled(pdo=10).predict_proba([[False], [True]])[:, 1].tolist() == [0.75, 0.5]
