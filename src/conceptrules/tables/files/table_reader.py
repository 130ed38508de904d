"""Tables in files: CSV and TSV, gzipped or not, and Parquet; `-` is CSV on standard input."""

from __future__ import annotations

import codecs
import gzip
import os
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from shlex import quote
from typing import Any, BinaryIO, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from conceptrules.model.errors import InputError
from conceptrules.model.text import plural
from conceptrules.tables.files.csv_text import CsvText
from conceptrules.tables.files.formats import DELIMITERS, PARQUET, STREAM, USUAL, TextFormat, table_suffix
from conceptrules.tables.files.written_values import (
    NEARLY_ALL,
    are_numbers,
    is_date,
    parse_censored,
    read_censored_numbers,
    read_dates,
)
from conceptrules.tables.text_values import find_written_kind

_TYPES = {"category": pa.string(), "number": pa.float64(), "boolean": pa.bool_()}
"""The types of columns whose kind is known; other kinds are left to pyarrow's inference."""
_MOMENTS = {
    "date": "dates such as 2021-03-05",
    "datetime": "dates and times such as 2021-03-05 14:30",
    "duration": "times of day such as 14:30:00",
}
"""Kinds that are left to pyarrow to recognise, and what it recognises as them."""
_CLOCKS = (pa.time32("s"),)
_TIMES = (pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("s", "UTC"), pa.timestamp("ns", "UTC"))
CODES = pa.large_string()
"""What `Delimited.infer_types` says of whole numbers with leading zeros, such as zip codes."""
_CENSORING = re.compile(rb"[<>]")
_LEADING_ZERO = re.compile(rb"(?<![0-9.])0[0-9]")


class TableFile(Protocol):
    """A table whose column names are known and whose values are not read yet."""

    @property
    def name(self) -> str: ...

    @property
    def columns(self) -> list[str]: ...

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        """Return these columns, of the kinds given or, without a kind, as their values look."""

    def copy(self) -> pa.Table:
        """Return all columns, just as they are written."""


@dataclass(frozen=True)
class ParquetRows:
    """Rows of a Parquet file, which knows the types of its columns itself."""

    name: str
    columns: list[str]
    load: Callable[[list[str]], pa.Table]

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        return with_durations(self.load(list(columns)))

    def copy(self) -> pa.Table:
        return self.load(self.columns)


