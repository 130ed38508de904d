"""Rows on the workers of a Dask cluster. Each shard is the result of a task, which Dask runs again if it gets lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.kernels.shards.values import WEIGHT_UNIT, Shard, row_keys
from conceptrules.learn.progress import reading_progress
from conceptrules.learn.search.binned_table import BinnedTable, binned_table
from conceptrules.learn.shards.description import Provenance
from conceptrules.learn.shards.from_source import HowToLearn, LearnedTable, check_policy_for_files, learn_from_store
from conceptrules.learn.shards.reading import Classes, Wanted, batches, read_classes, read_values
from conceptrules.learn.shards.row_store import Found, RowStore
from conceptrules.model.errors import InputError
from conceptrules.tables.dask_frames import DaskFrame, arrow_table
from conceptrules.tables.fingerprint import label_hashes, labelled_row_hashes
from conceptrules.tables.labels import check_class_weight
from conceptrules.tables.smallest_hashes import SmallestHashes


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
    """Learn from a dask DataFrame: values are counted a partition at a time, and the codes stay with the workers.

    `client` is the cluster; None: the current one.
    """
    check_policy_for_files(how.policy)
    client = _checked(client)
    with reading_progress(how.verbose) as show:
        classes = read_classes(source, wanted, show)
        worth = check_class_weight(how.class_weight, classes.labels, classes.weight)
        read_values(source, wanted, classes, binarizer, how.threads, show)
    encoded = _encoded_by_workers(client, source, wanted, classes, binned_table(binarizer))
    hashes = SmallestHashes()
    for found in client.gather(client.map(itemgetter(1), encoded, pure=False)):
        hashes.add(found)
    store = DaskWorkers(client, client.map(itemgetter(0), encoded, pure=False))
    seen = Provenance(store.rows, hashes.kept.tolist(), hashes.different, binarizer.categories_dropped_)
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


def _encoded_by_workers(
    client: Any, source: DaskFrame, wanted: Wanted, classes: Classes, table: BinnedTable
) -> list[Any]:
    """Return futures of the shard of each partition, and of the hashes of its rows."""
    from dask import delayed

    encode = delayed(encoded_part, pure=False)
    parts = source.frame[wanted.every].to_delayed()
    futures: list[Any] = client.compute([encode(part, wanted, classes, table) for part in parts])
    return futures


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

    @property
    def size(self) -> int:
        return int(self.read.nbytes)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        yield self.read.select(list(columns))


def encoded_part(part: Any, wanted: Wanted, classes: Classes, table: BinnedTable) -> tuple[Shard, NDArray[np.uint64]]:
    """Return the rows of a partition as bins, and the hashes of the rows."""
    columns = tuple(bins.column for bins in table.bins)
    codes = np.zeros((0, len(columns)), np.uint8)
    none = Shard(codes, np.zeros(0, np.uint16), np.zeros(0, np.int64), np.zeros(0, np.uint64))
    found = none, np.zeros(0, np.uint64)
    for batch in batches(_Partition(arrow_table(part)), wanted, classes, lambda *_: None, "codes"):
        rows = batch.table.read_once()
        codes = table.codes(rows)
        weight = np.full(len(codes), WEIGHT_UNIT, np.int64) if batch.weight is None else batch.weight
        shard = Shard(codes, batch.target.astype(np.uint16), weight, row_keys(codes))
        found = shard, labelled_row_hashes(columns, rows, label_hashes(classes.labels)[batch.target])
    return found
