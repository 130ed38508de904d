"""The values of one column as NumPy holds them: what they are, which are missing, as numbers, as category codes.

Text and categories are kept in a dictionary: each value once, and a code for each row that says which one it holds.
What is true of a value is true of all its rows, so a million rows of text cost as much as their few values, and the
codes. Tables keep such codes in their own ways, which are reached through the native column.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.model.predicate import Column, Kind, Value
from conceptrules.model.values import NOUNS, READS, brief, family_of, is_missing, readable, to_plain_moment
from conceptrules.tables.text_values import find_written_kind, read_written

Codes = NDArray[np.signedinteger[Any]]
DECLARED = (nw.Categorical, nw.Enum)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnValues:
    """The values of one column of a table.

    Numbers are an array of numbers (NaN is missing), dates and times datetime64[us] in UTC, durations timedelta64[us],
    booleans without gaps an array of booleans; all else is an array of objects, None where missing.

    With `codes`, row r holds `values[codes[r]]`: each value is there once. The last one is that of the gaps, and values
    that no row holds are missing.
    """

    name: str
    values: NDArray[Any]
    missing: NDArray[np.bool_]
    family: Kind | None
    """What the values are; "category" is text, None a column without any value."""
    declared: bool = False
    """Whether the table's own type says that the values are categories."""
    codes: Codes | None = None
    order: tuple[Any, ...] | None = None
    """The categories in their order, where the table's own type says that they have one."""

    @property
    def kind(self) -> Kind:
        """The kind of a column with these values, unless the user gives another."""
        if self.family is None or (self.declared and self.family in READS["category"]):
            return "category" if self.order is None else "ordinal"
        return self.family

    def __len__(self) -> int:
        return len(self.values) if self.codes is None else len(self.codes)

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """Which rows are missing; `missing` says it of the values."""
        return self.by_row(self.missing)

    def by_row(self, each: NDArray[Any]) -> NDArray[Any]:
        """Return one entry for each row, from one entry for each value."""
        return each if self.codes is None else each[self.codes]

    def take(self, rows: NDArray[np.intp] | slice) -> ColumnValues:
        """Return the values of these rows only."""
        if self.codes is not None:
            return replace(self, codes=self.codes[rows])
        return replace(self, values=self.values[rows], missing=self.missing[rows])

    def to_list(self, *, ordered: bool = False) -> list[Value | None]:
        """Return Python's own values row by row, None where one is missing; those of an ordered column are numbers."""
        values = to_numbers(self) if ordered else self.values
        each = [None if gap else value for gap, value in zip(self.missing.tolist(), values.tolist(), strict=True)]
        return each if self.codes is None else [each[code] for code in self.codes.tolist()]


def read_values(name: str, raw: NDArray[Any], declared: bool = False) -> ColumnValues:
    """Return a one-dimensional array of whatever type as the values of a column."""
    if raw.dtype == object and set(map(type, raw.tolist())) == {str}:
        return ColumnValues(name, raw, np.zeros(len(raw), dtype=np.bool_), "category", declared)
    values, family = _normalise(name, raw)
    missing = _find_gaps(values)
    if values.dtype.kind in "fO" and missing.all():
        family = None  # pandas reads an empty column of text as a column of NaN
    return ColumnValues(name, values, missing, family, declared)


def read_coded_values(name: str, codes: Codes, values: NDArray[Any], declared: bool = False) -> ColumnValues:
    """Return the values of a column whose row r holds `values[codes[r]]`."""
    known = values.copy()
    counts = np.bincount(np.add(codes, 1, dtype=np.intp), minlength=len(values))  # those of the gaps come first
    known[np.roll(counts == 0, -1)] = None
    return replace(read_values(name, known, declared), codes=codes)


def to_numbers(cells: ColumnValues) -> NDArray[np.float64]:
    """Return the values as float64, NaN where missing; dates, times and durations in microseconds, text as it reads."""
    if cells.family == "category":
        return np.array(
            [np.nan if value is None else read_written(value) for value in cells.values.tolist()], np.float64
        )
    if cells.values.dtype.kind in "mM":
        return np.where(cells.missing, np.nan, cells.values.astype(np.int64).astype(np.float64))
    return cells.values.astype(np.float64, copy=False)  # a missing one is NaN or None


