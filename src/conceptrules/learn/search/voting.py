"""Three networks that vote, written as one network: a class is answered where two of them say so.

Deep networks can say this in few edges, and single ones that err in different places err less often together.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np

from conceptrules.learn.search.mutable_network import Inputs, MutableNetwork

MEMBERS = 3
_FEW = 3
"""Classes of which it can be said in short rules which one a member decides for."""
Layers = list[list[Inputs]]


def committee(members: Sequence[MutableNetwork]) -> MutableNetwork:
    """Of members with one level each. Who wins is the first member's."""
    first, classes = members[0], members[0].rows.classes
    rules = [rule for member in members for rule in member.layers[0]]
    starts = np.cumsum([0, *(len(member.layers[0]) for member in members)]).tolist()
    # Of class c, the concept of member m is number c * count + m.
    concepts = [
        start + member.layers[1][c] for c in range(classes) for member, start in zip(members, starts, strict=False)
    ]
    votes = _of_few(members) if classes <= _FEW else _of_several(classes, len(members))
    return MutableNetwork(first.rows, [rules, concepts, *votes], list(first.order), first.default)


def longest_vote(classes: int) -> int:
    """Literals of the longest rule that may be needed to count votes."""
    return 2 * classes if classes <= _FEW else 2


def _of_few(members: Sequence[MutableNetwork]) -> Layers:
    """A majority of what the members decide; where there is none, or it is the default, no class fires."""
    classes, default = members[0].rows.classes, members[0].default
    pairs: list[Inputs] = []
    above = [_list() for _ in range(classes)]
    for c in (c for c in range(classes) if c != default):
        says = [_says(member, m, len(members), c) for m, member in enumerate(members)]
        new = [_list(*one, *other) for first, second in combinations(says, 2) for one, other in product(first, second)]
        above[c] = np.arange(len(pairs), len(pairs) + len(new))
        pairs += new
    return [pairs, above]


def _says(member: MutableNetwork, m: int, count: int, c: int) -> list[tuple[int, ...]]:
    """Where a member decides for a class, in any of the cases that are listed: literals on the concepts."""
    classes = member.rows.classes
    others = [k for k in member.order if k != c and len(member.layers[1][k])]
    higher = [k for k in others if member.order.index(k) < member.order.index(c)]

    def silent(several: Sequence[int]) -> tuple[int, ...]:
        return tuple((classes + k) * count + m for k in several)

    cases: list[tuple[int, ...]] = []
    if len(member.layers[1][c]) and (higher != others or member.default != c):
        cases.append((c * count + m, *silent(higher)))
    if member.default == c:
        cases.append(silent(others))
    return cases


def _of_several(classes: int, count: int) -> Layers:
    """A member has a vote for each class that fires. Where no class has two votes, those with one fire."""
    pairs = list(combinations(range(count), 2))
    second = [_list(c * count + one, c * count + other) for c in range(classes) for one, other in pairs]
    two = [_list(*range(c * len(pairs), (c + 1) * len(pairs))) for c in range(classes)]
    one = [_list(*range(first, first + count)) for first in range(len(second), len(second) + classes * count, count)]
    second += [_list(concept) for concept in range(classes * count)]
    # Concepts: two votes for c, one vote for c, two votes for any class; in the third level, negations come after them.
    third = [*two, *one, np.concatenate(two)]
    rules = [_list(c) for c in range(classes)]
    rules += [_list(classes + c, len(third) + 2 * classes) for c in range(classes)]
    return [second, third, rules, [_list(c, classes + c) for c in range(classes)]]


def _list(*numbers: int) -> Inputs:
    return np.array(numbers, np.int64)
