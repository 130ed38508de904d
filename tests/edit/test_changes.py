"""What leads from one network to another: rules from elsewhere, earlier states, edits made again, and bans."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conceptrules.edit import (
    AddRule,
    BanRule,
    DropRule,
    MoveCut,
    Rename,
    SetDefault,
    SetPolicy,
    TakeRules,
    edit,
    redo,
    replay,
    take_rules,
    undo,
)
from conceptrules.edit.changes import apply_changes, find_changes
from conceptrules.edit.editing import list_undone_edits, preview, rewind, sign, with_author
from conceptrules.edit.operations import from_plain, to_plain
from conceptrules.edit.rules import Conflict, normalise
from conceptrules.io import dumps, loads
from conceptrules.model import InputError, Rule
from conceptrules.model.policy import Banned, Policy
from conceptrules.model.policy.plain import to_plain as policy_to_plain
from conceptrules.model.text import rule_text
from conceptrules.model.trail import find_break
from tests.edit.test_editing import LABELS, NETWORK, ROWS, WHO, rules
from tests.explain.test_reasons import CARD
from tests.logic.policies.test_proof import A, J, P, people
from tests.strategies import networks, scorecards

OTHER = people(Rule((A,)), other=(Rule((P, J)),))


@pytest.mark.parametrize(
    ("network", "other"), [(NETWORK, OTHER), (CARD, replace(CARD, head=replace(CARD.head, cutoff=2)))]
)
def test_rules_from_elsewhere_take_the_place_of_others(network, other):
    operation = take_rules(network, other, "learned again")
    edited = edit(network, operation, **WHO).network
    assert edited == normalise(other)
    assert undo(edited, **WHO).network == normalise(network)
    assert from_plain(to_plain(operation)) == operation
    again = loads(dumps(edited))
    assert (again, find_break(again.trail)) == (edited, None)
    assert replay(again.trail, normalise(network)).network == edited


def test_rules_from_elsewhere_keep_policy_names_and_text():
    named = edit(NETWORK, Rename("pay > 1000", "rich"), **WHO).network
    named = replace(named, policy=Policy.of(max_edges=40))
    operation = take_rules(named, people(Rule((A,)), other=(Rule((P,)),)), "rules.xlsx")
    assert operation.text == "take rules from elsewhere (rules.xlsx): 1 rule added, 1 dropped"
    edited = edit(named, operation, **WHO).network
    assert (edited.policy, edited.names) == (named.policy, named.names)


def test_rules_that_do_not_go_together_are_refused():
    with pytest.raises(Conflict, match="these are the rules that the network has"):
        take_rules(NETWORK, NETWORK, "learned again")
    with pytest.raises(InputError, match="only one of the two networks has points"):
        take_rules(NETWORK, CARD, "learned again")
    with pytest.raises(InputError, match="for other classes"):
        take_rules(NETWORK, replace(NETWORK, classes=("no", "maybe"), priority=(), default=None), "learned again")
    operation = take_rules(NETWORK, OTHER, "learned again")
    with pytest.raises(Conflict, match="the rules that these take the place of are not there"):
        operation.apply(normalise(OTHER))


def test_the_order_of_the_classes_decides_nothing():
    level = replace(OTHER.levels[0], concepts=OTHER.levels[0].concepts[::-1])
    turned = replace(OTHER, classes=OTHER.classes[::-1], levels=(level,))
    edited = edit(NETWORK, take_rules(NETWORK, turned, "learned again"), **WHO).network
    assert (edited.predict(ROWS) == turned.predict(ROWS)).all()
    assert edited == normalise(OTHER)
    card = replace(CARD, classes=CARD.classes[::-1])
    assert edit(CARD, take_rules(CARD, card, "learned again"), **WHO).network == normalise(card)


def test_columns_with_other_categories_come_along():
    known = replace(OTHER, columns=tuple(replace(c, missing=not c.missing) for c in OTHER.columns))
    edited = edit(NETWORK, take_rules(NETWORK, known, "learned again"), **WHO).network
    assert edited.columns == known.columns
    assert undo(edited, **WHO).network.columns == NETWORK.columns


@settings(max_examples=60)
@given(st.data())
def test_changes_lead_from_any_network_to_any_other(data):
    first = data.draw(st.one_of(networks(), scorecards()))
    level = first.levels[-1]
    chosen = data.draw(st.lists(st.sampled_from(range(len(level.rules))), unique=True)) if level.rules else []
    if first.head is None:
        concepts = tuple(replace(c, rules=tuple(r for r in c.rules if r not in chosen)) for c in level.concepts)
        other = replace(first, levels=(*first.levels[:-1], replace(level, concepts=concepts)), statistics=None)
    else:
        points = tuple(tuple(p + 1 for p in row) if r in chosen else row for r, row in enumerate(first.head.points))
        other = replace(first, head=replace(first.head, points=points), statistics=None)
    before, after = normalise(first), normalise(other)
    assume(len(before.levels) == 1 or before.levels[:-1] == after.levels[:-1])
    assert normalise(apply_changes(before, find_changes(before, after))) == after


def test_earlier_states_and_edits_made_again():
    first = edit(NETWORK, MoveCut("age", "41", "42"), **WHO).network
    second = edit(first, AddRule("pay <= 7", "yes"), **WHO).network
    signed = sign(second, name="bea", role="risk", motive="seen")
    assert [rewind(signed, count) for count in (0, 1, 2, 3)] == [second, second, first, normalise(NETWORK)]
    assert [len(rewind(signed, count).trail) for count in (0, 1, 2, 3)] == [3, 2, 1, 0]
    back = undo(undo(signed, **WHO).network, **WHO).network
    assert [entry.edit["kind"] for entry in list_undone_edits(back.trail)] == ["add", "move-cut"]
    again = redo(back, **WHO).network
    assert again == first
    both = redo(again, **WHO).network
    assert (both, find_break(both.trail)) == (second, None)
    with pytest.raises(InputError, match="there is no edit to make again"):
        redo(both, **WHO)
    other = edit(back, SetDefault("yes"), **WHO).network
    assert list_undone_edits(other.trail) == []


def test_a_banned_rule_goes_and_is_not_learned_again():
    edited = edit(NETWORK, BanRule("pay > 1000", "no"), **WHO)
    assert rules(edited.network, "no") == []
    assert edited.network.policy.clauses == (Banned("pay > 1000", "no"),)
    assert edited.proof.proved
    back = undo(edited.network, **WHO).network
    assert (back, back.policy) == (normalise(NETWORK), None)
    absent = edit(NETWORK, BanRule("pay > 3000", "no"), **WHO)
    assert absent.network == normalise(NETWORK)
    with pytest.raises(Conflict, match="is banned already"):
        edit(absent.network, BanRule("pay > 3000", "no"), **WHO)
    text = rule_text(CARD, 0, 0)
    card = edit(CARD, BanRule(text), **WHO)
    assert len(card.network.head.points) == len(CARD.head.points) - 1
    assert card.network.policy.clauses == (Banned(text),)


def test_a_policy_is_an_edit():
    policy = Policy.of(forbidden=["pay"])
    edited = edit(NETWORK, SetPolicy(policy_to_plain(policy)), **WHO)
    assert (edited.network.policy, edited.newly_refuted) == (policy, ("forbidden.pay",))
    assert loads(dumps(edited.network)).policy == policy
    assert undo(edited.network, **WHO).network.policy is None
    with pytest.raises(Conflict, match="in force already"):
        edit(edited.network, SetPolicy(policy_to_plain(policy)), **WHO)


def test_an_edit_is_tried_and_made_later():
    operation = MoveCut("age", "41", "42")
    after, effect = preview(NETWORK, operation, data=ROWS, labels=LABELS)
    edited = edit(NETWORK, operation, who="anna", why="", data=ROWS, labels=LABELS)
    assert (after, effect.changes, effect.figures) == (edited.network, edited.effect.changes, edited.effect.figures)
    made = with_author(edited, who="bea", why="older people")
    assert (made.entry.who, made.entry.why, made.network.trail) == ("bea", "older people", (made.entry,))
    assert find_break(made.network.trail) is None
    with pytest.raises(InputError):
        preview(NETWORK, DropRule("pay > 5", "no"))


def test_the_kinds_of_edits_have_texts():
    assert BanRule("age > 41", "yes").text == "ban for yes: age > 41"
    assert SetPolicy({"forbidden": ["pay"]}).text == "policy: no rule asks about pay"
    assert TakeRules("rules.xlsx", {"drop": [], "add": [1]}).text.endswith("1 rule added, 0 dropped")
