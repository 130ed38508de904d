"""Rows to learn from, equal ones merged: repeats of a row are what its weight is, and stay on one side of a split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import NO_GROUPS, Groups, Rows
from conceptrules.learn.search.group_members import GroupMembers

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]


def merged(
    codes: Codes,
    target: NDArray[np.int64],
    weight: Floats,
    class_weight: Floats,
    raw: bool = False,
    members: GroupMembers | None = None,
) -> Rows:
    """Return the different rows in their order, with the weight that each has in each class.

    With `raw`, also with the weight that it has whatever its class weighs; with `members`, with its share of groups.
    """
    rows, columns = codes.shape
    if not columns:
        codes, columns = np.zeros((rows, 1), np.uint8), 1
    keys = np.ascontiguousarray(codes).view(np.dtype((np.void, columns))).ravel()
    different, first, place = np.unique(keys, return_index=True, return_inverse=True)
    # Weights are sorted along, since a sum of fractions depends on the order in which they are added.
    cells = place.ravel() * len(class_weight) + target
    order = np.lexsort((weight, cells))
    summed = np.bincount(cells[order], weight[order], len(different) * len(class_weight))
    mass = summed.astype(np.float64).reshape(len(different), len(class_weight))
    groups = NO_GROUPS if members is None else members.groups(place.ravel(), len(different), weight)
    return rows_of(codes[first], mass * class_weight, mass if raw or members is not None else None, groups)


def rows_of(codes: Codes, mass: Floats, raw: Floats | None = None, groups: Groups = NO_GROUPS) -> Rows:
    """Return the rows that have any weight, raw or not."""
    kept = mass.sum(axis=1) > 0
    if raw is not None:
        kept |= raw.sum(axis=1) > 0
    codes, mass = np.ascontiguousarray(codes[kept]), np.ascontiguousarray(mass[kept])
    single = (mass > 0).sum(axis=1) == 1
    rows = Rows(codes, mass, np.where(single, mass.argmax(axis=1), -1).astype(np.int64))
    if raw is None:
        return rows
    share = np.ascontiguousarray(groups.share[kept]) if len(groups.total) else groups.share
    return rows._replace(raw=np.ascontiguousarray(raw[kept]), groups=groups._replace(share=share))


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Rows to learn from, and rows held out to judge by."""

    training: Rows
    held: Rows


def enough_for_trees(rows: Rows) -> bool:
    """Return whether a class has two different rows on average: of fewer, scikit-learn's trees warn."""
    return bool(np.count_nonzero(rows.mass) >= 2 * np.count_nonzero(rows.mass.any(axis=0)))
