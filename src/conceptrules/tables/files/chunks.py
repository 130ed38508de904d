"""Tables in chunks: each is a small table of whole rows, so that one larger than memory is read as a small one is.

Several files with the same columns are one table: the rows of the first file, then those of the second, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import pyarrow as pa
from pyarrow import parquet

from conceptrules.model.errors import InputError
from conceptrules.tables.files.csv_text import BOM, CsvText, count_lines, end_of_header, end_of_rows
from conceptrules.tables.files.formats import PARQUET, STREAM, USUAL, TextFormat, table_suffix
from conceptrules.tables.files.table_reader import (
    Delimited,
    ParquetRows,
    TableFile,
    TextStream,
    check_distinct,
    open_parquet,
    open_text,
    report_damage,
)
from conceptrules.tables.table import nearest

# Measured on adult as CSV with two cores: 1 MB is a tenth slower, 16 MB no faster.
TEXT_CHUNK = 4 << 20
LONGEST_ROW = 64 << 20
"""The most bytes of a row of text; what is longer is a quote that is never closed."""
CELLS = 2 << 20
"""The cells of a chunk of Parquet, many rows of a narrow table, few of a wide one: they take some 50 MB while they are
read, and each thread has a chunk."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a table."""

    open: Callable[[], TableFile]
    """Opens the chunk; the thread that takes it checks the text."""
    end: int
    """How far its end is into the table, in the unit of `ChunkedTable.total`."""


@dataclass(frozen=True, slots=True)
class ChunkedTable:
    """A table whose names and types are known, and whose rows come in chunks, once."""

    name: str
    """The file, or the first of several: what is said of its columns is true of all."""
    schema: pa.Schema
    copy_schema: pa.Schema
    """The schema of the copies of the chunks: the same, but columns of text may be dictionaries."""
    total: int | None
    """How many bytes or rows the table has; None where that is not known."""
    chunks: Callable[[], Iterator[Chunk]]

    @property
    def columns(self) -> list[str]:
        return list(self.schema.names)


@contextmanager
def open_chunks(name: str, categories: Collection[str] = (), text: TextFormat = USUAL) -> Iterator[ChunkedTable]:
    """Open the table in a file, by its suffix, or CSV on standard input.

    `categories` are the columns whose text is read for its categories.
    """
    if name != STREAM and table_suffix(name) == PARQUET:
        schema = open_parquet(name).schema_arrow
        check_distinct(name, schema.names)
        file = open_parquet_in_batches(name, schema, categories)
        yield ChunkedTable(name, schema, file.schema_arrow, file.metadata.num_rows, partial(_read_parquet, name, file))
        return
    with open_text(name, text) as stream:
        yield _chunk_text(stream, text)


@contextmanager
def open_files(
    names: Sequence[str], categories: Collection[str] = (), text: TextFormat = USUAL
) -> Iterator[ChunkedTable]:
    """Open the table in one or more files; they have to have the same columns, which is checked before any row is read.

    `categories` are the columns whose text is read for its categories.
    """
    if len(names) == 1:
        with open_chunks(names[0], categories, text) as table:
            yield table
        return
    tables = read_headers(names, categories, text)
    first, sizes = tables[0], [table.total or 0 for table in tables]
    # Text stays in dictionaries only if all files agree on what is text.
    alike = all(table.schema.equals(first.schema) for table in tables)
    try:
        schema = pa.unify_schemas([table.schema for table in tables], promote_options="permissive")
    except pa.ArrowException as error:
        raise InputError(
            f"{names[0]} and the other files have no types in common ({error}); write them alike"
        ) from None
    copy_schema = first.copy_schema if alike else schema

    def read_chunks() -> Iterator[Chunk]:
        before = 0
        for name, size in zip(names, sizes, strict=True):
            with open_chunks(name, categories if alike else (), text) as table:
                for chunk in table.chunks():
                    yield Chunk(partial(_Conformed, chunk.open, copy_schema), before + chunk.end)
            before += size

    yield ChunkedTable(names[0], schema, copy_schema, sum(sizes), read_chunks)


def read_headers(
    names: Sequence[str], categories: Collection[str] = (), text: TextFormat = USUAL
) -> list[ChunkedTable]:
    """Return what is known of files before their rows are read, or raise if they do not have the same columns."""
    tables = []
    for name in names:
        with open_chunks(name, categories, text) as table:
            tables.append(replace(table, chunks=lambda: iter(())))  # its first rows are not kept
            check_same_columns(name, table.schema, names[0], tables[0].schema)
    return tables


