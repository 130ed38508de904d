"""The possible rows as cells of columns, in an order that a certificate can state and its checker can repeat.

An ordered column is cut at the bounds of all tests: its cells are the intervals between them, ascending. Other columns
have a cell for each category that a test names (an ordinal column one for each of its order, a boolean one for false
and true), and one for any other category. The last cell of every column is the missing value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conceptrules.logic.column_cells import ColumnCells
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Banned, Domain, Implies, Locked, Policy
from conceptrules.model.policy.policy import region, stated
from conceptrules.model.predicate import (
    Column,
    Interval,
    Predicate,
    Value,
    finite_bounds,
    holds,
    key_of,
    named_categories,
)
from conceptrules.model.rule_reader import Stated
from conceptrules.model.values import family_of, readable

MOMENTS = ("date", "datetime", "duration")


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of one column."""

    column: Column
    cuts: tuple[float, ...]
    """Where an ordered column is cut."""
    listed: tuple[Value, ...]
    """The categories that have a cell of their own."""
    values: tuple[Value | None, ...]
    """A value of each cell; those that no possible row has keep a place."""
    possible: int
    """A bit for each cell that a possible row can be in."""
    closed: bool = False
    """Whether only the categories that training saw are possible."""

    def where(self, predicate: Predicate) -> int:
        """Return in which cells a predicate holds, as bits."""
        return sum(
            1 << cell for cell, value in enumerate(self.values) if self.possible >> cell & 1 and holds(predicate, value)
        )

    def cell_of(self, value: Value | None) -> int:
        """Return the cell of a value, as the column reads it; -1 for a category that no possible row has."""
        if value is None or value != value:  # noqa: PLR0124
            return len(self.values) - 1
        if self.column.ordered:
            assert not isinstance(value, str)
            return int(np.searchsorted(self.cuts, value, side="left"))
        if self.closed and value not in self.column.categories:
            return -1
        return next((cell for cell, one in enumerate(self.listed) if one == value), len(self.listed))

    def table(self, cells: int) -> NDArray[np.bool_]:
        """Return for each cell whether it is one of these; the last entry, which -1 finds, is False."""
        return np.array([*(bool(cells >> cell & 1) for cell in range(len(self.values))), False])

    def ascending(self) -> list[int]:
        """Return the possible cells that have an order, from the lowest up."""
        count = len(self.cuts) + 1 if self.column.ordered else len(self.listed)
        return [cell for cell in range(count) if self.possible >> cell & 1]

    def members(self) -> list[int]:
        """Return the possible cells."""
        return [cell for cell in range(len(self.values)) if self.possible >> cell & 1]

    def raw(self, value: Value | None) -> object:
        """Return a value as a table would hold it."""
        return ColumnCells(self.column, (value,)).raw(0)


Space = dict[str, Cells]


def space_of(
    columns: Sequence[Column], predicates: Iterable[Predicate], policy: Policy, whole: Iterable[str] = ()
) -> Space:
    """Return the cells of all columns that these predicates or the policy speak of, and of those in `whole`."""
    tests: dict[str, list[Predicate]] = {name: [] for name in whole}
    for predicate in [*predicates, *(test.predicate for test in policy_tests(policy, columns))]:
        tests.setdefault(predicate.column, []).append(predicate)
    ranges = {name: (float(low), float(high)) for name, low, high in policy.domain.ranges}
    for name, (low, high) in ranges.items():
        ends = [math.nextafter(low, -math.inf), high]
        tests.setdefault(name, []).extend(Interval(name, high=end) for end in ends if math.isfinite(end))
    found = {
        column.name: cells_of(column, tests[column.name], policy.domain) for column in columns if column.name in tests
    }
    for name, cells in found.items():
        if not cells.possible:
            raise InputError(
                f"domain: no row is possible, since column {name!r} has no possible value; widen the domain"
            )
    return found


