"""All that the search knows of the rows of a large table: whole numbers that add up, and the rows of smallest keys.

What is behind it is arrays in memory, files, workers of a cluster or a GPU. Whatever it is, however the rows are dealt
to shards and in whatever order they come: the answers are the same, bit by bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from operator import methodcaller
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.shards.values import Shard
from conceptrules.learn.search.regularization_path import Snapshot
from conceptrules.learn.shards.masks import as_masks
from conceptrules.learn.shards.picking import merged, picked

Found = TypeVar("Found")


class RowStore(ABC):
    """The rows of a table, in shards."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.passes = 0
        """How often all rows were gone over until now."""

    def highest(self) -> NDArray[np.uint8]:
        """Return the highest code of each column."""
        return np.max(self.over_blocks(methodcaller("highest")), axis=0)

    def pick(self, count: int) -> Shard:
        """Return the `count` different rows of smallest keys, with the weight that each has in each of its classes."""
        return picked(lambda bound: self.over_blocks(partial(_smallest, bound=bound, count=count)), self.rows, count)

    def confusion(self, snapshots: Sequence[Snapshot], classes: int, first_key: int) -> NDArray[np.int64]:
        """Return [network, true class, answer]: the weight of the rows whose key is `first_key` or above."""
        networks = as_masks(snapshots, self.columns)
        return np.sum(self.over_blocks(methodcaller("confusion", networks, classes, first_key)), axis=0)

    def over_blocks(self, of_block: Callable[[Shard], Found]) -> list[Found]:
        """Go over all rows once: return what a function says of each block of rows, of which none is empty."""
        self.passes += 1
        return self._each(of_block)

    @abstractmethod
    def _each(self, of_block: Callable[[Shard], Found]) -> list[Found]:
        """Return what a function says of each block of rows."""


def _smallest(block: Shard, bound: int, count: int) -> Shard:
    return merged([block.below(bound)], count)
