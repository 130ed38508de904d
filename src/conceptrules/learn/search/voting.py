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
MOST_CLASSES = 3
"""Classes of which it can be said in short rules which one a member decides for. Of more, votes were worth nothing."""


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
    return first, _majority(members)


def _level(concepts: Sequence[list[Rule]]) -> Level:
    rules: dict[Rule, int] = {}
    numbers = [tuple(dict.fromkeys(rules.setdefault(rule, len(rules)) for rule in some)) for some in concepts]
    return Level(tuple(rules), tuple(Concept(tuple(sorted(some))) for some in numbers))


def _majority(members: Sequence[Member]) -> Level:
    """Count what the members decide; where no class has a majority, or the default has it, no class fires."""
    concepts = []
    for c in range(len(members[0].rules)):
        says = [_says(member, m, len(members), c) for m, member in enumerate(members)]
        pairs = (product(*two) for two in combinations(says, 2)) if c != members[0].default else ()
        concepts.append([Rule(tuple(dict.fromkeys(one + other))) for both in pairs for one, other in both])
    return _level(concepts)


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


def voted(fired: Sequence[Bits], orders: Sequence[NDArray[np.int64]], defaults: Sequence[int]) -> NDArray[np.intp]:
    """Return what the network of `vote` decides on rows, by the classes (rows, classes) that fire in each member."""
    if len(fired) == 1:
        return first_firing(fired[0], orders[0].tolist(), defaults[0])
    parts = zip(fired, orders, defaults, strict=True)
    answers = [first_firing(some, order.tolist(), default) for some, order, default in parts]
    votes = np.stack([np.sum([answer == c for answer in answers], axis=0) for c in range(len(orders[0]))])
    return np.where(votes.max(axis=0) > 1, votes.argmax(axis=0), defaults[0])
