"""Columns, and the tests on one column that rules are made of."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal as Choice
from typing import get_args

from conceptrules.model.derived import Derivation, Mention, name_derivation
from conceptrules.model.errors import InputError

Kind = Choice["number", "date", "datetime", "duration", "boolean", "category", "ordinal", "text"]
Value = str | int | float | bool
KINDS: tuple[Kind, ...] = get_args(Kind)
ORDERED: tuple[Kind, ...] = ("number", "date", "datetime", "duration")
EPOCH = dt.datetime(1970, 1, 1)


def python_value(value: object) -> Value:
    """Return a category or a class as a Python value: a NumPy scalar is unpacked, all else is refused."""
    value = value.item() if hasattr(value, "item") else value
    if not isinstance(value, str | int | float) or (isinstance(value, float) and math.isnan(value)):
        raise InputError(f"a category or a class is text, a number, true or false, not {value!r}")
    return value


def key_of(value: Value) -> str:
    """Return a key that is the same for 1, 1.0 and True.

    It is text, since a file could choose numbers that share a hash.
    """
    if isinstance(value, str):
        return f"s{value}"
    whole = isinstance(value, int) or value.is_integer()
    return f"n{int(value):x}" if whole else f"n{value!r}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table as it was seen in training, or one that is worked out from such columns.

    Rules ask about columns that are worked out from free text, not about the text itself. Ordered kinds are read as
    float64: numbers as they are, dates and date-times as microseconds since 1970-01-01 (UTC), durations as
    microseconds.

    Raises
    ------
    InputError
        If the kind is unknown or a category is listed twice.
    """

    name: str
    """The name of the column."""
    kind: Kind = "number"
    """What the column holds."""
    categories: tuple[Value, ...] = ()
    """The categories that training saw; of an ordinal column all of them, in their order; of numbers 0 and 1, where
    training saw no others."""
    missing: bool = False
    """Whether training saw missing values."""
    derivation: Derivation | None = field(default=None, repr=False)
    """How the column is worked out from others, which come before it; None: the table has it."""
    places: Mapping[str, int] = field(init=False, repr=False, compare=False)
    """The place of each category among the categories, by its `key_of`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "categories", tuple(map(python_value, self.categories)))
        object.__setattr__(self, "places", {key_of(value): place for place, value in enumerate(self.categories)})
        if not isinstance(self.name, str):
            raise InputError(f"the name of a column is text, not {self.name!r}")
        if len(self.places) < len(self.categories):
            raise InputError(f"column {self.name!r} lists a category twice: {list(self.categories)}")
        if self.kind not in KINDS:
            raise InputError(f"column {self.name!r} has the kind {self.kind!r}; use one of {', '.join(KINDS)}")
        if self.ordered and self.categories not in ((), (0, 1)):
            raise InputError(
                f"column {self.name!r} is a {self.kind}, which lists no categories {list(self.categories)}"
            )
        if self.derivation is not None and self.name != name_derivation(self.derivation):
            raise InputError(f"column {self.name!r} is worked out as {name_derivation(self.derivation)}; call it that")

    @property
    def ordered(self) -> bool:
        """Whether the column is read as numbers that intervals can test."""
        return self.kind in ORDERED


@dataclass(frozen=True, slots=True)
class Predicate:
    """A test on one column. On a missing value every test but `Missing` is false."""

    column: str
    """The name of the column."""


@dataclass(frozen=True, slots=True)
class Interval(Predicate):
    """The test `low < x <= high` on a number, date, date-time or duration.


    Raises
    ------
    InputError
        If `low` is not below `high`.
    """

    low: float = -math.inf
    """The lower bound, which is outside of the interval."""
    high: float = math.inf
    """The upper bound, which is inside of it. With both bounds infinite, the column has any value at all."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))
        # NaN bounds fail this comparison too. low = inf or high = -inf would be a test that an infinite
        # value could pass or fail against the reading of the text, so they are refused as well.
        if not self.low < self.high:
            raise InputError(f"interval on column {self.column!r} needs low < high, got {self.low} and {self.high}")


@dataclass(frozen=True, slots=True)
class Equals(Predicate):
    """The test `x = value` on a category or a boolean."""

    value: Value
    """The category."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", python_value(self.value))


@dataclass(frozen=True, slots=True)
class OneOf(Predicate):
    """The test `x in {a, b}`: the column has one of these categories.


    Raises
    ------
    InputError
        If there is no category, or one is listed twice.
    """

    values: tuple[Value, ...]
    """The categories, in the order of the column; `one_of` puts them in it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(map(python_value, self.values)))
        if not self.values:
            raise InputError(f"a set of categories of column {self.column!r} needs at least one")
        if len(set(map(key_of, self.values))) < len(self.values):
            raise InputError(f"a set of categories of column {self.column!r} lists one twice: {list(self.values)}")


@dataclass(frozen=True, slots=True)
class Missing(Predicate):
    """The test that a row has no value in the column."""


