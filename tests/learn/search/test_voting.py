"""The network of a vote decides as its members would by vote."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.learn.search.voting import MEMBERS, MOST_CLASSES, Member, vote, voted
from conceptrules.model.evaluation import decide_fired, first_firing, layers_plain
from conceptrules.model.network import Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals
from tests.strategies_search import seeded

BITS = 4
COLUMNS = tuple(Column(f"b{number}", "boolean") for number in range(BITS))
ROWS = np.array(np.meshgrid(*[[False, True]] * BITS)).reshape(BITS, -1).T


def network(levels: tuple[Level, ...], member: Member) -> RuleNetwork:
    predicates = tuple(Equals(column.name, True) for column in COLUMNS)
    classes = tuple(range(len(member.rules)))
    return RuleNetwork(COLUMNS, predicates, levels, classes, member.order, member.default)


def fired(levels: tuple[Level, ...], member: Member) -> np.ndarray:
    return layers_plain(network(levels, member), ROWS)[-1]


def some_member(rng: np.random.Generator, classes: int) -> Member:
    """None to two rules for each class, in any priority, with any default."""

    def rule() -> Rule:
        chosen = rng.permutation(BITS)[: rng.integers(1, 3)]
        return Rule(tuple(Literal(int(index), bool(rng.random() < 0.5)) for index in sorted(chosen)))

    rules = tuple(tuple(dict.fromkeys(rule() for _ in range(rng.integers(3)))) for _ in range(classes))
    return Member(rules, tuple(rng.permutation(classes).tolist()), int(rng.integers(classes)))


@st.composite
def some_members(draw: st.DrawFn) -> list[Member]:
    rng, classes = draw(seeded()), draw(st.integers(2, MOST_CLASSES))
    return [some_member(rng, classes) for _ in range(MEMBERS)]


def together(members: list[Member]) -> np.ndarray:
    every = [fired(member.levels(), member) for member in members]
    return voted(every, [np.array(member.order) for member in members], [member.default for member in members])


@given(some_members())
def test_the_network_of_a_vote_decides_as_voted_says(members: list[Member]) -> None:
    found = network(vote(members), members[0])
    decided = decide_fired(found, layers_plain(found, ROWS)[-1])
    np.testing.assert_array_equal(decided, together(members))


@given(some_members())
def test_the_majority_of_decisions_wins(members: list[Member]) -> None:
    """Without a majority, the default of the first member is taken."""
    decisions = [first_firing(fired(one.levels(), one), one.order, one.default) for one in members]
    votes = np.sum([np.eye(len(members[0].rules))[decided] for decided in decisions], axis=0)
    wanted = np.where(votes.max(axis=1) >= 2, votes.argmax(axis=1), members[0].default)
    np.testing.assert_array_equal(together(members), wanted)


@given(some_members())
def test_rules_that_count_votes_are_short(members: list[Member]) -> None:
    _, above = vote(members)
    assert all(len(rule.literals) <= 2 * len(members[0].rules) for rule in above.rules)


@given(some_members())
def test_a_member_by_itself_is_one_level(members: list[Member]) -> None:
    first = members[0]
    (level,) = first.levels()
    assert [tuple(level.rules[number] for number in concept.rules) for concept in level.concepts] == [
        tuple(sorted(rules, key=level.rules.index)) for rules in first.rules
    ]
    alone = voted([fired(first.levels(), first)], [np.array(first.order)], [first.default])
    np.testing.assert_array_equal(alone, first_firing(fired(first.levels(), first), first.order, first.default))


@given(some_members())
def test_three_equal_members_decide_as_one(members: list[Member]) -> None:
    first = members[0]
    alone = first_firing(fired(first.levels(), first), first.order, first.default)
    np.testing.assert_array_equal(together([first] * MEMBERS), alone)
