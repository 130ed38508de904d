"""Rows in this process: arrays in memory, or memory maps of files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.shards.confusion import add_confusion
from conceptrules.kernels.shards.values import Shard
from conceptrules.learn.shards.row_store import Candidate, as_masks, below, picked

_BLOCK = 2**20
"""Rows that a thread goes over at a time."""
Found = TypeVar("Found")


class InMemory:
    """A `RowStore` of shards in this process."""

    def __init__(self, shards: Sequence[Shard], threads: int = 1) -> None:
        self._shards, self._threads = tuple(shards), threads
        self.rows, self.passes = sum(len(shard.key) for shard in shards), 0

    def highest(self) -> NDArray[np.uint8]:
        """Return the highest code of each column."""
        return np.max(self._pass(lambda block: block.codes.max(axis=0)), axis=0)

    def pick(self, count: int) -> Shard:
        """Return the `count` different rows of smallest keys, with the weight that each has in each of its classes."""
        return picked(lambda bound: self._pass(lambda block: below(block, bound, count)), self.rows, count)

    def confusion(self, candidates: Sequence[Candidate], classes: int, first_key: int) -> NDArray[np.int64]:
        """Return [candidate, true class, answer]: the weight of the rows whose key is `first_key` or above."""
        networks = as_masks(candidates, self._shards[0].codes.shape[1])

        def counted(block: Shard) -> NDArray[np.int64]:
            found = np.zeros((len(candidates), classes, classes), np.int64)
            add_confusion(*block, np.uint64(first_key), networks, found)
            return found

        return np.sum(self._pass(counted), axis=0)

    def _pass(self, of_block: Callable[[Shard], Found]) -> list[Found]:
        self.passes += 1
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(of_block, self._blocks()))

    def _blocks(self) -> Iterator[Shard]:
        for shard in self._shards:
            for start in range(0, len(shard.key), _BLOCK):
                yield shard.take(slice(start, start + _BLOCK))