class Delimited:
    """Text with a header row. Only the empty field is missing, and words that are named: NA and null are words."""

    def __init__(self, text: CsvText, text_format: TextFormat = USUAL) -> None:
        text.check()
        self.name, self._text, self._format = text.name, text, text_format

    @cached_property
    def columns(self) -> list[str]:
        return check_distinct(self.name, self._text.header())

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        return with_durations(self._interpret(columns, kinds or {})[0])

    def copy(self) -> pa.Table:
        return self._parse(dict.fromkeys(self.columns, pa.string()), self.columns, [""])

    def infer_types(self, columns: Sequence[str], kinds: Mapping[str, str]) -> dict[str, pa.DataType]:
        """Return what these columns would be read as by themselves; whole numbers with leading zeros are `CODES`."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about this text only, which may be a part
            table, coded = self._interpret(columns, kinds)
        return {field.name: CODES if field.name in coded else field.type for field in table.schema}

    def _interpret(self, columns: Sequence[str], kinds: Mapping[str, str]) -> tuple[pa.Table, list[str]]:
        """Return the columns as what they are meant to be, and which of them are codes with leading zeros."""
        types = {column: _TYPES[kind] for column, kind in kinds.items() if kind in _TYPES}
        try:
            table = self._parse(types, columns)
        except InputError:
            if "number" not in kinds.values():
                raise
            types |= {column: pa.string() for column, kind in kinds.items() if kind == "number"}
            table = self._parse(types, columns)
        whole = [field.name for field in table.schema if pa.types.is_integer(field.type) and field.name not in types]
        coded = self._find_codes(whole)
        for name in coded:
            _warn(leading_zeros_message(name))
        if coded:
            table = self._parse({**types, **dict.fromkeys(coded, pa.string())}, columns)
        for index, field in enumerate(table.schema):
            if pa.types.is_string(field.type) and field.name not in coded:
                column = self._interpret_text(table[index], field.name, kinds.get(field.name))
                table = table.set_column(index, field.name, column)
        return table, coded

    @property
    def _may_be_censored(self) -> bool:
        return _CENSORING.search(self._text.data) is not None

    def _find_codes(self, names: Sequence[str]) -> list[str]:
        """Return the columns of digits with a leading zero, such as zip codes: they are names, not numbers."""
        if not names or not _LEADING_ZERO.search(self._text.data):
            return []
        texts = self._parse(dict.fromkeys(names, pa.string()), names)
        return [name for name in names if pc.any(pc.match_substring_regex(texts[name], r"^\s*0\d")).as_py()]

    def _interpret_text(self, column: pa.ChunkedArray, name: str, kind: str | None) -> pa.ChunkedArray:
        """Return what a column of text is meant to be: numbers of which some are censored, dates, or text."""
        if kind in (None, "number") and self._may_be_censored and (numbers := read_censored_numbers(column)):
            values, count, first = numbers
            if kind is None:
                _warn(
                    f"column {name!r} has {plural(count, 'value')} such as {first!r} among its numbers; they are read "
                    f"as numbers just beyond the limit, {first!r} as {parse_censored(first)} "
                    f"(--kind {quote(f'{name}=category')} if they are text)"
                )
            return values
        if kind == "number" and find_written_kind(pc.unique(column).drop_null().to_pylist()) == "number":
            return column  # as it is where the text was learned from
        if kind == "number":  # it was read as text because another column did not hold what it should
            self._check_numbers(column, name)
            return self._parse({name: _TYPES["number"]}, [name])[name]
        if kind == "duration":
            raise self._explain_moment(column, name, kind)
        return self._interpret_dates(column, name, kind) if kind in (None, "date", "datetime") else column

    def _interpret_dates(self, column: pa.ChunkedArray, name: str, kind: str | None) -> pa.ChunkedArray:
        """Return the dates of a column of text, or the text if it holds others and no kind is given."""
        dates = read_dates(column, self._format.day_first)
        if dates.values is not None:
            return dates.values
        if dates.ambiguous:
            message = (
                f"column {name!r} holds dates such as {dates.ambiguous!r} in which either number could be the month; "
                "say --dates day-first or --dates month-first"
            )
            if kind is not None:
                raise InputError(f"{self.name}: {message}")
            _warn(f"{message}, or they are read as text")
        elif kind is not None:
            raise self._explain_moment(column, name, kind)
        elif dates.share >= NEARLY_ALL:
            _warn(
                f"column {name!r} is text, but nearly all of it is dates; the first other value is "
                f"{dates.first_other!r}; if that means missing, say --missing {quote(dates.first_other)}"
            )
        else:
            self._warn_of_words_among_numbers(column, name)
        return column

    def _check_numbers(self, column: pa.ChunkedArray, name: str) -> None:
        numeric = are_numbers(column).to_pylist()
        for row, value in enumerate(column.to_pylist()):
            if numeric[row] is False and parse_censored(value) is None:
                raise self._text.value_error(row + 2, name, "numbers", value)

    def _explain_moment(self, column: pa.ChunkedArray, name: str, kind: str) -> InputError:
        """Return what is wrong with text that should hold times: the first value that is no time, or a mix of zones."""
        for row, value in enumerate(column.to_pylist()):
            if value is not None and not _is_moment(value, kind):
                return self._text.value_error(row + 2, name, _MOMENTS[kind], value)
        return InputError(f"{self.name}: {mixed_zones_message(name)}")

    def _warn_of_words_among_numbers(self, column: pa.ChunkedArray, name: str) -> None:
        numeric = are_numbers(column)
        values, numbers = len(column) - column.null_count, pc.sum(numeric).as_py() or 0
        if not NEARLY_ALL * values <= numbers < values:
            return
        row = pc.index(numeric, False).as_py()
        word = column[row].as_py()
        _warn(
            f"column {name!r} is text, but {numbers} of {values} values are numbers; the first other value is "
            f"{word!r} (line {self._text.line_of(row + 2)}); if that means missing, say --missing {quote(word)}; if "
            f"the column is meant to be text, say --kind {quote(f'{name}=category')}"
        )

    def _parse(
        self,
        types: Mapping[str, pa.DataType],
        columns: Sequence[str],
        missing: Sequence[str] | None = None,
        block: int = 1 << 20,
    ) -> pa.Table:
        missing, data = self._format.missing if missing is None else missing, self._text.data
        try:
            return csv.read_csv(
                pa.BufferReader(data),
                # with threads, errors do not say where
                read_options=csv.ReadOptions(use_threads=False, block_size=block),
                parse_options=csv.ParseOptions(delimiter=self._text.delimiter, newlines_in_values=True),
                convert_options=csv.ConvertOptions(
                    column_types=types,
                    include_columns=list(columns),
                    null_values=list(missing),
                    strings_can_be_null=True,
                ),
            )
        except pa.ArrowInvalid as error:
            if "straddling" in str(error) and block < len(data):  # a row that does not lie within two blocks
                return self._parse(types, columns, missing, len(data))
            raise self._text.explain(error) from None


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=3)


def _is_moment(value: str, kind: str) -> bool:
    if kind != "duration" and is_date(value):
        return True
    for type_ in _CLOCKS if kind == "duration" else _TIMES:
        try:
            pa.scalar(value.strip(" \t")).cast(type_)
        except pa.ArrowInvalid:
            continue
        return True
    return False


def leading_zeros_message(name: str) -> str:
    """Return the message that a column of digits is read as text."""
    option = f"--kind {quote(f'{name}=number')}"
    return f"column {name!r} has numbers with leading zeros, and is read as text ({option} if it is a number)"


def mixed_zones_message(name: str) -> str:
    """Return the message that times of a column cannot be compared."""
    return f"column {name!r} has values with a time zone and values without; make them alike"


def with_durations(table: pa.Table) -> pa.Table:
    """Return the table with times of day as durations since midnight, which are ordered and read the same: 14:30:00."""
    for index, field in enumerate(table.schema):
        if pa.types.is_time(field.type):
            number = table[index].cast(f"int{field.type.bit_width}").cast("int64")
            table = table.set_column(index, field.name, number.cast(pa.duration(field.type.unit)))
    return table


@dataclass(frozen=True, slots=True)
class TextStream:
    """A file of text, or standard input, that is open for reading."""

    name: str
    delimiter: str
    stream: BinaryIO
    tell: Callable[[], int] = lambda: 0
    """How many bytes of the file were read."""
    size: int | None = None

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, unzipped; all of them without a size."""
        try:
            return self.stream.read(size)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"{self.name} is not a complete gzip file ({error})") from None
        except UnicodeError as error:
            raise InputError(f"{self.name} is not written in the --encoding that was given: {error}") from None


