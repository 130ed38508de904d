"""The fewest literals that say "the row lies in these cells" of a column, or of a concept of the level below.

Cells are as fine as the cut points and categories in use, so that new predicates can be made of them: a wider
interval, a set of categories.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product

from conceptrules.logic.column_cells import ColumnCells, by_column, cell_numbers, elementary_cells
from conceptrules.model.predicate import (
    Column,
    Equals,
    Interval,
    Missing,
    Predicate,
    Value,
    bounds_of,
    finite_bounds,
    named_categories,
    one_of,
)

Test = tuple[Predicate | int, bool]
"""A predicate, or the number of a concept, and whether it is negated."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Literals that together hold in just the cells of the mask."""

    mask: int
    tests: tuple[Test, ...]
    size: int

    @property
    def rank(self) -> tuple[int, int, int]:
        """A key to sort by: short wordings first, then those without negations, then wide ones.

        A wide rule may make others superfluous.
        """
        return self.size, sum(negated for _, negated in self.tests), -self.mask.bit_count()


class Variable(ABC):
    """What a level can test: a column or a concept; `full` has a bit for each of its cells."""

    missing = 0
    """The cell of missing values; concepts have none."""

    def __init__(self, full: int) -> None:
        self.full = full
        self._wordings: dict[tuple[int, int], Wording | None] = {}

    def find_wording(self, low: int, high: int | None = None) -> Wording | None:
        """Return the best wording that holds in all cells of `low` and only in cells of `high`; None if there is none.

        By default it holds in just the cells of `low`.
        """
        key = low, low if high is None else high
        if key not in self._wordings:
            self._wordings[key] = min(self._list_wordings(*key), key=lambda wording: wording.rank, default=None)
        return self._wordings[key]

    def split_mask(self, mask: int) -> list[int]:
        """Return masks that have a wording and together make up this one.

        What is named and what is missing cannot be said in one AND.
        """
        if self.find_wording(mask) is not None:
            return [mask]
        return [part for part in (mask & self.missing, mask & ~self.missing) if part]

    @abstractmethod
    def mask_of(self, test: Predicate | int) -> int:
        """Return the cells where the test holds."""

    @abstractmethod
    def _list_wordings(self, low: int, high: int) -> Iterator[Wording]: ...


class ConceptVariable(Variable):
    """A concept of the level below: cell 0 where it is false, cell 1 where it is true."""

    def __init__(self, concept: int) -> None:
        super().__init__(0b11)
        self.concept = concept

    def mask_of(self, test: Predicate | int) -> int:
        return 0b10

    def _list_wordings(self, low: int, high: int) -> Iterator[Wording]:
        if high == self.full:
            yield Wording(self.full, (), 0)
        for mask in (0b10, 0b01):
            if low | mask == mask and high & mask:
                yield Wording(mask, ((self.concept, mask == 0b01),), 1)


class ColumnVariable(Variable):
    """A column; the last cell is that of missing values."""

    def __init__(self, cells: ColumnCells) -> None:
        super().__init__((1 << len(cells.values)) - 1)
        self.cells = cells
        self.column: Column = cells.column
        self.missing = 1 << (len(cells.values) - 1)

    def mask_of(self, test: Predicate | int) -> int:
        assert isinstance(test, Predicate)
        return self.cells.where(test)

    def _list_wordings(self, low: int, high: int) -> Iterator[Wording]:
        if high == self.full:
            yield self._wording(self.full)
        present = high & ~self.missing
        if high & self.missing:
            if not low & ~self.missing:
                yield self._wording(self.missing, (Missing(self.column.name), False))
            yield from self._word_cells(low & ~self.missing, present, also_missing=True)
        if low and not low & self.missing:
            yield from self._word_cells(low, present, also_missing=False)

    def _wording(self, mask: int, *tests: Test) -> Wording:
        sizes = (bounds_of(test, self.column) for test, _ in tests if isinstance(test, Predicate))
        return Wording(mask, tests, sum(sizes))

    @abstractmethod
    def _word_cells(self, low: int, high: int, *, also_missing: bool) -> Iterator[Wording]:
        """Yield wordings between two masks of present values, which hold on a missing value too if that is asked for.

        On a missing value only negations hold.
        """