def policy_tests(policy: Policy, columns: Sequence[Column]) -> list[Stated]:
    """Return the tests that proofs need to see: those of rules in words, but not of rules that are only kept."""
    texts = [(clause.name, clause.rule) for clause in policy.of_kind(Implies)]
    texts += [(clause.name, clause.rule) for clause in policy.of_kind(Locked) if clause.mode == "decides"]
    texts += [("domain.impossible", rule) for rule in policy.domain.impossible]
    regions = [test for clause in policy.of_kind(Banned) for test in region(clause, columns)]
    return [test for name, text in texts for test in stated(name, text, columns)] + regions


def network_space(network: RuleNetwork, policy: Policy) -> Space:
    """Return the cells of all columns of a network under a policy."""
    used = [network.predicates[index] for index in network.used_predicates]
    return space_of(network.columns, used, policy, [column.name for column in network.columns])


def cells_of(column: Column, tests: Sequence[Predicate], domain: Domain) -> Cells:
    """Return the cells of a column that these tests cut it into."""
    if column.ordered:
        cuts = finite_bounds(tests)
        ends = list(zip((-math.inf, *cuts), (*cuts, math.inf), strict=True))
        values: list[Value | None] = [_value_in(column, low, high) for low, high in ends]
        span = next(((low, high) for name, low, high in domain.ranges if name == column.name), (-math.inf, math.inf))
        inside = [value is not None and span[0] <= value <= span[1] for value in values]  # type: ignore[operator]
        return _cells(column, cuts, (), [*values, None], [*inside, domain.can_miss(column.name)])
    listed = _listed(column, tests)
    other = _other(column, listed, domain.unseen)
    seen = {key_of(value) for value in column.categories}
    known = domain.unseen or not column.categories or column.kind == "boolean"
    inside = [_holds(column, value) and (known or key_of(value) in seen) for value in listed]
    values = [*listed, other if other is not None else "", None]
    inside += [other is not None, domain.can_miss(column.name)]
    return replace(_cells(column, (), listed, values, inside), closed=not known)


def _cells(
    column: Column, cuts: tuple[float, ...], listed: tuple[Value, ...], values: list[Value | None], inside: list[bool]
) -> Cells:
    return Cells(column, cuts, listed, tuple(values), sum(1 << cell for cell, there in enumerate(inside) if there))


def _value_in(column: Column, low: float, high: float) -> float | None:
    """Return a value of an interval; dates and durations are whole microseconds, and there may be none."""
    if column.kind not in MOMENTS:
        return high if high < math.inf else max(low + 1, math.nextafter(low, math.inf)) if low > -math.inf else 0.0
    farthest = 2.0**63 - 1024
    value = float(math.floor(min(high, farthest)))
    return value if value > low and value >= -farthest else None


def _listed(column: Column, tests: Sequence[Predicate]) -> tuple[Value, ...]:
    if column.kind == "boolean":
        return (False, True)
    first: Sequence[Value] = column.categories if column.kind == "ordinal" else ()
    found: dict[str, Value] = {}
    for value in (*first, *named_categories(tests)):
        found.setdefault(key_of(value), value)
    return tuple(found.values())


def _holds(column: Column, value: Value) -> bool:
    kind: type = type(value)
    family = family_of(kind)
    return family is not None and readable(family, column)


def _other(column: Column, listed: Sequence[Value], unseen: bool) -> Value | None:
    """Return a category that has no cell of its own; None if no possible row has one."""
    keys = {key_of(value) for value in listed}
    if column.kind == "boolean":
        return None
    left = [value for value in column.categories if key_of(value) not in keys and _holds(column, value)]
    if left:
        return left[0]
    if column.categories and not unseen:
        return None
    if readable("category", column):
        words = [value for value in listed if isinstance(value, str)]
        return "other" if "other" not in words else "other" + max(words, key=len)
    return next(number for number in range(len(listed) + 1) if key_of(number) not in keys)
