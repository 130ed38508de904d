"""A target that is a number: how it is read, and the quantiles of it that stand for classes where rows are coded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.shards import WEIGHT_UNIT, fixed_weights
from conceptrules.model.errors import InputError
from conceptrules.tables.labels import LARGEST_NUMBER, MAX_WEIGHT, check_number_range

Floats = NDArray[np.float64]
STRATA = 8
"""Quantiles of the target: they set the cuts, stratify the folds, and say which rows are mixed with each other."""
MAX_COUNT = 1e100
"""The largest number to predict as a product: its logarithm has room for what rules multiply it by."""
_DROPPED_BITS = 32
"""Bits of a number that its quantile does not depend on; 20 bits of its fraction are left."""


@dataclass(frozen=True, slots=True)
class NumberTarget:
    """How the number to predict is read from the table."""

    counts: bool = False
    """Whether it is a count or an amount, which cannot be negative."""
    exposure: str | None = None
    """The column of exposures in a table that is read in batches."""
    cuts: tuple[float, ...] = ()
    """The upper ends of the quantiles, but for the last one."""
    usual_exposure: float = 1.0
    """What an exposure is divided by to be the weight of a row."""

    @property
    def strata(self) -> NDArray[np.int64]:
        """The numbers of the quantiles, which take the place of the classes."""
        return np.arange(len(self.cuts) + 1)

    def find_strata(self, numbers: Floats) -> NDArray[np.intp]:
        """Return the quantile that each number is in."""
        return np.searchsorted(self.cuts, numbers, side="left")

    def weigh(self, weight: Floats, exposure: Floats) -> Floats:
        """Return the weight of rows with these exposures."""
        return weight * (exposure / self.usual_exposure)

    def check(self, numbers: Floats, name: str, first_row: int = 0) -> None:
        """Raise an `InputError` about the first number that cannot be learned."""
        check_number_range(numbers, name, first_row)
        if not self.counts:
            return
        bad = np.flatnonzero((numbers < 0) | (numbers > MAX_COUNT))
        if len(bad):
            raise InputError(
                f"{name} holds {numbers[bad[0]]:g} in row {first_row + bad[0]}; loss='poisson' needs counts or amounts "
                f"from 0 to {MAX_COUNT:g}, so mend such rows, or use loss='squared_error'"
            )


def check_exposure(exposure: Any, rows: int, name: str = "exposure", first_row: int = 0) -> Floats:
    """Return the exposure of each row, or raise an `InputError` about the first that is not positive."""
    try:
        values = np.asarray(exposure, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} needs numbers; {error}") from error
    if values.shape != (rows,):
        raise InputError(f"{name} has the shape {values.shape}; it needs one number for each of the {rows} rows")
    bad = np.flatnonzero(~((values >= 1 / MAX_WEIGHT) & (values <= MAX_WEIGHT)))
    if len(bad):
        raise InputError(
            f"{name} is {values[bad[0]]:g} in row {first_row + bad[0]}; a row counts only while it is exposed, so it "
            f"needs a number from {1 / MAX_WEIGHT:g} to {MAX_WEIGHT:g}: take rows without exposure out"
        )
    return values


class NumberSums:
    """The weight of the rows by number until now; of numbers that differ in their last bits only, together."""

    def __init__(self, target: NumberTarget) -> None:
        self._target = target
        self._keys, self._weight = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._rows, self._largest, self._exposure = np.zeros(0, np.int64), 0.0, 0.0

    def add(self, numbers: Floats, weight: Floats, exposure: Floats) -> None:
        """Add some rows that weigh something; `numbers` are those for each unit of exposure."""
        keys, key_of_row = np.unique(_to_keys(numbers), return_inverse=True)
        fixed, totals = fixed_weights(weight), np.zeros(len(keys), np.int64)
        np.add.at(totals, key_of_row, fixed)
        more = NumberSums(self._target)
        more._keys, more._weight, more._rows = keys, totals, np.bincount(key_of_row, minlength=len(keys))
        more._largest = float(np.abs(numbers).max(initial=0.0))
        more._exposure = float((weight * exposure).sum())
        self.merge(more)

    def merge(self, later: NumberSums) -> None:
        """Add those of later rows."""
        keys, key_of_row = np.unique(np.concatenate([self._keys, later._keys]), return_inverse=True)
        totals, rows = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
        np.add.at(totals, key_of_row, np.concatenate([self._weight, later._weight]))
        np.add.at(rows, key_of_row, np.concatenate([self._rows, later._rows]))
        self._keys, self._weight, self._rows = keys, totals, rows
        self._largest = max(self._largest, later._largest)
        self._exposure += later._exposure

    def find_quantiles(self, name: str) -> tuple[NumberTarget, NDArray[np.int64], Floats]:
        """Return the target with its quantiles, and the rows and the weight of each.

        Raise an `InputError` if nothing can be learned.
        """
        rows = int(self._rows.sum())
        if rows < 2:
            raise InputError(f"a card needs at least two rows to learn from; got n_samples = {rows}")
        if 0 < self._largest < 1 / LARGEST_NUMBER:
            raise InputError(
                f"Input {name} contains a value too close to 0: the largest is {self._largest:g}; give {name} in a "
                f"unit in which its largest value is at least {1 / LARGEST_NUMBER:g}"
            )
        if self._target.counts and not self._largest:
            raise InputError(f"{name} is 0 in all rows; loss='poisson' learns rates, which are above 0")
        count = min(STRATA, max(2, rows // 10))
        below = np.cumsum(self._weight)
        ends = np.unique(np.searchsorted(below, np.arange(1, count) * (below[-1] / count)))
        ends = ends[ends < len(self._keys) - 1]
        weight = self._weight / WEIGHT_UNIT
        groups = np.searchsorted(ends, np.arange(len(self._keys)), side="left")
        usual = float(f"{self._exposure / weight.sum():.6g}")  # sums of other parts of the rows differ in the last bits
        target = replace(self._target, cuts=tuple(_to_ends(self._keys[ends]).tolist()), usual_exposure=usual)
        by_rows, by_weight = (np.bincount(groups, each, len(ends) + 1) for each in (self._rows, weight))
        return target, by_rows.astype(np.int64), by_weight.astype(np.float64)


def _to_keys(numbers: Floats) -> NDArray[np.int64]:
    """Return whole numbers in the order of the numbers, equal where only their last bits differ."""
    bits = (numbers + 0.0).view(np.int64)  # which makes 0 of -0
    return (np.where(bits < 0, bits ^ np.int64(2**63 - 1), bits)) >> _DROPPED_BITS


def _to_ends(keys: NDArray[np.int64]) -> Floats:
    """Return the largest number of each key."""
    ordered = (keys << _DROPPED_BITS) | np.int64(2**_DROPPED_BITS - 1)
    numbers: Floats = np.where(ordered < 0, ordered ^ np.int64(2**63 - 1), ordered).view(np.float64)
    return numbers
