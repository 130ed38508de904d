"""What a row could say in one column, as far as a network can tell: one option for each cell of the column.

Ordered columns are cut where a predicate in use has a bound. Categories in use are options, grouped where no predicate
distinguishes them, and so is any other; an ordinal column has those of its order; a boolean is true or false. Missing
is an option if training has seen it. What no row can hold is not an option, such as a time between two bounds that are
less than a microsecond apart.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from conceptrules.logic.column_cells import unseen_category
from conceptrules.model.predicate import (
    EPOCH,
    Column,
    Interval,
    Predicate,
    Value,
    finite_bounds,
    holds,
    known_categories,
    named_categories,
    one_of,
    state_flag,
)
from conceptrules.model.text import predicate_text, value_text, value_word, word
from conceptrules.model.values import family_of, readable

_Cell = tuple[Value | None, str, str | None]
Example = Value | dt.date | dt.timedelta | None
_SECOND = 10**6
_UNITS = {
    "date": (86_400 * _SECOND, 1),
    "datetime": (60 * _SECOND, _SECOND, 1),
    "duration": (3600 * _SECOND, 60 * _SECOND, _SECOND, 1),
}
# What Python's dates and durations can hold, with a day to spare for rounding.
_DATES = tuple(
    (moment - EPOCH) // dt.timedelta(microseconds=1) for moment in (dt.datetime(1, 1, 2), dt.datetime(9999, 12, 31))
)
_DURATIONS = (-(10**9) * 86_400 * _SECOND, 10**9 * 86_400 * _SECOND - 86_400 * _SECOND)


@dataclass(frozen=True, slots=True)
class Option:
    """A value of the column, as it reads it, that stands for its whole cell."""

    value: Value | None
    text: str
    """The cell as text."""
    sample: str | None
    """The value as text, where the cell holds others as well."""
    bits: tuple[bool, ...]
    """Which of the column's predicates hold."""


def list_options(column: Column, predicates: Sequence[Predicate], now: Value | None, open_ended: bool) -> list[Option]:
    """Return what a row could say in a column, one option for each way to answer the predicates.

    What the row says now comes first, then those that flip fewest predicates, then the nearest. With `open_ended` there
    are categories besides those that the column lists.
    """
    first = Option(now, value_text(column, now), None, _bits(predicates, now))
    options = list_cells(column, predicates, now, open_ended)

    def distance(option: Option) -> tuple[int, float]:
        flips = sum(a != b for a, b in zip(first.bits, option.bits, strict=True))
        return flips, _distance(column, option.value, now)

    distinct = {first.bits: first}
    for option in sorted(options, key=distance):
        distinct.setdefault(option.bits, option)
    return list(distinct.values())


def list_cells(column: Column, predicates: Sequence[Predicate], now: Value | None, open_ended: bool) -> list[Option]:
    """Return the cells of a column, each with a value as near to what the row says now as can be."""
    if column.ordered:
        known = _intervals(column, predicates, now)
    elif column.kind == "ordinal":
        known = _group(column, predicates, _nearest_first(column, now))
    else:
        known = _categories(column, predicates, open_ended)
    cells = [*known, *([(None, value_text(column, None), None)] if column.missing else [])]
    return [Option(value, text, sample, _bits(predicates, value)) for value, text, sample in cells]


def make_example(column: Column, value: Value | None) -> Example:
    """Return the value as a table would hold it."""
    if value is None or not column.ordered:
        return value
    assert not isinstance(value, str)
    if column.kind == "number":
        return int(value) if value == round(value, 0) and abs(value) < 2**53 else value
    span = dt.timedelta(microseconds=value)
    if column.kind == "duration":
        return span
    moment = EPOCH + span
    return moment.date() if column.kind == "date" and moment.time() == dt.time() else moment


def _bits(predicates: Sequence[Predicate], value: Value | None) -> tuple[bool, ...]:
    return tuple(holds(predicate, value) for predicate in predicates)


