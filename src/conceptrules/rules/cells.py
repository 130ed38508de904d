"""The cells of one column as NumPy values: what they are, which are missing, as numbers, as category codes."""

from __future__ import annotations

import datetime as dt
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.rules.errors import ColumnTypeError, InputError
from conceptrules.rules.predicate import Column, Kind, Value, shown

# The first that fits decides: bool is an int, a datetime is a date, NumPy's timedelta64 is an integer.
_FAMILIES: tuple[tuple[tuple[type, ...], Kind], ...] = (
    ((bool, np.bool_), "boolean"),
    ((str,), "category"),
    ((dt.timedelta, np.timedelta64), "duration"),
    ((numbers.Real, Decimal), "number"),
    ((dt.datetime, np.datetime64), "datetime"),
    ((dt.date,), "date"),
)
# What a column of each kind can be read from.
_READS: dict[Kind, tuple[Kind, ...]] = {
    "number": ("number", "boolean"),
    "boolean": ("boolean",),
    "category": ("category", "number", "boolean"),
    "date": ("date", "datetime"),
    "datetime": ("datetime", "date"),
    "duration": ("duration",),
}
_NOUNS: dict[Kind, str] = {
    "number": "numbers",
    "boolean": "true or false",
    "category": "text",
    "date": "dates",
    "datetime": "dates and times",
    "duration": "durations",
}


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """One column. Numbers are an array of numbers (NaN is missing), dates and times datetime64[us] in UTC, durations
    timedelta64[us], booleans without gaps an array of booleans; all else is an array of objects, None where missing.
    """

    name: str
    values: NDArray[Any]
    missing: NDArray[np.bool_]
    family: Kind | None
    """What the values are; "category" is text, None a column without any value to tell."""
    declared: bool = False
    """The table's own type says that the values are categories."""

    @property
    def kind(self) -> Kind:
        """The kind of a column with these cells, unless told otherwise."""
        if self.family is None or (self.declared and self.family in _READS["category"]):
            return "category"
        return self.family

    def take(self, rows: NDArray[Any]) -> Cells:
        return replace(self, values=self.values[rows], missing=self.missing[rows])


def read_cells(name: str, raw: NDArray[Any], declared: bool = False) -> Cells:
    """The one-dimensional array `raw`, of whatever type, as cells."""
    values, family = _normal(name, raw)
    missing = _gaps(values)
    if values.dtype.kind in "fO" and missing.all():
        family = None  # pandas reads an empty column of text as a column of NaN
    return Cells(name, values, missing, family, declared)


def numbers_of(cells: Cells) -> NDArray[np.float64]:
    """Numbers as float64, NaN where missing; dates, times and durations in microseconds."""
    values = cells.values.astype(np.int64) if cells.values.dtype.kind in "mM" else cells.values
    return np.where(cells.missing, np.nan, values.astype(np.float64))


def codes_of(cells: Cells, categories: Sequence[Value]) -> NDArray[np.intp]:
    """The position of each value among `categories`; -1 if it is not one of them or missing.

    A dictionary finds what `==` would: 1, 1.0 and True are one category, whatever the table stores them as.
    """
    index = {category: code for code, category in enumerate(categories)}
    return np.fromiter(map(index.get, cells.values.tolist(), repeat(-1)), dtype=np.intp, count=len(cells.values))


def check_readable(cells: Cells, column: Column) -> None:
    """An error unless these cells can be read as `column`; cells without any value always can."""
    if cells.family is None or cells.missing.all():
        return
    row = int(np.argmin(cells.missing))
    found = f"row {row} holds {_brief(cells.values[row])} ({_NOUNS[cells.family]})"
    if cells.family not in _READS[column.kind]:
        raise ColumnTypeError(
            f"column {column.name!r} is of the kind {column.kind}, but {found}; "
            f"convert it, or train with kinds={{{column.name!r}: {cells.kind!r}}}"
        )
    if column.kind == "category" and column.categories:
        known = column.categories[0]
        if isinstance(known, str) != (cells.family == "category"):
            raise ColumnTypeError(
                f"column {column.name!r} has categories such as {_brief(known)} ({type(known).__name__}), but {found}; "
                "convert it to the type that it had in training"
            )


def _normal(name: str, raw: NDArray[Any]) -> tuple[NDArray[Any], Kind | None]:
    match raw.dtype.kind:
        case "b":
            return raw, "boolean"
        case "i" | "u" | "f":
            return raw, "number"
        case "m":
            return raw.astype("m8[us]"), "duration"
        case "M":
            whole_days = np.datetime_data(raw.dtype)[0] in ("Y", "M", "W", "D")
            return raw.astype("M8[us]"), "date" if whole_days else "datetime"
        case "c":
            raise InputError(
                f"Complex data not supported: column {name!r}; give real and imaginary parts as two columns"
            )
    return _normal_objects(name, raw.astype(object))


def _normal_objects(name: str, values: NDArray[Any]) -> tuple[NDArray[Any], Kind | None]:
    if set(map(type, values.tolist())) == {str}:
        return values, "category"
    present = ~np.fromiter(map(_is_missing, values), dtype=np.bool_, count=len(values))
    family = _one_family(name, values, present)
    match family:
        case "number":
            normal = np.full(len(values), np.nan)
            normal[present] = _floats(name, values[present])
        case "date" | "datetime" | "duration":
            normal = np.full(len(values), "NaT", dtype="m8[us]" if family == "duration" else "M8[us]")
            normal[present] = [_in_utc(value) for value in values[present]]
        case _:
            normal = values.copy()
            normal[~present] = None
    return normal, family


def _gaps(values: NDArray[Any]) -> NDArray[np.bool_]:
    gaps = np.zeros(len(values), dtype=np.bool_)
    match values.dtype.kind:
        case "f":
            gaps[:] = np.isnan(values)
        case "m" | "M":
            gaps[:] = np.isnat(values)
        case "O":
            gaps[:] = [value is None for value in values]
    return gaps


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except TypeError:  # pandas' NA is neither true nor false
        return True
    except ValueError:  # an array in a cell: wrong, but not missing
        return False


def _one_family(name: str, values: NDArray[Any], present: NDArray[np.bool_]) -> Kind | None:
    """The family that all present values belong to; otherwise an error that shows the first that does not."""
    found = {kind: _family(kind) for kind in set(map(type, values[present]))}
    families = set(found.values())
    if len(families) <= 1 and None not in families:
        return next(iter(families), None)
    rows = np.flatnonzero(present)
    first = found[type(values[rows[0]])]
    row = next(row for row in rows if first is None or found[type(values[row])] != first)
    among = f" among {_NOUNS[first]}" if first else ""
    raise ColumnTypeError(
        f"column {name!r}: row {row} holds {_brief(values[row])} ({type(values[row]).__name__}){among}, but each "
        "argument must be a string or a number (or a boolean, a date, a duration), and all of a column alike; "
        "convert the column, for example to text with astype(str), or drop it"
    )


def _family(kind: type) -> Kind | None:
    return next((family for types, family in _FAMILIES if issubclass(kind, types)), None)


def _floats(name: str, values: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return values.astype(np.float64)
    except OverflowError as error:
        raise InputError(f"column {name!r} holds a whole number too large for float64; scale the column") from error


def _in_utc(value: Any) -> Any:
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    return value


def _brief(value: object, most: int = 60) -> str:
    text = shown(repr(value.item() if isinstance(value, np.generic) else value))
    return text if len(text) <= most else f"{text[:most]}..."
