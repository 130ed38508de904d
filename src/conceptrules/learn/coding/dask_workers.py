"""Rows on the workers of a Dask cluster. Each shard is the result of a task, which Dask runs again if it gets lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from conceptrules.binarize.columns import LearnedColumn
from conceptrules.binarize.value_counts import ValueCounts
from conceptrules.kernels.search.shards import Shard, concatenate_shards
from conceptrules.learn.coding.encoding import CodedBatch, Coding
from conceptrules.learn.coding.reading import (
    ColumnPasses,
    Show,
    TrainingClasses,
    compare_columns,
    count_values,
    encode_read,
    map_batches,
    read_classes,
)
from conceptrules.learn.coding.store import Result, RowStore
from conceptrules.learn.inputs import ColumnRoles
from conceptrules.model.errors import ConceptRulesError, InputError
from conceptrules.tables.dask_frames import DaskFrame, arrow_table, report_lost_columns
from conceptrules.tables.files.chunks import batch_rows
from conceptrules.tables.hashes import SmallestHashes
from conceptrules.tables.sources import Source


class _Mergeable(Protocol):
    """Something that adds up."""

    def merge(self, later: Self) -> None: ...


Merged = TypeVar("Merged", bound=_Mergeable)


class DaskStore(RowStore):
    """Rows on the workers of a cluster."""

    def __init__(self, client: Any, shards: Sequence[Any]) -> None:
        """`shards` are futures of tasks that make shards; they must not be data that was sent to the workers."""
        self._client = client
        sizes = client.gather(client.map(_count_rows, shards, pure=False))
        self._shards = [shard for shard, rows in zip(shards, sizes, strict=True) if rows]
        super().__init__(sum(sizes))

    def _map(self, function: Callable[[Shard], Result]) -> list[Result]:
        results: list[Result] = self._client.gather(self._client.map(function, self._shards, pure=False))
        return results


def _count_rows(shard: Shard) -> int:
    return len(shard.key)


def find_client(client: Any) -> Any:
    """Return the cluster to learn on; None: the current one."""
    from distributed import Client, get_client

    if client is not None and not isinstance(client, Client):
        raise InputError(f"client is {client!r}; give a dask.distributed.Client, or None for the current one")
    try:
        return client or get_client()
    except ValueError:
        raise InputError(
            "X is a dask DataFrame, but there is no cluster to learn on: make a client first, such as "
            "dask.distributed.Client()"
        ) from None


@dataclass(frozen=True)
class PartitionReader:
    """The partitions of a frame, which are read where they are, and whose codes stay there."""

    client: Any
    source: DaskFrame
    threads: int
    """Of this process, which looks for the row where a worker found a mistake."""

    def read_classes(self, roles: ColumnRoles, show: Show) -> TrainingClasses:
        columns = list(dict.fromkeys([*roles.outcome, *roles.fair]))
        try:
            sums = self.merge(partial(read_classes, roles=roles, threads=1, show=_show_nothing), columns)
        except ConceptRulesError:
            # No worker knows where in the table its rows are: this process looks for the first bad one, and names it.
            sums = read_classes(self.source, roles, self.threads, show)
        show("classes", self.source.rows, 0)
        return sums.check_classes()

    def plan_counting(self, roles: ColumnRoles, classes: TrainingClasses, show: Show) -> ColumnPasses:
        count = partial(_count_columns, self, roles, classes, show)
        return ColumnPasses(len(roles.all_columns), count, partial(_compare_columns, self, roles, classes.labels))

    def encode(self, roles: ColumnRoles, coding: Coding, show: Show) -> tuple[RowStore, SmallestHashes]:
        coded = self.map(partial(_encode_partition, roles, coding), roles.all_columns)
        store = DaskStore(self.client, self.client.map(itemgetter(0), coded, pure=False))
        hashes = SmallestHashes()
        for kept in self.client.gather(self.client.map(itemgetter(1), coded, pure=False)):
            hashes.add(kept)
        return store, hashes

    def map(self, function: Callable[[Source], Any], columns: Sequence[str]) -> list[Any]:
        """Return futures of the result of a function for each partition."""
        from dask import delayed

        task, shared = delayed(_call_on_partition, pure=False), delayed(function, pure=False)  # which is sent once
        parts = self.source.frame[list(columns)].to_delayed()
        futures: list[Any] = self.client.compute([task(shared, part, list(columns)) for part in parts])
        return futures

    def merge(self, function: Callable[[Source], Merged], columns: Sequence[str]) -> Merged:
        """Return the results for all partitions merged into one, by the workers, eight at a time."""
        results = self.map(function, columns)
        while len(results) > 1:
            bunches = [results[start : start + 8] for start in range(0, len(results), 8)]
            results = self.client.map(_merge_results, bunches, pure=False)
        with report_lost_columns():
            merged: Merged = results[0].result()
        return merged


def _call_on_partition(function: Callable[[Source], Any], part: Any, columns: Sequence[str]) -> Any:
    return function(_Partition(arrow_table(part, columns)))


def _merge_results(results: Sequence[Merged]) -> Merged:
    # What a task returns must stay as it is: it may be needed again.
    total = deepcopy(results[0])
    for later in results[1:]:
        total.merge(later)
    return total


@dataclass(frozen=True)
class _Partition:
    """One partition as a table that is read in batches."""

    read: pa.Table
    name: str = "a partition"

    @property
    def schema(self) -> pa.Schema:
        return self.read.schema

    @property
    def rows(self) -> int:
        return len(self.read)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        size = batch_rows(len(columns))
        for start in range(0, max(1, self.rows), size):  # one without rows has columns, too
            yield self.read.select(list(columns)).slice(start, size)


@dataclass(frozen=True)
class _ColumnCounts:
    """The counts of several columns."""

    columns: Sequence[ValueCounts]

    def merge(self, later: _ColumnCounts) -> None:
        for column, more in zip(self.columns, later.columns, strict=True):
            column.merge(more)


def _show_nothing(what: str, rows: int, size: int) -> None:
    """Nobody watches a worker."""


def _count_columns(
    partitions: PartitionReader,
    roles: ColumnRoles,
    classes: TrainingClasses,
    show: Show,
    columns: Sequence[ValueCounts],
    purpose: str,
) -> None:
    blank = [column.blank() for column in columns]
    names = list(dict.fromkeys([*(name for column in columns for name in column.sources), *roles.outcome]))
    try:
        _ColumnCounts(columns).merge(partitions.merge(partial(_count_partition, roles, classes.labels, blank), names))
    except ConceptRulesError:
        count_values(
            partitions.source, roles, classes.labels, blank, partitions.threads, show, purpose
        )  # which names the row
        raise
    show(purpose, partitions.source.rows, 0)


def _count_partition(
    roles: ColumnRoles, labels: NDArray[Any], blank: Sequence[ValueCounts], source: Source
) -> _ColumnCounts:
    counts = [column.blank() for column in blank]
    count_values(source, roles, labels, counts, 1, _show_nothing, "values")
    return _ColumnCounts(counts)


def _compare_columns(
    partitions: PartitionReader, roles: ColumnRoles, labels: NDArray[Any], columns: Sequence[LearnedColumn]
) -> NDArray[np.int64]:
    names = list(dict.fromkeys([*(column.column.name for column in columns), *roles.outcome]))
    futures = partitions.map(partial(_compare_in_partition, roles, labels, columns), names)
    return np.sum(partitions.client.gather(futures), axis=0)


def _compare_in_partition(
    roles: ColumnRoles, labels: NDArray[Any], columns: Sequence[LearnedColumn], source: Source
) -> NDArray[np.int64]:
    return compare_columns(source, roles, labels, 1, _show_nothing, columns)


def _encode_partition(roles: ColumnRoles, coding: Coding, source: Source) -> CodedBatch:
    """Return the coded rows of a partition, with no more hashes than are kept in the end."""
    encode = partial(encode_read, roles, coding)
    batches = list(map_batches(source, roles.all_columns, encode, 1, _show_nothing, "codes"))
    hashes = SmallestHashes()
    for batch in batches:
        hashes.add(batch.hashes)
    return CodedBatch(concatenate_shards([batch.shard for batch in batches]), hashes.kept)
