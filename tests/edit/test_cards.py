"""Edits of scorecards do what they say, taking them back gives the earlier card, and replaying gives the final one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.edit import (
    AddLiteral,
    AddRule,
    ChangeRule,
    DropLiteral,
    DropRule,
    LockRule,
    MoveCut,
    Rename,
    SetCutoff,
    SetDefault,
    SetPoints,
    SetReasonCodes,
    UnlockRule,
    edit,
    redo,
    replay,
    undo,
)
from conceptrules.edit.rules import normalise
from conceptrules.edit.trail import log_text
from conceptrules.explain.measurement import measure
from conceptrules.io import dumps, loads
from conceptrules.model import InputError, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.model.text import rule_text
from conceptrules.model.trail import find_break, state_of
from tests.explain.test_reasons import CARD, COLUMNS
from tests.strategies import scorecards

WHO = {"who": "anna", "why": "it was time", "when": "2026-11-16 12:00:00"}
NUMBER = replace(CARD, classes=(), head=Points(CARD.head.points, [1], step=0.5), target="price")
SEVERAL = replace(CARD, classes=("a", "b", "c"), head=Points([[1, 0, 2]] * 4, [0, 1, 0], offsets=[0, 0, 0]))
WIDE = replace(CARD, head=replace(CARD.head, probabilities=((-99, 0.1), (99, 0.95))))
RANDOM = np.random.default_rng(0)
ROWS = [
    [int(a), int(d), j]
    for a, d, j in zip(*RANDOM.integers(0, [[90], [3000]], (2, 200)), ["cook", "nurse"] * 100, strict=False)
]
BAD = ["bad" if age > 40 or RANDOM.random() < 0.2 else "good" for age, _, _ in ROWS]


def points_by_rule(card: RuleNetwork) -> dict[str, tuple[int, ...]]:
    rules = range(len(card.head.points))
    return {rule_text(card, len(card.levels) - 1, rule): card.head.points[rule] for rule in rules}


@pytest.mark.parametrize(
    ("operation", "rule", "points"),
    [
        (SetPoints("age > 41", 7), "age > 41", (7,)),
        (AddRule("age > 41 and job = cook", points=-3), "age > 41 and job = cook", (-3,)),
        (ChangeRule("age > 41", "age > 50"), "age > 50", (3,)),
        (AddLiteral("age > 41", "job = cook"), "age > 41 and job = cook", (3,)),
        (DropLiteral("age > 41 and debt > 1000", "age > 41"), None, None),
        (MoveCut("debt", "1000", "1500"), "age > 41 and debt > 1500", (1,)),
        (DropRule("job != cook"), "job != cook", None),
    ],
)
def test_edits_of_rules_with_points(operation, rule, points):
    if rule is None:
        with pytest.raises(InputError, match="the rule is there already"):
            edit(WIDE, operation, **WHO)
        return
    edited = edit(WIDE, operation, **WHO)
    assert points_by_rule(edited.network).get(rule) == points
    assert undo(edited.network, **WHO).network == normalise(WIDE)
    assert loads(dumps(edited.network)) == edited.network


def test_rules_that_become_equal_add_their_points():
    tests = [Interval("age", 41), Interval("age", 50)]
    card = RuleNetwork(COLUMNS, tests, [Level([Rule([Literal(0)]), Rule([Literal(1)])], ())], ["a", "b"], head=Points(
        [[3], [2]], [0], cutoff=1, probabilities=[(0, 0.1), (9, 0.9)]))  # fmt: skip
    edited = edit(card, MoveCut("age", "50", "41"), **WHO).network
    assert points_by_rule(edited) == {"age > 41": (5,)}
    assert undo(edited, **WHO).network == normalise(card)


def test_the_cut_off_names_and_locks():
    moved = edit(CARD, SetCutoff(1), **WHO, data=ROWS, labels=BAD)
    assert moved.network.head.cutoff == 1
    assert "get another class" in str(moved)
    assert "accuracy: " in str(moved)
    assert sum(moved.network.statistics.rows) == 200
    locked = edit(moved.network, LockRule("age > 41"), **WHO)
    assert [verdict.outcome for verdict in locked.network.proof.verdicts] == ["proved"]
    lost = edit(locked.network, SetPoints("age > 41", 2), **WHO)
    assert lost.newly_refuted == ("locked.age > 41",)
    named = edit(edit(lost.network, UnlockRule("age > 41"), **WHO).network, Rename("age > 41", "old"), **WHO).network
    assert "(old)" in str(named)
    assert find_break(named.trail) is None
    again = replay(named.trail, CARD)
    assert not again.conflicts
    assert (again.network, again.network.names) == (named, named.names)
    assert "cut-off: 1" in log_text(named.trail)


def test_figures_before_and_after_come_with_intervals():
    effect = edit(WIDE, SetPoints("age > 41", 20), **WHO, data=ROWS, labels=BAD).effect
    names = [figure.name for figure in effect.figures]
    assert names == ["accuracy", "log loss", "AUC"]
    for figure in effect.figures:
        assert figure.low <= figure.after - figure.before <= figure.high
    assert effect.figures[2].after > effect.figures[2].before
    numbers = [float(age) for age, _, _ in ROWS]
    edited = edit(NUMBER, SetPoints("age > 41", 12.5), **WHO, data=ROWS, labels=numbers)
    assert edited.network.head.points[0] == (25,)
    assert [figure.name for figure in edited.effect.figures] == ["mean absolute error", "R2"]
    assert "get another number, by at most 11" in str(edited)
    assert "got another number" in log_text(edited.network.trail)
    assert "<li>R2: " in edited._repr_html_()
    assert undo(edited.network, **WHO).network == normalise(NUMBER)


def test_scores_beyond_the_table_need_rows():
    with pytest.raises(
        InputError, match="with this edit scores go from -1 to 29, and the probabilities of the card are"
    ):
        edit(CARD, SetPoints("age > 41", 23), **WHO)
    edited = edit(CARD, SetPoints("age > 41", 23), **WHO, data=ROWS, labels=BAD, recalibrate=True)
    assert edited.network.head.probabilities[-1][0] == 29
    shares = edited.network.predict_proba(ROWS)[:, 1]
    assert shares.mean() == pytest.approx(np.mean(np.array(BAD) == "bad"), abs=0.02)
    assert np.log(shares[np.array(BAD) == "bad"]).mean() > np.log(0.5)
    assert undo(edited.network, **WHO).network == normalise(CARD)
    assert replay(edited.network.trail, CARD).network == edited.network
    for options in ({}, {"data": ROWS, "labels": ["bad"] * 200}):
        with pytest.raises(InputError, match="recalibrate needs rows"):
            edit(CARD, SetPoints("age > 41", 23), **WHO, **options, recalibrate=True)
    with pytest.raises(InputError, match="only the probabilities of a scorecard of two classes"):
        edit(NUMBER, SetPoints("age > 41", 3), **WHO, data=ROWS, labels=BAD, recalibrate=True)


@pytest.mark.parametrize(
    ("card", "operation", "message"),
    [
        (CARD, SetPoints("age > 40", 7), "the card has no rule 'age > 40'; the nearest is 'age > 41'"),
        (CARD, SetPoints("age > 41", 2.5), "points are whole numbers, and 2.5 is not one; take 2 or 3"),
        (CARD, SetPoints("age > 41", (1, 2)), "points are (1, 2); give 1, one for each of bad"),
        (CARD, SetPoints("age > 41", 3), "has these points already"),
        (CARD, SetPoints("age > 41", float("nan")), "give numbers"),
        (NUMBER, SetPoints("age > 41", 2.3), "multiples of the step 0.5, and 2.3 is not one; take 2.0 or 2.5"),
        (SEVERAL, SetPoints("age > 41", 7), "give 3, one for each of a, b, c"),
        (SEVERAL, SetCutoff(1), "only a scorecard of two classes has a cut-off"),
        (CARD, SetCutoff(100), "the cut-off is 100; scores go from -1 to 9: take -1 to 10"),
        (CARD, SetCutoff(3), "the cut-off is 3 already"),
        (CARD, AddRule("age > 41 and job = cook"), "how many points does the rule have?"),
        (CARD, DropRule("age > 41", "bad"), "the rules of a scorecard are for no class"),
        (CARD, SetDefault("bad"), "a scorecard has no priority and no default"),
        (CARD, LockRule("age > 41", mode="decides"), "a rule of a scorecard does not decide alone"),
    ],
)
def test_edits_that_cannot_be_made(card, operation, message):
    with pytest.raises(InputError) as error:
        edit(card, operation, **WHO)
    assert message in str(error.value)


def test_a_card_without_columns_is_edited():
    card = RuleNetwork((), (), [Level([Rule(())], ())], "ab", head=Points([[0]], [1], 0, [(0, 0.5), (9, 0.9)]))
    assert not edit(card, SetPoints("always", 2), **WHO).effect.equivalent


@settings(max_examples=60)
@given(st.data())
def test_undoing_and_replaying(data: st.DataObject):
    card = data.draw(scorecards().filter(lambda made: made.levels[-1].rules))
    start = normalise(card)
    network = start
    for _ in range(data.draw(st.integers(1, 3))):
        rules = list(points_by_rule(network))
        value = data.draw(st.integers(-9, 9))
        points = [value] * network.head.outputs
        operations = [SetPoints("base", points)]
        if rules:
            rule = data.draw(st.sampled_from(rules))
            operations += [SetPoints(rule, points), DropRule(rule)]
        if network.head.probabilities:
            operations.append(SetCutoff(value))
        try:
            network = edit(network, operations[data.draw(st.integers(0, len(operations) - 1))], **WHO).network
        except InputError:
            continue
    assert find_break(network.trail) is None
    again = replay(network.trail, start)
    assert not again.conflicts
    assert state_of(again.network) == state_of(network)
    back = network
    for _ in network.trail:
        back = undo(back, **WHO).network
    assert back == start
    for _ in network.trail:
        back = redo(back, **WHO).network
    assert (back, find_break(back.trail)) == (network, None)
    assert state_of(replay(back.trail, start).network) == state_of(network)


def test_what_was_taken_back_is_made_again_until_another_edit_is_made():
    first = edit(WIDE, SetPoints("age > 41", 7), **WHO).network
    second = edit(first, SetCutoff(5), **WHO).network
    back = undo(undo(second, **WHO).network, **WHO).network
    again = redo(back, **WHO).network
    assert again == first
    assert redo(again, **WHO).network == second
    assert undo(again, **WHO).network == normalise(WIDE)
    other = edit(again, SetCutoff(4), **WHO).network
    for network in (other, first, WIDE):
        with pytest.raises(InputError, match="there is no edit to make again: none was taken back"):
            redo(network, **WHO)


def test_reason_codes_are_an_edit():
    codes = {"debt": {"high": ("R01", "Debt is high"), "missing": ["R02", "No debt"]}}
    measured = replace(measure(WIDE, ROWS, BAD), policy=Policy.of(locked=[{"rule": "age > 41"}]))
    edited = edit(measured, SetReasonCodes(codes), **WHO)
    assert edited.network.reasons([[20, None, "cook"]], to="good")[0][0].code == "R02"
    assert (edited.network, edited.proof.proved) == (normalise(measured), True)
    assert log_text(edited.network.trail).startswith("1. reason codes of debt\n")
    assert edited.network.trail[-1].after == state_of(edited.network) != state_of(measured)
    again = loads(dumps(edited.network))
    assert find_break(again.trail) is None
    back = undo(again, **WHO).network
    assert (back.reason_codes, back.statistics) == ((), normalise(measured).statistics)
    assert redo(back, **WHO).network.reason_codes == edited.network.reason_codes
    assert replay(again.trail, WIDE).network.reason_codes == edited.network.reason_codes
    for wrong, message in (
        ({"dept": ("R", "D")}, "did you mean debt"),
        (codes, "are these already"),
        (3, "are 3; give"),
    ):
        with pytest.raises(InputError, match=message):
            edit(edited.network, SetReasonCodes(wrong), **WHO)
