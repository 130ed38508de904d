"""Values to try a column with: each end of each cell of it, and what could be taken for one of its categories."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from conceptrules.model.predicate import Column, Kind, Predicate, Value, finite_bounds, named_categories

_DAY = 86_400e6
# Python's datetimes, less a day at each end for float64 to round into; what float64 tells apart.
_SPAN: dict[Kind, tuple[float, float]] = {
    "date": (-719_161 * _DAY, 2_932_895 * _DAY),
    "datetime": (-719_161 * _DAY, 2_932_895 * _DAY),
    "duration": (-(2.0**53), 2.0**53),
}
_LEAST, _MOST = -(2**63), 2**63 - 1


def probe_values(column: Column, predicates: Sequence[Predicate]) -> list[Value | None]:
    """Return values on all sides of all the predicates of a column; None comes last.

    >>> probe_values(Column("ok", "boolean"), [])
    [True, False, None]
    """
    if column.ordered:
        bounds = finite_bounds(predicates)
        numbers = _numbers(bounds) if column.kind == "number" else _moments(bounds, column.kind)
        return [*numbers, *([math.nan] if column.kind == "number" else []), None]
    if column.kind == "boolean":
        return [True, False, None]
    return [*_categories(column, named_categories(predicates)), None]


def _numbers(bounds: Sequence[float]) -> list[float]:
    around = {near for bound in bounds for near in (bound, *(math.nextafter(bound, to) for to in _ENDS))}
    return [*sorted(around | {0.0, 1.0, *_ENDS}), -0.0]


_ENDS = (-math.inf, math.inf)


def _moments(bounds: Sequence[float], kind: Kind) -> list[float]:
    """Return whole microseconds around the bounds, since tables hold nothing finer."""
    low, high = _SPAN[kind]
    around = {0.0, low, high}
    for bound in bounds:
        if not low <= bound <= high:
            continue
        floor = float(math.floor(bound))
        around |= {floor, math.floor(math.nextafter(floor, -math.inf)), math.ceil(math.nextafter(floor, math.inf))}
        around |= {floor - 1, floor + 1}
    return [float(value) for value in sorted(around) if low <= value <= high]


def _categories(column: Column, asked: Sequence[Value]) -> list[Value]:
    """Return the categories, then values that are not among them but could be taken for them."""
    known: dict[Value, None] = dict.fromkeys([*asked, *column.categories])
    first = [*column.categories, *asked][:1]
    text = not first or isinstance(first[0], str)
    alike = [value for value in known if isinstance(value, str) == text]
    if not text:
        numbers = [value for value in alike if not isinstance(value, str)]
        return [*numbers, *(value for value in _near_numbers(numbers) if value not in known)]
    others = [other for value in alike for other in _near_text(str(value)) if value in asked]
    return [*alike, *(other for other in dict.fromkeys([*others, "never seen", ""]) if other not in known)]


def _near_text(text: str) -> Iterator[str]:
    """Yield texts that are equal in databases which compare without case, accents or blanks at the end."""
    yield from (text + " ", text.upper(), text.lower())


def _near_numbers(values: Sequence[int | float]) -> list[int | float]:
    """Return numbers next to these; they stay within 64 bits if all the values are whole numbers within them."""
    near: list[int | float] = [value + step for value in values for step in (-1, 1)]
    if not all(isinstance(value, int) for value in values):
        return [*(number for number in near if math.isfinite(number)), 0.5]
    wide = any(not _LEAST <= value <= _MOST for value in values)
    return [number for number in near if wide or _LEAST <= number <= _MOST]
