"""Tables that are read in batches, as often as need be: they may be larger than memory.

Files of Parquet and datasets of pyarrow are read where they are. CSV files, and streams that can be read only once, are
written to a Parquet file first, in a folder that the caller gives.
"""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import narwhals as nw
import pyarrow as pa
from narwhals.exceptions import DuplicateError
from pyarrow import dataset, parquet

from conceptrules.model.errors import InputError
from conceptrules.tables.files.chunks import batch_rows, open_parquet_in_batches, read_headers
from conceptrules.tables.files.conversion import Show, convert
from conceptrules.tables.files.formats import PARQUET, USUAL, TextFormat, table_suffix
from conceptrules.tables.files.table_reader import check_distinct, report_damage, with_durations
from conceptrules.tables.table import nearest

_SPOOL = "table.parquet"


class Source(Protocol):
    """A table whose columns are known, and whose rows come in batches as often as they are asked for."""

    @property
    def name(self) -> str: ...

    @property
    def schema(self) -> pa.Schema: ...

    @property
    def rows(self) -> int: ...

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield these columns, some rows at a time."""
        ...


class WatchedFiles:
    """Files that are read several times, and must not change in between: a model would be of two tables at once."""

    def __init__(self, names: Sequence[str]) -> None:
        self._states = {name: _file_state(name) for name in names}

    def check(self) -> None:
        """Raise an `InputError` that names the file if one is not what it was at first."""
        for name, state in self._states.items():
            if _file_state(name) != state:
                raise InputError(f"{name} was changed while it was read; start again when nothing writes to it")

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Check the files before and after they are read, and when an error is raised that a change may have caused."""
        self.check()
        try:
            yield
        except Exception:
            self.check()
            raise
        self.check()


def _file_state(name: str) -> tuple[int, ...]:
    """Return the size and the time of change of a file, and which file it is; nothing if there is none."""
    try:
        state = os.stat(name)
    except OSError:
        return ()
    return state.st_size, state.st_mtime_ns, state.st_ino


class ParquetFiles:
    """Parquet files with the same columns, which is checked at once."""

    def __init__(self, names: Sequence[str]) -> None:
        self._files = {name: WatchedFiles([name]) for name in names}
        tables = read_headers(names)
        self.names, self.schema = tuple(names), tables[0].schema
        self.rows = sum(table.total or 0 for table in tables)
        self.name = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        for name, watched in self._files.items():
            with (
                watched.watch(),
                report_damage(name),
                open_parquet_in_batches(name, self.schema, columns) as file,
            ):
                for batch in file.iter_batches(batch_size=batch_rows(len(columns)), columns=list(columns)):
                    yield with_durations(pa.Table.from_batches([batch]).select(list(columns)))


@dataclass(frozen=True)
class ArrowDataset:
    """A dataset of pyarrow, in whatever format and file system."""

    dataset: Any
    files: WatchedFiles
    name: str = "the dataset"

    @property
    def schema(self) -> pa.Schema:
        return self.dataset.schema

    @cached_property
    def rows(self) -> int:
        return int(self.dataset.count_rows())

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        # Reading ahead by the usual sixteen batches takes gigabytes.
        options = {"batch_size": batch_rows(len(columns)), "batch_readahead": 1, "fragment_readahead": 1}
        with self.files.watch():
            for batch in self.dataset.to_batches(columns=list(columns), **options):
                if len(batch):
                    yield with_durations(pa.Table.from_batches([batch]))


@dataclass(frozen=True)
class UnreadTable:
    """A table that a user names or hands over, before any of its rows is read."""

    data: Any
    """Names of files, a dataset, a lazy table or a stream."""
    text: TextFormat = USUAL
    columns: tuple[str, ...] | None = None
    """The columns to learn from, and those of the target and of weights; None: all."""
    kinds: tuple[tuple[str, str], ...] = ()
    """What columns of CSV files are, where their text does not say it."""

    def restrict_to(self, columns: Sequence[str], kinds: Mapping[str, str]) -> UnreadTable:
        """Return the same table with these columns only."""
        return replace(self, columns=tuple(columns), kinds=tuple(kinds.items()))


def is_source(data: Any) -> bool:
    """Return whether something is a table to be read in batches: files, a dataset, a lazy table or a stream."""
    if isinstance(data, UnreadTable | str | os.PathLike | dataset.Dataset | pa.RecordBatchReader):
        return True
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(name, str | os.PathLike) for name in data)
    try:
        native = nw.from_native(data, pass_through=True, allow_series=True)
    except DuplicateError:  # the error is raised where the table is opened
        return False
    if isinstance(native, nw.LazyFrame):
        return True
    return hasattr(data, "__arrow_c_stream__") and not isinstance(native, nw.DataFrame | nw.Series)


def resolve_source(data: Any) -> UnreadTable:
    """Return the table that a user names; files have to be there, and all of one format."""
    if isinstance(data, UnreadTable):
        return data
    if isinstance(data, str | os.PathLike | list | tuple):
        return UnreadTable(_find_files(data if isinstance(data, list | tuple) else [data]))
    if isinstance(data, dataset.Dataset) or isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame):
        return UnreadTable(data)
    return UnreadTable(_open_stream(data))


