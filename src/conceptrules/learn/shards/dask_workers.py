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

from conceptrules.binarize import Binarizer
from conceptrules.binarize.value_counts import ValueCounts
from conceptrules.kernels.shards.values import Shard
from conceptrules.learn.progress import reading_progress
from conceptrules.learn.search.binned_table import BinnedTable, binned_table
from conceptrules.learn.shards.batches import Show, over_batches
from conceptrules.learn.shards.description import Provenance
from conceptrules.learn.shards.from_source import HowToLearn, LearnedTable, check_policy_for_files, learn_from_store
from conceptrules.learn.shards.reading import (
    Classes,
    Encoded,
    count_values,
    duplicates,
    encode,
    fit_counted,
    read_classes,
)
from conceptrules.learn.shards.row_store import Found, RowStore
from conceptrules.learn.shards.wanted import Wanted
from conceptrules.model.errors import ConceptRulesError, InputError
from conceptrules.tables.dask_frames import DaskFrame, arrow_table
from conceptrules.tables.files.chunks import batch_rows
from conceptrules.tables.hashes import SmallestHashes
from conceptrules.tables.labels import check_class_weight
from conceptrules.tables.sources import Source


class _Merges(Protocol):
    """What adds up."""

    def merge(self, later: Self) -> None: ...


Merged = TypeVar("Merged", bound=_Merges)


class DaskWorkers(RowStore):
    """Rows on the workers of a cluster."""

    def __init__(self, client: Any, shards: Sequence[Any]) -> None:
        """`shards` are futures of tasks that make shards; they must not be data that was sent to the workers."""
        self._client = client
        sizes = client.gather(client.map(_size, shards, pure=False))
        self._shards = [shard for shard, (rows, _) in zip(shards, sizes, strict=True) if rows]
        super().__init__(sum(rows for rows, _ in sizes), sizes[0][1])

    def _each(self, of_block: Callable[[Shard], Found]) -> list[Found]:
        found: list[Found] = self._client.gather(self._client.map(of_block, self._shards, pure=False))
        return found


def _size(shard: Shard) -> tuple[int, int]:
    return shard.codes.shape[0], shard.codes.shape[1]


def learn_from_workers(
    source: DaskFrame, wanted: Wanted, binarizer: Binarizer, how: HowToLearn, rng: np.random.Generator, client: Any
) -> LearnedTable:
    """Learn from a dask DataFrame: its values are counted where its partitions are, and the codes stay there.

    `client` is the cluster; None: the current one.
    """
    check_policy_for_files(how.policy)
    parts = _Partitions(_checked(client), source)
    with reading_progress(how.verbose) as show:
        classes = _classes(parts, wanted, how.threads, show)
        worth = check_class_weight(how.class_weight, classes.labels, classes.weight)
        fit_counted(
            wanted, classes, binarizer, len(wanted.features), partial(_count, parts, wanted, classes, how, show)
        )
    table = binned_table(binarizer)
    encoded = parts.map(partial(_encoded, wanted, classes.labels, table), wanted.every)
    hashes, contents = SmallestHashes(), []
    for kept, content in parts.client.gather(parts.client.map(itemgetter(1, 2), encoded, pure=False)):
        hashes.add(kept)
        contents.append(content)
    again = duplicates(table, [b"".join(content) for content in zip(*contents, strict=True)])
    binarizer.inspection_ = (*binarizer.inspection_, *again)
    store = DaskWorkers(parts.client, parts.client.map(itemgetter(0), encoded, pure=False))
    seen = Provenance(store.rows, hashes.kept.tolist(), hashes.n_distinct, binarizer.categories_dropped_)
    return learn_from_store(store, binarizer, classes.labels, worth, seen, how, rng)


def _checked(client: Any) -> Any:
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
class _Partitions:
    """The partitions of a frame, which are read where they are."""

    client: Any
    source: DaskFrame

    def map(self, of_part: Callable[[Source], Any], columns: Sequence[str]) -> list[Any]:
        """Return futures of what a function says of each partition."""
        from dask import delayed

        task, said = delayed(_of_part, pure=False), delayed(of_part, pure=False)  # which is sent once
        parts = self.source.frame[list(columns)].to_delayed()
        futures: list[Any] = self.client.compute([task(said, part) for part in parts])
        return futures

    def total(self, of_part: Callable[[Source], Merged], columns: Sequence[str]) -> Merged:
        """Return the same of all partitions, merged by the workers, eight at a time."""
        found = self.map(of_part, columns)
        while len(found) > 1:
            several = [found[start : start + 8] for start in range(0, len(found), 8)]
            found = self.client.map(_merged, several, pure=False)
        merged: Merged = found[0].result()
        return merged


def _of_part(of_part: Callable[[Source], Any], part: Any) -> Any:
    return of_part(_Partition(arrow_table(part)))


def _merged(several: Sequence[Merged]) -> Merged:
    # What a task gives must stay as it is: it may be needed again.
    total = deepcopy(several[0])
    for later in several[1:]:
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

    every: Sequence[ValueCounts]

    def merge(self, later: _ColumnCounts) -> None:
        for one, other in zip(self.every, later.every, strict=True):
            one.merge(other)


def _silent(what: str, rows: int, size: int) -> None:
    """Show nothing: nobody watches a worker."""


def _classes(parts: _Partitions, wanted: Wanted, threads: int, show: Show) -> Classes:
    try:
        sums = parts.total(partial(read_classes, wanted=wanted, threads=1, show=_silent), wanted.outcome)
    except ConceptRulesError:
        # No worker knows where in the table its rows are: this process looks for the first bad one, and tells its row.
        sums = read_classes(parts.source, wanted, threads, show)
    show("classes", parts.source.rows, 0)
    return sums.classes()


def _count(
    parts: _Partitions,
    wanted: Wanted,
    classes: Classes,
    how: HowToLearn,
    show: Show,
    columns: Sequence[ValueCounts],
    purpose: str,
) -> None:
    blank = [one.blank() for one in columns]
    names = [*(one.name for one in columns), *wanted.outcome]
    try:
        _ColumnCounts(columns).merge(parts.total(partial(_counted, wanted, classes.labels, blank), names))
    except ConceptRulesError:
        count_values(parts.source, wanted, classes.labels, blank, how.threads, show, purpose)  # which tells the row
        raise
    show(purpose, parts.source.rows, 0)


def _counted(wanted: Wanted, labels: NDArray[Any], blank: Sequence[ValueCounts], source: Source) -> _ColumnCounts:
    counts = [one.blank() for one in blank]
    count_values(source, wanted, labels, counts, 1, _silent, "values")
    return _ColumnCounts(counts)


def _encoded(wanted: Wanted, labels: NDArray[Any], table: BinnedTable, source: Source) -> Encoded:
    """Return the rows of a partition as bins, with no more hashes than are kept in the end."""
    found = list(over_batches(source, wanted.every, partial(encode, wanted, labels, table), 1, _silent, "codes"))
    hashes = SmallestHashes()
    for one in found:
        hashes.add(one.hashes)
    shard = Shard(*map(np.concatenate, zip(*(one.shard for one in found), strict=True)))
    return Encoded(shard, hashes.kept, [b"".join(each) for each in zip(*(one.contents for one in found), strict=True)])
