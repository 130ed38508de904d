"""The columns of a table as bins: every value a small number, in the order of the values where they have one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.kernels.search.values import ANYTHING, CODES, Columns, Rows
from conceptrules.model.derived import Mention, make_derived
from conceptrules.model.predicate import Column, Equals, Interval, Missing, Predicate, Value, one_of
from conceptrules.model.text import states_itself
from conceptrules.tables.column_values import ColumnValues, to_codes, to_numbers
from conceptrules.tables.table import Table, read_columns

MAX_BINS = CODES - 1
"""The most bins of a column; the last code is that of missing and unseen values."""
Test = tuple[Predicate, bool]
"""A predicate, and whether it is negated."""


@dataclass(frozen=True, slots=True)
class Bins:
    """The bins of one column: between cut points, or one for each category."""

    column: Column
    cuts: tuple[float, ...]
    others: bool = False
    """Whether training showed categories that have no bin."""

    @property
    def count(self) -> int:
        return len(self.cuts) + 1 if self.column.ordered else min(len(self.column.categories), MAX_BINS)

    @property
    def order(self) -> int:
        """Whether the bins have an order, as `Columns` says it."""
        return 1 if self.column.ordered else 2 if self.column.kind == "ordinal" else 0

    def encode(self, cells: ColumnValues) -> NDArray[np.uint8]:
        """Return the bin of each row, or the number of bins where the value is missing or unseen."""
        if self.column.ordered:
            from conceptrules.kernels.search.passes import bin_numbers  # compiled, which a GPU's trainer does not need

            return cells.by_row(bin_numbers(to_numbers(cells), np.array(self.cuts, np.float64)))
        codes = to_codes(cells, self.column.categories[: self.count])
        return cells.by_row(np.where(codes < 0, self.count, codes).astype(np.uint8))

    def list_examples(self) -> tuple[Value, ...]:
        """Return a value of each bin."""
        if not self.column.ordered:
            return self.column.categories[: self.count]
        return (*self.cuts, np.inf)

    def state_tests(self, allowed: NDArray[np.uint8]) -> list[Test]:
        """Return the predicates that say together where a condition holds."""
        name, held, gap = self.column.name, np.flatnonzero(allowed[: self.count]).tolist(), bool(allowed[self.count])
        if not held and not self.others:
            return [(Missing(name), False)]
        if len(held) == self.count and not self.others:
            return [(Missing(name), True)]
        if self.column.ordered:
            sides: list[Test] = []
            if held[0] > 0:
                sides.append((Interval(name, low=self.cuts[held[0] - 1]), False))
            if held[-1] < self.count - 1:
                sides.append((Interval(name, high=self.cuts[held[-1]]), False))
            return sides
        if (
            states_itself(self.column) and not self.column.missing
        ):  # what it says instead of being true has words of its own
            return [(Equals(name, self.column.categories[held[0]]), False)]
        named = [b for b in range(self.count) if b not in held] if gap else held
        values = [self.column.categories[b] for b in named]
        return [(Equals(name, values[0]) if len(values) == 1 else one_of(self.column, values), gap)]


@dataclass(frozen=True, slots=True)
class BinnedTable:
    """How a table is read as bins."""

    bins: tuple[Bins, ...]

    def encode(self, table: Table) -> NDArray[np.uint8]:
        """Return (rows, columns): the bin of each value."""
        codes = np.empty((table.rows, len(self.bins)), np.uint8)
        columns = tuple(bins.column for bins in self.bins)
        for number, (_, cells) in enumerate(read_columns(columns, table)):
            codes[:, number] = self.bins[number].encode(cells)
        return codes

    def make_columns(self, codes: NDArray[np.uint8], classes: int) -> Columns:
        """Return what the codes mean; a column that these rows show without gaps is never asked for them."""
        counts = np.array([bins.count for bins in self.bins], np.int64)
        gaps = (codes == counts).any(axis=0) if len(codes) else np.zeros(len(counts), np.bool_)
        return Columns(
            bins=counts,
            gaps=gaps,
            # Where unseen values share the code, "is missing" would not be true of all rows that have it.
            askable=gaps & np.array([bins.column.missing and not bins.others for bins in self.bins], np.bool_),
            ordered=np.array([bins.order for bins in self.bins], np.int64),
            cost=np.ones(len(counts)),
            may_ask=np.full((classes, len(counts)), ANYTHING, np.uint8),
            apart=np.zeros((0, 0), np.bool_),
            start=np.concatenate([[0], np.cumsum(counts + 1)]),
        )


def make_binned_table(binarizer: Binarizer) -> BinnedTable:
    """Return the bins between the cuts of a binarizer, and those of its categories."""
    dropped = dict(binarizer.categories_dropped_)
    return BinnedTable(
        tuple(
            Bins(column, _thin_cuts(MAX_BINS - 1, cuts), _has_others(column, dropped))
            for column, cuts in zip(binarizer.columns_, binarizer.cuts_, strict=True)
        )
    )


def join_mentions(tests: Sequence[Test], columns: dict[str, Column]) -> list[Test]:
    """Return the tests of a rule, with all that a text does not mention as one: `text mentions none of {a, b}`.

    The columns that this takes are added to `columns`, which are those of the network by name.
    """
    unmentioned: dict[str, list[str]] = {}
    joined: list[Test] = []
    for test, negated in tests:
        derivation = columns[test.column].derivation
        if isinstance(derivation, Mention) and isinstance(test, Equals) and bool(test.value) == negated:
            unmentioned.setdefault(derivation.column, []).extend(derivation.terms)
        else:
            joined.append((test, negated))
    for text, terms in unmentioned.items():
        column = make_derived(Mention(text, tuple(dict.fromkeys(terms))), [columns[text]])
        joined.append((Equals(columns.setdefault(column.name, column).name, False), False))
    return joined


def _has_others(column: Column, dropped: Mapping[str, int]) -> bool:
    """Return whether rows have values without a bin; free text has none at all."""
    return column.name in dropped or len(column.categories) > MAX_BINS or column.kind == "text"


def _thin_cuts(most: int, cuts: Sequence[float]) -> tuple[float, ...]:
    """Leave out cuts, evenly, where there are more than so many."""
    if len(cuts) <= most:
        return tuple(cuts)
    return tuple(cuts[(2 * k + 1) * len(cuts) // (2 * most)] for k in range(most))


def coarsen_bins(table: BinnedTable, rows: Rows, most: int) -> BinnedTable:
    """Return a table with at most so many bins of numbers, which split the rows as evenly as these cuts can."""
    weight = rows.mass.sum(axis=1)

    def fewer(bins: Bins, codes: NDArray[np.uint8]) -> Bins:
        if not bins.column.ordered or bins.count <= most:
            return bins
        below = np.cumsum(np.bincount(codes, weight, bins.count + 1)[: bins.count])
        ends = np.searchsorted(below * most, np.arange(1, most) * below[-1])
        return replace(bins, cuts=tuple(bins.cuts[end] for end in np.unique(ends).tolist() if end < len(bins.cuts)))

    return BinnedTable(tuple(map(fewer, table.bins, rows.codes.T)))


def map_codes(finer: BinnedTable, table: BinnedTable) -> NDArray[np.uint8]:
    """Return [column, code]: the bin of each bin of a table that has all cuts of this one, and more."""
    coarser = np.zeros((len(table.bins), CODES), np.uint8)
    for codes, fine, bins in zip(coarser, finer.bins, table.bins, strict=True):
        own = np.searchsorted(bins.cuts, (*fine.cuts, np.inf)) if fine.column.ordered else np.arange(fine.count)
        codes[: fine.count + 1] = (*own, bins.count)
    return coarser


def recode_rows(codes: NDArray[np.uint8], finer: BinnedTable, table: BinnedTable) -> NDArray[np.uint8]:
    """Return codes of a table with more cuts as those of this one."""
    return map_codes(finer, table)[np.arange(len(table.bins)), codes]
