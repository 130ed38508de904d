"""Rows that stay on one side of every split: those of one group, or those of one moment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError, warn
from conceptrules.model.values import brief
from conceptrules.tables.column_values import read_values

Numbers = NDArray[np.intp]
_IN_ORDER = ("number", "date", "datetime", "duration")
HELD_BACK, GIVEN, TRAINING = "held back", "given", "training"
"""Where the rows that judge a network come from: its table, the user, or the rows it was trained on."""


@dataclass(frozen=True, slots=True, eq=False)
class RowGroups:
    """The groups of the rows, as numbers; moments are numbered from the oldest."""

    number: Numbers
    in_time: bool
    """Whether the newest rows are held out, instead of all groups in turn."""
    least: int = 1
    """A class that fewer groups have is never held out."""

    @property
    def equal(self) -> bool:
        """Whether these are groups of equal rows, and not those of a user. The only row of a class is learned from."""
        return self.least > 1

    def take(self, rows: Numbers) -> RowGroups:
        """Return the groups of some of the rows, of which there have to be two."""
        left = np.unique(self.number[rows], return_inverse=True)[1]
        if left.max() == 0:
            one, what = ("time", "the same moment") if self.in_time else ("groups", "the same group")
            raise InputError(f"{one} has {what} for all rows, so that none can be held out; leave {one} out")
        return replace(self, number=left)

    def parts(
        self, target: NDArray[np.int64], weight: NDArray[np.float64], fraction: float, rng: np.random.Generator
    ) -> Numbers:
        """Return the number of the part that holds out each row; -1: none does."""
        if self.in_time:
            return np.where(self.number >= self._newest(weight, fraction), 0, -1)
        classes = int(target.max()) + 1
        # Weights are sorted along, since a sum of fractions depends on the order in which they are added.
        cells = self.number * classes + target
        order = np.lexsort((weight, cells))
        mass = np.bincount(cells[order], weight[order], classes * (int(self.number.max()) + 1))
        return dealt(mass.reshape(-1, classes).argmax(axis=1), parts_of(fraction), rng, self.least)[self.number]

    def _newest(self, weight: NDArray[np.float64], fraction: float) -> int:
        """Return the first of the newest moments that have together about this fraction of the weight, not all."""
        order = np.lexsort((weight, self.number))
        shares = np.cumsum(np.bincount(self.number[order], weight[order])[::-1]) / weight.sum()
        moments = len(shares)
        return moments - 1 - int(np.abs(shares[:-1] - fraction).argmin())


def row_groups(groups: Any, time: Any, rows: int) -> RowGroups | None:
    """Read what the user gives to `fit`; None where neither is given."""
    if groups is not None and time is not None:
        raise InputError("groups and time both say which rows are held out; give one of them")
    name, given = ("groups", groups) if time is None else ("time", time)
    if given is None:
        return None
    raw = np.asarray(given)
    if raw.shape != (rows,):
        raise InputError(f"{name} has the shape {raw.shape}; it needs one value for each of the {rows} rows")
    cells = read_values(name, raw)
    if cells.missing.any():
        raise InputError(f"{name} has no value in row {int(cells.missing.argmax())}; fill it in, or leave the row out")
    if time is not None and cells.family not in _IN_ORDER:
        raise InputError(f"time holds {brief(cells.values[0])}, which has no order in time; give dates or numbers")
    values = cells.values.tolist()
    places = {value: number for number, value in enumerate(sorted(set(values)))}
    return RowGroups(np.array([places[value] for value in values], np.intp), time is not None)


def equal_rows(codes: NDArray[np.uint8]) -> RowGroups:
    """Return groups of the rows whose values are the same. The only row of a class is needed to learn it."""
    if not codes.size:
        return RowGroups(np.zeros(len(codes), np.intp), in_time=False, least=2)
    keys = np.ascontiguousarray(codes).view(np.dtype((np.void, codes.shape[1]))).ravel()
    number = np.unique(keys, return_inverse=True)[1].ravel()
    return RowGroups(number, in_time=False, least=2)


def parts_of(fraction: float) -> int:
    """Return how many parts there are, of which each has about this fraction."""
    return max(2, round(1 / fraction))


def dealt(main: Numbers, count: int, rng: np.random.Generator, least: int = 1) -> Numbers:
    """Deal things into so many parts, class by class; -1 for those whose class has fewer than `least`."""
    part, given = np.full(len(main), -1), 0
    for c in range(int(main.max(initial=-1)) + 1):
        members = rng.permutation(np.flatnonzero(main == c))
        if len(members) >= least:
            part[members] = (given + np.arange(len(members))) % count
            given += len(members)
    return part


def held_once(
    main: Numbers, weight: NDArray[np.float64], fraction: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Choose things to hold out once, class by class, of at most this fraction of its weight, and one at least.

    The only one of a class is never held out.
    """
    held = np.zeros(len(main), np.bool_)
    for c in range(int(main.max()) + 1):
        members = rng.permutation(np.flatnonzero(main == c))
        room, total = fraction * weight[members].sum() * (1 + 1e-9), 0.0
        for member in members if len(members) > 1 else ():
            if total + weight[member] <= room:
                held[member], total = True, total + weight[member]
        if len(members) > 1 and not total:
            held[members[weight[members].argmin()]] = True
    return held


def warn_of_small(classes: NDArray[Any]) -> None:
    """Warn of classes that have no row to hold out."""
    if len(classes):
        named = ", ".join(map(repr, classes.tolist()))
        few = f"class {named} has" if len(classes) == 1 else f"classes {named} have"
        warn(f"{few} too few rows that differ to hold some out for validation; these rows stay in training")
