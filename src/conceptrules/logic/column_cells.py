"""The cells of columns: the sets of values on which all tests in use agree, each with a value that stands for it.

This is the one home of the question which values a column can have as far as rules can tell. `cells_of` serves proofs,
`elementary_cells` the search for shorter rules. Other rooms cut columns at the same places (`finite_bounds` and
`named_categories` in the model) and choose other values: `explain.column_options` what is nearest to a row,
`logic.probe_rows` the ends of each cell, and the form of the report what a person can enter.

A set of cells is a mask: a number with a bit for each cell.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import (
    KINDS,
    Column,
    Equals,
    Interval,
    Kind,
    Missing,
    Predicate,
    Value,
    finite_bounds,
    holds,
    named_categories,
)
from conceptrules.model.rule_reader import Stated
from conceptrules.model.values import readable

MOMENTS: tuple[Kind, ...] = ("date", "datetime", "duration")
_FARTHEST = 2**63 - 1  # microseconds that a date or a duration can be away from 0


@dataclass(frozen=True)
class ColumnCells:
    """A column and a value for each of its cells; None is a missing value."""

    column: Column
    values: tuple[Value | None, ...]

    def where(self, predicate: Predicate) -> int:
        """Return the mask of the cells where the predicate holds.

        In numbers that rise, an interval is looked up: thousands of cut points make millions of pairs with the values.
        """
        mask, start = 0, 0
        if isinstance(predicate, Interval):
            start = len(self.rising)
            first = 0 if predicate.low == -math.inf else bisect_right(self.rising, predicate.low)
            mask = (1 << bisect_right(self.rising, predicate.high)) - (1 << first)
        return mask | sum(holds(predicate, value) << cell for cell, value in enumerate(self.values[start:], start))

    @cached_property
    def rising(self) -> tuple[float, ...]:
        """The numbers that the values begin with, as long as they rise."""
        numbers: list[float] = []
        for value in self.values:
            if not isinstance(value, float) or not (not numbers or numbers[-1] < value):
                break
            numbers.append(value)
        return tuple(numbers)

    def raw(self, cell: int) -> Any:
        """Return the value of a cell as a table would hold it."""
        return raw_value(self.column, self.values[cell])


def raw_value(column: Column, value: Value | None) -> Any:
    """Return a value of a column as a table would hold it."""
    if value is None or column.kind not in MOMENTS:
        return value
    microseconds = max(min(int(value), _FARTHEST), -_FARTHEST)
    return (np.timedelta64 if column.kind == "duration" else np.datetime64)(microseconds, "us")


def cells_of(networks: Sequence[RuleNetwork]) -> dict[str, ColumnCells]:
    """Return the cells of the columns that rules of these networks test, by name."""
    tests = by_column(network.predicates[index] for network in networks for index in network.used_predicates)
    columns: dict[str, list[Column]] = {}
    for network in networks:
        for column in network.columns:
            columns.setdefault(column.name, []).append(column)
    families = {name: _find_families(same_name) for name, same_name in columns.items()}
    return {
        name: ColumnCells(columns[name][0], _find_distinct(predicates, families[name]))
        for name, predicates in tests.items()
    }


def elementary_cells(column: Column, tests: Sequence[Predicate]) -> ColumnCells:
    """Return all cells that the bounds and categories of these tests make; the last one is for missing values.

    Unlike those of `cells_of` they are kept apart even where all tests agree on them, so that new tests can be made:
    where rules ask for `x <= 1` and `2 < x <= 3`, `x > 3` is a cell. Those of ordered columns are in order.
    """
    finest: list[Predicate] = [Missing(column.name)]
    finest += [Interval(column.name, high=bound) for bound in finite_bounds(tests)]
    finest += [Equals(column.name, value) for value in named_categories(tests)]
    present = [value for value in _find_distinct(finest, _find_families([column])) if value is not None]
    return ColumnCells(column, (*(sorted(present, key=float) if column.ordered else present), None))


def by_column(predicates: Iterable[Predicate], columns: Iterable[str] = ()) -> dict[str, list[Predicate]]:
    """Return the predicates of each column, in the order in which the columns come; `columns` come first."""
    tests: dict[str, list[Predicate]] = {name: [] for name in columns}
    for predicate in predicates:
        tests.setdefault(predicate.column, []).append(predicate)
    return tests


def split_cells(mask: int) -> Iterator[int]:
    """Yield each cell of a mask as a mask of its own."""
    while mask:
        yield mask & -mask
        mask &= mask - 1


def cell_numbers(mask: int) -> list[int]:
    """Return the numbers of the cells of a mask."""
    return [cell.bit_length() - 1 for cell in split_cells(mask)]


def lies_inside(columns: Sequence[Column], rule: Sequence[Stated], region: Sequence[Stated]) -> bool:
    """Return whether a rule holds only where a region's tests all hold.

    >>> from conceptrules.model.predicate import Interval
    >>> age = Column("age")
    >>> older, old = Stated(Interval("age", 60)), Stated(Interval("age", 50))
    >>> lies_inside([age], [older], [old]), lies_inside([age], [old], [older])
    (True, False)
    """
    known = {column.name: column for column in columns}
    for name in dict.fromkeys(test.predicate.column for test in region):
        own, asked = ([test for test in tests if test.predicate.column == name] for tests in (rule, region))
        cells = elementary_cells(known[name], [test.predicate for test in (*own, *asked)])
        if any(_all_hold(own, value) and not _all_hold(asked, value) for value in cells.values):
            return False
    return True


def rules_inside(network: RuleNetwork, region: Sequence[Stated]) -> tuple[int, ...]:
    """Return the rules of the first level that lie inside a region."""
    tests = enumerate(_first_rules(network))
    return tuple(number for number, rule in tests if lies_inside(network.columns, rule, region))


def rules_like(network: RuleNetwork, region: Sequence[Stated]) -> tuple[int, ...]:
    """Return the rules of the first level that say the same as these tests, column by column."""
    rules = _first_rules(network)
    inside = rules_inside(network, region)
    return tuple(number for number in inside if lies_inside(network.columns, region, rules[number]))


def _first_rules(network: RuleNetwork) -> list[list[Stated]]:
    return [
        [Stated(network.predicates[literal.index], literal.negated) for literal in rule.literals]
        for rule in network.levels[0].rules
    ]


def _all_hold(tests: Iterable[Stated], value: Value | None) -> bool:
    return all(holds(test.predicate, value) != test.negated for test in tests)


def _find_families(columns: Sequence[Column]) -> list[Kind]:
    """Return what the values of a column can be if all these networks are to read it."""
    families = [family for family in KINDS if all(readable(family, column) for column in columns)]
    if not families:
        kinds = " in one network and ".join(f"{column.kind} {list(column.categories[:2])}" for column in columns)
        raise InputError(f"column {columns[0].name!r} is {kinds} in the other; no table suits both")
    return families


def _find_distinct(tests: Sequence[Predicate], families: Sequence[Kind]) -> tuple[Value | None, ...]:
    """Return one value for each combination of outcomes that the tests can have."""
    by_outcome: dict[tuple[bool, ...], Value | None] = {}
    for value in _candidates(tests, families):
        by_outcome.setdefault(tuple(holds(test, value) for test in tests), value)
    return tuple(by_outcome.values())


def _candidates(tests: Sequence[Predicate], families: Sequence[Kind]) -> Iterator[Value | None]:
    """Yield at least one value of each cell, those that tests name first."""
    cuts, categories = finite_bounds(tests), named_categories(tests)
    if "category" in families:
        words = [value for value in categories if isinstance(value, str)]
        yield from (*words, unseen_category(words))
    if "number" in families:
        numbers = [value for value in categories if not isinstance(value, str)]
        yield from (*cuts, max(cuts[-1] + 1, math.nextafter(cuts[-1], math.inf)) if cuts else 0.0, *numbers)
        yield next(value for value in range(len(numbers) + 1) if value not in numbers)
    elif "boolean" in families:
        yield from (True, False)
    if set(families) & set(MOMENTS):
        # The last microsecond of each interval that has one; there is none between 0.2 and 0.7.
        for low, high in zip((-math.inf, *cuts), (*cuts, math.inf), strict=True):
            value = math.floor(high) if high < _FARTHEST else _FARTHEST
            if value > low and value >= -_FARTHEST:
                yield float(value)
    yield None


def unseen_category(known: Collection[Value]) -> str | int:
    """Return a category that is none of these: a number where they are numbers."""
    if known and not any(isinstance(value, str) for value in known):
        return next(number for number in range(len(known) + 1) if number not in known)
    return "other" if "other" not in known else "other" + max(map(str, known), key=len)
