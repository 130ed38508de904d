"""A table in chunks: each is a small table of whole rows, so that one larger than memory is read as a small one is."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, Protocol

import pyarrow as pa

from conceptrules.model.errors import InputError
from conceptrules.tables.files import csv_errors, row_ends, table_reader
from conceptrules.tables.files.formats import DELIMITERS, PARQUET, STREAM, USUAL, TextFormat, table_suffix

# Measured on adult as CSV with two cores: 1 MB is a tenth slower, 16 MB no faster.
TEXT_CHUNK = 4 << 20
LONGEST_ROW = 64 << 20
"""The most bytes of a row of text; what is longer is a quote that is never closed."""
CELLS = 2 << 20
"""The cells of a chunk of Parquet: many rows of a narrow table, few of a wide one."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a table."""

    open: Callable[[], table_reader.TableFile]
    """Opens the chunk; the thread that takes it checks the text."""
    place: int
    """How far its end is into the table, in the unit of `Chunked.total`."""


class Chunked(Protocol):
    """A table whose names and types are known, and whose rows come in chunks, once."""

    @property
    def name(self) -> str: ...

    @property
    def columns(self) -> list[str]: ...

    @property
    def schema(self) -> pa.Schema:
        """The schema of the table."""

    @property
    def held(self) -> pa.Schema:
        """The schema of the copies of the chunks: the same, but columns of text may be dictionaries."""

    @property
    def total(self) -> int | None:
        """How many bytes or rows the table has; None where nobody can tell."""

    def chunks(self) -> Iterator[Chunk]: ...


class Text:
    """CSV or TSV. The first rows are read at once, for the names of the columns."""

    def __init__(
        self,
        name: str,
        stream: BinaryIO,
        delimiter: str,
        place: Callable[[], int],
        total: int | None,
        text: TextFormat = USUAL,
    ) -> None:
        self.name, self.total, self._delimiter, self._place = name, total, delimiter, place
        self._text = text
        self._parts = whole_rows(name, stream, delimiter)
        first = _not_blank(self._parts).removeprefix(row_ends.BOM)
        end = row_ends.after_header(first, delimiter)
        csv_errors.check_text(name, first[:end], delimiter)
        self._header, self._first, self._lines = (
            first[:end].rstrip(b"\r\n") + b"\n",
            first[end:],
            row_ends.count_lines(first[:end]),
        )
        self.columns = table_reader.distinct(name, csv_errors.header(self._header, delimiter))
        self.schema = self.held = pa.schema([(column, pa.string()) for column in self.columns])

    def chunks(self) -> Iterator[Chunk]:
        """Yield each part of the text under the header, read just as a whole file would be."""
        before = self._lines - row_ends.count_lines(self._header)
        for part in self._all_parts():
            data = self._header + part
            opened = partial(table_reader.Delimited, self.name, data, self._delimiter, before, self._text)
            yield Chunk(opened, self._place())
            before += row_ends.count_lines(part)

    def _all_parts(self) -> Iterator[bytes]:
        if self._first:
            yield self._first
        yield from self._parts


class Parquet:
    """A Parquet file, read some rows at a time.

    Text that is read for its categories stays in dictionaries, as it is in the file: half the work of text as such.
    """

    def __init__(self, name: str, categories: Collection[str]) -> None:
        self.name = name
        self.schema = table_reader.open_parquet(name).schema_arrow
        self.columns = table_reader.distinct(name, self.schema.names)
        texts = [field.name for field in self.schema if pa.types.is_string(field.type) and field.name in categories]
        # The buffer keeps a column of a large row group from being read as a whole.
        self._file = table_reader.open_parquet(name, buffer_size=1 << 20, read_dictionary=texts)
        self.held, self.total = self._file.schema_arrow, self._file.metadata.num_rows

    def chunks(self) -> Iterator[Chunk]:
        place, size = 0, max(1, CELLS // max(1, len(self.columns)))
        for batch in self._file.iter_batches(batch_size=size):
            place += len(batch)
            yield Chunk(partial(_Loaded, self.name, pa.Table.from_batches([batch])), place)


class _Loaded:
    """Rows of a Parquet file."""

    def __init__(self, name: str, table: pa.Table) -> None:
        self.name, self.columns, self.table = name, list(table.column_names), table

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        return table_reader.with_durations(self.table.select(list(columns)))

    def copy(self) -> pa.Table:
        return self.table


@contextmanager
def open_chunks(name: str, categories: Collection[str] = (), text: TextFormat = USUAL) -> Iterator[Chunked]:
    """Open the table in a file, by its suffix, or CSV on standard input.

    `categories` are the columns whose text is read for its categories.
    """
    if name == STREAM:
        yield Text("standard input", sys.stdin.buffer, text.delimiter or ",", lambda: 0, None, text)
        return
    suffix = table_suffix(name)
    if suffix == PARQUET:
        yield Parquet(name, categories)
        return
    with open(name, "rb") as file:
        stream: Any = gzip.GzipFile(fileobj=file) if suffix.endswith(".gz") else file
        delimiter = text.delimiter or DELIMITERS[suffix]
        yield Text(name, stream, delimiter, file.tell, os.path.getsize(name), text)


def whole_rows(name: str, stream: BinaryIO, delimiter: str, size: int | None = None) -> Iterator[bytes]:
    """Yield a text in parts of about `size` bytes that end where a row does.

    >>> import io
    >>> list(whole_rows("a text", io.BytesIO(b'a,b\\n1,"2\\n"\\n3'), ",", 8))
    [b'a,b\\n', b'1,"2\\n"\\n', b'3']
    """
    rest, line = b"", 1
    while data := _read(name, stream, size or TEXT_CHUNK):
        rest += data
        end = row_ends.end_of_rows(rest, delimiter)
        if end:
            yield rest[:end]
            line += row_ends.count_lines(rest[:end])
            rest = rest[end:]
        elif len(rest) > LONGEST_ROW:
            longer = f"this row is longer than {LONGEST_ROW >> 20} MB"
            raise InputError(f"{name}, line {line}: {longer}; is a quote opened and not closed?")
    if rest:
        yield rest


def _not_blank(parts: Iterator[bytes]) -> bytes:
    """Return the first part with more in it than ends of lines, and what came before."""
    first = b""
    for part in parts:
        first += part
        if part.strip(b"\r\n"):
            break
    return first


def _read(name: str, stream: BinaryIO, size: int) -> bytes:
    try:
        return stream.read(size)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{name} is not a complete gzip file ({error})") from None
