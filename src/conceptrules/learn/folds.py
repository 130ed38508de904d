"""Which rows are held out: rows of one group, of one moment, or equal ones stay on one side of every split."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError, warn
from conceptrules.model.values import brief
from conceptrules.tables.column_values import ColumnValues, read_values

HELD_BACK, GIVEN, TRAINING = "held back", "given", "training"
"""Where the rows that choose a network come from."""
Numbers = NDArray[np.intp]
_IN_ORDER = ("number", "date", "datetime", "duration")


@dataclass(frozen=True, slots=True, eq=False)
class RowGroups:
    """The groups of the rows, as numbers; moments are numbered from the oldest."""

    number: Numbers
    in_time: bool = False
    """Whether the newest rows are held out, instead of all groups in turn."""
    least: int = 1
    """A class with fewer groups is never held out."""

    @property
    def equal(self) -> bool:
        """Whether these are groups of equal rows, and not the user's. The only row of a class is learned from."""
        return self.least > 1

    def take(self, rows: Numbers) -> RowGroups:
        """Return the groups of some of the rows, of which there have to be two."""
        number = np.unique(self.number[rows], return_inverse=True)[1]
        if number.max() == 0:
            raise_same_group("time" if self.in_time else "groups")
        return replace(self, number=number)

    def assign_parts(
        self, target: NDArray[np.int64], weight: NDArray[np.float64], fraction: float, rng: np.random.Generator
    ) -> Numbers:
        """Return the number of the part that holds out each row; -1: none does."""
        if self.in_time:
            order = np.lexsort((weight, self.number))
            by_moment = np.bincount(self.number[order], weight[order]).astype(np.float64)
            return np.where(self.number >= find_newest(by_moment, fraction), 0, -1)
        classes = int(target.max()) + 1
        # Weights are sorted along, since a sum of fractions depends on the order in which they are added.
        cells = self.number * classes + target
        order = np.lexsort((weight, cells))
        mass = np.bincount(cells[order], weight[order], classes * (int(self.number.max()) + 1))
        parts = max(2, round(1 / fraction))
        return assign_folds(mass.reshape(-1, classes).argmax(axis=1), parts, rng, self.least)[self.number]


def raise_same_group(name: str) -> None:
    """Raise the error that all rows are of one group or moment, so that none can be held out."""
    what = "the same moment" if name == "time" else "the same group"
    raise InputError(f"{name} has {what} for all rows, so that none can be held out; leave {name} out")


def find_newest(weight: NDArray[np.float64], fraction: float) -> int:
    """Return the first of the newest moments that have together about this fraction of the weight, but not all.

    `weight` is that of each moment, the oldest first.
    """
    shares = np.cumsum(weight[::-1]) / weight.sum()
    return len(shares) - 1 - int(np.abs(shares[:-1] - fraction).argmin())


def read_holdout_column(name: str, values: Any, rows: int) -> ColumnValues:
    """Return the groups or the moments of the rows, as a user gives them to `fit`."""
    raw = np.asarray(values)
    if raw.shape != (rows,):
        raise InputError(f"{name} has the shape {raw.shape}; it needs one value for each of the {rows} rows")
    cells = read_values(name, raw)
    check_holdout_column(name, cells)
    return cells


def check_holdout_column(name: str, cells: ColumnValues, first_row: int = 0) -> None:
    """Raise an `InputError` if a group or a moment is missing, or moments have no order."""
    if cells.gaps.any():
        row = first_row + int(cells.gaps.argmax())
        raise InputError(f"{name} has no value in row {row}; fill it in, or leave the row out")
    if name == "time" and cells.family not in _IN_ORDER:
        raise InputError(f"time holds {brief(cells.values[0])}, which has no order in time; give dates or numbers")


def check_one_holdout(groups: Any, time: Any) -> None:
    """Raise an `InputError` if both groups and moments are given."""
    if groups is not None and time is not None:
        raise InputError("groups and time both say which rows are held out; give one of them")


def read_row_groups(groups: Any, time: Any, rows: int) -> RowGroups | None:
    """Return the groups or moments that a user gives to `fit`; None where neither is given."""
    check_one_holdout(groups, time)
    name, keys = ("groups", groups) if time is None else ("time", time)
    if keys is None:
        return None
    values = read_holdout_column(name, keys, rows).values.tolist()
    ranks = {value: rank for rank, value in enumerate(sorted(set(values)))}
    return RowGroups(np.array([ranks[value] for value in values], np.intp), time is not None)


def number_equal_rows(codes: NDArray[np.uint8]) -> Numbers:
    """Return a number for each row, the same for rows whose values are the same."""
    if not codes.size:
        return np.zeros(len(codes), np.intp)
    keys = np.ascontiguousarray(codes).view(np.dtype((np.void, codes.shape[1]))).ravel()
    return np.unique(keys, return_inverse=True)[1].ravel()


def group_equal_rows(codes: NDArray[np.uint8]) -> RowGroups:
    """Return groups of the rows whose values are the same. The only row of a class is needed to learn it."""
    return RowGroups(number_equal_rows(codes), least=2)


def assign_folds(main: Numbers, count: int, rng: np.random.Generator, least: int = 1) -> Numbers:
    """Assign groups to folds, class by class; -1 for those whose class has fewer than `least`."""
    fold, assigned = np.full(len(main), -1), 0
    for c in range(int(main.max(initial=-1)) + 1):
        members = rng.permutation(np.flatnonzero(main == c))
        if len(members) >= least:
            fold[members] = (assigned + np.arange(len(members))) % count
            assigned += len(members)
    return fold


def split_once(
    main: Numbers, weight: NDArray[np.float64], fraction: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Choose groups to hold out once, class by class: at most this fraction of its weight, and at least one.

    The only group of a class is never held out.
    """
    held_out = np.zeros(len(main), np.bool_)
    for c in range(int(main.max()) + 1):
        members = rng.permutation(np.flatnonzero(main == c))
        room, total = fraction * weight[members].sum() * (1 + 1e-9), 0.0
        for member in members if len(members) > 1 else ():
            if total + weight[member] <= room:
                held_out[member], total = True, total + weight[member]
        if len(members) > 1 and not total:
            held_out[members[weight[members].argmin()]] = True
    return held_out


def warn_of_small_classes(classes: NDArray[Any]) -> None:
    """Warn of classes that have no row to hold out."""
    if len(classes):
        named = ", ".join(map(repr, classes.tolist()))
        few = f"class {named} has" if len(classes) == 1 else f"classes {named} have"
        warn(f"{few} too few rows that differ to hold some out for validation; these rows stay in training")
