"""Dask DataFrames: tables in partitions, which are read one at a time, or where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa
from narwhals.dependencies import is_dask_dataframe

from conceptrules.model.errors import InputError
from conceptrules.tables.files.formats import PARQUET, table_suffix
from conceptrules.tables.sources import UnreadTable, WatchedFiles, resolve_source


def is_dask_frame(data: Any) -> bool:
    """Return whether something is a dask DataFrame; dask is not imported for that."""
    return bool(is_dask_dataframe(data))


def read_dask_frame(table: UnreadTable) -> Any:
    """Return Parquet files as a dask DataFrame; nothing else can be read by several workers at a time."""
    data = table.data
    if not isinstance(data, tuple) or any(table_suffix(name) != PARQUET for name in data):
        raise InputError("client is for a dask DataFrame or Parquet files; this table can only be read here")
    from dask import dataframe

    # Columns stay as Arrow has them: they keep their types, gaps or not, and are not made anew twice.
    return dataframe.read_parquet(list(data), dtype_backend="pyarrow")


def map_partitions(function: Callable[[Any], Any], frame: Any) -> Any:
    """Return a dask Series of what a function returns for each partition, computed where the partition is."""
    return frame.map_partitions(_apply_to_partition, function, meta=(None, object))


def _apply_to_partition(part: Any, function: Callable[[Any], Any]) -> Any:
    first = part.iloc[:, 0]
    return type(first)(function(part), index=part.index, dtype=object) if len(part) else first.astype(object).copy()


@dataclass(frozen=True)
class DaskFrame:
    """A dask DataFrame as a table that is read in batches, a partition at a time."""

    frame: Any
    name: str = "the dask DataFrame"
    files: WatchedFiles = field(default_factory=lambda: WatchedFiles(()))
    """The files that it was made of here, which must not change while workers read them."""

    @classmethod
    def open(cls, data: Any) -> DaskFrame:
        """Return a dask DataFrame, or one that reads Parquet files."""
        if is_dask_frame(data):
            return cls(data)
        table = resolve_source(data)
        files = WatchedFiles(table.data if isinstance(table.data, tuple) else ())
        return cls(read_dask_frame(table), files=files)

    @cached_property
    def schema(self) -> pa.Schema:
        return arrow_table(self.frame._meta).schema

    @cached_property
    def rows(self) -> int:
        return len(self.frame)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        for part in self.frame[list(columns)].to_delayed():
            with report_lost_columns():
                table = arrow_table(part.compute(), columns)
            if len(table):
                yield table


def arrow_table(part: Any, columns: Sequence[str] = ()) -> pa.Table:
    """Return a partition as a table of Arrow; it has to have these columns, which dask takes for granted."""
    lost = [name for name in columns if name not in part.columns]
    if lost:
        raise KeyError(f"{lost} not in index")  # what pandas says where dask has selected columns
    return pa.Table.from_pandas(part, preserve_index=False)


@contextmanager
def report_lost_columns() -> Iterator[None]:
    """Say of which table it is that a column is not there."""
    try:
        yield
    except KeyError as error:
        raise InputError(
            f"a partition of the dask DataFrame has not all of its columns: {error.args[0]}; make them alike"
        ) from None
