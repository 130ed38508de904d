"""What one value is: its family, whether it is missing, whether a column can be read from it."""

from __future__ import annotations

import datetime as dt
import numbers
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

import numpy as np

from conceptrules.model.errors import shortened
from conceptrules.model.predicate import Column, Kind, Value, printable
from conceptrules.model.text import number_text

_RANGE_NAME = re.compile(r"(?:up to|over|(?P<low>\S+) to) (?P<high>\S+)")

# The first that fits decides: bool is an int, a datetime is a date, NumPy's timedelta64 is an integer.
FAMILIES: tuple[tuple[tuple[type, ...], Kind], ...] = (
    ((bool, np.bool_), "boolean"),
    ((str,), "category"),
    ((dt.timedelta, np.timedelta64, dt.time), "duration"),
    ((numbers.Real, Decimal), "number"),
    ((dt.datetime, np.datetime64), "datetime"),
    ((dt.date,), "date"),
)
# What a column of each kind can be read from.
READS: dict[Kind, tuple[Kind, ...]] = {
    "number": ("number", "boolean"),
    "boolean": ("boolean",),
    "category": ("category", "number", "boolean"),
    "ordinal": ("category", "number", "boolean"),
    "date": ("date", "datetime"),
    "datetime": ("datetime", "date"),
    "duration": ("duration",),
    "text": ("category",),
}
NOUNS: dict[Kind, str] = {
    "number": "numbers",
    "boolean": "true or false",
    "category": "text",
    "ordinal": "ordered categories",
    "date": "dates",
    "datetime": "dates and times",
    "duration": "durations",
    "text": "text",
}


def read_value(value: Any, column: Column) -> Value | None:
    """Return one value as `column` reads it; raise TypeError where it takes whole columns to tell.

    That is so for dates, errors and odd types.
    """
    if is_missing(value):
        return None
    kind: type = type(value)
    family = family_of(kind)
    if family not in ("number", "boolean", "category") or not readable(family, column):
        raise TypeError
    if family != "number":
        return value  # type: ignore[no-any-return]
    if not column.ordered and not abs(value) < 2**53:  # whole columns round it, or not
        raise TypeError
    return float(value)


def is_missing(value: Any) -> bool:
    """Return whether a value of any type is missing."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except (TypeError, InvalidOperation):  # pandas' NA is neither true nor false, a signalling NaN cannot be compared
        return True
    except ValueError:  # an array in a cell: wrong, but not missing
        return False


def readable(family: Kind, column: Column) -> bool:
    """Return whether a column can be read from values of this family."""
    listed = column.kind in ("category", "ordinal") and column.categories
    known = column.categories[0] if listed else None
    return family in READS[column.kind] and (known is None or isinstance(known, str) == (family == "category"))


@lru_cache
def family_of(kind: type) -> Kind | None:
    """Return the family of values of a type; None if no column can hold them."""
    return next((family for types, family in FAMILIES if issubclass(kind, types)), None)


def label_text(label: object) -> str:
    """Return how a label is written: the class 1 of a file of text is the class 1, or 1.0, of a file of numbers."""
    plain = label.item() if isinstance(label, np.generic) else label
    return str(int(plain)) if isinstance(plain, float) and plain.is_integer() else str(plain)


def match_label(label: Any, classes: Sequence[Value]) -> Any:
    """Return the class that a label stands for, as the 0 of a table stands for the class "0" of a file of text.

    Any other label is returned as it is.
    """
    texts = {} if label is None or label in classes else {label_text(known): known for known in classes}
    return texts.get(label_text(label), label)


def int_if_whole(value: Any) -> Value:
    """Return 1 for 1.0: whole numbers are floats only because their column has gaps."""
    number: Value = int(value) if isinstance(value, float) and value.is_integer() else value
    return number


def to_plain_moment(value: Any) -> Any:
    """Return a date-time with a zone in UTC and without it, and a time of day as the duration since midnight."""
    if isinstance(value, dt.time):
        return dt.datetime.combine(dt.date.min, value.replace(tzinfo=None)) - dt.datetime.min
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    return value


def brief(value: object, most: int = 60) -> str:
    """Return a value as text for a message, shortened to `most` characters."""
    return shortened(printable(repr(value.item() if isinstance(value, np.generic) else value)), most)


def name_ranges(cuts: Sequence[float]) -> list[str]:
    """Return the names of the ranges, from the lowest up.

    >>> name_ranges([1.0, 3.5])
    ['up to 1', '1 to 3.5', 'over 3.5']
    """
    ends = list(map(number_text, cuts))
    return [f"up to {ends[0]}", *map("{} to {}".format, ends, ends[1:]), f"over {ends[-1]}"]


def parse_cuts(classes: Sequence[Value]) -> list[float] | None:
    """Return the cuts that gave these classes their names; None if other names are among them.

    >>> parse_cuts(["1 to 3.5", "over 3.5", "up to 1"]), parse_cuts(["up to 1", "more"])
    ([1.0, 3.5], None)
    """
    matches = [_RANGE_NAME.fullmatch(name) if isinstance(name, str) else None for name in classes]
    try:
        ends = {float(match["high"]) for match in matches if match}
    except ValueError:
        return None
    return sorted(ends) if ends and set(name_ranges(sorted(ends))) == set(classes) else None


def order_classes(classes: Sequence[Value]) -> tuple[Value, ...]:
    """Return classes in the order in which people read them: ranges from the lowest up, others as they stand.

    >>> order_classes(["1 to 3.5", "over 3.5", "up to 1"]), order_classes(["no", "yes"])
    (('up to 1', '1 to 3.5', 'over 3.5'), ('no', 'yes'))
    """
    cuts = parse_cuts(classes)
    return tuple(classes) if cuts is None else tuple(name_ranges(cuts))