def to_codes(cells: ColumnValues, categories: Sequence[Value]) -> NDArray[np.intp]:
    """Return the position of each value among `categories`; -1 if it is missing or not one of them.

    A dictionary finds what `==` would: 1, 1.0 and True are one category, whatever the table stores them as.
    """
    if cells.values.dtype == np.bool_:
        return _find_places(np.array([False, True]), categories)[cells.values.astype(np.intp)]
    if cells.values.dtype != object:
        codes, values = encode_values(cells.values)
        return _find_places(values, categories)[codes]
    return _find_places(cells.values, categories)


def _find_places(values: NDArray[Any], categories: Sequence[Value]) -> NDArray[np.intp]:
    index = {category: code for code, category in enumerate(categories)}
    return np.fromiter(map(index.get, values.tolist(), repeat(-1)), dtype=np.intp, count=len(values))


def written_kind(cells: ColumnValues) -> Kind | None:
    """Return what the text of a column stands for, if it is written like dates or like numbers with a mark."""
    if cells.family != "category" or cells.declared:
        return None
    return find_written_kind(value for value in cells.values.tolist() if value is not None)


def check_readable(cells: ColumnValues, column: Column, first: int = 0) -> None:
    """Raise a `ColumnTypeError` unless these values can be read as `column`; a column without any value always can.

    The first row of these values is row `first` of the table.
    """
    if cells.family is None or cells.missing.all() or readable(cells.family, column):
        return
    if column.ordered and written_kind(cells) in READS[column.kind]:
        return
    row = int(np.argmin(cells.gaps))
    value = cells.values[row if cells.codes is None else cells.codes[row]]
    held_value = f"row {first + row} holds {brief(value)} ({NOUNS[cells.family]})"
    if cells.family not in READS[column.kind]:
        raise ColumnTypeError(
            f"column {column.name!r} is of the kind {column.kind}, but {held_value}; "
            f"convert it, or train with kinds={{{column.name!r}: {cells.kind!r}}}"
        )
    known = column.categories[0]
    raise ColumnTypeError(
        f"column {column.name!r} has categories such as {brief(known)} ({type(known).__name__}), but {held_value}; "
        "convert it to the type that it had in training"
    )


def _normalise(name: str, raw: NDArray[Any]) -> tuple[NDArray[Any], Kind | None]:
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
    return _normalise_objects(name, raw.astype(object))


def _normalise_objects(name: str, values: NDArray[Any]) -> tuple[NDArray[Any], Kind | None]:
    present = ~np.fromiter(map(is_missing, values), dtype=np.bool_, count=len(values))
    family = _find_family(name, values, present)
    match family:
        case "number":
            normal = np.full(len(values), np.nan)
            normal[present] = _to_floats(name, values[present])
        case "date" | "datetime" | "duration":
            _refuse_zoned_times(name, values)
            normal = np.full(len(values), "NaT", dtype="m8[us]" if family == "duration" else "M8[us]")
            normal[present] = [to_plain_moment(value) for value in values[present]]
        case _:
            normal = values.copy()
            normal[~present] = None
    return normal, family


def _refuse_zoned_times(name: str, values: NDArray[Any]) -> None:
    """Raise an error for times of day in a zone: on which day they are is not known, so neither is which is earlier."""
    for row, value in enumerate(values):
        if isinstance(value, dt.time) and value.tzinfo is not None:
            raise ColumnTypeError(
                f"column {name!r}: row {row} holds {brief(value)}, a time of day with a time zone; drop the zone, with "
                "replace(tzinfo=None), or give dates with the times"
            )


def _find_gaps(values: NDArray[Any]) -> NDArray[np.bool_]:
    gaps = np.zeros(len(values), dtype=np.bool_)
    match values.dtype.kind:
        case "f":
            gaps[:] = np.isnan(values)
        case "m" | "M":
            gaps[:] = np.isnat(values)
        case "O":
            gaps[:] = [value is None for value in values]
    return gaps


