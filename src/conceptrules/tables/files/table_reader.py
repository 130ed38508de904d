"""Tables in files: CSV and TSV, gzipped or not, and Parquet; `-` is CSV on standard input."""

from __future__ import annotations

import gzip
import re
import sys
import warnings
import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from conceptrules.model.errors import InputError
from conceptrules.model.text import plural
from conceptrules.tables.files import csv_errors
from conceptrules.tables.files.censored_numbers import number, read_numbers
from conceptrules.tables.files.formats import DELIMITERS, PARQUET, STREAM, USUAL, TextFormat, table_suffix
from conceptrules.tables.files.written_dates import read_dates

_TYPES = {"category": pa.string(), "number": pa.float64(), "boolean": pa.bool_()}
"""The types of columns whose kind is known; other kinds are left to pyarrow's inference."""


CODES = pa.large_string()
"""What `Delimited.types` says of whole numbers with leading zeros, such as zip codes."""
_CENSORING = re.compile(rb"[<>]")
_LEADING_ZERO = re.compile(rb"(?<![0-9.])0[0-9]")


def leading_zeros(name: str) -> str:
    """Return the message that a column of digits is read as text."""
    option = f"--kind {quote(f'{name}=number')}"
    return f"column {name!r} has numbers with leading zeros, and is read as text ({option} if it is a number)"


def _whole(field: pa.Field) -> bool:
    return bool(pa.types.is_integer(field.type))


class TableFile(Protocol):
    """A table whose column names are known and whose values are not read yet."""

    name: str

    @property
    def columns(self) -> list[str]: ...

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        """Return these columns, of the kinds given or, without a kind, as their values look."""

    def copy(self) -> pa.Table:
        """Return all columns, just as they are written."""