def one_of(column: Column, values: Iterable[Value]) -> OneOf:
    """Return a set of categories in the order of the column; what the column does not list comes last.

    >>> one_of(Column("rank", "category", ("a", "b", "c")), ["c", "a"]).values
    ('a', 'c')
    """
    by_key = {key_of(value): value for value in map(python_value, values)}
    last = len(column.places)
    return OneOf(
        column.name, tuple(by_key[key] for key in sorted(by_key, key=lambda key: column.places.get(key, last)))
    )


def run_of(predicate: Predicate, column: Column) -> tuple[int, int] | None:
    """Return where a set begins and ends in the order of an ordinal column; None if it is not a run of that order.

    The end is the place after the last category.

    >>> run_of(OneOf("rank", ("b", "c")), Column("rank", "ordinal", ("a", "b", "c")))
    (1, 3)
    """
    if not isinstance(predicate, OneOf) or column.kind != "ordinal":
        return None
    start = column.places.get(key_of(predicate.values[0]))
    if start is None:
        return None
    stop = start + len(predicate.values)
    return (start, stop) if column.categories[start:stop] == predicate.values else None


def state_flag(predicate: Predicate, column: Column) -> Predicate:
    """Return an interval as `x = 1` or `x = 0` where training saw no other numbers, and any other predicate as it is.

    >>> state_flag(Interval("smoker", low=0), Column("smoker", "number", (0, 1)))
    Equals(column='smoker', value=1)
    """
    if not isinstance(predicate, Interval) or column.kind != "number" or not column.categories:
        return predicate
    flag = {(0.0, math.inf): 1, (-math.inf, 0.0): 0}.get((predicate.low, predicate.high))
    return predicate if flag is None else Equals(predicate.column, flag)


def size_of(predicate: Predicate, column: Column) -> int:
    """Return how many edges a literal of this predicate counts as.

    A set counts each of its values, and a mention each of its terms; a run of an ordinal column's order counts each of
    its ends that is a bound. An interval is one input of the paper's network and counts 1 with two bounds too; as two
    literals, `age > 27` and `age <= 41`, it counts 2.
    """
    if isinstance(column.derivation, Mention) and not isinstance(predicate, Missing):
        return len(column.derivation.terms)
    if not isinstance(predicate, OneOf):
        return 1
    run = run_of(predicate, column)
    if run is None:
        return len(predicate.values)
    return 2 if run[0] > 0 and run[1] < len(column.categories) else 1


def bounds_of(predicate: Predicate, column: Column) -> int:
    """Return the `size_of` a predicate, but 2 for an interval with two bounds.

    So an interval is not preferred to the two thresholds that say the same, just because of how it is counted.
    """
    if isinstance(predicate, Interval) and not math.isinf(predicate.low) and not math.isinf(predicate.high):
        return 2
    return size_of(predicate, column)


def categories_of(predicate: Predicate) -> tuple[Value, ...]:
    """Return the categories that a predicate speaks of."""
    match predicate:
        case Equals(value=value):
            return (value,)
        case OneOf(values=values):
            return values
    return ()


def named_categories(predicates: Iterable[Predicate]) -> tuple[Value, ...]:
    """Return the categories that these predicates speak of, once each, in the order in which they come."""
    return tuple(dict.fromkeys(value for predicate in predicates for value in categories_of(predicate)))


def known_categories(column: Column, predicates: Iterable[Predicate]) -> tuple[Value, ...]:
    """Return the categories that the column lists, then others that these predicates speak of."""
    return tuple(dict.fromkeys((*column.categories, *named_categories(predicates))))


def finite_bounds(predicates: Iterable[Predicate]) -> tuple[float, ...]:
    """Return where these predicates cut their column: the finite bounds of intervals, ascending, once each.

    >>> finite_bounds([Interval("age", 27, 41), Interval("age", high=27), Missing("age")])
    (27.0, 41.0)
    """
    intervals = (predicate for predicate in predicates if isinstance(predicate, Interval))
    bounds = {bound for interval in intervals for bound in (interval.low, interval.high)}
    return tuple(sorted(bound for bound in bounds if math.isfinite(bound)))


def holds(predicate: Predicate, value: Value | None) -> bool:
    """Return whether a predicate holds on one value, as `Column` reads it: this defines what predicates mean.

    None and NaN are missing values.

    >>> holds(Interval("age", 27, 41), 41.0), holds(Interval("age", 27, 41), None)
    (True, False)
    """
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    match predicate:
        case Missing():
            return missing
        case Interval(low=low, high=high):
            assert not isinstance(value, str)
            if missing or value is None:
                return False
            # An unbounded side takes the infinity of that side too.
            return (low == -math.inf or low < value) and value <= high
        case Equals(value=category):
            return not missing and value == category
        case OneOf(values=values):
            return not missing and value in values
    raise AssertionError(predicate)


def printable(text: object) -> str:
    """Return text without control characters, so that no name can move the cursor of a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))