def _find_family(name: str, values: NDArray[Any], present: NDArray[np.bool_]) -> Kind | None:
    """Return the family that all present values belong to, or raise an error that shows the first that does not."""
    by_type = {kind: family_of(kind) for kind in set(map(type, values[present]))}
    families = set(by_type.values())
    if len(families) <= 1 and None not in families:
        return next(iter(families), None)
    rows = np.flatnonzero(present)
    first = by_type[type(values[rows[0]])]
    row = next(row for row in rows if first is None or by_type[type(values[row])] != first)
    among = f" among {NOUNS[first]}" if first else ""
    raise ColumnTypeError(
        f"column {name!r}: row {row} holds {brief(values[row])} ({type(values[row]).__name__}){among}, but each "
        "argument must be a string or a number (or a boolean, a date, a duration), and all of a column alike; "
        "convert the column, for example to text with astype(str), or drop it"
    )


def _to_floats(name: str, values: NDArray[Any]) -> NDArray[np.float64]:
    try:
        with np.errstate(over="ignore"):  # a decimal beyond all floats is infinite
            return values.astype(np.float64)
    except OverflowError as error:
        raise InputError(f"column {name!r} holds a whole number too large for float64; scale the column") from error


def encode_series(series: nw.Series[Any]) -> tuple[Codes, NDArray[Any]] | None:
    """Return codes and values where row r holds `values[codes[r]]`; a gap has the code -1, and the last value is None.

    Return None for columns that are neither text nor categories, and where the table knows no codes.
    """
    if series.dtype not in (*DECLARED, nw.String):
        return None
    if not series.implementation.is_pandas():
        arrow: Any = series.to_native() if series.implementation.is_pyarrow() else series.to_arrow()
        arrow = arrow if hasattr(arrow.type, "value_type") else arrow.dictionary_encode()
        if hasattr(arrow, "chunks"):
            arrow = arrow.unify_dictionaries().combine_chunks()
        codes = arrow.indices.cast("int32").fill_null(-1).to_numpy(zero_copy_only=False)
        return codes, _list_objects([*arrow.dictionary.to_pylist(), None])
    native = series.to_native()
    kind = str(native.dtype)
    # Objects may not be hashable, or be true beside 1; pandas fails at arrow's dictionaries with gaps.
    if kind == "object" or kind.startswith("dictionary"):
        return None
    categorical = native if kind == "category" else native.astype("category")
    return categorical.cat.codes.to_numpy(), _list_objects([*categorical.cat.categories.tolist(), None])


def _list_objects(values: list[Any]) -> NDArray[Any]:
    return np.fromiter(values, dtype=object, count=len(values))


def encode_values(values: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    """Return codes and the different values of an array of numbers, moments or truth values.

    They are found by hashing: a tenth of the time of sorting, and of going over the rows in Python.
    """
    import pyarrow as pa

    kind = values.dtype.newbyteorder("=")  # Arrow has no other byte order, and no floats of 2 or 16 bytes
    if kind.kind == "f" and kind.itemsize not in (4, 8):
        kind = np.dtype(np.float64)
    encoded = pa.array(values.astype(kind, copy=False)).dictionary_encode("encode")  # NaT is a value like others
    return encoded.indices.to_numpy(), encoded.dictionary.to_numpy(zero_copy_only=False)


def read_order(series: nw.Series[Any]) -> tuple[Any, ...] | None:
    """Return the categories in their order, where the type of the column says that they have one."""
    if series.dtype == nw.Enum:
        return tuple(series.dtype.categories)  # type: ignore[attr-defined]
    native = series.to_native() if series.implementation.is_pyarrow() else None
    if native is not None and getattr(native.type, "ordered", False):
        return tuple(native.unify_dictionaries().chunk(0).dictionary.to_pylist()) if native.num_chunks else None
    return None


def expand_to_rows(holds: NDArray[np.bool_], codes: Codes) -> NDArray[np.bool_]:
    """Return for each row what holds for its value.

    Where it holds for few values they are compared with the codes, which is five times as fast.
    """
    hits = np.flatnonzero(holds).tolist()
    if len(hits) > 3:
        rows: NDArray[np.bool_] = holds[codes]
        return rows
    rows = np.zeros(len(codes), dtype=np.bool_)
    for index in hits:
        rows |= codes == (-1 if index == len(holds) - 1 else index)
    return rows
