"""What a row says of a column where the column is a reason: in words that are true of the row, and the code for it.

Predicates tell little of a row: where `debt > 40` does not hold, the debt may be small, or missing. So the rows are
read once more, by what people tell apart: the ranges between all bounds, the categories, and whether there is a value.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.column_options import list_cells
from conceptrules.model.evaluation import PackedBits, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import (
    Column,
    Equals,
    Interval,
    Missing,
    Predicate,
    Value,
    finite_bounds,
    holds,
    named_categories,
)
from conceptrules.model.reason_codes import HIGH, LOW, MISSING, ReasonCode, find_code
from conceptrules.model.text import predicate_text, word
from conceptrules.model.values import label_text
from conceptrules.tables.prediction import PredictionPlan
from conceptrules.tables.table import Table

_MOST_CATEGORIES = 32  # that are told apart; of columns with more, only those that rules or codes name
SAME, LOWER, HIGHER = 0, 1, 2
"""How a row's value stands to the one that it is compared with."""


@dataclass(frozen=True)
class ReasonColumn:
    """A used column. What it can say is numbered: ranges or categories in order, then any other, then missing."""

    column: Column
    tests: tuple[Predicate, ...]
    """The predicates of it that are in use."""
    codes: tuple[ReasonCode, ...]
    """What people call it."""

    @cached_property
    def bounds(self) -> tuple[float, ...]:
        """The bounds between its ranges."""
        return finite_bounds(self.tests) if self.column.ordered else ()

    @cached_property
    def categories(self) -> tuple[Value, ...]:
        """The categories that are told apart."""
        column, coded = self.column, {each.case for each in self.codes}
        if column.ordered:
            return ()
        if column.kind == "boolean":
            return (False, True)
        named = named_categories(self.tests)
        few = len(column.categories) <= _MOST_CATEGORIES
        known = [value for value in column.categories if few or value in named or label_text(value) in coded]
        return tuple(dict.fromkeys((*known, *named)))

    @property
    def missing(self) -> int:
        """The number of a gap."""
        return len(self.bounds) + len(self.categories) + 1

    @property
    def marks(self) -> list[Predicate]:
        """The predicates that say which of these a row has; the last one is whether it has a gap."""
        name = self.column.name
        cells = [Interval(name, high=bound) for bound in self.bounds], [Equals(name, each) for each in self.categories]
        return [*cells[0], *cells[1], Missing(name)]

    def read(self, marks: NDArray[np.bool_]) -> NDArray[np.int16]:
        """Return the number of what each row says, from the marks that hold on it."""
        held, last = marks[:, :-1], self.missing - 1
        numbers = np.full(len(held), last, np.int16)
        if self.column.ordered:
            numbers -= held.sum(axis=1, dtype=np.int16)
        elif last:
            numbers[:] = np.where(held.any(axis=1), held.argmax(axis=1), last)
        numbers[marks[:, -1]] = self.missing
        return numbers

    def number(self, value: Value) -> int:
        """Return the number of a value, which is no gap."""
        if self.column.ordered:
            assert not isinstance(value, str)
            return bisect_left(self.bounds, value)
        return self.categories.index(value) if value in self.categories else len(self.categories)

    def best_choices(self, open_ended: bool) -> tuple[NDArray[np.bool_], list[int]]:
        """Return which tests hold for each value that a row could have, and its number.

        A gap is none of them: that something was not said is nothing that a row could say instead.
        """
        cells = [cell for cell in list_cells(self.column, self.tests, None, open_ended) if cell.value is not None]
        numbers = [self.number(cell.value) for cell in cells if cell.value is not None]
        return np.array([cell.bits for cell in cells], np.bool_).reshape(-1, len(self.tests)), numbers

    def usual_choice(self, numbers: NDArray[np.int16]) -> tuple[NDArray[np.bool_], list[int]]:
        """Return the same of what most of some rows say, as far as the tests tell them apart."""
        counts: dict[tuple[bool, ...], dict[int, int]] = {}
        for number, count in zip(*np.unique(numbers, return_counts=True), strict=True):
            counts.setdefault(self._bits_of(int(number)), {})[int(number)] = int(count)
        bits, cells = max(counts.items(), key=lambda each: sum(each[1].values()))
        return np.array([bits], np.bool_).reshape(1, len(self.tests)), [max(cells, key=cells.__getitem__)]

    def _bits_of(self, number: int) -> tuple[bool, ...]:
        if number == self.missing:
            return tuple(isinstance(test, Missing) for test in self.tests)
        value: Value | None
        if self.column.ordered:
            above = self.bounds[-1] + 1 if self.bounds else 0.0
            value = self.bounds[number] if number < len(self.bounds) else max(above, math.nextafter(above, math.inf))
        elif number < len(self.categories):
            value = self.categories[number]
        else:  # any other category, of which no test holds
            return (False,) * len(self.tests)
        return tuple(holds(test, value) for test in self.tests)

    def describe(self, number: int, direction: int) -> tuple[str, str, str]:
        """Return the code and the text of what a row says, and the condition in words that holds on it."""
        case, condition = self._read_case(number, direction)
        entry = find_code(self.codes, self.column.name, case)
        if entry is None:
            return self.column.name, condition, condition
        # What is said of a column in general need not be true of a gap.
        return entry.code, (condition if case == MISSING and entry.case == "" else entry.text), condition

    def _read_case(self, number: int, direction: int) -> tuple[str, str]:
        name, column = self.column.name, self.column
        if number == self.missing:
            return MISSING, predicate_text(Missing(name), column)
        case = {LOWER: LOW, HIGHER: HIGH}.get(direction, "") if column.ordered or column.kind == "ordinal" else ""
        if column.ordered:
            low, high = (-math.inf, *self.bounds)[number], (*self.bounds, math.inf)[number]
            if case == HIGH and low > -math.inf:
                high = math.inf
            elif case == LOW and high < math.inf:
                low = -math.inf
            return case, predicate_text(Interval(name, low, high), column)
        if number == len(self.categories):
            return case, f"{word(name)} is any other"
        value = self.categories[number]
        return case if column.kind == "ordinal" else label_text(value), predicate_text(Equals(name, value), column)


def list_reason_columns(network: RuleNetwork, plan: PredictionPlan) -> list[ReasonColumn]:
    """Return the used columns of a network, in the order of its plan."""
    by_column: dict[str, list[ReasonCode]] = {}
    for each in network.reason_codes:
        by_column.setdefault(each.column, []).append(each)
    columns = [(plan.columns[index], tests) for index, tests in plan.used]
    return [ReasonColumn(column, tests, tuple(by_column.get(column.name, ()))) for column, tests in columns]


def read_marks(plan: PredictionPlan, asked: Iterable[ReasonColumn], table: Table) -> PackedBits:
    """Return the marks of all these columns on all rows."""
    return plan.packed_bits(table, [mark for each in asked for mark in each.marks])


def read_numbers(asked: Sequence[ReasonColumn], marks: PackedBits) -> NDArray[np.int16]:
    """Return the number of what each row says of each column, of the shape (columns, rows)."""
    numbers, start = np.zeros((len(asked), marks.rows), np.int16), 0
    for place, each in enumerate(asked):
        stop = start + len(each.marks)
        numbers[place] = each.read(unpack(PackedBits(marks.words[start:stop], marks.rows)))
        start = stop
    return numbers
