"""Tables that commands read: CSV and TSV, gzipped or not, and Parquet; `-` is CSV on standard input."""

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

from conceptrules.cli.files import csv_errors
from conceptrules.cli.files.file_names import DELIMITERS, PARQUET, STREAM, table_suffix
from conceptrules.cli.files.text_format import USUAL, TextFormat
from conceptrules.model.errors import InputError

_TYPES = {"category": pa.string(), "number": pa.float64(), "boolean": pa.bool_(), "date": pa.date32()}
"""The types of columns whose kind is known; other kinds are left to pyarrow's inference."""


_LEADING_ZERO = re.compile(rb"(?<![0-9.])0[0-9]")


def _whole(field: pa.Field) -> bool:
    return bool(pa.types.is_integer(field.type))


class Source(Protocol):
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

    def __init__(
        self, name: str, data: bytes, delimiter: str, before: int = 0, missing: Sequence[str] = USUAL.missing
    ) -> None:
        """Take the text of some rows; the file has `before` lines above them."""
        self.name, self._data, self._delimiter, self._before = name, data, delimiter, before
        self._missing = list(missing)
        csv_errors.check_text(name, data, delimiter, before)

    @cached_property
    def columns(self) -> list[str]:
        return distinct(self.name, csv_errors.header(self._data, self._delimiter))

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        types = {column: _TYPES[kind] for column, kind in (kinds or {}).items() if kind in _TYPES}
        table = self._parsed(types, columns)
        coded = self._codes([field.name for field in table.schema if _whole(field) and field.name not in types])
        for name in coded:
            option = f"--kind {quote(f'{name}=number')}"
            warnings.warn(
                f"column {name!r} has numbers with leading zeros, and is read as text ({option} if it is a number)",
                stacklevel=2,
            )
        if coded:
            table = self._parsed({**types, **dict.fromkeys(coded, pa.string())}, columns)
        for field in table.schema:
            kind = (kinds or {}).get(field.name)
            if pa.types.is_string(field.type) and kind is None and field.name not in coded:
                self._check_words(table[field.name], field.name)
            elif pa.types.is_string(field.type) and kind in csv_errors.MOMENTS:
                raise csv_errors.no_moment(
                    table[field.name], field.name, kind, self.name, self._data, self._delimiter, self._before
                )
        return with_durations(table)

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


def open_table(name: str, text: TextFormat = USUAL) -> Source:
    """Open a table, by the suffix of its name, or CSV on standard input."""
    if name == STREAM:
        data = sys.stdin.buffer.read()
        return Delimited("standard input", data, text.delimiter or ",", missing=text.missing)
    suffix = table_suffix(name)
    if suffix == PARQUET:
        return Parquet(name)
    data = Path(name).read_bytes()
    plain = _unzipped(name, data) if suffix.endswith(".gz") else data
    return Delimited(name, plain, text.delimiter or DELIMITERS[suffix], missing=text.missing)


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
