"""The possible rows as cells of columns, in an order that a certificate can state and its checker can repeat.

An ordered column is cut at the bounds of all tests: its cells are the intervals between them, ascending. Other columns
have a cell for each category that a test names (an ordinal column one for each of its order, a boolean one for false
and true), and one for any other category. The last cell of every column is the missing value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from conceptrules.logic.column_cells import MOMENTS, ColumnCells, by_column, cell_numbers, unseen_category
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Banned, Domain, Policy
from conceptrules.model.policy.policy import read_banned_rule, read_known_rule, rule_texts
from conceptrules.model.predicate import (
    Column,
    Interval,
    Predicate,
    Value,
    finite_bounds,
    key_of,
    named_categories,
)
from conceptrules.model.rule_reader import Stated
from conceptrules.model.values import family_of, readable


@dataclass(frozen=True)
class PossibleCells(ColumnCells):
    """The cells of one column, of which some are possible; those that no possible row has keep a value too."""

    cuts: tuple[float, ...]
    """Where an ordered column is cut."""
    listed: tuple[Value, ...]
    """The categories that have a cell of their own."""
    possible: int
    """A bit for each cell that a possible row can be in."""
    closed: bool = False
    """Whether only the categories that training saw are possible."""

    def where(self, predicate: Predicate) -> int:
        """Return the mask of the possible cells where the predicate holds."""
        return super().where(predicate) & self.possible

    def cell_of(self, value: Value | None) -> int:
        """Return the cell of a value, as the column reads it; -1 for a category that no possible row has."""
        if value is None or value != value:  # noqa: PLR0124
            return len(self.values) - 1
        if self.column.ordered:
            assert not isinstance(value, str)
            return int(np.searchsorted(self.cuts, value, side="left"))
        if self.closed and value not in self.column.categories:
            return -1
        return next((cell for cell, category in enumerate(self.listed) if category == value), len(self.listed))

    def membership(self, mask: int) -> NDArray[np.bool_]:
        """Return for each cell whether it is in the mask; the last entry, which -1 finds, is False."""
        return np.array([*(bool(mask >> cell & 1) for cell in range(len(self.values))), False])

    def members(self) -> list[int]:
        """Return the possible cells."""
        return cell_numbers(self.possible)

    def ascending(self) -> list[int]:
        """Return the possible cells that have an order, from the lowest up."""
        count = len(self.cuts) + 1 if self.column.ordered else len(self.listed)
        return [cell for cell in self.members() if cell < count]


Space = dict[str, PossibleCells]


def space_of(
    columns: Sequence[Column], predicates: Iterable[Predicate], policy: Policy, always: Iterable[str] = ()
) -> Space:
    """Return the cells of all columns that these predicates or the policy test, and of those in `always`."""
    stated_tests = (test.predicate for test in policy_tests(policy, columns))
    tests = by_column([*predicates, *stated_tests], always)
    for name, low, high in policy.domain.ranges:
        ends = (math.nextafter(float(low), -math.inf), float(high))
        tests.setdefault(name, []).extend(Interval(name, high=end) for end in ends if math.isfinite(end))
    space = {
        column.name: cut_column(column, tests[column.name], policy.domain) for column in columns if column.name in tests
    }
    for name, cells in space.items():
        if not cells.possible:
            raise InputError(
                f"domain: no row is possible, since column {name!r} has no possible value; widen the domain"
            )
    return space


def policy_tests(policy: Policy, columns: Sequence[Column]) -> list[Stated]:
    """Return the tests that proofs need to see: those of rules in words."""
    banned = [test for clause in policy.of_kind(Banned) for test in read_banned_rule(clause, columns)]
    return [test for name, text in rule_texts(policy) for test in read_known_rule(name, text, columns)] + banned


def network_space(network: RuleNetwork, policy: Policy) -> Space:
    """Return the cells of all columns of a network under a policy."""
    used = [network.predicates[index] for index in network.used_predicates]
    return space_of(network.columns, used, policy, [column.name for column in network.columns])


def cut_column(column: Column, tests: Sequence[Predicate], domain: Domain) -> PossibleCells:
    """Return the cells that these tests cut a column into."""
    cuts, listed, closed = tuple[float, ...](), tuple[Value, ...](), False
    values: list[Value | None]
    if column.ordered:
        cuts = finite_bounds(tests)
        ranges = {name: (low, high) for name, low, high in domain.ranges}
        low, high = ranges.get(column.name, (-math.inf, math.inf))
        numbers = [_value_between(column, *ends) for ends in pairwise((-math.inf, *cuts, math.inf))]
        values, inside = [*numbers], [number is not None and low <= number <= high for number in numbers]
    else:
        listed = _list_categories(column, tests)
        other = _find_other(column, listed, domain.unseen)
        closed = not domain.unseen and bool(column.categories) and column.kind != "boolean"
        inside = [_can_hold(column, value) and not (closed and key_of(value) not in column.places) for value in listed]
        values, inside = [*listed, "" if other is None else other], [*inside, other is not None]
    inside.append(column.derivation is not None or domain.can_miss(column.name))
    possible = sum(1 << cell for cell, is_possible in enumerate(inside) if is_possible)
    return PossibleCells(column, (*values, None), cuts, listed, possible, closed)


def _value_between(column: Column, low: float, high: float) -> float | None:
    """Return a value of an interval; dates and durations are whole microseconds, and there may be none."""
    if column.kind not in MOMENTS:
        return high if high < math.inf else max(low + 1, math.nextafter(low, math.inf)) if low > -math.inf else 0.0
    farthest = 2.0**63 - 1024
    value = float(math.floor(min(high, farthest)))
    return value if value > low and value >= -farthest else None


def _list_categories(column: Column, tests: Sequence[Predicate]) -> tuple[Value, ...]:
    if column.kind == "boolean":
        return (False, True)
    first: Sequence[Value] = column.categories if column.kind == "ordinal" else ()
    categories: dict[str, Value] = {}
    for value in (*first, *named_categories(tests)):
        categories.setdefault(key_of(value), value)
    return tuple(categories.values())


def _can_hold(column: Column, value: Value) -> bool:
    kind: type = type(value)
    family = family_of(kind)
    return family is not None and readable(family, column)


def _find_other(column: Column, listed: Sequence[Value], unseen: bool) -> Value | None:
    """Return a category that has no cell of its own; None if no possible row has one."""
    if column.kind == "boolean":
        return None
    keys = {key_of(value) for value in listed}
    for value in column.categories:
        if key_of(value) not in keys and _can_hold(column, value):
            return value
    if column.categories and not unseen:
        return None
    if readable("category", column):
        return unseen_category([value for value in listed if isinstance(value, str)])
    return next(number for number in range(len(listed) + 1) if key_of(number) not in keys)
