"""What is known of the values of a column: each by itself while they are few, otherwise groups or the most frequent.

Very many numbers are counted in groups of neighbours, found in a few passes over the rows. Numbers are compared as
whole numbers of 64 bits that have their order. The first pass groups them by the upper 16 bits. After each pass, light
neighbours are put together, and a heavy group is cut into parts of equal range between its smallest and its largest
number. Of very many texts, the first pass weighs buckets of hashes, and the second counts the texts of heavy buckets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.values import int_if_whole
from conceptrules.tables.column_values import ColumnValues, to_numbers
from conceptrules.tables.hashes import SmallestHashes, hash_text

MAX_COUNTED_VALUES = 65_536
"""Different values of a column that are counted one by one."""
MAX_GROUP_WEIGHT = 1 << 14
"""A group that is not a single number weighs at most this part of all (one 16,384th), once the passes are over."""
_MAX_PASSES = 5
_BUCKETS, HEAVY_BUCKETS = 1 << 16, 1 << 10
HEAVY_TERM_BUCKETS = 1 << 13
"""Those of the terms of free text, of which very many are rare."""
_SIGN = np.uint64(1 << 63)
_LARGEST = np.finfo(np.float64).max
Keys = NDArray[np.uint64]
Counts = NDArray[np.int64]


def to_keys(numbers: NDArray[np.float64]) -> Keys:
    """Return whole numbers in the same order.

    >>> to_keys(np.array([-2.0, -1.0, 0.0, 1.5])).tolist() == sorted(to_keys(np.array([1.5, 0.0, -1.0, -2.0])).tolist())
    True
    """
    bits = np.clip(numbers, -_LARGEST, _LARGEST).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def from_keys(keys: Keys) -> NDArray[np.float64]:
    """Return the numbers of `to_keys`."""
    return np.where(keys & _SIGN, keys ^ _SIGN, ~keys).view(np.float64)


@dataclass(slots=True, eq=False)
class ValueTally:
    """Different values, and the weight of each class at each: numbers by their type and sorted, others as objects."""

    dtype: np.dtype[Any] | None = None
    places: dict[Any, int] = field(default_factory=dict)
    counts: Counts = field(default_factory=lambda: np.zeros((0, 1), np.int64))

    @property
    def full(self) -> bool:
        """Whether there are too many values to count each by itself."""
        return len(self.places) > MAX_COUNTED_VALUES

    def add(self, values: NDArray[Any], counts: Counts) -> None:
        """Count values that differ, and the weight of each class at each."""
        if not len(values):
            return
        self.dtype = values.dtype if self.dtype is None else np.promote_types(self.dtype, values.dtype)
        keys = values.view(np.int64) if self.dtype.kind in "mM" else values
        places = np.array([self.places.setdefault(key, len(self.places)) for key in keys.tolist()], np.intp)
        if len(self.places) > len(self.counts):
            room = np.zeros((max(len(self.places), 2 * len(self.counts)), counts.shape[1]), np.int64)
            room[: len(self.counts)] = self.counts
            self.counts = room
        # 0 and -0 have one place. NumPy is fast where sums go to a flat array.
        cells = places[:, None] * counts.shape[1] + np.arange(counts.shape[1])
        np.add.at(self.counts.reshape(-1), cells.ravel(), counts.ravel())

    def distinct(self) -> tuple[NDArray[Any], Counts]:
        """Return the values, and the weight of each class at each."""
        size, dtype = len(self.places), self.dtype
        if dtype is None or dtype.kind == "O":
            return np.fromiter(self.places, object, size), self.counts[:size]
        values = np.fromiter(self.places, np.int64 if dtype.kind in "mM" else dtype, size).view(dtype)
        order = np.argsort(values)
        return values[order], self.counts[order]


@dataclass(slots=True, eq=False)
class NumberGroups:
    """Very many numbers in groups of neighbours: where each begins, and what was counted in it."""

    start: Keys
    sums: Counts
    """[group, class]: the weight."""
    low: Keys
    high: Keys
    """The smallest and the largest number of each group, as keys."""
    passes: int = 1
    sample: SmallestHashes = field(default_factory=SmallestHashes)

    @classmethod
    def begin(cls, classes: int, start: Keys | None = None, passes: int = 1) -> NumberGroups:
        """Return groups in which nothing is counted yet; those of the first pass go by the upper 16 bits."""
        start = np.arange(1 << 16, dtype=np.uint64) << np.uint64(48) if start is None else start
        sums = np.zeros((len(start), classes), np.int64)
        return cls(start, sums, np.full(len(start), 2**64 - 1, np.uint64), np.zeros(len(start), np.uint64), passes)

    @property
    def classes(self) -> int:
        return self.sums.shape[1]

    def blank(self) -> NumberGroups:
        """Return the same groups, in which nothing is counted yet."""
        return NumberGroups.begin(self.classes, self.start, self.passes)

    def merge(self, other: NumberGroups) -> None:
        """Add what was counted in the same groups."""
        self.sums += other.sums
        np.minimum(self.low, other.low, out=self.low)
        np.maximum(self.high, other.high, out=self.high)
        self.sample.add(other.sample.kept)

    def add(self, values: NDArray[Any], counts: Counts) -> None:
        """Count values that differ, and the weight of each class at each."""
        value, label = np.nonzero(counts)
        self.add_rows(values[value], label, counts[value, label])

    def add_rows(self, values: NDArray[Any], target: NDArray[np.intp], weight: Counts | None) -> None:
        """Count rows, almost each of which has a number of its own: it is not worth looking for equal ones."""
        if not len(values):
            return
        present = np.zeros(len(values), np.bool_)
        numbers = to_numbers(ColumnValues("", values, present, None)) + 0.0  # 0 of -0
        if self.passes == 1:
            self.sample.add(_mix(numbers.view(np.uint64)))
        keys = to_keys(numbers)
        order = np.argsort(keys)
        keys = keys[order]
        ends = np.append(np.searchsorted(keys, self.start[1:]), len(keys))
        begins = np.concatenate([[0], ends[:-1]])
        cells = np.repeat(np.arange(len(ends)) * self.classes, ends - begins) + target[order]
        np.add.at(self.sums.reshape(-1), cells, 1 if weight is None else weight[order])
        filled = np.flatnonzero(ends > begins)
        self.low[filled] = np.minimum(self.low[filled], keys[begins[filled]])
        self.high[filled] = np.maximum(self.high[filled], keys[ends[filled] - 1])

    @property
    def fine(self) -> bool:
        """Whether no group of several numbers is heavy, or there were passes enough."""
        weight = self.sums.sum(axis=1)
        heavy = weight * MAX_GROUP_WEIGHT > weight.sum()
        return self.passes >= _MAX_PASSES or not (heavy & (self.low < self.high)).any()

    def refine(self) -> NumberGroups:
        """Return groups for the next pass: heavy ones in parts, light neighbours together."""
        weight = self.sums.sum(axis=1)
        filled, total = np.flatnonzero(weight), int(weight.sum())
        parts = np.where(self.low[filled] < self.high[filled], weight[filled] * 2 * MAX_GROUP_WEIGHT // total, 0)
        starts, light = [np.zeros(1, np.uint64)], 0
        for group, count in zip(filled.tolist(), parts.tolist(), strict=True):
            low, high = int(self.low[group]), int(self.high[group])
            if count > 1:  # a heavy group
                width = (high - low) // count + 1
                steps = np.arange((high - low) // width + 1, dtype=np.uint64)
                starts.append(np.uint64(low) + steps * np.uint64(width))
                light = total
                continue
            if (light + int(weight[group])) * MAX_GROUP_WEIGHT > total:
                starts.append(np.array([low], np.uint64))
                light = 0
            light += int(weight[group])
        groups = NumberGroups.begin(self.classes, np.unique(np.concatenate(starts)), self.passes + 1)
        groups.sample = self.sample
        return groups

    def distinct(self) -> tuple[NDArray[Any], Counts]:
        """Return the largest number of each group, and the weight of each class in it."""
        filled = self.sums.any(axis=1)
        return from_keys(self.high[filled]), self.sums[filled]


@dataclass(slots=True, eq=False)
class TextBuckets:
    """Very many texts: the weight of the texts of each bucket of hashes, then the texts of the heaviest buckets."""

    most: int = HEAVY_BUCKETS
    """How many buckets are heavy."""
    heavy: NDArray[np.bool_] | None = None
    """Which buckets are heavy; None in the first pass."""
    sample: SmallestHashes = field(default_factory=SmallestHashes)
    weights: Counts = field(default_factory=lambda: np.zeros(_BUCKETS, np.int64))
    tally: ValueTally = field(default_factory=ValueTally)

    def blank(self) -> TextBuckets:
        """Return the same, with nothing counted yet."""
        return TextBuckets(self.most, self.heavy)

    def add(self, values: NDArray[Any], counts: Counts) -> None:
        """Count values that differ, and the weight of each class at each."""
        hashes = np.fromiter((hash_value(value) for value in values.tolist()), np.uint64, len(values))
        bucket = (hashes % _BUCKETS).astype(np.intp)
        if self.heavy is None:
            self.sample.add(_mix(hashes))
            np.add.at(self.weights, bucket, counts.sum(axis=1))
        else:
            kept = self.heavy[bucket]
            self.tally.add(values[kept], counts[kept])

    def merge(self, other: TextBuckets) -> None:
        """Add what was counted of other rows, from a `blank`."""
        self.weights += other.weights
        self.sample.add(other.sample.kept)
        self.tally.add(*other.tally.distinct())

    @property
    def fine(self) -> bool:
        """Whether the heavy buckets are known, and their texts counted."""
        return self.heavy is not None

    def refine(self) -> TextBuckets:
        """Return the next pass, over the texts of the heavy buckets."""
        heavy = np.zeros(_BUCKETS, np.bool_)
        heavy[np.argsort(-self.weights, kind="stable")[: self.most]] = True
        return TextBuckets(self.most, heavy, self.sample)

    def distinct(self) -> tuple[NDArray[Any], Counts]:
        """Return the texts, and the weight of each class at each."""
        return self.tally.distinct()


def _mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return hashes of the bits of numbers, which are too regular to be compared as they are."""
    return (bits ^ (bits >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) ^ bits >> np.uint64(32)


def hash_value(value: object) -> int:
    """Return a hash of a category that has nothing to do with its place in the alphabet."""
    return hash_text(f"{isinstance(value, str)} {int_if_whole(value)}")
