"""What is known of the values of a column: each by itself while they are few, otherwise groups or the most frequent."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.number_groups import NumberGroups, merged_sums
from conceptrules.model.values import whole
from conceptrules.tables.column_values import ColumnValues, to_numbers
from conceptrules.tables.hashes import SmallestHashes

MAX_COUNTED_VALUES = 65_536
"""Different values of a column that are counted one by one."""
_BUCKETS, _HEAVY = 1 << 16, 1 << 10
"""Texts are dealt to so many buckets, and those in so many of the heaviest ones are counted one by one."""
Counts = NDArray[np.int64]


class Numbers:
    """Numbers, moments or durations, sorted; beyond `MAX_COUNTED_VALUES` different ones, groups of neighbours."""

    def __init__(self, groups: NumberGroups | None = None) -> None:
        self._values: NDArray[Any] | None = None
        self._counts: Counts = np.zeros((0, 0), np.int64)
        self._sample = SmallestHashes()
        self.groups = groups

    def add(self, values: NDArray[Any], counts: Counts) -> None:
        """Count values that differ, and the weight of each class at each, as long as each is counted by itself."""
        before = [] if self._values is None else [(self._values, self._counts)]
        self._values, self._counts = merged_sums(*zip(*before, (values, counts), strict=True))
        if len(self._values) > MAX_COUNTED_VALUES:
            self._group(counts.shape[1])

    def _group(self, classes: int) -> None:
        """Go over to groups."""
        self.groups = NumberGroups.first(classes)
        if self._values is not None:
            self._add_counts(self._values, self._counts)
            self._values = None

    def _add_counts(self, values: NDArray[Any], counts: Counts) -> None:
        value, label = np.nonzero(counts)
        self.add_rows(values[value], label, counts[value, label])

    def add_rows(self, values: NDArray[Any], target: NDArray[np.intp], weight: Counts | None) -> None:
        """Count rows in groups: almost every row has a number of its own, which is not worth looking for."""
        assert self.groups is not None
        numbers = _as_numbers(values)
        if self.groups.passes == 1:
            self._sample.add(_mixed(numbers.view(np.uint64)))
        self.groups.add(numbers, target, weight)

    def blank(self) -> Numbers:
        """Return the same, with nothing counted yet."""
        groups = self.groups  # another thread may go over to groups in between
        return Numbers(None if groups is None else groups.blank())

    def merge(self, other: Numbers) -> None:
        """Add what was counted of other rows, from a `blank`."""
        if other.groups is not None:
            if self.groups is None:
                self._group(other.groups.sums.shape[1])
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
        self.groups = self.groups.closer()

    @property
    def n_distinct(self) -> int:
        return len(self.values()) if self.exact else self._sample.n_distinct

    def values(self) -> NDArray[Any]:
        if self.groups is not None:
            return self.groups.highest()
        assert self._values is not None
        return self._values

    def counts(self) -> Counts:
        return self._counts if self.groups is None else self.groups.counts()


class Texts:
    """Text, and truth values of a column with gaps; beyond `MAX_COUNTED_VALUES` different ones, the most frequent."""

    def __init__(self) -> None:
        self._places: dict[Any, int] = {}
        self._counts: Counts | None = None
        self._buckets: Counts | None = None
        self._heavy: NDArray[np.bool_] | None = None
        self._sample = SmallestHashes()

    def add(self, values: NDArray[Any], counts: Counts) -> None:
        """Count values that differ, and the weight of each class at each."""
        if self._buckets is not None:
            self._deal(values, counts)
            return
        self._count(values, counts)
        if len(self._places) > MAX_COUNTED_VALUES:
            self._begin_buckets()

    def _begin_buckets(self) -> None:
        """Go over to buckets."""
        self._buckets, values, counts = np.zeros(_BUCKETS, np.int64), self.values(), self.counts()
        self._places, self._counts = {}, None
        self._deal(values, counts)

    def _count(self, values: NDArray[Any], counts: Counts) -> None:
        if not len(values):
            return
        places = np.array([self._places.setdefault(value, len(self._places)) for value in values.tolist()], np.intp)
        if self._counts is None:
            self._counts = np.zeros((0, counts.shape[1]), np.int64)
        if len(self._places) > len(self._counts):
            room = np.zeros((max(len(self._places), 2 * len(self._counts)), counts.shape[1]), np.int64)
            room[: len(self._counts)] = self._counts
            self._counts = room
        np.add.at(self._counts, places, counts)

    def _deal(self, values: NDArray[Any], counts: Counts) -> None:
        hashes = np.fromiter((_hash(value) for value in values.tolist()), np.uint64, len(values))
        bucket = (hashes % _BUCKETS).astype(np.intp)
        assert self._buckets is not None
        if self._heavy is None:
            self._sample.add(_mixed(hashes))
            np.add.at(self._buckets, bucket, counts.sum(axis=1))
        else:
            heavy = self._heavy[bucket]
            self._count(values[heavy], counts[heavy])

    def blank(self) -> Texts:
        """Return the same, with nothing counted yet."""
        made = Texts()
        made._buckets = None if self._buckets is None else np.zeros(_BUCKETS, np.int64)
        made._heavy = self._heavy
        return made

    def merge(self, other: Texts) -> None:
        """Add what was counted of other rows, from a `blank`."""
        if other._buckets is None:
            self.add(other.values(), other.counts())
        elif self._heavy is not None:
            self._count(other.values(), other.counts())
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
        self._heavy[np.argsort(-self._buckets, kind="stable")[:_HEAVY]] = True

    @property
    def n_distinct(self) -> int:
        return len(self._places) if self.exact else self._sample.n_distinct

    def values(self) -> NDArray[Any]:
        return np.fromiter(self._places, object, len(self._places))

    def counts(self) -> Counts:
        return np.zeros((0, 1), np.int64) if self._counts is None else self._counts[: len(self._places)]


def _as_numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    return to_numbers(ColumnValues("", values, np.zeros(len(values), np.bool_), None)) + 0.0  # 0 of -0


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return hashes of the bits of numbers, which would tell little if they were compared as they are."""
    return (bits ^ (bits >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) ^ bits >> np.uint64(32)


def _hash(value: object) -> int:
    text = f"{isinstance(value, str)} {whole(value)}"
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
