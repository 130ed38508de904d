"""What a rule asks of one column, as the set of the values that it allows: the entries of decision tables say sets.

A rule may ask several things of a column, some of them negated, and a missing value passes a negated test. As a set all
this is one entry: some ranges or categories, and perhaps the missing value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conceptrules.export.inputs import Family, can_hold
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import (
    Column,
    Equals,
    Interval,
    Missing,
    Predicate,
    Value,
    categories_of,
    key_of,
    one_of,
)
from conceptrules.model.rule_reader import Stated

Range = tuple[float, float]
"""Above the first number and up to the second one, as in an `Interval`."""
ALL: Range = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class ValueSet:
    """Values of one column. Of an ordered column, ranges; otherwise categories, or all but some categories."""

    ranges: tuple[Range, ...] = ()
    """Ascending, with gaps between them."""
    values: tuple[Value, ...] = ()
    """The categories, or those that are left out."""
    excluded: bool = False
    """Whether the categories are those that are left out."""
    missing: bool = False
    """Whether the missing value is in the set."""

    @property
    def empty(self) -> bool:
        """Whether no value is in the set."""
        return not (self.ranges or self.values or self.excluded or self.missing)

    def __and__(self, other: ValueSet) -> ValueSet:
        both = self.missing and other.missing
        cuts = [(max(a, c), min(b, d)) for a, b in self.ranges for c, d in other.ranges]
        ranges = tuple(sorted((low, high) for low, high in cuts if low < high))
        if self.excluded and other.excluded:
            return ValueSet(ranges, _unique((*self.values, *other.values)), True, both)
        first, second = (other, self) if self.excluded else (self, other)
        keys = set(map(key_of, second.values))
        kept = tuple(value for value in first.values if (key_of(value) in keys) != second.excluded)
        return ValueSet(ranges, kept, False, both)

    def __invert__(self) -> ValueSet:
        ends = [-math.inf, *(end for pair in self.ranges for end in pair), math.inf]
        gaps = tuple((low, high) for low, high in zip(ends[::2], ends[1::2], strict=True) if low < high)
        return ValueSet(gaps, self.values, not self.excluded, not self.missing)

    def __or__(self, other: ValueSet) -> ValueSet:
        return ~(~self & ~other)


EVERYTHING = ~ValueSet()


def _unique(values: Iterable[Value]) -> tuple[Value, ...]:
    return tuple({key_of(value): value for value in values}.values())


def set_of(predicate: Predicate, family: Family) -> ValueSet:
    """Return the values on which a predicate holds, in a column of this family.

    >>> ~set_of(Interval("age", 27, 41), "ordered")
    ValueSet(ranges=((-inf, 27.0), (41.0, inf)), values=(), excluded=True, missing=True)
    """
    if isinstance(predicate, Missing):
        return ValueSet(missing=True)
    if isinstance(predicate, Interval):
        return ValueSet(ranges=((predicate.low, predicate.high),))
    return ValueSet(values=tuple(value for value in categories_of(predicate) if can_hold(family, value)))


def list_sets(network: RuleNetwork, literals: Sequence[Literal], families: dict[str, Family]) -> dict[str, ValueSet]:
    """Return what a rule asks of each column; some set is empty if it can never hold."""
    sets: dict[str, ValueSet] = {}
    for literal in literals:
        predicate = network.predicates[literal.index]
        values = set_of(predicate, families[predicate.column])
        sets[predicate.column] = sets.get(predicate.column, EVERYTHING) & (~values if literal.negated else values)
    ordered = {name for name, family in families.items() if family == "ordered"}
    return {name: only_of(values, name in ordered) for name, values in sets.items()}


def only_of(values: ValueSet, ordered: bool) -> ValueSet:
    """Return a set without what its column cannot have: categories of an ordered one, ranges of any other."""
    if ordered:
        return ValueSet(ranges=values.ranges, missing=values.missing)
    return ValueSet(values=values.values, excluded=values.excluded, missing=values.missing)


def asks_nothing(values: ValueSet) -> bool:
    """Return whether all values are in a set."""
    return values.missing and (values.ranges == (ALL,) or (values.excluded and not values.values))


# From sets to tests


def state_set(
    values: ValueSet, column: Column, family: Family, known: Sequence[Predicate]
) -> Iterator[tuple[Stated, ...]]:
    """Yield the ways to be in a set, each as tests whose AND says it; there are several only where rules need them.

    What is one of the known predicates is said by it.
    """
    ordered = family == "ordered"
    for predicate in known:
        own = set_of(predicate, family)
        for negated in (False, True):
            if only_of(~own if negated else own, ordered) == values:
                yield (Stated(predicate, negated),)
                return
    if asks_nothing(values):
        yield ()
    elif ordered:
        yield tuple(_state_ranges(values, column.name))
    else:
        yield from _state_categories(values, column)


def _state_ranges(values: ValueSet, name: str) -> Iterator[Stated]:
    """Yield the ends of the ranges, and what is not between them."""
    if not values.ranges:
        yield Stated(Missing(name))
        return
    low, high = values.ranges[0][0], values.ranges[-1][1]
    for end in (Interval(name, low=low), Interval(name, high=high)):
        finite = math.isfinite(end.low) or math.isfinite(end.high)
        if finite and values.missing:
            outside = Interval(name, high=end.low) if math.isfinite(end.low) else Interval(name, low=end.high)
            yield Stated(outside, negated=True)
        elif finite:
            yield Stated(end)
    if (low, high) == ALL and not values.missing:
        yield Stated(Interval(name))
    for (_, below), (above, _) in zip(values.ranges, values.ranges[1:], strict=False):
        yield Stated(Interval(name, below, above), negated=True)


def _state_categories(values: ValueSet, column: Column) -> Iterator[tuple[Stated, ...]]:
    if values.values:
        several = len(values.values) > 1
        test = one_of(column, values.values) if several else Equals(column.name, values.values[0])
        present = (Stated(Missing(column.name), negated=True),) if values.excluded and not values.missing else ()
        yield (Stated(test, values.excluded), *present)
    elif values.excluded:
        yield (Stated(Missing(column.name), negated=True),)
    if values.missing and not values.excluded:
        yield (Stated(Missing(column.name)),)
