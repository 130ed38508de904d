"""The different values of a column and the weight of each class at them, counted batch by batch.

Up to `MOST` different values are counted one by one, and what is learned from the counts is what would be learned from
the rows. Beyond that, numbers are counted in groups of neighbours that weigh a 16,384th of the column at most, unless
they are a single number, and of text those values are counted that may be among the most frequent. All counts are sums
of whole numbers: they depend neither on the order of the rows nor on how they are dealt to batches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from conceptrules.binarize.columns import GivenKind
from conceptrules.binarize.number_groups import NumberGroups, merged_sums
from conceptrules.binarize.ordered_categories import check_all_listed
from conceptrules.model.errors import ColumnTypeError
from conceptrules.model.predicate import Column, Kind
from conceptrules.model.values import NOUNS, whole
from conceptrules.tables.column_values import ColumnValues, check_readable, numbers_of

MOST = 65_536
"""Different values of a column that are counted one by one."""
_BUCKETS, _HEAVY = 1 << 16, 1 << 10
"""Texts are dealt to so many buckets, and those in so many of the heaviest ones are counted one by one."""
Counts = NDArray[np.int64]


@dataclass(slots=True, eq=False)
class ValueCounts:
    """What the batches of a column have shown until now."""

    name: str
    classes: int
    unit: int = 1
    """What a row without a weight counts."""
    given: GivenKind | None = None
    """What the user says of the column."""
    family: Kind | None = None
    declared: bool = False
    order: tuple[Any, ...] | None = None
    rows: int = 0
    gaps: int = 0
    """Rows without a value."""
    known: Numbers | Texts | None = None

    def add(self, cells: ColumnValues, target: NDArray[np.intp], weight: Counts | None, first: int = 0) -> None:
        """Count a batch whose rows begin at number `first` of the table; no weight: each row weighs one."""
        self._take_kind(cells, first)
        self._check(cells, first)
        missing = cells.gaps
        self.rows += len(cells)
        self.gaps += int(np.count_nonzero(missing))
        if cells.family is None:
            return
        present = ~missing
        every = bool(present.all())
        codes, values = _coded(cells, present)
        places = codes * self.classes + (target if every else target[present])
        worth = None if weight is None else weight if every else weight[present]
        if worth is None:
            summed = np.bincount(places, minlength=len(values) * self.classes)
        else:
            summed = np.zeros(len(values) * self.classes, np.int64)
            np.add.at(summed, places, worth)
        if self.known is None:
            named = self.given is not None and self.given.kind in ("category", "ordinal", "boolean")
            text = named or self.declared or self.family in ("category", "boolean")
            self.known = Texts() if text else Numbers()
        self.known.add(values, summed.reshape(len(values), self.classes))

    def _take_kind(self, cells: ColumnValues, first: int) -> None:
        self.declared |= cells.declared
        if cells.order is not None:
            self.order = tuple(dict.fromkeys((*(self.order or ()), *cells.order)))
        if cells.family is None:
            return
        if self.family not in (None, cells.family):
            raise ColumnTypeError(
                f"column {self.name!r} holds {NOUNS[cells.family]} from row {first} on, and {NOUNS[self.family]} "
                "before; all of a column have to be alike: convert it"
            )
        self.family = cells.family

    def _check(self, cells: ColumnValues, first: int) -> None:
        """Object to what cannot be read as the user says, while its row is known."""
        if self.given is not None:
            check_readable(cells, Column(self.name, self.given.kind), first)
            if self.given.order is not None:
                check_all_listed(cells, self.given.order, first)

    @property
    def finished(self) -> bool:
        """Whether no further pass over the rows would tell more."""
        return self.known is None or self.known.finished

    def look_closer(self) -> None:
        """Begin another pass over the same rows, to count where the last one could only tell that there is much."""
        assert self.known is not None
        self.rows = self.gaps = 0
        self.known.look_closer()

    @property
    def exact(self) -> bool:
        """Whether every value was counted by itself."""
        return self.known is None or self.known.exact

    @property
    def different(self) -> int:
        """How many different values there are; an estimate beyond `MOST`."""
        return 0 if self.known is None else self.known.different

    def distinct(self) -> tuple[ColumnValues, Counts]:
        """Return the values once each, a gap after them if there is one, and the weight of each class at each value."""
        values, counts = np.zeros(0, object), np.zeros((0, self.classes), np.int64)
        if self.known is not None:
            values, counts = self.known.values(), self.known.counts()
        missing = np.zeros(len(values), np.bool_)
        cells = ColumnValues(self.name, values, missing, self.family, self.declared, order=self.order)
        if self.gaps or not len(values):
            cells = replace(cells, values=_with_gap(values), missing=np.append(missing, True))
            counts = np.vstack([counts, np.zeros((1, self.classes), np.int64)])
        return cells, counts


class Numbers:
    """Numbers, moments or durations, sorted; beyond `MOST` different ones, groups of neighbours."""

    def __init__(self) -> None:
        self._values: NDArray[Any] | None = None
        self._counts: Counts = np.zeros((0, 0), np.int64)
        self._sample = _Smallest()
        self.groups: NumberGroups | None = None

    def add(self, values: NDArray[Any], counts: Counts) -> None:
        if self.groups is None:
            before = [] if self._values is None else [(self._values, self._counts)]
            self._values, self._counts = merged_sums(*zip(*before, (values, counts), strict=True))
            if len(self._values) <= MOST:
                return
            self.groups, values, counts = NumberGroups.first(counts.shape[1]), self._values, self._counts
        numbers = _as_numbers(values)
        if self.groups.passes == 1:
            self._sample.add(numbers.view(np.uint64))
        self.groups.add(*merged_sums([numbers], [counts]))

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
    def different(self) -> int:
        return len(self.values()) if self.exact else self._sample.different

    def values(self) -> NDArray[Any]:
        assert self._values is not None
        return self._values if self.groups is None else self.groups.highest()

    def counts(self) -> Counts:
        return self._counts if self.groups is None else self.groups.counts()


class Texts:
    """Text, and truth values of a column with gaps; beyond `MOST` different ones, the most frequent."""

    def __init__(self) -> None:
        self._places: dict[Any, int] = {}
        self._counts: Counts | None = None
        self._buckets: Counts | None = None
        self._heavy: NDArray[np.bool_] | None = None
        self._sample = _Smallest()

    def add(self, values: NDArray[Any], counts: Counts) -> None:
        if self._buckets is None:
            self._count(values, counts)
            if len(self._places) <= MOST:
                return
            self._buckets, values, counts = np.zeros(_BUCKETS, np.int64), self.values(), self.counts()
            self._places, self._counts = {}, None
        self._deal(values, counts)

    def _count(self, values: NDArray[Any], counts: Counts) -> None:
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
            self._sample.add(hashes)
            np.add.at(self._buckets, bucket, counts.sum(axis=1))
        else:
            heavy = self._heavy[bucket]
            self._count(values[heavy], counts[heavy])

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
    def different(self) -> int:
        return len(self._places) if self.exact else self._sample.different

    def values(self) -> NDArray[Any]:
        return np.fromiter(self._places, object, len(self._places))

    def counts(self) -> Counts:
        return np.zeros((0, 1), np.int64) if self._counts is None else self._counts[: len(self._places)]


class _Smallest:
    """The smallest hashes of values, which tell how many different values there are, to a percent."""

    def __init__(self) -> None:
        self._kept = np.zeros(0, np.uint64)

    def add(self, hashes: NDArray[np.uint64]) -> None:
        mixed = np.unique(
            (hashes ^ (hashes >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) ^ hashes >> np.uint64(32)
        )
        self._kept = np.union1d(self._kept, mixed)[:MOST]

    @property
    def different(self) -> int:
        if len(self._kept) < MOST:
            return len(self._kept)
        return round((MOST - 1) * 2.0**64 / float(self._kept[-1]))


def _coded(cells: ColumnValues, present: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return the place of the value of each present row, and the values."""
    if cells.codes is not None:
        held = ~cells.missing[:-1]  # categories without rows in this batch are left out
        return (np.cumsum(held) - 1)[cells.codes[present]], cells.values[:-1][held]
    values = cells.values if present.all() else cells.values[present]
    if values.dtype == object:
        index: dict[Any, int] = {}
        codes = np.fromiter((index.setdefault(value, len(index)) for value in values.tolist()), np.intp, len(values))
        return codes, np.fromiter(index, object, len(index))
    encoded = pa.array(values).dictionary_encode()  # by hashing: a tenth of the time of sorting
    return encoded.indices.to_numpy().astype(np.intp), encoded.dictionary.to_numpy(zero_copy_only=False)


def _with_gap(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind in "mM":
        return np.append(values, np.array(["NaT"], values.dtype))
    if values.dtype == object:
        return np.append(values, np.array([None], object))
    return np.append(values.astype(np.float64), np.nan)


def _as_numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    return numbers_of(ColumnValues("", values, np.zeros(len(values), np.bool_), None)) + 0.0  # 0 of -0


def _hash(value: object) -> int:
    text = f"{isinstance(value, str)} {whole(value)}"
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
