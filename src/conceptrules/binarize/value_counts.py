"""The different values of a column and the weight of each class at them, counted batch by batch.

Up to `MAX_COUNTED_VALUES` different values are counted one by one, and what is learned from the counts is what would be
learned from the rows. Beyond that, numbers are counted in groups of neighbours, each of which weighs at most a 16,384th
of the column unless it is a single number, and texts are counted where they may be among the most frequent. All counts
are sums of whole numbers: they depend neither on the order of the rows nor on how these are split into batches. So
parts of a table may be counted side by side, or on several machines, and the counts are then merged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.category_order import check_all_listed
from conceptrules.binarize.known_values import (
    HEAVY_BUCKETS,
    HEAVY_TERM_BUCKETS,
    Counts,
    NumberGroups,
    TextBuckets,
    ValueTally,
)
from conceptrules.model.derived import Mention
from conceptrules.model.errors import ColumnTypeError
from conceptrules.model.predicate import Column, Kind, Value
from conceptrules.model.values import NOUNS, READS
from conceptrules.tables.column_values import ColumnValues, check_readable, encode_values
from conceptrules.tables.derived import list_terms
from conceptrules.tables.table import Table, match_columns


@dataclass(frozen=True, slots=True)
class GivenKind:
    """What the user says of a column."""

    kind: Kind
    order: tuple[Value, ...] | None = None


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
    since: int = 0
    """The row from which on the values are known to be of this family."""
    declared: bool = False
    order: tuple[Any, ...] | None = None
    rows: int = 0
    gaps: int = 0
    """Rows without a value."""
    tally: ValueTally | None = None
    """The values, while there are few; None where there is none yet."""
    sketch: NumberGroups | TextBuckets | None = None
    """What is known of very many values."""
    cells: ColumnValues | None = None
    """The rows in their order, where the whole column is in memory."""
    derived: tuple[Column, ...] = ()
    """The columns that this one is worked out from, and last the column itself; none if the table has it."""

    def add(self, cells: ColumnValues, target: NDArray[np.intp], weight: Counts | None, first: int = 0) -> None:
        """Count a batch whose rows begin at number `first` of the table; no weight: each row weighs one."""
        self._add_kind(cells, first)
        if self.given is not None:  # what cannot be read as the user says is refused while its row is known
            check_readable(cells, Column(self.name, self.given.kind), first)
            if self.given.order is not None:
                check_all_listed(cells, self.given.order, first)
        missing = cells.gaps
        self.rows += len(cells)
        self.gaps += int(np.count_nonzero(missing))
        if cells.family is None:
            return
        present = ~missing
        if not present.all():
            target, weight = target[present], None if weight is None else weight[present]
        if self.tally is None:
            named = self.given is not None and self.given.kind in ("category", "ordinal", "boolean", "text")
            declared = self.declared and self.family in READS["category"]
            text = named or declared or self.family in ("category", "boolean")
            self.tally = ValueTally(np.dtype(object) if text else None)
        if isinstance(self.sketch, NumberGroups):
            self.sketch.add_rows(cells.by_row(cells.values)[present], target, weight)
            return
        codes, values = _encode(cells, present)
        places = codes * self.classes + target
        if weight is None:
            summed = np.bincount(places, minlength=len(values) * self.classes)
        else:
            summed = np.zeros(len(values) * self.classes, np.int64)
            np.add.at(summed, places, weight)
        sums = summed.reshape(len(values), self.classes)
        self._count(*(_count_terms(values, sums) if self.holds_text else (values, sums)))

    def _count(self, values: NDArray[Any], counts: Counts) -> None:
        assert self.tally is not None
        (self.sketch or self.tally).add(values, counts)
        if self.sketch is None and self.tally.full:
            self._begin_sketch()

    def _begin_sketch(self) -> NumberGroups | TextBuckets:
        """Go over to groups of numbers or buckets of texts, into which go the values that were counted until now."""
        assert self.tally is not None
        most = HEAVY_TERM_BUCKETS if self.holds_text else HEAVY_BUCKETS
        sketch = TextBuckets(most) if self.tally.dtype == object else NumberGroups.begin(self.classes)
        sketch.add(*self.tally.distinct())
        self.tally, self.sketch = ValueTally(self.tally.dtype), sketch
        return sketch

    def blank(self) -> ValueCounts:
        """Return counts of no rows, for a part of the rows of this pass."""
        # Another thread may merge into these counts, and sets the family before the values.
        tally, sketch = self.tally, self.sketch
        blank = ValueCounts(self.name, self.classes, self.unit, self.given, self.family, derived=self.derived)
        blank.tally = None if tally is None else ValueTally(tally.dtype)
        blank.sketch = None if sketch is None else sketch.blank()
        return blank

    def merge(self, later: ValueCounts) -> None:
        """Add what was counted in a later part of the rows, from a `blank` of the same pass."""
        self._add_kind(later, later.since)
        self.rows += later.rows
        self.gaps += later.gaps
        if later.tally is None:
            return
        if self.tally is None:
            self.tally = ValueTally(later.tally.dtype)
        if later.sketch is None:
            self._count(*later.tally.distinct())
        else:
            sketch = self.sketch or self._begin_sketch()
            sketch.merge(later.sketch)  # type: ignore[arg-type]  # of one family, and so of one type

    def _add_kind(self, seen: ColumnValues | ValueCounts, first: int) -> None:
        self.declared |= seen.declared
        if seen.order is not None:
            self.order = tuple(dict.fromkeys((*(self.order or ()), *seen.order)))
        if seen.family is None:
            return
        if self.family not in (None, seen.family):
            raise ColumnTypeError(
                f"column {self.name!r} holds {NOUNS[seen.family]} from row {first} on, and {NOUNS[self.family]} "
                "before; all of a column have to be alike: convert it"
            )
        if self.family is None:
            self.family, self.since = seen.family, first

    @property
    def holds_text(self) -> bool:
        """Whether the column is free text: its terms are counted, once for each row, and the rows as the term ""."""
        return self.given is not None and self.given.kind == "text"

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of the table that are read for this one."""
        derivation = self.derived[-1].derivation if self.derived else None
        return (self.name,) if derivation is None else derivation.columns

    @property
    def needs_rows(self) -> bool:
        """Whether rows have to be counted; what texts mention was chosen by its counts already."""
        return not (self.derived and isinstance(self.derived[-1].derivation, Mention))

    def read(self, table: Table) -> ColumnValues:
        """Return the values of the column in a table, which may work them out."""
        if self.derived:
            table, positions = match_columns(self.derived, replace(table, named=True))
            return table.cells(positions[-1])
        return table.cells(table.names.index(self.name))

    @property
    def finished(self) -> bool:
        """Whether a further pass over the rows would add nothing."""
        return self.sketch is None or self.sketch.fine

    def look_closer(self) -> None:
        """Begin another pass over the same rows, to count where the last one only found that there are many values."""
        assert self.sketch is not None
        self.rows = self.gaps = 0
        self.sketch = self.sketch.refine()

    @property
    def exact(self) -> bool:
        """Whether every value was counted by itself."""
        return self.sketch is None

    @property
    def n_distinct(self) -> int:
        """How many different values there are; an estimate beyond `MAX_COUNTED_VALUES`."""
        if self.sketch is not None:
            return self.sketch.sample.n_distinct
        return 0 if self.tally is None else len(self.tally.places)

    def distinct(self) -> tuple[ColumnValues, Counts]:
        """Return the values once each, a gap after them if there is one, and the weight of each class at each value."""
        values, counts = (self.sketch or self.tally or ValueTally()).distinct()
        counts = counts if len(values) else np.zeros((0, self.classes), np.int64)
        missing = np.zeros(len(values), np.bool_)
        cells = ColumnValues(self.name, values, missing, self.family, self.declared, order=self.order)
        if self.gaps or not len(values):
            cells = replace(cells, values=_with_gap(values), missing=np.append(missing, True))
            counts = np.vstack([counts, np.zeros((1, self.classes), np.int64)])
        return cells, counts


