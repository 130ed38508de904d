"""Rows to learn from, equal ones merged: repeats of a row are what its weight is, and stay on one side of a split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Rows

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]


def merged(codes: Codes, target: NDArray[np.int64], weight: Floats, class_weight: Floats) -> Rows:
    """Return the different rows in their order, with the weight that each has in each class."""
    rows, columns = codes.shape
    if not columns:
        codes, columns = np.zeros((rows, 1), np.uint8), 1
    keys = np.ascontiguousarray(codes).view(np.dtype((np.void, columns))).ravel()
    different, first, place = np.unique(keys, return_index=True, return_inverse=True)
    # Weights are sorted along, since a sum of fractions depends on the order in which they are added.
    cells = place.ravel() * len(class_weight) + target
    order = np.lexsort((weight, cells))
    mass = np.bincount(cells[order], weight[order], len(different) * len(class_weight))
    return rows_of(codes[first], mass.reshape(len(different), len(class_weight)) * class_weight)


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
