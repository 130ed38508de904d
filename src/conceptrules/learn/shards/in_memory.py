"""Rows in this process: arrays in memory, or memory maps of files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from conceptrules.kernels.shards.values import Shard
from conceptrules.learn.shards.row_store import Found, RowStore

_BLOCK = 2**20
"""Rows that a thread goes over at a time."""


class InMemory(RowStore):
    """Rows in this process."""

    def __init__(self, shards: Sequence[Shard], threads: int = 1) -> None:
        super().__init__(sum(len(shard.key) for shard in shards), shards[0].codes.shape[1])
        self._shards, self._threads = tuple(shards), threads

    def _each(self, of_block: Callable[[Shard], Found]) -> list[Found]:
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(of_block, self._blocks()))

    def _blocks(self) -> Iterator[Shard]:
        for shard in self._shards:
            for start in range(0, len(shard.key), _BLOCK):
                yield shard.take(slice(start, start + _BLOCK))