def _encode(cells: ColumnValues, present: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return the place of the value of each present row, and the values."""
    if cells.codes is not None:
        used = ~cells.missing[:-1]  # categories without rows in this batch are left out
        return (np.cumsum(used) - 1)[cells.codes[present]], cells.values[:-1][used]
    values = cells.values if present.all() else cells.values[present]
    if values.dtype == object:
        index: dict[Any, int] = {}
        codes = np.fromiter((index.setdefault(value, len(index)) for value in values.tolist()), np.intp, len(values))
        return codes, np.fromiter(index, object, len(index))
    value_codes, distinct = encode_values(values)
    return value_codes.astype(np.intp), distinct


def _count_terms(values: NDArray[Any], counts: Counts) -> tuple[NDArray[Any], Counts]:
    """Return the terms of texts that differ, and the weight of each class at each term."""
    places: dict[str, int] = {"": 0}
    rows: list[int] = []
    terms: list[int] = []
    for row, text in enumerate(values.tolist()):
        listed = [0, *(places.setdefault(term, len(places)) for term in list_terms(text))]
        terms += listed
        rows += [row] * len(listed)
    sums = np.zeros((len(places), counts.shape[1]), np.int64)
    np.add.at(sums, terms, counts[rows])
    return np.fromiter(places, object, len(places)), sums


def _with_gap(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind in "mM":
        return np.append(values, np.array(["NaT"], values.dtype))
    if values.dtype == object:
        return np.append(values, np.array([None], object))
    return np.append(values.astype(np.float64), np.nan)


def count_column(
    cells: ColumnValues,
    classes: NDArray[np.intp],
    weight: NDArray[np.float64],
    n_classes: int,
    given: GivenKind | None = None,
) -> ValueCounts:
    """Return the counts of a whole column in memory: what the passes over its batches would count."""
    units = None
    if (weight != 1).any():
        from conceptrules.kernels.search.shards import WEIGHT_UNIT, fixed_weights

        units = fixed_weights(weight)
    counts = ValueCounts(cells.name, n_classes, 1 if units is None else WEIGHT_UNIT, given, cells=cells)
    counts.add(cells, classes, units)
    while not counts.finished:
        counts.look_closer()
        counts.add(cells, classes, units)
    return counts
