"""Three networks that vote, written as one network: a class is answered where two of them say so.

Single networks err in different places, so together they err less often, and a few more edges can say it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.evaluation import Bits, first_firing
from conceptrules.model.network import Concept, Level, Literal, Rule

MEMBERS = 3
_FEW = 3
"""Classes of which it can be said in short rules which one a member decides for."""


@dataclass(frozen=True, slots=True)
class Member:
    """A network with one level: rules by class, the priority of the classes, and the default."""

    rules: tuple[tuple[Rule, ...], ...]
    order: tuple[int, ...]
    default: int

    def levels(self) -> tuple[Level, ...]:
        """Return the one level of a member by itself."""
        return (_level([list(rules) for rules in self.rules]),)


def vote(members: Sequence[Member]) -> tuple[Level, ...]:
    """Return the levels of the members' vote. Priority and default are those of the first member."""
    classes = range(len(members[0].rules))
    # The concept of member m for class c is number c * len(members) + m.
    first = _level([list(member.rules[c]) for c in classes for member in members])
    above = _few(members) if len(classes) <= _FEW else _several(len(classes), len(members))
    return (first, *above)


def longest_vote(classes: int) -> int:
    """Return the number of literals of the longest rule that may be needed to count votes."""
    return 2 * classes if classes <= _FEW else 2


def _level(concepts: Sequence[list[Rule]]) -> Level:
    rules: dict[Rule, int] = {}
    numbers = [tuple(dict.fromkeys(rules.setdefault(rule, len(rules)) for rule in some)) for some in concepts]
    return Level(tuple(rules), tuple(Concept(tuple(sorted(some))) for some in numbers))


def _few(members: Sequence[Member]) -> tuple[Level, ...]:
    """Count what the members decide; where no class has a majority, or the default has it, no class fires."""
    concepts = []
    for c in range(len(members[0].rules)):
        says = [_says(member, m, len(members), c) for m, member in enumerate(members)]
        pairs = (product(*two) for two in combinations(says, 2)) if c != members[0].default else ()
        concepts.append([Rule(tuple(dict.fromkeys(one + other))) for both in pairs for one, other in both])
    return (_level(concepts),)


def _says(member: Member, m: int, count: int, c: int) -> list[tuple[Literal, ...]]:
    """Return the cases in which a member decides for a class, as literals on the concepts below."""
    others = [k for k in member.order if k != c and member.rules[k]]
    before = [k for k in others if member.order.index(k) < member.order.index(c)]

    def silent(several: Sequence[int]) -> tuple[Literal, ...]:
        return tuple(Literal(k * count + m, negated=True) for k in several)

    cases = []
    if member.rules[c] and (before != others or member.default != c):
        cases.append((Literal(c * count + m), *silent(before)))
    if member.default == c:
        cases.append(silent(others))
    return cases


def _several(classes: int, count: int) -> tuple[Level, Level]:
    """Give a member a vote for each class that fires in it; a class with two votes fires.

    Where no class has two votes, but one of the other members votes at all, the classes of the first member fire.
    """
    votes = [[Literal(c * count + m) for m in range(count)] for c in range(classes)]
    two = [[Rule(pair) for pair in combinations(some, 2)] for some in votes]
    firsts = [[Rule((some[0],))] for some in votes]
    any_two = [rule for some in two for rule in some]
    others = [Rule((literal,)) for some in votes for literal in some[1:]]
    # Concepts below: two votes for c, the first member's vote for c, two votes for any class, any vote of the others.
    undecided = (Literal(2 * classes, negated=True), Literal(2 * classes + 1))
    answers = [[Rule((Literal(c),)), Rule((Literal(classes + c), *undecided))] for c in range(classes)]
    return _level([*two, *firsts, any_two, others]), _level(answers)


def voted(fired: Sequence[Bits], orders: Sequence[NDArray[np.int64]], defaults: Sequence[int]) -> NDArray[np.intp]:
    """Return what the network of `vote` decides on rows, by the classes (rows, classes) that fire in each member."""
    if len(fired) == 1:
        return first_firing(fired[0], orders[0].tolist(), defaults[0])
    if len(orders[0]) <= _FEW:
        parts = zip(fired, orders, defaults, strict=True)
        answers = [first_firing(some, order.tolist(), default) for some, order, default in parts]
        votes = np.stack([np.sum([answer == c for answer in answers], axis=0) for c in range(len(orders[0]))])
        return np.where(votes.max(axis=0) > 1, votes.argmax(axis=0), defaults[0])
    two: Bits = np.asarray(np.sum(fired, axis=0, dtype=np.int64) > 1)
    others = np.any(fired[1:], axis=(0, 2))
    undecided = ~two.any(axis=1) & others
    return first_firing(two | (fired[0] & undecided[:, None]), orders[0].tolist(), defaults[0])