def check_same_columns(name: str, schema: pa.Schema, first_name: str, first: pa.Schema) -> None:
    """Raise unless a file has the columns of the first one, of types that can be read as one."""
    for field in first:
        if field.name not in schema.names:
            raise InputError(
                f"{name} has no column {field.name!r}, which {first_name} has; {nearest(field.name, schema.names)}"
            )
    for field in schema:
        if field.name not in first.names:
            raise InputError(
                f"{name} has a column {field.name!r}, which {first_name} has not; leave it or the file out, or rename "
                f"it: {nearest(field.name, first.names)}"
            )
        here, there = field.type, first.field(field.name).type
        if _family(here) != _family(there) and not pa.types.is_null(here) and not pa.types.is_null(there):
            raise InputError(
                f"column {field.name!r} is of the type {here} in {name}, but of the type {there} in {first_name}; "
                "write one of the files anew, with the type of the other"
            )


def _family(kind: pa.DataType) -> object:
    """Return what values of a type are read as; whole numbers with gaps are often written as fractions."""
    if pa.types.is_dictionary(kind):
        return "dictionary", _family(kind.value_type)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_timestamp(kind):
        return "timestamp", kind.tz is None
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "text"
    return str(kind)


class _Conformed:
    """Rows of one of several files, with the columns in the order and of the types that all files have."""

    def __init__(self, open_rows: Callable[[], TableFile], schema: pa.Schema) -> None:
        self._file, self._schema = open_rows(), schema
        self.name, self.columns = self._file.name, list(schema.names)

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        return self._file.read(columns, kinds)

    def copy(self) -> pa.Table:
        table = self._file.copy()
        return pa.table([self._cast(table[field.name], field) for field in self._schema], self._schema)

    def _cast(self, column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
        if column.type == field.type:
            return column
        try:
            return column.cast(field.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise InputError(
                f"column {field.name!r} is of the type {column.type} in {self.name}, and cannot be written as "
                f"{field.type}, which holds those of the other files ({error}); write the files anew, with one type"
            ) from None


def batch_rows(columns: int) -> int:
    """Return how many rows are read at a time from a table with this number of columns."""
    return max(1, min(1 << 20, CELLS // max(1, columns)))


def open_parquet_in_batches(name: str, schema: pa.Schema, categories: Collection[str]) -> parquet.ParquetFile:
    """Open a file to be read some rows at a time; text in `categories` stays in dictionaries, as it is in the file.

    That is half the work of text as such. The buffer keeps a column of a large row group from being read as a whole.
    """
    texts = [field.name for field in schema if pa.types.is_string(field.type) and field.name in categories]
    return open_parquet(name, buffer_size=1 << 20, read_dictionary=texts)


def _read_parquet(name: str, file: parquet.ParquetFile) -> Iterator[Chunk]:
    end, columns = 0, list(file.schema_arrow.names)
    with report_damage(name):
        for batch in file.iter_batches(batch_size=batch_rows(len(columns))):
            end += len(batch)
            yield Chunk(partial(ParquetRows, name, columns, pa.Table.from_batches([batch]).select), end)


def _chunk_text(stream: TextStream, text: TextFormat) -> ChunkedTable:
    """Return a text as chunks. Its first rows are read at once, for the names of the columns."""
    parts = split_rows(stream)
    first = b""
    for part in parts:
        first += part
        if part.strip(b"\r\n"):  # more than ends of lines
            break
    first = first.removeprefix(BOM)
    end = end_of_header(first, stream.delimiter)
    CsvText(stream.name, first[:end], stream.delimiter).check()
    header = first[:end].rstrip(b"\r\n") + b"\n"
    columns = check_distinct(stream.name, CsvText(stream.name, header, stream.delimiter).header())
    schema = pa.schema([(column, pa.string()) for column in columns])

    def read_chunks() -> Iterator[Chunk]:
        """Yield each part of the text under the header, read just as a whole file would be."""
        before = count_lines(first[:end]) - count_lines(header)
        for part in chain([first[end:]], parts):
            if part:
                rows = CsvText(stream.name, header + part, stream.delimiter, before)
                yield Chunk(partial(Delimited, rows, text), stream.tell())
                before += count_lines(part)

    return ChunkedTable(stream.name, schema, schema, stream.size, read_chunks)


def split_rows(stream: TextStream, size: int | None = None) -> Iterator[bytes]:
    """Yield a text in parts of about `size` bytes that end where a row does.

    >>> import io
    >>> list(split_rows(TextStream("a text", ",", io.BytesIO(b'a,b\\n1,"2\\n"\\n3')), 8))
    [b'a,b\\n', b'1,"2\\n"\\n', b'3']
    """
    rest, line = b"", 1
    while data := stream.read(size or TEXT_CHUNK):
        rest += data
        end = end_of_rows(rest, stream.delimiter)
        if end:
            yield rest[:end]
            line += count_lines(rest[:end])
            rest = rest[end:]
        elif len(rest) > LONGEST_ROW:
            raise InputError(
                f"{stream.name}, line {line}: this row is longer than {LONGEST_ROW >> 20} MB; is a quote opened and "
                "not closed?"
            )
    if rest:
        yield rest
