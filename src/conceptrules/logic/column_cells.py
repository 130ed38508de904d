"""The cells of columns: the sets of values that the tests in use do not tell apart, each with a value for all of it.

This is the one home of the question which values a column can have as far as rules can tell. `cells_of` serves proofs,
`elementary_cells` the search for shorter rules. Other rooms cut columns at the same places (`finite_bounds` and
`named_categories` in the model) and choose other values: `explain.column_options` what is nearest to a row,
`logic.probe_values` the ends of each cell, and the form of the report what a person can enter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from conceptrules.model.values import readable

_MOMENTS: tuple[Kind, ...] = ("date", "datetime", "duration")
_FARTHEST = 2**63 - 1  # microseconds that a date or a duration can be away from 0


@dataclass(frozen=True, slots=True)
class ColumnCells:
    """A column and a value for each of its cells; None is a missing value."""

    column: Column
    values: tuple[Value | None, ...]

    def where(self, predicate: Predicate) -> int:
        """Return the cells where the predicate holds, as a mask: a number with a bit for each cell."""
        return sum(1 << cell for cell, value in enumerate(self.values) if holds(predicate, value))

    def raw(self, cell: int) -> Any:
        """Return the value of a cell as a table would hold it."""
        value = self.values[cell]
        if value is None or self.column.kind not in _MOMENTS:
            return value
        whole = max(min(int(value), _FARTHEST), -_FARTHEST)
        return np.timedelta64(whole, "us") if self.column.kind == "duration" else np.datetime64(whole, "us")


def cells_of(networks: Sequence[RuleNetwork]) -> dict[str, ColumnCells]:
    """Return the cells of the columns that rules of these networks test, by name."""
    tests: dict[str, list[Predicate]] = {}
    for network in networks:
        for index in network.used_predicates:
            tests.setdefault(network.predicates[index].column, []).append(network.predicates[index])
    columns: dict[str, list[Column]] = {}
    for network in networks:
        for column in network.columns:
            columns.setdefault(column.name, []).append(column)
    families = {name: _families(some) for name, some in columns.items()}
    return {name: ColumnCells(columns[name][0], _distinct(some, families[name])) for name, some in tests.items()}


def elementary_cells(column: Column, tests: Sequence[Predicate]) -> ColumnCells:
    """Return all cells that the bounds and categories of these tests make; the last one is for missing values.

    Unlike those of `cells_of` they are kept apart where no test tells them apart, so that new tests can be made: where
    rules ask for `x <= 1` and `2 < x <= 3`, `x > 3` is a cell. Those of ordered columns are in order.
    """
    fine: list[Predicate] = [Missing(column.name)]
    fine += [Interval(column.name, high=bound) for bound in finite_bounds(tests)]
    fine += [Equals(column.name, value) for value in named_categories(tests)]
    values = _distinct(fine, _families([column]))
    some = [value for value in values if value is not None]
    return ColumnCells(column, (*(sorted(some, key=float) if column.ordered else some), None))


def _families(columns: Sequence[Column]) -> list[Kind]:
    """Return what the values of a column can be if all these networks are to read it."""
    families = [family for family in KINDS if all(readable(family, column) for column in columns)]
    if not families:
        kinds = " in one network and ".join(f"{column.kind} {list(column.categories[:2])}" for column in columns)
        raise InputError(f"column {columns[0].name!r} is {kinds} in the other; no table suits both")
    return families


def _distinct(tests: Sequence[Predicate], families: Sequence[Kind]) -> tuple[Value | None, ...]:
    """Return one value for each way in which the tests can come out."""
    found: dict[tuple[bool, ...], Value | None] = {}
    for value in _candidates(tests, families):
        found.setdefault(tuple(holds(test, value) for test in tests), value)
    return tuple(found.values())


def _candidates(tests: Sequence[Predicate], families: Sequence[Kind]) -> Iterator[Value | None]:
    """Yield at least one value of each cell, those that tests speak of first."""
    cuts, wanted = finite_bounds(tests), named_categories(tests)
    if "category" in families:
        yield from (value for value in wanted if isinstance(value, str))
        yield _unseen([value for value in wanted if isinstance(value, str)])
    if "number" in families:
        numbers = [value for value in wanted if not isinstance(value, str)]
        yield from (*cuts, max(cuts[-1] + 1, math.nextafter(cuts[-1], math.inf)) if cuts else 0.0, *numbers)
        yield next(value for value in range(len(numbers) + 1) if value not in numbers)
    elif "boolean" in families:
        yield from (True, False)
    if set(families) & set(_MOMENTS):
        yield from _whole(cuts)
    yield None


def _unseen(words: Sequence[str]) -> str:
    return "other" if "other" not in words else "other" + max(words, key=len)


def _whole(cuts: Sequence[float]) -> Iterator[float]:
    """Yield the last microsecond of each interval that has one; there is none between 0.2 and 0.7."""
    for low, high in zip((-math.inf, *cuts), (*cuts, math.inf), strict=True):
        value = math.floor(high) if high < _FARTHEST else _FARTHEST
        if value > low and value >= -_FARTHEST:
            yield float(value)