def list_columns(table: UnreadTable) -> list[str]:
    """Return the names of the columns to work with; no row is read."""
    data = table.data
    if table.columns is not None:
        return list(table.columns)
    if isinstance(data, tuple):
        return read_headers(data, text=table.text)[0].columns
    if isinstance(data, dataset.Dataset | pa.RecordBatchReader):
        return check_distinct("the table", data.schema.names)
    return list(nw.from_native(data).collect_schema().names())


def check_column_name(name: str, names: Sequence[str], what: str) -> str:
    """Return the name of a column, or raise an error with the nearest one that there is."""
    if name not in names:
        raise InputError(f"{what} is {name!r}, but the table has no such column; {nearest(name, names)}")
    return name


def open_source(table: UnreadTable, folder: Callable[[], Path], show: Show = lambda count: None) -> Source:
    """Open a table for reading in batches; `folder` makes room for what can be read only once."""
    data = table.data
    if isinstance(data, tuple) and table_suffix(data[0]) == PARQUET:
        return ParquetFiles(data)
    if isinstance(data, dataset.Dataset):
        check_distinct("the dataset", data.schema.names)
        return ArrowDataset(data, WatchedFiles(getattr(data, "files", ())))
    spool = folder() / _SPOOL
    with report_full_disk(spool.parent):
        if isinstance(data, tuple):
            with WatchedFiles(data).watch():
                convert(data, spool, list_columns(table), dict(table.kinds), table.text, show)
        elif hasattr(data, "sink_parquet"):
            data.sink_parquet(spool)
        else:
            _write_stream(_open_stream(data), spool, show)
    return ParquetFiles((str(spool),))


def read_whole(source: Source, columns: Sequence[str]) -> pa.Table:
    """Return a table in memory, of the types that it has."""
    parts = [_decode_text(batch, source.schema) for batch in source.batches(columns)]
    return pa.concat_tables(parts or [source.schema.empty_table().select(columns)], promote_options="permissive")


def _decode_text(batch: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return text that was read in dictionaries as text."""
    for index, field in enumerate(batch.schema):
        kind = schema.field(field.name).type
        if pa.types.is_dictionary(field.type) and not pa.types.is_dictionary(kind):
            batch = batch.set_column(index, field.name, batch[index].cast(kind))
    return batch


@contextmanager
def report_full_disk(folder: Path) -> Iterator[None]:
    """Turn the error that a disk is full into one for the user, who can name another folder."""
    try:
        yield
    except Exception as error:  # polars and Arrow have errors of their own
        if getattr(error, "errno", None) == errno.ENOSPC or "No space left" in str(error):
            raise disk_full_error(folder) from None
        raise


def disk_full_error(folder: Path, needed: int | None = None) -> InputError:
    """Return the error that a disk is full, or would be."""
    size = "" if needed is None else f": {needed / 1e9:.2f} GB are needed"
    return InputError(f"the disk of {folder} is full{size}; make room, or name a folder elsewhere with scratch=")


def _find_files(patterns: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Return the files that names, patterns and folders stand for, in their order."""
    files: list[str] = []
    for name in [os.fspath(pattern) for pattern in patterns]:
        if os.path.isdir(name):
            matches = sorted(glob.glob(os.path.join(glob.escape(name), f"*{PARQUET}")))
            problem = f"the folder {name} has no files that end in {PARQUET}; name files, or a pattern"
        else:
            matches = [name] if os.path.exists(name) else sorted(glob.glob(name, recursive=True))
            problem = f"no file matches {name}" if glob.has_magic(name) else f"there is no file {name}"
        if not matches:
            raise InputError(problem)
        files += matches
    by_format = {table_suffix(name) == PARQUET: name for name in files}
    if len(by_format) > 1:
        raise InputError(f"{by_format[True]} is Parquet and {by_format[False]} is text; give files of one format")
    repeated = next((name for index, name in enumerate(files) if name in files[:index]), None)
    if repeated is not None:
        raise InputError(f"{repeated} is named twice; name each file once")
    return tuple(files)


def _open_stream(data: Any) -> pa.RecordBatchReader:
    if isinstance(data, pa.RecordBatchReader):
        return data
    if not hasattr(data, "__arrow_c_stream__"):
        raise InputError(
            f"a table of the type {type(data).__name__} cannot be read in batches; write it to Parquet and give the "
            "names of the files"
        )
    return pa.RecordBatchReader.from_stream(data)


def _write_stream(stream: pa.RecordBatchReader, to: Path, show: Show) -> None:
    schema = pa.schema([field.with_type(_storable(field.type)) for field in stream.schema])
    with parquet.ParquetWriter(to, schema, compression="zstd", compression_level=1) as file:
        for batch in stream:
            if len(batch):
                file.write_table(pa.Table.from_batches([batch]).cast(schema))
            show(batch.nbytes)


def _storable(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return pa.dictionary(pa.int32(), _storable(kind.value_type), kind.ordered)
    return pa.large_string() if pa.types.is_string_view(kind) else kind
