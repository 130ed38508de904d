"""Tables as files: CSV, TSV (gzipped or not) and Parquet in, CSV or Parquet out, `-` for CSV on standard streams."""

from __future__ import annotations

import csv as python_csv
import gzip
import io
import os
import sys
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Protocol

import pyarrow as pa
from pyarrow import csv, parquet

from conceptrules.cli import diagnosis
from conceptrules.rules.errors import InputError

STREAM = "-"
DELIMITERS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
PARQUET = ".parquet"
TABLES = (".csv", ".tsv", ".gz", PARQUET)  # what a model is not to be called
# How the text of a column is read when its kind is known; other kinds are left to pyarrow's inference.
TYPES = {"category": pa.string(), "number": pa.float64(), "boolean": pa.bool_(), "date": pa.date32()}


class Source(Protocol):
    """A table whose names are known and whose values are not read yet."""

    name: str

    @property
    def columns(self) -> list[str]: ...

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        """The values of these columns, of the kinds given or as they seem to be."""

    def copy(self) -> pa.Table:
        """All columns, just as they are written."""


class Delimited:
    """Text with a header row. The empty field is the only missing value: NA, none and null are words."""

    def __init__(self, name: str, data: bytes, delimiter: str) -> None:
        self.name, self._data, self._delimiter = name, data, delimiter
        diagnosis.check_text(name, data, delimiter)

    @cached_property
    def columns(self) -> list[str]:
        return _distinct(self.name, diagnosis.header(self._data, self._delimiter))

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        types = {column: TYPES[kind] for column, kind in (kinds or {}).items() if kind in TYPES}
        table = self._parsed(types, columns)
        for field in table.schema:
            if pa.types.is_string(field.type) and field.name not in (kinds or {}):
                self._check_words(table[field.name], field.name)
        return _without_clocks(table)

    def _check_words(self, column: pa.ChunkedArray, name: str) -> None:
        message = diagnosis.words_among_numbers(column, name, self._data, self._delimiter)
        if message:
            warnings.warn(message, stacklevel=2)

    def copy(self) -> pa.Table:
        return self._parsed(dict.fromkeys(self.columns, pa.string()), self.columns)

    def _parsed(self, types: Mapping[str, pa.DataType], columns: Sequence[str]) -> pa.Table:
        try:
            return csv.read_csv(
                pa.BufferReader(self._data),
                read_options=csv.ReadOptions(use_threads=False),  # with threads, errors do not say where
                parse_options=csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                convert_options=csv.ConvertOptions(
                    column_types=types, include_columns=list(columns), null_values=[""], strings_can_be_null=True
                ),
            )
        except pa.ArrowInvalid as error:
            raise diagnosis.explained(error, self.name, self._data, self._delimiter) from None


class Parquet:
    """A Parquet file; it knows the types of its columns itself."""

    def __init__(self, name: str) -> None:
        self.name = name
        try:
            self._file = parquet.ParquetFile(name)
        except pa.ArrowInvalid:
            raise InputError(f"{name} is not a Parquet file, or was cut short") from None

    @cached_property
    def columns(self) -> list[str]:
        return _distinct(self.name, self._file.schema_arrow.names)

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        return _without_clocks(self._file.read(columns=list(columns)))

    def copy(self) -> pa.Table:
        return self._file.read()


def open_table(name: str) -> Source:
    """The table in a file, by its suffix, or CSV on standard input."""
    if name == STREAM:
        return Delimited("standard input", sys.stdin.buffer.read(), ",")
    suffix = _suffix(name, (*DELIMITERS, PARQUET))
    if suffix == PARQUET:
        return Parquet(name)
    data = Path(name).read_bytes()
    return Delimited(name, _unzipped(name, data) if suffix.endswith(".gz") else data, DELIMITERS[suffix])


def write_table(table: pa.Table, name: str) -> None:
    """A table as CSV on standard output, or in a file that appears only when it is complete."""
    if name == STREAM:
        sys.stdout.buffer.write(_as_csv(table))
        sys.stdout.buffer.flush()
        return
    with _replacing(Path(name).resolve()) as file:
        if _suffix(name, (".csv", PARQUET)) == PARQUET:
            parquet.write_table(table, file)
        else:
            file.write(_as_csv(table))


def write_bytes(data: bytes, name: str) -> None:
    """To standard output, or to a file that appears only when it is complete."""
    if name == STREAM:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with _replacing(Path(name).resolve()) as file:
        file.write(data)


def check_table_output(name: str) -> None:
    """Complain now, rather than after long work, if `write_table` could not write there."""
    if name != STREAM:
        _suffix(name, (".csv", PARQUET))
        check_output(name)


def check_model_output(name: str) -> None:
    """Complain now if a model could not be written there, or would look like a table."""
    if name != STREAM:
        if name.lower().endswith(TABLES):
            raise InputError(f"-o {name} is the name of a table; a model is JSON, name it for example model.json")
        check_output(name)


def check_not_input(output: str, inputs: Sequence[str]) -> None:
    """Complain if writing would destroy what is read, by whatever name."""
    for name in inputs:
        there = STREAM not in (name, output) and os.path.exists(name) and os.path.exists(output)
        if there and os.path.samefile(name, output):
            raise InputError(f"-o {output} is the file {name} itself, which would be lost; name another one")


def check_output(name: str) -> None:
    """Complain now, rather than after long work, if a file of this name could not be written."""
    path = Path(name).resolve()
    if not path.parent.is_dir():
        raise InputError(f"{name}: the folder {path.parent} does not exist; make it first")
    if path.is_dir():
        raise InputError(f"{name} is a folder; name a file")
    if path.exists() and not path.is_file():
        raise InputError(f"{name} is not an ordinary file; use {STREAM} for standard output")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"the folder {path.parent} cannot be written to; choose another")


@contextmanager
def naming(name: str) -> Iterator[None]:
    """An error of a temporary file is told by the name that the user gave."""
    try:
        yield
    except OSError as error:
        raise (OSError(error.errno, error.strerror, name) if error.filename else error) from None


def _as_csv(table: pa.Table) -> bytes:
    """With quotes only if some value needs them (pyarrow then quotes all text)."""
    header = io.StringIO()
    python_csv.writer(header, lineterminator="\n").writerow(table.column_names)
    body = pa.BufferOutputStream()
    try:
        csv.write_csv(table, body, csv.WriteOptions(include_header=False, quoting_style="none"))
    except pa.ArrowInvalid:
        body = pa.BufferOutputStream()
        csv.write_csv(table, body, csv.WriteOptions(include_header=False, quoting_style="needed"))
    return header.getvalue().encode() + body.getvalue().to_pybytes()


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _without_clocks(table: pa.Table) -> pa.Table:
    """Times of day as durations since midnight, which are ordered and read the same: 14:30:00."""
    for index, field in enumerate(table.schema):
        if pa.types.is_time(field.type):
            number = table[index].cast(f"int{field.type.bit_width}").cast("int64")
            table = table.set_column(index, field.name, number.cast(pa.duration(field.type.unit)))
    return table


def _suffix(name: str, known: Sequence[str]) -> str:
    for suffix in known:
        if name.lower().endswith(suffix):
            return suffix
    raise InputError(f"{name}: the name must end in one of {', '.join(known)}, or be {STREAM} for a stream of CSV")


def _unzipped(name: str, data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{name} is not a complete gzip file ({error})") from None


def _distinct(name: str, columns: Sequence[str]) -> list[str]:
    for column in columns:
        if columns.count(column) > 1:
            raise InputError(f"{name} has {columns.count(column)} columns of the name {column!r}; rename them")
    return list(columns)
