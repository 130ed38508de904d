"""The fewest literals that say "the row lies in these cells" of a column, or of a concept of the level below.

A set of cells is a mask, a number with a bit for each. Cells are as fine as the cut points and categories in use, so
that new predicates can be made of them: a wider interval, a set of categories.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product

from conceptrules.logic.column_cells import ColumnCells, elementary_cells
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

    def __init__(self, full: int) -> None:
        self.full = full
        self._known: dict[tuple[int, int], Wording | None] = {}

    def cheapest(self, low: int, high: int) -> Wording | None:
        """Return the best wording that holds in all cells of `low` and only in cells of `high`, or None."""
        key = low, high
        if key not in self._known:
            self._known[key] = min(self._wordings(low, high), key=lambda wording: wording.rank, default=None)
        return self._known[key]

    def worded(self, mask: int) -> Wording | None:
        """Return the best wording that holds in just these cells, or None."""
        return self.cheapest(mask, mask)

    def worded_parts(self, mask: int) -> Iterator[int]:
        """Yield masks that have a wording and together make up this one."""
        if self.worded(mask) is not None:
            yield mask
        else:
            yield from self._split(mask)

    @abstractmethod
    def mask_of(self, test: Predicate | int) -> int:
        """Return the cells where the test holds."""

    @abstractmethod
    def _wordings(self, low: int, high: int) -> Iterator[Wording]: ...

    def _split(self, mask: int) -> Iterator[int]:
        raise AssertionError(mask)


class ConceptVariable(Variable):
    """A concept of the level below: cell 0 where it is false, cell 1 where it is true."""

    def __init__(self, concept: int) -> None:
        super().__init__(0b11)
        self.concept = concept

    def mask_of(self, test: Predicate | int) -> int:
        return 0b10

    def _wordings(self, low: int, high: int) -> Iterator[Wording]:
        if high == self.full:
            yield Wording(self.full, (), 0)
        for mask in (0b10, 0b01):
            if low | mask == mask and high & mask:
                yield Wording(mask, ((self.concept, mask == 0b01),), 1)


class _Tested(Variable):
    """A column; the last cell is that of missing values."""

    def __init__(self, cells: ColumnCells) -> None:
        super().__init__((1 << len(cells.values)) - 1)
        self.cells = cells
        self.column: Column = cells.column
        self.gap = 1 << (len(cells.values) - 1)
        self.missing = Missing(self.column.name)

    def mask_of(self, test: Predicate | int) -> int:
        assert isinstance(test, Predicate)
        return self.cells.where(test)

    def _wordings(self, low: int, high: int) -> Iterator[Wording]:
        if high == self.full:
            yield self._wording(self.full)
        if high & self.gap:
            if not low & ~self.gap:
                yield self._wording(self.gap, (self.missing, False))
            yield from self._with_gap(low & ~self.gap, high & ~self.gap)
        if low and not low & self.gap:
            yield from self._without_gap(low, high & ~self.gap)

    def _wording(self, mask: int, *tests: Test) -> Wording:
        sizes = (bounds_of(test, self.column) for test, _ in tests if isinstance(test, Predicate))
        return Wording(mask, tests, sum(sizes))

    def _with_gap(self, low: int, high: int) -> Iterator[Wording]:
        """Yield wordings that hold on a missing value: only negations do."""
        raise NotImplementedError

    def _without_gap(self, low: int, high: int) -> Iterator[Wording]:
        raise NotImplementedError


class OrderedVariable(_Tested):
    """A column of an ordered kind; its cells are in order."""

    def __init__(self, cells: ColumnCells, predicates: Sequence[Predicate]) -> None:
        super().__init__(cells)
        self.cuts = finite_bounds(predicates)
        self.last = len(cells.values) - 2

    def _with_gap(self, low: int, high: int) -> Iterator[Wording]:
        if low:
            first, last, holes = self._shape(low, high)
            ends = [(0, first - 1)] if first else []
            ends += [(last + 1, self.last)] if last < self.last else []
            out = [*ends, *holes]
            mask = self.full & ~sum(_run(*hole) for hole in out)
            yield self._wording(mask, *((self._interval(*hole), True) for hole in out))

    def _without_gap(self, low: int, high: int) -> Iterator[Wording]:
        first, last, holes = self._shape(low, high)
        whole = first == 0 and last == self.last
        hull: Test = (self.missing, True) if whole else (self._interval(first, last), False)
        mask = _run(first, last) & ~sum(_run(*hole) for hole in holes)
        yield self._wording(mask, hull, *((self._interval(*hole), True) for hole in holes))

    def _shape(self, low: int, high: int) -> tuple[int, int, list[tuple[int, int]]]:
        """Return the first and the last cell, as far out as can be, and the holes between them, as small as can be."""
        wanted = list(_bits(low))
        barred = list(_bits(_run(0, self.last) & ~high))
        first = max((cell + 1 for cell in barred if cell < wanted[0]), default=0)
        last = min((cell - 1 for cell in barred if cell > wanted[-1]), default=self.last)
        inner = [cell for cell in barred if first < cell < last]
        groups = [list(group) for _, group in groupby(inner, lambda cell: bisect(wanted, cell))]
        return first, last, [(group[0], group[-1]) for group in groups]

    def _interval(self, first: int, last: int) -> Interval:
        low = -math.inf if first == 0 else self._cut(first - 1)
        high = math.inf if last == self.last else self._cut(last)
        return Interval(self.column.name, low, high)

    def _cut(self, cell: int) -> float:
        """Return the smallest cut point that is not below the cell."""
        value = self.cells.values[cell]
        assert isinstance(value, int | float)
        return next(cut for cut in self.cuts if cut >= value)

    def _split(self, mask: int) -> Iterator[int]:
        yield from (part for part in (mask & self.gap, mask & ~self.gap) if part)


class CategoryVariable(_Tested):
    """A column of categories: those named, perhaps the cell of all others, and missing."""

    def __init__(self, cells: ColumnCells, names: Iterable[Value]) -> None:
        super().__init__(cells)
        self.names: dict[int, Value] = {}
        for value in names:
            if mask := cells.where(Equals(self.column.name, value)):
                self.names.setdefault(mask, value)
        self.named = sum(self.names)
        self.other = self.full & ~self.gap & ~self.named
        # The cells of an ordinal column, in its order.
        self.order = list(self.names) if self.column.kind == "ordinal" else []

    def _with_gap(self, low: int, high: int) -> Iterator[Wording]:
        if not self.other & ~high:
            for outs in self._outs(self.named & ~high, self.named & ~low):
                yield self._wording(self.full & ~sum(outs), *self._negated(outs))

    def _without_gap(self, low: int, high: int) -> Iterator[Wording]:
        if not low & self.other:
            yield self._wording(low, (self._set(low), False))
            yield from self._run(low, high & self.named)
        if not self.other & ~high:
            some: Test = self.missing, True
            for outs in self._outs(self.named & ~high, self.named & ~low) if self.named & ~high else [[]]:
                yield self._wording(self.full & ~self.gap & ~sum(outs), some, *self._negated(outs))

    def _outs(self, low: int, high: int) -> Iterator[list[int]]:
        """Yield ways to leave out the categories of `low` and at most those of `high`: as one set, or as runs."""
        if low:
            yield [low]
            if self.order:
                yield self._runs(low, high)

    def _run(self, low: int, high: int) -> Iterator[Wording]:
        """Yield the widest run of the order, less what is not wanted within."""
        wanted = [place for place, cell in enumerate(self.order) if cell & low]
        if wanted:
            barred = [place for place, cell in enumerate(self.order) if not cell & high]
            first = max((place + 1 for place in barred if place < wanted[0]), default=0)
            last = min((place for place in barred if place > wanted[-1]), default=len(self.order))
            run = sum(self.order[first:last])
            outs = self._runs(run & ~high, run & ~low)
            yield self._wording(run & ~sum(outs), (self._set(run), False), *self._negated(outs))

    def _runs(self, low: int, high: int) -> list[int]:
        """Return the shortest runs of the order that have all of `low` and nothing but `high`."""
        runs = []
        places = range(len(self.order))
        for within, group in groupby(places, lambda place: bool(self.order[place] & high)):
            allowed = list(group)
            wanted = [place for place in allowed if self.order[place] & low]
            if within and wanted:
                spans = product({wanted[0], allowed[0]}, {wanted[-1], allowed[-1]})
                masks = [sum(self.order[first : last + 1]) for first, last in sorted(spans)]
                runs.append(min(masks, key=lambda mask: (bounds_of(self._set(mask), self.column), mask.bit_count())))
        return runs

    def _negated(self, outs: Iterable[int]) -> Iterator[Test]:
        return ((self._set(out), True) for out in outs)

    def _set(self, mask: int) -> Predicate:
        values = [value for cell, value in self.names.items() if cell & mask]
        return Equals(self.column.name, values[0]) if len(values) == 1 else one_of(self.column, values)

    def _split(self, mask: int) -> Iterator[int]:
        """Yield two parts, since what is named and what is missing cannot be said in one AND."""
        yield from (part for part in (mask & self.gap, mask & ~self.gap) if part)


def variables_of(columns: Iterable[Column], predicates: Sequence[Predicate]) -> dict[str, Variable]:
    """Return the variables of the columns that these predicates test, by name."""
    tests: dict[str, list[Predicate]] = {}
    for predicate in predicates:
        tests.setdefault(predicate.column, []).append(predicate)
    known = {column.name: column for column in columns}
    return {name: _variable(known[name], some) for name, some in tests.items()}


def _variable(column: Column, predicates: Sequence[Predicate]) -> Variable:
    if column.ordered:
        return OrderedVariable(elementary_cells(column, predicates), predicates)
    # The thresholds of an ordinal column need all of its categories.
    names = column.categories if column.kind == "ordinal" else named_categories(predicates)
    tests = [Equals(column.name, value) for value in names]
    return CategoryVariable(elementary_cells(column, tests), names)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _run(first: int, last: int) -> int:
    return (1 << last + 1) - (1 << first)
