"""Several files as one table in chunks: the rows of the first file, then those of the second, and so on."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from conceptrules.model.errors import InputError
from conceptrules.tables.files.chunks import Chunk, Chunked, Parquet, open_chunks
from conceptrules.tables.files.formats import PARQUET, USUAL, TextFormat, table_suffix
from conceptrules.tables.files.table_reader import TableFile, open_parquet


@contextmanager
def open_files(names: Sequence[str], categories: Collection[str] = (), text: TextFormat = USUAL) -> Iterator[Chunked]:
    """Open the table in one or more files; they have to have the same columns, which is checked before any row is read.

    `categories` are the columns whose text is read for its categories.
    """
    if len(names) == 1:
        with open_chunks(names[0], categories, text) as table:
            yield table
        return
    from conceptrules.tables.sources import (  # datasets of pyarrow, which one file does not need
        list_columns,
        resolve_source,
    )

    columns = list_columns(replace(resolve_source(list(names)), text=text))
    yield _parquet(names, categories) if table_suffix(names[0]) == PARQUET else _text(names, columns, text)


@dataclass(frozen=True)
class Files:
    """Files with the same columns, which are opened one after another."""

    names: tuple[str, ...]
    schema: pa.Schema
    held: pa.Schema
    sizes: tuple[int, ...]
    open: Callable[[str], AbstractContextManager[Chunked]]

    @property
    def name(self) -> str:
        """The first file: what is said of its columns is true of all."""
        return self.names[0]

    @property
    def columns(self) -> list[str]:
        return list(self.schema.names)

    @property
    def total(self) -> int:
        return sum(self.sizes)

    def chunks(self) -> Iterator[Chunk]:
        before = 0
        for name, size in zip(self.names, self.sizes, strict=True):
            with self.open(name) as table:
                for chunk in table.chunks():
                    yield replace(chunk, open=partial(_Alike, chunk.open, self.held), place=before + chunk.place)
            before += size


class _Alike:
    """Some rows of one file, with the columns of all files in the order and of the types that all have."""

    def __init__(self, opened: Callable[[], TableFile], schema: pa.Schema) -> None:
        self._source, self._schema = opened(), schema
        self.name = self._source.name

    @property
    def columns(self) -> list[str]:
        return list(self._schema.names)

    def read(self, columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> pa.Table:
        return self._source.read(columns, kinds)

    def copy(self) -> pa.Table:
        table = self._source.copy().select(self.columns)
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


def _text(names: Sequence[str], columns: Sequence[str], text: TextFormat) -> Files:
    schema = pa.schema([(column, pa.string()) for column in columns])
    sizes = tuple(map(os.path.getsize, names))
    return Files(tuple(names), schema, schema, sizes, partial(open_chunks, text=text))


def _parquet(names: Sequence[str], categories: Collection[str]) -> Files:
    schemas, sizes = [], []
    for name in names:
        with open_parquet(name) as file:
            schemas.append(file.schema_arrow)
            sizes.append(file.metadata.num_rows)
    # Text stays in dictionaries only if all files agree on what is text.
    texts = categories if all(schema.equals(schemas[0]) for schema in schemas) else ()
    try:
        schema = pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowException as error:
        raise InputError(
            f"{names[0]} and the other files have no types in common ({error}); write them alike"
        ) from None
    held = Parquet(names[0], texts).held if texts else schema
    return Files(tuple(names), schema, held, tuple(sizes), partial(open_chunks, categories=texts))