@contextmanager
def open_text(name: str, text: TextFormat) -> Iterator[TextStream]:
    """Open a file of text, by the suffix of its name, or standard input."""
    if name == STREAM:
        yield TextStream("standard input", text.delimiter or ",", _decode(sys.stdin.buffer, text))
        return
    suffix = table_suffix(name)
    with open(name, "rb") as file:
        stream: Any = gzip.GzipFile(fileobj=file) if suffix.endswith(".gz") else file
        stream = _decode(stream, text)
        yield TextStream(name, text.delimiter or DELIMITERS[suffix], stream, file.tell, os.path.getsize(name))


def _decode(stream: Any, text: TextFormat) -> Any:
    """Return a stream of UTF-8, whatever the text is written in."""
    utf8 = codecs.lookup(text.encoding) == codecs.lookup("utf-8")
    return stream if utf8 else codecs.EncodedFile(stream, "utf-8", text.encoding)


@contextmanager
def report_damage(name: str) -> Iterator[None]:
    """Name the file in errors of pyarrow, which has read its end and stumbles over its rows."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if getattr(error, "errno", None):  # one of the operating system, which says enough
            raise
        raise InputError(f"{name} is damaged: {' '.join(str(error).split())}") from None


def open_parquet(name: str, **options: Any) -> parquet.ParquetFile:
    try:
        return parquet.ParquetFile(name, **options)
    except pa.ArrowInvalid:
        raise InputError(f"{name} is not a Parquet file, or was cut short") from None


def open_file(name: str, text: TextFormat = USUAL) -> TableFile:
    """Open a table to be read as a whole, by the suffix of its name, or CSV on standard input."""
    if name != STREAM and table_suffix(name) == PARQUET:
        file = open_parquet(name)
        columns = check_distinct(name, file.schema_arrow.names)
        return ParquetRows(name, columns, report_damage(name)(lambda columns: file.read(columns=columns)))
    with open_text(name, text) as stream:
        return Delimited(CsvText(stream.name, stream.read(), stream.delimiter), text)


def check_distinct(name: str, columns: Sequence[str]) -> list[str]:
    """Return the column names, or raise if one of them occurs twice."""
    for column in columns:
        if columns.count(column) > 1:
            raise InputError(f"{name} has {columns.count(column)} columns of the name {column!r}; rename them")
    return list(columns)