class Delimited:
    """Text with a header row. Only the empty field is missing, and words that are named: NA and null are words."""

    def __init__(self, name: str, data: bytes, delimiter: str, before: int = 0, text: TextFormat = USUAL) -> None:
        """Take the text of some rows; the file has `before` lines above them."""
        self.name, self._data, self._delimiter, self._before = name, data, delimiter, before
        self._missing, self._day_first = list(text.missing), text.day_first
        csv_errors.check_text(name, data, delimiter, before)

    @cached_property
    def columns(self) -> list[str]:
        return distinct(self.name, csv_errors.header(self._data, self._delimiter))

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        kinds = kinds or {}
        table, types = self._as_told(columns, kinds)
        coded = self._codes([field.name for field in table.schema if _whole(field) and field.name not in types])
        for name in coded:
            warnings.warn(leading_zeros(name), stacklevel=2)
        if coded:
            table = self._parsed({**types, **dict.fromkeys(coded, pa.string())}, columns)
        for index, field in enumerate(table.schema):
            if pa.types.is_string(field.type) and field.name not in coded:
                table = table.set_column(
                    index, field.name, self._meant(table[index], field.name, kinds.get(field.name))
                )
        return with_durations(table)

    def types(self, columns: Sequence[str], kinds: Mapping[str, str]) -> dict[str, pa.DataType]:
        """Return what these columns would be read as by themselves; whole numbers with leading zeros are `CODES`."""
        table, types = self._as_told(columns, kinds)
        coded = self._codes([field.name for field in table.schema if _whole(field) and field.name not in types])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about this text only, which may be a part
            return {
                field.name: CODES
                if field.name in coded
                else self._meant(table[field.name], field.name, kinds.get(field.name)).type
                if pa.types.is_string(field.type)
                else field.type
                for field in table.schema
            }

    def _as_told(self, columns: Sequence[str], kinds: Mapping[str, str]) -> tuple[pa.Table, dict[str, pa.DataType]]:
        """Return the columns as text, or of the types that their kinds have, and the types that were told."""
        types = {column: _TYPES[kind] for column, kind in kinds.items() if kind in _TYPES}
        try:
            return self._parsed(types, columns), types
        except InputError:
            if not _CENSORING.search(self._data):
                raise
            types |= {column: pa.string() for column, kind in kinds.items() if kind == "number"}
            return self._parsed(types, columns), types

    def _meant(self, column: pa.ChunkedArray, name: str, kind: str | None) -> pa.ChunkedArray:
        """Return what a column of text is meant to be: dates, numbers of which some are censored, or text."""
        censored = kind in (None, "number") and _CENSORING.search(self._data) is not None
        if censored and (numbers := read_numbers(column)) is not None:
            values, count, first = numbers
            if kind is None:
                warnings.warn(
                    f"column {name!r} has {plural(count, 'value')} such as {first!r} among its numbers; they are read "
                    f"as numbers just beyond the limit, {first!r} as {number(first)} "
                    f"(--kind {quote(f'{name}=category')} if they are text)",
                    stacklevel=2,
                )
            return values
        if kind == "number":
            return self._as_numbers(column, name)
        if kind not in (None, "date", "datetime"):
            if kind in csv_errors.MOMENTS:
                raise self._no_moment(column, name, kind)
            return column
        dates = read_dates(column, self._day_first)
        if dates.values is not None:
            return dates.values
        if dates.unsure:
            message = (
                f"column {name!r} holds dates such as {dates.unsure!r} in which either number could be the month; say "
                "--dates day-first or --dates month-first"
            )
            if kind is not None:
                raise InputError(f"{self.name}: {message}")
            warnings.warn(f"{message}, or they are read as text", stacklevel=2)
        elif kind is not None:
            raise self._no_moment(column, name, kind)
        elif dates.share >= csv_errors.NEARLY_ALL:
            warnings.warn(
                f"column {name!r} is text, but nearly all of it is dates; the first other value is {dates.other!r}; if "
                f"that means missing, say --missing {quote(dates.other)}",
                stacklevel=2,
            )
        else:
            self._check_words(column, name)
        return column

    def _as_numbers(self, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
        """Return plain numbers; the column was read as text because another one did not hold what it should."""
        if pc.all(csv_errors.are_numbers(column)).as_py() is False:
            raise csv_errors.no_number(column, name, self.name, self._data, self._delimiter, self._before, number)
        return self._parsed({name: _TYPES["number"]}, [name])[name]

    def _no_moment(self, column: pa.ChunkedArray, name: str, kind: str) -> InputError:
        return csv_errors.no_moment(column, name, kind, self.name, self._data, self._delimiter, self._before)

    def _codes(self, names: Sequence[str]) -> list[str]:
        """Return the columns of digits with a leading zero, such as zip codes: they are names, and no numbers."""
        if not names or not _LEADING_ZERO.search(self._data):
            return []
        texts = self._parsed(dict.fromkeys(names, pa.string()), names)
        return [name for name in names if pc.any(pc.match_substring_regex(texts[name], r"^\s*0\d")).as_py()]

    def _check_words(self, column: pa.ChunkedArray, name: str) -> None:
        message = csv_errors.words_among_numbers(column, name, self._data, self._delimiter)
        if message:
            warnings.warn(message, stacklevel=2)

    def copy(self) -> pa.Table:
        return self._parsed(dict.fromkeys(self.columns, pa.string()), self.columns, [""])

    def _parsed(
        self, types: Mapping[str, pa.DataType], columns: Sequence[str], missing: Sequence[str] | None = None
    ) -> pa.Table:
        missing = self._missing if missing is None else list(missing)
        try:
            return csv.read_csv(
                pa.BufferReader(self._data),
                read_options=csv.ReadOptions(use_threads=False),  # with threads, errors do not say where
                parse_options=csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                convert_options=csv.ConvertOptions(
                    column_types=types, include_columns=list(columns), null_values=missing, strings_can_be_null=True
                ),
            )
        except pa.ArrowInvalid as error:
            raise csv_errors.explained(error, self.name, self._data, self._delimiter, self._before) from None


class Parquet:
    """A Parquet file; it knows the types of its columns itself."""

    def __init__(self, name: str) -> None:
        self.name, self._file = name, open_parquet(name)

    @cached_property
    def columns(self) -> list[str]:
        return distinct(self.name, self._file.schema_arrow.names)

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        return with_durations(self._file.read(columns=list(columns)))

    def copy(self) -> pa.Table:
        return self._file.read()


def open_parquet(name: str, **options: Any) -> parquet.ParquetFile:
    try:
        return parquet.ParquetFile(name, **options)
    except pa.ArrowInvalid:
        raise InputError(f"{name} is not a Parquet file, or was cut short") from None


def open_file(name: str, text: TextFormat = USUAL) -> TableFile:
    """Open a table, by the suffix of its name, or CSV on standard input."""
    if name == STREAM:
        data = sys.stdin.buffer.read()
        return Delimited("standard input", data, text.delimiter or ",", text=text)
    suffix = table_suffix(name)
    if suffix == PARQUET:
        return Parquet(name)
    data = Path(name).read_bytes()
    plain = _unzipped(name, data) if suffix.endswith(".gz") else data
    return Delimited(name, plain, text.delimiter or DELIMITERS[suffix], text=text)


def with_durations(table: pa.Table) -> pa.Table:
    """Return the table with times of day as durations since midnight, which are ordered and read the same: 14:30:00."""
    for index, field in enumerate(table.schema):
        if pa.types.is_time(field.type):
            number = table[index].cast(f"int{field.type.bit_width}").cast("int64")
            table = table.set_column(index, field.name, number.cast(pa.duration(field.type.unit)))
    return table


def _unzipped(name: str, data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{name} is not a complete gzip file ({error})") from None


def distinct(name: str, columns: Sequence[str]) -> list[str]:
    """Return the column names, or raise if one of them occurs twice."""
    for column in columns:
        if columns.count(column) > 1:
            raise InputError(f"{name} has {columns.count(column)} columns of the name {column!r}; rename them")
    return list(columns)
