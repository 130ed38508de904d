"""Rows to learn from, equal ones merged: repeats of a row are what its weight is, and stay on one side of a split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Rows
from conceptrules.learn.row_groups import dealt

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]


def merged(codes: Codes, target: NDArray[np.int64], weight: Floats, class_weight: Floats, repeats: float = 1.0) -> Rows:
    """Return the different rows in their order, with the weight that each has in each class.

    Where the table is there several times over (`repeats`), a row weighs as much as it does in one of these tables.
    """
    rows, columns = codes.shape
    if not columns:
        codes, columns = np.zeros((rows, 1), np.uint8), 1
    keys = np.ascontiguousarray(codes).view(np.dtype((np.void, columns))).ravel()
    different, first, place = np.unique(keys, return_index=True, return_inverse=True)
    # Weights are sorted along, since a sum of fractions depends on the order in which they are added.
    cells = place.ravel() * len(class_weight) + target
    order = np.lexsort((weight, cells))
    mass = np.bincount(cells[order], weight[order], len(different) * len(class_weight))
    return rows_of(codes[first], mass.reshape(len(different), len(class_weight)) / repeats * class_weight)


def rows_of(codes: Codes, mass: Floats) -> Rows:
    """Return the rows that have any weight."""
    kept = mass.sum(axis=1) > 0
    codes, mass = np.ascontiguousarray(codes[kept]), np.ascontiguousarray(mass[kept])
    single = (mass > 0).sum(axis=1) == 1
    return Rows(codes, mass, np.where(single, mass.argmax(axis=1), -1).astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Rows to learn from, and rows held out to judge by."""

    training: Rows
    held: Rows


def folds(rows: Rows, count: int, most: int, rng: np.random.Generator) -> list[Fold]:
    """Deal the rows into so many parts, class by class, and hold out each of them in turn, `most` of them at most.

    A class with a single row is never held out. Without rows to hold out, the rows to learn from judge as well.
    """
    part = dealt(rows.mass.argmax(axis=1), count, rng, least=2)
    found = []
    for number in range(min(count, most)):
        held = part == number
        if held.any() and not held.all():
            found.append(Fold(_subset(rows, ~held), _subset(rows, held)))
    return found or [Fold(rows, rows)]


def repeats_of(hashes: NDArray[np.uint64], weight: Floats) -> float:
    """Return how often a table is there: the largest whole number that divides the weights of all different rows."""
    if not np.array_equal(weight, np.round(weight)):
        return 1.0
    totals = np.bincount(np.unique(hashes, return_inverse=True)[1], weight)
    return float(np.gcd.reduce(totals.astype(np.int64)))


def _subset(rows: Rows, chosen: NDArray[np.bool_]) -> Rows:
    return Rows(rows.codes[chosen], rows.mass[chosen], rows.label[chosen])