class OrderedVariable(ColumnVariable):
    """A column of an ordered kind; its cells are in order."""

    def __init__(self, cells: ColumnCells, cuts: Sequence[float]) -> None:
        super().__init__(cells)
        self.cuts = cuts
        self.last = len(cells.values) - 2

    def _word_cells(self, low: int, high: int, *, also_missing: bool) -> Iterator[Wording]:
        if not low:
            return
        # The first and the last cell, as far out as can be, and the holes between them, as small as can be.
        needed, barred = cell_numbers(low), cell_numbers(_run(0, self.last) & ~high)
        first = max((cell + 1 for cell in barred if cell < needed[0]), default=0)
        last = min((cell - 1 for cell in barred if cell > needed[-1]), default=self.last)
        between = [cell for cell in barred if first < cell < last]
        groups = [list(group) for _, group in groupby(between, lambda cell: bisect(needed, cell))]
        holes = [(group[0], group[-1]) for group in groups]
        hull: tuple[Test, ...] = ()
        mask = self.full
        if also_missing:
            ends = [(0, first - 1)] if first else []
            ends += [(last + 1, self.last)] if last < self.last else []
            holes = ends + holes
        else:
            mask = _run(first, last)
            whole = first == 0 and last == self.last
            hull = ((Missing(self.column.name), True) if whole else (self._interval(first, last), False),)
        mask &= ~sum(_run(*hole) for hole in holes)
        yield self._wording(mask, *hull, *((self._interval(*hole), True) for hole in holes))

    def _interval(self, first: int, last: int) -> Interval:
        low = -math.inf if first == 0 else self._cut_above(first - 1)
        high = math.inf if last == self.last else self._cut_above(last)
        return Interval(self.column.name, low, high)

    def _cut_above(self, cell: int) -> float:
        """Return the smallest cut point that is not below the cell."""
        value = self.cells.values[cell]
        assert isinstance(value, int | float)
        return next(cut for cut in self.cuts if cut >= value)


class CategoryVariable(ColumnVariable):
    """A column of categories: those named, perhaps the cell of all others, and missing."""

    def __init__(self, cells: ColumnCells, categories: Iterable[Value]) -> None:
        super().__init__(cells)
        self.categories: dict[int, Value] = {}
        for value in categories:
            if mask := cells.where(Equals(self.column.name, value)):
                self.categories.setdefault(mask, value)
        self.named = sum(self.categories)
        self.other = self.full & ~self.missing & ~self.named
        # The cells of an ordinal column, in its order.
        self.order = list(self.categories) if self.column.kind == "ordinal" else []

    def _word_cells(self, low: int, high: int, *, also_missing: bool) -> Iterator[Wording]:
        if not also_missing and not low & self.other:
            yield self._wording(low, (self._set_of(low), False))
            yield from self._word_run(low, high & self.named)
        if not self.other & ~high:
            mask, tests = self.full, tuple[Test, ...]()
            if not also_missing:
                mask, tests = self.full & ~self.missing, ((Missing(self.column.name), True),)
            # What must not hold is left out as one set, or as runs of the order.
            needed, allowed = self.named & ~high, self.named & ~low
            exclusions = [[needed], *([self._find_runs(needed, allowed)] if self.order else [])] if needed else [[]]
            for excluded in exclusions:
                yield self._wording(mask & ~sum(excluded), *tests, *self._negate(excluded))

    def _word_run(self, low: int, high: int) -> Iterator[Wording]:
        """Yield the widest run of the order, less what must not hold within."""
        needed = [index for index, cell in enumerate(self.order) if cell & low]
        if needed:
            barred = [index for index, cell in enumerate(self.order) if not cell & high]
            first = max((index + 1 for index in barred if index < needed[0]), default=0)
            last = min((index for index in barred if index > needed[-1]), default=len(self.order))
            run = sum(self.order[first:last])
            excluded = self._find_runs(run & ~high, run & ~low)
            yield self._wording(run & ~sum(excluded), (self._set_of(run), False), *self._negate(excluded))

    def _find_runs(self, low: int, high: int) -> list[int]:
        """Return the shortest runs of the order that have all of `low` and nothing but `high`."""
        runs = []
        for within, group in groupby(range(len(self.order)), lambda index: bool(self.order[index] & high)):
            allowed = list(group)
            needed = [index for index in allowed if self.order[index] & low]
            if within and needed:
                spans = product({needed[0], allowed[0]}, {needed[-1], allowed[-1]})
                masks = [sum(self.order[first : last + 1]) for first, last in sorted(spans)]
                runs.append(min(masks, key=lambda mask: (bounds_of(self._set_of(mask), self.column), mask.bit_count())))
        return runs

    def _negate(self, masks: Iterable[int]) -> Iterator[Test]:
        return ((self._set_of(mask), True) for mask in masks)

    def _set_of(self, mask: int) -> Predicate:
        values = [value for cell, value in self.categories.items() if cell & mask]
        return Equals(self.column.name, values[0]) if len(values) == 1 else one_of(self.column, values)


def variables_of(columns: Iterable[Column], predicates: Sequence[Predicate]) -> dict[str, Variable]:
    """Return the variables of the columns that these predicates test, by name."""
    known = {column.name: column for column in columns}
    variables: dict[str, Variable] = {}
    for name, tests in by_column(predicates).items():
        column = known[name]
        if column.ordered:
            variables[name] = OrderedVariable(elementary_cells(column, tests), finite_bounds(tests))
            continue
        # The thresholds of an ordinal column need all of its categories.
        categories = column.categories if column.kind == "ordinal" else named_categories(tests)
        cells = elementary_cells(column, [Equals(name, value) for value in categories])
        variables[name] = CategoryVariable(cells, categories)
    return variables


def _run(first: int, last: int) -> int:
    return (1 << last + 1) - (1 << first)
