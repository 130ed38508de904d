"""Edits do what they say, taking them back gives the earlier network, and replaying a trail gives the final one."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
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
    SetDefault,
    SetPriority,
    UnlockRule,
    edit,
    replay,
    undo,
)
from conceptrules.edit.rules import find_sole_owner, normalise
from conceptrules.edit.trail import log_text
from conceptrules.io import dumps, loads
from conceptrules.logic.policies.proof import record_proof
from conceptrules.model import Column, Concept, Equals, InputError, Interval, Level, Literal, OneOf, Rule, RuleNetwork
from conceptrules.model.content_hash import content_hash
from conceptrules.model.evaluation import pack
from conceptrules.model.policy import Policy
from conceptrules.model.provenance import Training
from conceptrules.model.statistics import with_statistics
from conceptrules.model.text import concept_name, literals_text, rule_text
from conceptrules.model.trail import TrailEntry, find_break, list_signatures, seal, state_of
from tests.explain.test_reasons import CARD
from tests.logic.policies.test_proof import A, J, P, people
from tests.strategies import networks
from tests.strategies import rows as some_bits

WHO = {"who": "anna", "why": "it was time", "when": "2026-11-16 12:00:00"}
NETWORK = people(Rule((A, J)), other=(Rule((P,)),))
ROWS = [{"age": age, "job": "nurse", "pay": 0} for age in (20, 41, 42, 43, 60)]
LABELS = ["no", "no", "no", "yes", "yes"]


def rules(network, label):
    concept = network.levels[-1].concepts[network.classes.index(label)]
    return sorted(rule_text(network, len(network.levels) - 1, rule) for rule in concept.rules)


@pytest.mark.parametrize(
    ("operation", "yes", "no"),
    [
        (AddRule("pay <= 7 and not job = cook", "yes"), ["age > 41 and job = nurse", "job != cook and pay <= 7"], None),
        (DropRule("job = nurse and age > 41", "yes"), [], None),
        (ChangeRule("pay > 1000", "pay > 2000", "no"), None, ["pay > 2000"]),
        (AddLiteral("pay > 1000", "job is missing", "no"), None, ["job is missing and pay > 1000"]),
        (DropLiteral("age > 41 and job = nurse", "age > 41", "yes"), ["job = nurse"], None),
        (MoveCut("age", "41", "42.5"), ["age > 42.5 and job = nurse"], None),
    ],
)
def test_edits_of_rules(operation, yes, no):
    edited = edit(NETWORK, operation, **WHO).network
    assert rules(edited, "yes") == (yes if yes is not None else rules(NETWORK, "yes"))
    assert rules(edited, "no") == (no if no is not None else rules(NETWORK, "no"))
    assert undo(edited, **WHO).network == normalise(NETWORK)


def test_edits_of_settings():
    assert edit(NETWORK, SetPriority(("no", "yes")), **WHO).network.priority == ("no", "yes")
    assert edit(NETWORK, SetDefault("yes"), **WHO).network.default == "yes"
    locked = edit(NETWORK, LockRule("job = nurse and age > 41", "yes"), **WHO)
    assert [one.outcome for one in locked.network.proof.verdicts] == ["proved"]
    lost = edit(locked.network, DropRule("age > 41 and job = nurse", "yes"), **WHO)
    assert lost.proof.outcome == "refuted"
    free = edit(lost.network, UnlockRule("age > 41 and job = nurse"), **WHO)
    assert free.proof.verdicts == ()
    back = undo(undo(undo(free.network, **WHO).network, **WHO).network, **WHO).network
    assert (back, back.policy) == (normalise(NETWORK), None)
    with pytest.raises(InputError, match="there is no edit to take back"):
        undo(back, **WHO)


def test_a_cut_of_an_ordinal_column():
    column = Column("size", "ordinal", ("S", "M", "L", "XL"))
    level = Level((Rule((Literal(0),)), Rule((Literal(1),))), (Concept((0,)), Concept((1,))))
    tests = (OneOf("size", ("S", "M")), OneOf("size", ("L", "XL")))
    network = RuleNetwork((column,), tests, (level,), ("small", "large"))
    edited = edit(network, MoveCut("size", "M", "L"), **WHO).network
    assert (rules(edited, "small"), rules(edited, "large")) == (["size <= L"], ["size > L"])
    with pytest.raises(InputError, match="no rule cuts 'size' at S; there are M"):
        edit(network, MoveCut("size", "S", "L"), **WHO)


def test_the_effect_on_rows_and_on_all_rows():
    edited = edit(NETWORK, MoveCut("age", "41", "42"), **WHO, data=ROWS, labels=LABELS)
    assert str(edited) == (
        "1 of 5 rows get another class\n"
        "  yes -> no: 1 row, 0 right before, 1 right after\n"
        "  the first: row 3\n"
        "  accuracy: 0.8 before, 1 after (+0.2 [-0.1506 to +0.5506])\n"
        "not every row gets the same class as before; this one is yes -> no:\n"
        "  age = 42.0, job = nurse"
    )
    assert sum(edited.network.statistics.rows) == 5
    assert edited.entry.effect["changes"] == [["yes", "no", 1, 0, 1]]
    assert "row" not in str(edited.entry.effect["witness"])
    same = edit(NETWORK, AddRule("age > 50 and job = nurse", "yes"), **WHO)
    assert same.effect.equivalent
    assert "every row that there can be gets the same class as before" in str(same)


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (DropRule("age > 42 and job = nurse", "yes"), "yes has no rule 'age > 42 and job = nurse'; the nearest is"),
        (DropRule("age > 41", "maybe"), "there is no class or concept 'maybe'"),
        (AddRule("agee > 41", "yes"), "did you mean age?"),
        (AddRule("job = nurze", "yes"), "column 'job' has no category 'nurze'; did you mean nurse?"),
        (AddRule("job = nurse and age > 41", "yes"), "there already"),
        (DropLiteral("pay > 1000", "age > 41", "no"), "does not say 'age > 41'"),
        (AddLiteral("pay > 1000", "pay > 1000", "no"), "already"),
        (MoveCut("age", "40", "50"), "no rule cuts 'age' at 40; did you mean 41?"),
        (MoveCut("age", "41", "old"), "a cut of 'age': expected a number, found 'old'"),
        (MoveCut("agee", "40", "50"), "there is no column 'agee'; did you mean age?"),
        (MoveCut("job", "40", "50"), "has no order"),
        (SetDefault("no"), "the default is no already"),
        (SetDefault("maybe"), "is not one of the classes"),
        (SetPriority(("yes",)), "priority must list each class once"),
        (UnlockRule("age > 41"), "no rule 'age > 41' is locked"),
        (Rename("age > 40", "old"), "there is no rule or concept 'age > 40'; the nearest is 'pay > 1000'"),
        (Rename("pay > 1000", "age > 41 and job = nurse"), "something else is called 'age > 41 and job = nurse'"),
        (Rename("pay > 1000", ""), "'pay > 1000' is called '' already"),
        (Rename("pay > 1000", 101 * "x"), "a name of 101 characters"),
    ],
)
def test_edits_that_cannot_be_made(operation, message):
    with pytest.raises(InputError) as error:
        edit(NETWORK, operation, **WHO)
    assert message in str(error.value)


def test_rules_are_named_by_their_numbers_and_the_trail_has_their_words():
    words = edit(NETWORK, DropRule("job = nurse and age > 41", "yes"), **WHO)
    number = next(line.split(":")[0].strip() for line in str(NETWORK).splitlines() if "job = nurse" in line)
    by_number = edit(NETWORK, DropRule(number, "yes"), **WHO)
    assert by_number.network == words.network
    assert by_number.entry.edit["rule"] == "age > 41 and job = nurse"
    with pytest.raises(InputError, match=r"the network has no rule R1\.9; the last of each level are R1\.2"):
        edit(NETWORK, DropRule("R1.9", "yes"), **WHO)


def test_names_stay_with_their_rules_and_decide_nothing():
    named = edit(NETWORK, Rename("job = nurse and age > 41", "senior nurses"), **WHO)
    assert str(named) == "every row that there can be gets the same class as before"
    assert named.network == NETWORK
    assert "\n  R1.1 (senior nurses): age > 41 and job = nurse" in str(named.network)
    assert "R1.1 (senior nurses): age > 41 and job = nurse" in named.network.export("sql")
    moved = edit(named.network, MoveCut("age", "41", "50"), **WHO).network
    assert moved.names == (("age > 50 and job = nurse", "senior nurses"),)
    again = edit(moved, Rename("senior nurses", "old nurses"), **WHO).network
    assert dict(again.names) == {"age > 50 and job = nurse": "old nurses"}
    gone = edit(again, DropRule("age > 50 and job = nurse", "yes"), **WHO).network
    assert (gone.names, undo(gone, **WHO).network.names) == ((), again.names)
    assert dict(edit(again, Rename("old nurses", ""), **WHO).network.names) == {}
    assert [step.outcome for step in replay(named.network.trail, named.network).steps] == ["already"]


def test_the_name_of_a_concept():
    levels = (
        Level((Rule((Literal(0),)),), (Concept((0,)),)),
        Level((Rule((Literal(0),)),), (Concept((0,)), Concept())),
    )
    network = RuleNetwork((Column("age"),), (Interval("age", 41),), levels, ("yes", "no"), default="no")
    named = edit(network, Rename("C1.1", "old and wise"), **WHO).network
    assert 'C1.1 ("old and wise") means' in str(named)


def test_a_rule_about_a_forbidden_column_is_told_that_it_is_forbidden():
    network = replace(NETWORK, policy=Policy.of(forbidden=["sex", "race"]))
    with pytest.raises(InputError, match=r"found 'sex'.*; the policy of the network forbids the column 'sex'$"):
        edit(network, AddRule("pay > 7 and sex = m", "yes"), **WHO)
    with pytest.raises(InputError, match=r"found 'size'; there are age, job, pay$"):
        edit(network, AddRule("pay > 7 and size = m", "yes"), **WHO)


def test_the_owner_of_a_rule_can_be_left_out():
    assert find_sole_owner(NETWORK, "pay > 1000") == "no"
    with pytest.raises(InputError, match="there is no rule 'pay > 10'; the nearest is 'pay > 1000'"):
        find_sole_owner(NETWORK, "pay > 10")
    both = edit(NETWORK, AddRule("pay > 1000", "yes"), **WHO).network
    with pytest.raises(InputError, match="yes and no have the rule"):
        find_sole_owner(both, "pay > 1000")


@st.composite
def operations(draw, network):
    """An edit that fits the network, more or less."""
    last = len(network.levels) - 1
    owners = [(last, place, name) for place, name in enumerate(network.classes)]
    owners += [
        (level, place, concept_name(level, place))
        for level in range(last)
        for place in range(len(network.levels[level].concepts))
    ]
    level, place, name = draw(st.sampled_from(owners))
    mine = [rule_text(network, level, rule) for rule in network.levels[level].concepts[place].rules]
    every = [rule_text(network, level, rule) for rule in range(len(network.levels[level].rules))]
    size = len(network.predicates) if level == 0 else len(network.levels[level - 1].concepts)
    some = [literals_text(network, level, [Literal(index, no)])[0] for index in range(size) for no in (False, True)]
    kinds = [
        SetDefault(draw(st.sampled_from(network.classes))),
        SetPriority(tuple(draw(st.permutations(network.classes)))),
        Rename(draw(st.sampled_from([*every, name if isinstance(name, str) else "C1.1"])), draw(st.text(max_size=3))),
    ]
    if mine:
        kinds.append(DropRule(draw(st.sampled_from(mine)), name))
        if some:
            kinds.append(AddLiteral(draw(st.sampled_from(mine)), draw(st.sampled_from(some)), name))
            kinds.append(DropLiteral(draw(st.sampled_from(mine)), draw(st.sampled_from(some)), name))
        if every:
            kinds.append(ChangeRule(draw(st.sampled_from(mine)), draw(st.sampled_from(every)), name))
    if every:
        kinds.append(AddRule(draw(st.sampled_from(every)), name))
    return draw(st.sampled_from(kinds))


def edited_often(data, network, most=4):
    """The network after some edits, and all states on the way."""
    states = [network]
    for _ in range(data.draw(st.integers(1, most))):
        try:
            states.append(edit(states[-1], data.draw(operations(states[-1])), **WHO).network)
        except InputError:
            continue
    assume(len(states) > 1)
    return states


@settings(max_examples=150, deadline=None)
@given(networks(odd=True), st.data())
def test_undoing_gives_each_earlier_network_and_replaying_the_final_one(network, data):
    states = edited_often(data, network)
    final = states[-1]
    assert find_break(final.trail) is None
    assert state_of(final) == final.trail[-1].after
    replayed = replay(final.trail, network)
    assert (replayed.network, replayed.network.names) == (normalise(final), final.names)
    assert {step.outcome for step in replayed.steps} == {"applied"}
    for earlier in reversed(states[:-1]):
        final = undo(final, **WHO).network
        assert (final, final.names) == (normalise(earlier), earlier.names)
        assert find_break(final.trail) is None
    assert replay(final.trail, network).steps == ()


@settings(max_examples=100, deadline=None)
@given(networks(odd=True), st.data())
def test_figures_follow_their_rules_into_the_normal_form(network, data):
    assume(len(set(network.predicates)) == len(network.predicates))
    bits = data.draw(some_bits(network, min_rows=1))
    y = np.arange(len(bits)) % len(network.classes)
    counted = with_statistics(network, pack(bits), y, np.ones(len(bits)))
    found = normalise(counted)
    used = [found.predicates.index(one) if one in found.predicates else 0 for one in network.predicates]
    if found.statistics is not None:
        moved = np.zeros((len(bits), len(found.predicates)), dtype=bool)
        for old in network.used_predicates:
            moved[:, used[old]] = bits[:, old]
        assert found.statistics == with_statistics(found, pack(moved), y, np.ones(len(bits))).statistics


def test_the_row_that_gets_another_class_has_few_digits():
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    network = RuleNetwork([Column("x")], [Interval("x", 1.22)], [level], ["yes", "no"], default="no")
    effect = edit(network, DropRule("x > 1.22", "yes"), **WHO).effect
    assert effect.witness == {"x": 2.0}  # 1.22 + 1 is 2.2199999999999998
    assert effect.decisions == ("yes", "no")


@pytest.mark.parametrize("operation", [AddRule("age > 80", "yes"), DropRule("pay > 1000", "no"), SetDefault("yes")])
def test_a_learned_network_forgets_how_stable_its_rules_were_when_they_change(operation):
    training = Training("0", 0, (), 1, None, None, stability=((1.0, 0.5),))
    learned = replace(NETWORK, training=training)
    assert learned.edit(operation, who="anna", why="").network.training.stability == ()


@settings(max_examples=50, deadline=None)
@given(networks(odd=True), st.data())
def test_a_saved_trail_is_the_same_and_any_change_of_it_is_seen(network, data):
    final = edited_often(data, network)[-1]
    loaded = loads(dumps(final))
    assert (loaded, loaded.trail, loaded.policy) == (final, final.trail, final.policy)
    assert loaded.names == final.names
    number = data.draw(st.integers(0, len(final.trail) - 1))
    field = data.draw(
        st.sampled_from(["who", "when", "why", "edit", "undo", "effect", "before", "after", "previous", "hash"])
    )
    entry = asdict(final.trail[number])
    new = {**entry[field], "x": 1} if isinstance(entry[field], dict) else entry[field] + "x"
    forged = TrailEntry(**{**entry, field: new})
    trail = (*final.trail[:number], forged, *final.trail[number + 1 :])
    assert "was changed after it was written" in find_break(trail)
    if field not in ("hash",) and number < len(trail) - 1:  # with a hash that fits, the next entry does not follow
        assert find_break((*final.trail[:number], seal(forged), *final.trail[number + 1 :])) is not None


@given(st.data())
def test_any_byte_of_a_saved_trail_that_changes_is_seen(data):
    one = edit(NETWORK, MoveCut("age", "41", "42"), data=[{"age": 42, "job": "nurse", "pay": 1}], **WHO).network
    final = edit(one, LockRule("age > 42 and job = nurse", "yes"), **WHO).network
    text = dumps(final).encode()
    start = text.index(b'"trail"')
    place = data.draw(st.integers(start, text.index(final.trail[-1].hash.encode()) + len(final.trail[-1].hash)))
    flipped = bytes([text[place] ^ 1 << data.draw(st.integers(0, 7))])
    try:
        loaded = loads((text[:place] + flipped + text[place + 1 :]).decode())
    except (InputError, UnicodeDecodeError):
        return  # no model file any more
    # What the hashes allow are blanks between the values.
    assert find_break(loaded.trail) is not None or (loaded.trail == final.trail and flipped.isspace())


def test_an_entry_that_was_taken_out_is_seen():
    one = edit(NETWORK, MoveCut("age", "41", "42"), **WHO).network
    two = edit(one, MoveCut("age", "42", "43"), **WHO).network
    assert "does not follow" in find_break(two.trail[1:])
    assert "does not follow" in find_break((two.trail[1], two.trail[0]))


def test_replaying_on_another_network_shows_conflicts():
    first = edit(NETWORK, DropRule("age > 41 and job = nurse", "yes"), **WHO).network
    second = edit(first, AddRule("pay <= 5", "yes"), **WHO).network
    third = edit(second, MoveCut("pay", "1000", "1500"), **WHO).network
    last = edit(edit(third, SetDefault("yes"), **WHO).network, SetDefault("no"), **WHO).network
    again = replace(NETWORK, predicates=(Interval("age", 40), Equals("job", "nurse"), Interval("pay", 1500)))
    found = replay(last.trail, again)
    assert str(found) == (
        "CONFLICT: drop from yes: age > 41 and job = nurse (a rule like it is there: age > 40 and job = nurse)\n"
        "applied: add to yes: pay <= 5\n"
        "true already: move the cut of pay: 1000 -> 1500\n"
        "applied: default: yes\n"
        "applied: default: no"
    )
    assert len(found.conflicts) == 1
    without = edit(again, DropRule("age > 40 and job = nurse", "yes"), **WHO).network
    assert replay(first.trail, without).steps[0].outcome == "already"


def test_replaying_a_drop_takes_out_what_was_learned_again_inside_its_region():
    dropped = edit(NETWORK, DropRule("age > 41 and job = nurse", "yes"), **WHO).network
    narrower = people(Rule((Literal(0), J)), other=(Rule((P,)),))
    narrower = replace(narrower, predicates=(Interval("age", 55), *narrower.predicates[1:]))
    found = replay(dropped.trail, narrower)
    assert str(found) == "applied: drop from yes: age > 55 and job = nurse"
    assert rules(found.network, "yes") == []
    wider = replace(narrower, predicates=(Interval("age", 30), *narrower.predicates[1:]))
    assert [step.outcome for step in replay(dropped.trail, wider).steps] == ["conflict"]


def sign(network, name, when="2026-11-16 12:00:00"):
    from conceptrules.edit.editing import sign as put

    return put(network, name=name, role="validator", motive="It was checked.", when=when)


@pytest.mark.parametrize("network", [NETWORK, CARD], ids=["decision", "card"])
def test_signatures_are_of_the_network_as_it_is(network):
    network = replace(network, policy=Policy.of(signatures=2), proof=None)
    proof = network.prove(network.policy)
    assert (proof.outcome, proof.verdicts[0].reason) == ("undecided", "0 of 2 so far: signed by nobody")
    once = sign(replace(network, proof=record_proof(proof)), "Anna")
    assert once.proof.verdicts[0].reason == "1 of 2 so far: signed by Anna (validator)"
    assert content_hash(once) == content_hash(network)
    twice = loads(dumps(sign(once, "Ben")))
    assert twice.prove(twice.policy).proved
    assert twice.proof.verdicts[0].outcome == "proved"
    assert find_break(twice.trail) is None
    assert "signed by Ben (validator)" in log_text(twice.trail)
    text = rule_text(network, 0, 0)
    label = None if network.head else network.classes[0]
    edited = edit(twice, DropRule(text, label), **WHO)
    assert edited.newly_refuted == ()
    assert edited.proof.outcome == "undecided"
    assert list_signatures(undo(edited.network, **WHO).network) == []
    assert [step.outcome for step in replay(edited.network.trail, network).steps] == ["applied"]
    assert undo(sign(edited.network, "Anna"), **WHO).network.levels == normalise(network).levels


@pytest.mark.parametrize(
    ("name", "message"), [(" ", "name has 0 characters"), ("a" * 501, "501"), ("ANNA ", "has signed this network")]
)
def test_what_is_no_signature(name, message):
    with pytest.raises(InputError, match=message):
        sign(sign(NETWORK, "Anna"), name)


def test_nobody_signs_a_trail_that_was_changed():
    forged = replace(sign(NETWORK, "Anna").trail[0], who="Ben")
    with pytest.raises(InputError, match="entry 1 was changed"):
        sign(replace(NETWORK, trail=(forged,)), "Carl")
    reason = replace(NETWORK, trail=(forged,)).prove(Policy.of(signatures=1)).verdicts[0].reason
    assert reason == "0 of 1 so far: signed by nobody, as the trail is broken"


@pytest.mark.parametrize("least", [0, 2.0, True, "two", 101])
def test_how_many_people_is_a_whole_number(least):
    with pytest.raises(InputError, match="signatures: "):
        Policy.of(signatures=least)
