"""Rows on the workers of a Dask cluster. Each shard is the result of a task, which Dask runs again if it gets lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conceptrules.kernels.shards.values import Shard
from conceptrules.learn.shards.row_store import Found, RowStore


class DaskWorkers(RowStore):
    """Rows on the workers of a cluster."""

    def __init__(self, client: Any, shards: Sequence[Any]) -> None:
        """`shards` are futures of tasks that make shards; they must not be data that was sent to the workers."""
        self._client, self._shards = client, list(shards)
        sizes = client.gather(client.map(_size, self._shards, pure=False))
        self._shards = [shard for shard, (rows, _) in zip(shards, sizes, strict=True) if rows]
        super().__init__(sum(rows for rows, _ in sizes), sizes[0][1])

    def _each(self, of_block: Callable[[Shard], Found]) -> list[Found]:
        found: list[Found] = self._client.gather(self._client.map(of_block, self._shards, pure=False))
        return found


def _size(shard: Shard) -> tuple[int, int]:
    return shard.codes.shape[0], shard.codes.shape[1]
