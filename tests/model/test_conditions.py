"""Which literals read as one condition."""

from __future__ import annotations

import pytest

from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, Missing, OneOf, Predicate, RuleNetwork
from conceptrules.model.conditions import Condition, conditions

RANK = Column("rank", "ordinal", ("a", "b", "c"))
NETWORK = RuleNetwork(
    (Column("age"), Column("pay"), RANK),
    (
        Interval("age", 27),
        Interval("age", high=41),
        Interval("age", high=27),
        Interval("age", 30, 50),
        Interval("age"),
        Interval("pay", high=9),
        OneOf("rank", ("b", "c")),
        OneOf("rank", ("a", "b")),
        OneOf("rank", ("a",)),
        OneOf("rank", ("a", "c")),
        OneOf("rank", ("a", "b", "c")),
        Equals("rank", "b"),
        Missing("age"),
        OneOf("rank", ("b",)),
    ),
    (Level((), (Concept(), Concept())), Level((), (Concept(),))),
    ("yes",),
)


def alone(*numbers: int) -> list[Condition]:
    return [Condition((Literal(number),)) for number in numbers]


def pair(lower: int, upper: int, both: Predicate) -> Condition:
    return Condition((Literal(lower), Literal(upper)), both)


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ((0, 1), [pair(0, 1, Interval("age", 27, 41))]),
        ((1, 5, 0), [*alone(5), pair(0, 1, Interval("age", 27, 41))]),
        ((0, 2), alone(0, 2)),  # no age is above 27 and at most 27
        ((0, 1, 2), alone(0, 1, 2)),  # two upper bounds
        ((0, 5), alone(0, 5)),  # of two columns
        ((0, 3), alone(0, 3)),  # the second has both bounds
        ((0, 4, 12), alone(0, 4, 12)),  # the others have none
        ((6, 7), [pair(6, 7, OneOf("rank", ("b",)))]),
        ((6, 8), alone(6, 8)),
        ((6, 9, 10, 11, 13), alone(6, 9, 10, 11, 13)),
        ((0, 1, 6, 7), [pair(0, 1, Interval("age", 27, 41)), pair(6, 7, OneOf("rank", ("b",)))]),
    ],
)
def test_a_lower_and_an_upper_bound_are_one_condition(numbers: tuple[int, ...], found: list[Condition]) -> None:
    assert conditions(NETWORK, 0, [Literal(number) for number in numbers]) == found


def test_negated_literals_and_concepts_stay_alone() -> None:
    literals = [Literal(0), Literal(1, True)]
    assert conditions(NETWORK, 0, literals) == [Condition((literal,)) for literal in literals]
    assert conditions(NETWORK, 1, [Literal(0), Literal(1)]) == alone(0, 1)


def test_a_pair_stands_where_its_first_literal_does() -> None:
    found = conditions(NETWORK, 0, [Literal(0), Literal(5), Literal(1)])
    assert found == [pair(0, 1, Interval("age", 27, 41)), *alone(5)]
