"""The trail: each entry carries the hash of the one before, and any change of it shows."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from conceptrules.model.content_hash import content_hash
from conceptrules.model.network import Concept, Level, RuleNetwork
from conceptrules.model.policy import Limit, Policy
from conceptrules.model.trail import START, TrailEntry, find_break, head_of, seal, state_of

NETWORK = RuleNetwork((), (), (Level((), (Concept(), Concept())),), ("no", "yes"))


def entry(number: int, previous: str) -> TrailEntry:
    """Return an entry that begins with one state and ends with the next."""
    plain = {"kind": "DropRule"}
    return seal(TrailEntry("Ada", "2026-01-01", "why", plain, plain, plain, f"s{number}", f"s{number + 1}", previous))


FIRST = entry(0, START)
SECOND = entry(1, FIRST.hash)
THIRD = entry(2, SECOND.hash)


def test_a_trail_as_it_was_written_is_whole() -> None:
    assert find_break(()) is None
    assert find_break((FIRST,)) is None
    assert find_break((FIRST, SECOND, THIRD)) is None


def test_sealing_twice_changes_nothing() -> None:
    assert FIRST.hash.startswith("sha256:")
    assert seal(FIRST) == FIRST


@pytest.mark.parametrize("name", [field.name for field in fields(TrailEntry)])
def test_a_change_of_any_field_shows(name: str) -> None:
    other = {"kind": "AddRule"} if name in ("edit", "undo", "effect") else "other"
    said = find_break((FIRST, replace(SECOND, **{name: other}), THIRD))
    assert said == "entry 2 was changed after it was written: it does not give its hash"


@pytest.mark.parametrize(
    ("trail", "number"),
    [((SECOND, THIRD), 1), ((FIRST, THIRD), 2), ((SECOND, FIRST), 1), ((FIRST, FIRST), 2), ((FIRST, THIRD, SECOND), 2)],
)
def test_entries_that_are_gone_or_moved_show(trail: tuple[TrailEntry, ...], number: int) -> None:
    said = find_break(trail)
    assert said is not None
    assert said.startswith(f"entry {number} does not follow the one before it")


def test_an_entry_begins_where_the_one_before_it_ended() -> None:
    assert find_break((FIRST, entry(5, FIRST.hash))) == "entry 2 begins with another network than entry 1 ended with"


def test_the_head_is_the_hash_of_the_last_entry() -> None:
    assert head_of(NETWORK) is None
    assert head_of(replace(NETWORK, trail=(FIRST, SECOND))) == SECOND.hash


def test_the_state_is_what_edits_can_change() -> None:
    other = replace(NETWORK, default="yes")
    assert content_hash(other) != content_hash(NETWORK)
    with_policy = replace(NETWORK, policy=Policy((Limit("edges", 3),)))
    states = [state_of(one) for one in (NETWORK, other, with_policy)]
    assert len(set(states)) == 3
    assert state_of(replace(NETWORK, trail=(FIRST,))) == states[0]


def test_names_are_a_part_of_the_state_whatever_their_order() -> None:
    pairs = (("C1.1", "a"), ("C1.2", "b"))
    named = replace(NETWORK, names=pairs)
    assert state_of(named) != state_of(NETWORK)
    assert state_of(named) == state_of(replace(NETWORK, names=pairs[::-1]))


def test_the_order_of_keys_does_not_matter_to_a_hash() -> None:
    plain = {"kind": "DropRule", "rule": "x > 1"}
    turned = replace(FIRST, edit=dict(reversed(plain.items())))
    assert seal(turned).hash == seal(replace(FIRST, edit=plain)).hash
