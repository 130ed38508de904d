"""Three networks that vote, written as one network: a class is answered where two of them say so.

Deep networks can say this in few edges, and single ones that err in different places err less often together.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np

from conceptrules.learn.draft import Draft, Inputs

MEMBERS = 3
Layers = list[list[Inputs]]


def committee(members: Sequence[Draft]) -> Draft:
    """Of members with one level each. Who wins is the first member's."""
    first, classes = members[0], members[0].rows.classes
    rules = [rule for member in members for rule in member.layers[0]]
    starts = np.cumsum([0, *(len(member.layers[0]) for member in members)]).tolist()
    # Of class c, the concept of member m is number c * count + m.
    concepts = [
        start + member.layers[1][c] for c in range(classes) for member, start in zip(members, starts, strict=False)
    ]
    votes = _of_two(members) if classes == 2 else _of_several(classes, len(members))
    return Draft(first.rows, [rules, concepts, *votes], list(first.order), first.default)


def longest_vote(classes: int) -> int:
    """Literals of the longest rule that may be needed to count votes."""
    return 4 if classes == 2 else 2


def _of_two(members: Sequence[Draft]) -> Layers:
    """A majority of what the members decide. Of two classes one is enough: what is not decided for it is default."""
    c = 1 - members[0].default
    says = [_says(member, m, len(members), c) for m, member in enumerate(members)]
    pairs = [_list(*one, *other) for first, second in combinations(says, 2) for one, other in product(first, second)]
    return [pairs, [_list(*range(len(pairs))) if k == c else _list() for k in range(2)]]


def _says(member: Draft, m: int, count: int, c: int) -> list[tuple[int, ...]]:
    """Where a member decides for a class, in any of the cases that are listed: literals on the concepts."""
    fires, other = c * count + m, (1 - c) * count + m
    silent = () if not len(member.layers[1][1 - c]) else (2 * count + other,)
    cases: list[tuple[int, ...]] = []
    if len(member.layers[1][c]) and (member.order[0] == c or member.default != c):
        cases.append((fires,) if member.order[0] == c else (fires, *silent))
    if member.default == c:
        cases.append(silent)
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
