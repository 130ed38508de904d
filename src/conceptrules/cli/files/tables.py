"""Tables as files: CSV, TSV (gzipped or not) and Parquet in, CSV or Parquet out, `-` for CSV on standard streams."""

from __future__ import annotations

import csv as python_csv
import gzip
import io
import os
import sys
import warnings
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from conceptrules.cli.files import diagnosis
from conceptrules.model.errors import InputError

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

    def __init__(self, name: str, data: bytes, delimiter: str, before: int = 0) -> None:
        """`before`: how many lines of the file there are before these."""
        self.name, self._data, self._delimiter, self._before = name, data, delimiter, before
        diagnosis.check_text(name, data, delimiter, before)

    @cached_property
    def columns(self) -> list[str]:
        return distinct(self.name, diagnosis.header(self._data, self._delimiter))

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        types = {column: TYPES[kind] for column, kind in (kinds or {}).items() if kind in TYPES}
        table = self._parsed(types, columns)
        for field in table.schema:
            kind = (kinds or {}).get(field.name)
            if pa.types.is_string(field.type) and kind is None:
                self._check_words(table[field.name], field.name)
            elif pa.types.is_string(field.type) and kind in diagnosis.MOMENTS:
                raise diagnosis.no_moment(
                    table[field.name], field.name, kind, self.name, self._data, self._delimiter, self._before
                )
        return without_clocks(table)

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
            raise diagnosis.explained(error, self.name, self._data, self._delimiter, self._before) from None


class Parquet:
    """A Parquet file; it knows the types of its columns itself."""

    def __init__(self, name: str) -> None:
        self.name, self._file = name, open_parquet(name)

    @cached_property
    def columns(self) -> list[str]:
        return distinct(self.name, self._file.schema_arrow.names)

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        return without_clocks(self._file.read(columns=list(columns)))

    def copy(self) -> pa.Table:
        return self._file.read()


def open_parquet(name: str, **options: Any) -> parquet.ParquetFile:
    try:
        return parquet.ParquetFile(name, **options)
    except pa.ArrowInvalid:
        raise InputError(f"{name} is not a Parquet file, or was cut short") from None


def table_suffix(name: str) -> str:
    """How a file of this name is read."""
    return _suffix(name, (*DELIMITERS, PARQUET))


def open_table(name: str) -> Source:
    """The table in a file, by its suffix, or CSV on standard input."""
    if name == STREAM:
        return Delimited("standard input", sys.stdin.buffer.read(), ",")
    suffix = table_suffix(name)
    if suffix == PARQUET:
        return Parquet(name)
    data = Path(name).read_bytes()
    return Delimited(name, _unzipped(name, data) if suffix.endswith(".gz") else data, DELIMITERS[suffix])


def write_table(table: pa.Table, name: str) -> None:
    """A table as CSV on standard output, or in a file that appears only when it is complete."""
    if not is_parquet(name):
        with csv_output(name) as file:
            file.write(csv_header(table.column_names) + csv_rows(table))
        return
    with _replacing(Path(name).resolve()) as file:
        parquet.write_table(table, file)


def is_parquet(name: str) -> bool:
    """Whether a table of this name is written as Parquet, or else as CSV."""
    return name != STREAM and _suffix(name, (".csv", PARQUET)) == PARQUET


@contextmanager
def csv_output(name: str) -> Iterator[BinaryIO]:
    """Standard output, or a file that appears only when it is complete."""
    if name == STREAM:
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # who reads it has seen enough, as `head` does; what is left goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    else:
        with _replacing(Path(name).resolve()) as file:
            yield file


@contextmanager
def parquet_output(name: str, held: pa.Schema, schema: pa.Schema) -> Iterator[parquet.ParquetWriter]:
    """A file to which tables with the schema `held` are added, and that appears only when it is complete.

    Readers find the types of `schema` in it: a Parquet file does not care what is a dictionary, it only keeps a note.
    """
    with _replacing(Path(name).resolve()) as file, parquet.ParquetWriter(file, held, store_schema=False) as writer:
        yield writer
        writer.add_key_value_metadata({"ARROW:schema": b64encode(schema.serialize().to_pybytes()).decode()})


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


def csv_header(columns: Sequence[str]) -> bytes:
    header = io.StringIO()
    python_csv.writer(header, lineterminator="\n").writerow(columns)
    return header.getvalue().encode()


def csv_rows(table: pa.Table) -> bytes:
    """Quotes only around values that need them; then, pyarrow would put them around all text."""
    body = pa.BufferOutputStream()
    try:
        csv.write_csv(table, body, csv.WriteOptions(include_header=False, quoting_style="none"))
    except pa.ArrowInvalid:
        return _quoted_rows(table)
    return body.getvalue().to_pybytes()


def _quoted_rows(table: pa.Table) -> bytes:
    columns = [_quoted(column.cast(pa.large_string())) for column in table.columns]
    lines = pc.binary_join_element_wise(*columns, _large(","), null_handling="replace", null_replacement="")
    return "".join(f"{line}\n" for line in lines.to_pylist()).encode()


def _quoted(column: pa.ChunkedArray) -> pa.ChunkedArray:
    doubled = pc.replace_substring(column, '"', '""')
    quoted = pc.binary_join_element_wise(_large('"'), doubled, _large('"'), _large(""))
    return pc.if_else(pc.match_substring_regex(column, '[",\r\n]'), quoted, column)


def _large(text: str) -> pa.Scalar:
    return pa.scalar(text, pa.large_string())


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def without_clocks(table: pa.Table) -> pa.Table:
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


def distinct(name: str, columns: Sequence[str]) -> list[str]:
    for column in columns:
        if columns.count(column) > 1:
            raise InputError(f"{name} has {columns.count(column)} columns of the name {column!r}; rename them")
    return list(columns)
