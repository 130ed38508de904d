"""What is known of the values of a column: each by itself while they are few, otherwise groups or the most frequent.

Very many numbers are counted in groups of neighbours, found in a few passes over the rows. Numbers are compared as
whole numbers of 64 bits that have their order. The first pass groups them by the upper 16 bits. After each pass, light
neighbours are put together, and a heavy group is cut into parts of equal range between its smallest and its largest
number. Of very many texts, the first pass weighs buckets of hashes, and the second counts the texts of heavy buckets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.cut_points import sum_by_value
from conceptrules.model.values import int_if_whole
from conceptrules.tables.column_values import ColumnValues, to_numbers
from conceptrules.tables.hashes import SmallestHashes, hash_text

MAX_COUNTED_VALUES = 65_536
"""Different values of a column that are counted one by one."""
MAX_GROUP_WEIGHT = 1 << 14
"""A group that is not a single number weighs at most this part of all (one 16,384th), once the passes are over."""
_MAX_PASSES = 5
_BUCKETS, _HEAVY_BUCKETS = 1 << 16, 1 << 10
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
    def begin(cls, start: Keys, classes: int, passes: int) -> NumberGroups:
        """Return groups in which nothing is counted yet."""
        sums = np.zeros((len(start), classes), np.int64)
        return cls(start, sums, np.full(len(start), 2**64 - 1, np.uint64), np.zeros(len(start), np.uint64), passes)

    @property
    def classes(self) -> int:
        return self.sums.shape[1]

    def blank(self) -> NumberGroups:
        """Return the same groups, in which nothing is counted yet."""
        return NumberGroups.begin(self.start, self.classes, self.passes)

    def merge(self, other: NumberGroups) -> None:
        """Add what was counted in the same groups."""
        self.sums += other.sums
        np.minimum(self.low, other.low, out=self.low)
        np.maximum(self.high, other.high, out=self.high)

    def add(self, numbers: NDArray[np.float64], target: NDArray[np.intp], weight: Counts | None) -> None:
        """Count rows: their numbers, their classes and what they weigh; no weight: one each."""
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
        return NumberGroups.begin(np.unique(np.concatenate(starts)), self.classes, self.passes + 1)


class NumberCounts:
    """Numbers, moments or durations, sorted; beyond `MAX_COUNTED_VALUES` different ones, groups of neighbours."""

    def __init__(self, groups: NumberGroups | None = None) -> None:
        self._values: NDArray[Any] | None = None
        self._counts: Counts = np.zeros((0, 0), np.int64)
        self._sample = SmallestHashes()
        self.groups = groups

    def add(self, values: NDArray[Any], counts: Counts) -> None:
        """Count values that differ, and the weight of each class at each, as long as each is counted by itself."""
        if self._values is not None:
            values, counts = np.concatenate([self._values, values]), np.concatenate([self._counts, counts])
        self._values, self._counts = sum_by_value(values, counts)
        if len(self._values) > MAX_COUNTED_VALUES:
            self._begin_groups(counts.shape[1])

    def _begin_groups(self, classes: int) -> None:
        self.groups = NumberGroups.begin(np.arange(1 << 16, dtype=np.uint64) << np.uint64(48), classes, 1)
        if self._values is not None:
            self._add_counts(self._values, self._counts)
            self._values = None

    def _add_counts(self, values: NDArray[Any], counts: Counts) -> None:
        value, label = np.nonzero(counts)
        self.add_rows(values[value], label, counts[value, label])

    def add_rows(self, values: NDArray[Any], target: NDArray[np.intp], weight: Counts | None) -> None:
        """Count rows in groups: almost every row has a number of its own, which is not worth looking for."""
        assert self.groups is not None
        present = np.zeros(len(values), np.bool_)
        numbers = to_numbers(ColumnValues("", values, present, None)) + 0.0  # 0 of -0
        if self.groups.passes == 1:
            self._sample.add(_mix(numbers.view(np.uint64)))
        self.groups.add(numbers, target, weight)

    def blank(self) -> NumberCounts:
        """Return the same, with nothing counted yet."""
        groups = self.groups  # another thread may go over to groups in between
        return NumberCounts(None if groups is None else groups.blank())

    def merge(self, other: NumberCounts) -> None:
        """Add what was counted of other rows, from a `blank`."""
        if other.groups is not None:
            if self.groups is None:
                self._begin_groups(other.groups.classes)
            assert self.groups is not None
            self.groups.merge(other.groups)
            self._sample.add(other._sample.kept)
        elif other._values is not None:
            (self.add if self.groups is None else self._add_counts)(other._values, other._counts)

    @property
    def exact(self) -> bool:
        return self.groups is None

    @property
    def finished(self) -> bool:
        return self.groups is None or self.groups.fine

    def look_closer(self) -> None:
        assert self.groups is not None
        self.groups = self.groups.refine()

    @property
    def n_distinct(self) -> int:
        return self._sample.n_distinct if self._values is None else len(self._values)

    def distinct(self) -> tuple[NDArray[Any], Counts]:
        """Return the values, or the largest number of each group, and the weight of each class at each."""
        if self.groups is None:
            assert self._values is not None
            return self._values, self._counts
        filled = self.groups.sums.any(axis=1)
        return from_keys(self.groups.high[filled]), self.groups.sums[filled]


class TextCounts:
    """Text, and truth values of a column with gaps; beyond `MAX_COUNTED_VALUES` different ones, the most frequent."""

    def __init__(self) -> None:
        self._places: dict[Any, int] = {}
        self._counts: Counts = np.zeros((0, 1), np.int64)
        self._buckets: Counts | None = None
        self._heavy: NDArray[np.bool_] | None = None
        self._sample = SmallestHashes()

    def add(self, values: NDArray[Any], counts: Counts) -> None:
        """Count values that differ, and the weight of each class at each."""
        if self._buckets is None:
            self._count(values, counts)
            if len(self._places) > MAX_COUNTED_VALUES:
                self._begin_buckets()
            return
        hashes = np.fromiter((_hash(value) for value in values.tolist()), np.uint64, len(values))
        bucket = (hashes % _BUCKETS).astype(np.intp)
        if self._heavy is None:
            self._sample.add(_mix(hashes))
            np.add.at(self._buckets, bucket, counts.sum(axis=1))
        else:
            heavy = self._heavy[bucket]
            self._count(values[heavy], counts[heavy])

    def _begin_buckets(self) -> None:
        values, counts = self.distinct()
        self._buckets, self._places, self._counts = np.zeros(_BUCKETS, np.int64), {}, self._counts[:0]
        self.add(values, counts)

    def _count(self, values: NDArray[Any], counts: Counts) -> None:
        if not len(values):
            return
        places = np.array([self._places.setdefault(value, len(self._places)) for value in values.tolist()], np.intp)
        if len(self._places) > len(self._counts):
            room = np.zeros((max(len(self._places), 2 * len(self._counts)), counts.shape[1]), np.int64)
            room[: len(self._counts)] = self._counts
            self._counts = room
        np.add.at(self._counts, places, counts)

    def blank(self) -> TextCounts:
        """Return the same, with nothing counted yet."""
        blank = TextCounts()
        blank._buckets = None if self._buckets is None else np.zeros(_BUCKETS, np.int64)
        blank._heavy = self._heavy
        return blank

    def merge(self, other: TextCounts) -> None:
        """Add what was counted of other rows, from a `blank`."""
        if other._buckets is None:
            self.add(*other.distinct())
        elif self._heavy is not None:
            self._count(*other.distinct())
        else:
            if self._buckets is None:
                self._begin_buckets()
            assert self._buckets is not None
            self._buckets += other._buckets
            self._sample.add(other._sample.kept)

    @property
    def exact(self) -> bool:
        return self._buckets is None

    @property
    def finished(self) -> bool:
        return self._buckets is None or self._heavy is not None

    def look_closer(self) -> None:
        assert self._buckets is not None
        self._heavy = np.zeros(_BUCKETS, np.bool_)
        self._heavy[np.argsort(-self._buckets, kind="stable")[:_HEAVY_BUCKETS]] = True

    @property
    def n_distinct(self) -> int:
        return len(self._places) if self.exact else self._sample.n_distinct

    def distinct(self) -> tuple[NDArray[Any], Counts]:
        """Return the values, and the weight of each class at each."""
        return np.fromiter(self._places, object, len(self._places)), self._counts[: len(self._places)]


def _mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return hashes of the bits of numbers, which are too regular to be compared as they are."""
    return (bits ^ (bits >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) ^ bits >> np.uint64(32)


def _hash(value: object) -> int:
    return hash_text(f"{isinstance(value, str)} {int_if_whole(value)}")
