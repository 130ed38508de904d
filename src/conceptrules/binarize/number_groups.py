"""Neighbouring numbers in groups of little weight, found in a few passes over numbers that are too many to count.

Numbers are compared as whole numbers of 64 bits that have their order. The first pass groups them by the upper 16 bits.
After each pass, light neighbours are put together, and a heavy group is cut into parts of equal range between its
smallest and its largest number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Counts = NDArray[np.int64]
FINE = 1 << 14
"""A group that is not a single number weighs at most the FINE-th part of all, once the passes are over."""
_PASSES = 5
_TOP = np.uint64(1 << 63)
_LARGEST = np.finfo(np.float64).max


def keys_of(numbers: NDArray[np.float64]) -> Keys:
    """Return whole numbers in the same order.

    >>> keys_of(np.array([-2.0, -1.0, 0.0, 1.5])).tolist() == sorted(keys_of(np.array([1.5, 0.0, -1.0, -2.0])).tolist())
    True
    """
    bits = np.clip(numbers, -_LARGEST, _LARGEST).view(np.uint64)
    return np.where(bits & _TOP, ~bits, bits | _TOP)


def numbers_of_keys(keys: Keys) -> NDArray[np.float64]:
    """Return the numbers of `keys_of`."""
    return np.where(keys & _TOP, keys ^ _TOP, ~keys).view(np.float64)


def merged_sums(values: Sequence[NDArray[Any]], counts: Sequence[Counts]) -> tuple[NDArray[Any], Counts]:
    """Return the different values, sorted, and the sums of what was counted at each."""
    different, place = np.unique(np.concatenate(values), return_inverse=True)
    sums = np.zeros((len(different), counts[0].shape[1]), np.int64)
    np.add.at(sums, place, np.concatenate(counts))
    return different, sums


@dataclass(slots=True, eq=False)
class NumberGroups:
    """Groups of neighbouring numbers: where each begins, and what was counted in it."""

    start: Keys
    sums: Counts
    """[group, class]: the weight."""
    low: Keys
    high: Keys
    """The smallest and the largest number of each group, as keys."""
    passes: int = 1

    @classmethod
    def first(cls, classes: int) -> NumberGroups:
        """Return the groups of the first pass."""
        return cls._of(np.arange(1 << 16, dtype=np.uint64) << np.uint64(48), classes, 1)

    @classmethod
    def _of(cls, start: Keys, classes: int, passes: int) -> NumberGroups:
        none = np.zeros((len(start), classes), np.int64)
        return cls(start, none, np.full(len(start), 2**64 - 1, np.uint64), np.zeros(len(start), np.uint64), passes)

    def blank(self) -> NumberGroups:
        """Return the same groups, of which nothing is counted yet."""
        return NumberGroups._of(self.start, self.sums.shape[1], self.passes)

    def merge(self, other: NumberGroups) -> None:
        """Add what was counted in the same groups."""
        self.sums += other.sums
        np.minimum(self.low, other.low, out=self.low)
        np.maximum(self.high, other.high, out=self.high)

    def add(self, numbers: NDArray[np.float64], target: NDArray[np.intp], weight: Counts | None) -> None:
        """Count rows: their numbers, their classes and what they weigh; no weight: one each."""
        keys = keys_of(numbers)
        order = np.argsort(keys)
        keys = keys[order]
        ends = np.append(np.searchsorted(keys, self.start[1:]), len(keys))
        begins = np.concatenate([[0], ends[:-1]])
        place = np.repeat(np.arange(len(ends)) * self.sums.shape[1], ends - begins) + target[order]
        np.add.at(self.sums.reshape(-1), place, 1 if weight is None else weight[order])
        held = np.flatnonzero(ends > begins)
        self.low[held] = np.minimum(self.low[held], keys[begins[held]])
        self.high[held] = np.maximum(self.high[held], keys[ends[held] - 1])

    @property
    def fine(self) -> bool:
        """Whether no group of several numbers is heavy, or there were passes enough."""
        mass = self.sums.sum(axis=1)
        return self.passes >= _PASSES or not ((mass * FINE > mass.sum()) & (self.low < self.high)).any()

    def closer(self) -> NumberGroups:
        """Return groups for the next pass: heavy ones in parts, light neighbours together."""
        mass = self.sums.sum(axis=1)
        held = np.flatnonzero(mass)
        parts = np.where(self.low[held] < self.high[held], mass[held] * 2 * FINE // mass.sum(), 0)
        starts, light = [np.zeros(1, np.uint64)], 0
        total = int(mass.sum())
        for group, count in zip(held.tolist(), parts.tolist(), strict=True):
            low, high = int(self.low[group]), int(self.high[group])
            if count > 1:  # heavier than the FINE-th part
                width = (high - low) // count + 1
                steps = np.arange((high - low) // width + 1, dtype=np.uint64)
                starts.append(np.uint64(low) + steps * np.uint64(width))
                light = total
                continue
            if (light + int(mass[group])) * FINE > total:
                starts.append(np.array([low], np.uint64))
                light = 0
            light += int(mass[group])
        return NumberGroups._of(np.unique(np.concatenate(starts)), self.sums.shape[1], self.passes + 1)

    def highest(self) -> NDArray[np.float64]:
        """Return the largest number of each group that has any."""
        return numbers_of_keys(self.high[self.sums.any(axis=1)])

    def lowest(self) -> NDArray[np.float64]:
        """Return the smallest number of each group that has any."""
        return numbers_of_keys(self.low[self.sums.any(axis=1)])

    def counts(self) -> Counts:
        """Return the weight of each class in each group that has any."""
        return self.sums[self.sums.any(axis=1)]