def _distance(column: Column, value: Value | None, now: Value | None) -> float:
    """Return how far two values are apart: only ordered values are near or far, and a missing value is farthest."""
    if column.kind == "ordinal" and value in column.categories and now in column.categories:
        return abs(column.categories.index(value) - column.categories.index(now))
    if isinstance(value, str | None) or isinstance(now, str | None):
        return math.inf if value is None else 0
    return abs(value - now) if value != now else 0


# Categories


def _categories(column: Column, predicates: Sequence[Predicate], open_ended: bool) -> Iterator[_Cell]:
    if column.kind == "boolean":
        yield from ((value, value_text(column, value), None) for value in (False, True))
        return
    used = named_categories(predicates)
    known = [value for value in known_categories(column, predicates) if _can_hold(column, value)]
    yield from _group(column, predicates, [value for value in known if value in used])
    other = next((value for value in known if value not in used), None)
    if other is not None:
        yield other, f"{word(column.name)} is any other", word(other)
    elif open_ended or not column.categories:
        yield unseen_category((*column.categories, *used)), f"{word(column.name)} is any other", None


def _nearest_first(column: Column, now: Value | None) -> list[Value]:
    known = [value for value in column.categories if _can_hold(column, value)]
    return sorted(known, key=lambda value: _distance(column, value, now))


def _group(column: Column, predicates: Sequence[Predicate], values: Sequence[Value]) -> Iterator[_Cell]:
    """Yield a cell for all values that the predicates cannot tell apart; the first of them stands for it."""
    cells: dict[tuple[bool, ...], list[Value]] = {}
    for value in values:
        cells.setdefault(_bits(predicates, value), []).append(value)
    for first, *others in cells.values():
        if others:
            yield first, predicate_text(one_of(column, [first, *others]), column), word(first)
        else:
            yield first, value_text(column, first), None


def _can_hold(column: Column, value: Value) -> bool:
    kind: type = type(value)
    family = family_of(kind)
    exact = not isinstance(value, int) or abs(value) <= 2**53  # tables may hold larger ones as rounded floats
    return family is not None and readable(family, column) and exact


# Ordered columns


def _intervals(column: Column, predicates: Sequence[Predicate], now: Value | None) -> Iterator[_Cell]:
    number = now if isinstance(now, float) else None
    for low, high in pairwise((-math.inf, *finite_bounds(predicates), math.inf)):
        value = _number_in(low, high, number) if column.kind == "number" else _moment_in(column, low, high, number)
        if value is not None:
            test = Interval(column.name, low, high)
            sample = value_word(column, value) if state_flag(test, column) is test else None
            yield value, predicate_text(test, column), sample


def _number_in(low: float, high: float, now: float | None) -> float:
    """Return a number in the cell with as few digits as the present one, from the near end."""
    if now is not None and (low == -math.inf or low < now) and now <= high:
        return now
    near = high if high < math.inf and (low == -math.inf or (now is not None and now > high)) else low
    if near == -math.inf:
        return 0.0
    for digits in range(_decimals(now), 16):
        step = 10.0**-digits
        if abs(near) < 1e15 * step:
            steps = math.floor(round(near / step, 6))  # 0.6 / 0.1 is a little less than 6
            number = round(steps * step + (0 if near == high else step), digits)
            if low < number <= high:
                return number
    return high if high < math.inf else math.nextafter(low, math.inf)


def _decimals(now: float | None) -> int:
    text = repr(now or 0.0)
    return 0 if "e" in text or text in ("inf", "-inf") else len(text.partition(".")[2].removesuffix("0"))


def _moment_in(column: Column, low: float, high: float, now: float | None) -> float | None:
    """Return a date, a time or a duration in the cell, in microseconds, as round as can be; None if there is none."""
    first, last = _DURATIONS if column.kind == "duration" else _DATES
    low, high = max(low, first - 1), min(high, last)
    if not low < high:
        return None
    for unit in _UNITS[column.kind]:
        down = (now is not None and now > high) or low < first
        whole = math.floor(high) // unit * unit if down else (math.floor(low) // unit + 1) * unit
        if low < float(whole) <= high:
            return float(whole)
    return None
