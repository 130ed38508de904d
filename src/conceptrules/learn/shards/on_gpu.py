"""Rows on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.gpus import free_memory
from conceptrules.kernels.shards.gpu import RowsOnCard
from conceptrules.kernels.shards.values import Shard
from conceptrules.learn.shards.masks import Candidate, as_masks
from conceptrules.learn.shards.picking import merged, picked
from conceptrules.learn.shards.row_store import Found, RowStore
from conceptrules.model.errors import InputError


class OnGpu(RowStore):
    """The rows of another store on a GPU, all of them: a row of 14 columns takes 34 bytes there.

    The last pass, which counts what the networks do, is that of the other store.
    """

    def __init__(self, store: RowStore, device: str = "cuda") -> None:
        super().__init__(store.rows, store.columns)
        _check_memory(store, device)
        self._host, self._cards = store, store.over_blocks(partial(RowsOnCard, device=device))

    def pick(self, count: int) -> Shard:
        """Return the `count` different rows of smallest keys, with the weight that each has in each of its classes."""

        def ask(bound: int) -> list[Shard]:
            self.passes += 1
            return [merged([card.below(bound)], count) for card in self._cards]

        return picked(ask, self.rows, count)

    def confusion(self, candidates: Sequence[Candidate], classes: int, first_key: int) -> NDArray[np.int64]:
        """Return [candidate, true class, answer]: the weight of the rows whose key is `first_key` or above."""
        self.passes += 1
        networks = as_masks(candidates, self.columns)
        return np.sum([card.confusion(networks, classes, first_key) for card in self._cards], axis=0)

    def _each(self, of_block: Callable[[Shard], Found]) -> list[Found]:
        return self._host._each(of_block)


def _check_memory(store: RowStore, device: str) -> None:
    if device.startswith("cpu"):  # Triton's interpreter
        return
    needed, free = store.rows * (store.columns + 20), free_memory(device)
    if needed > free:
        raise InputError(
            f"{store.rows:,} rows need {needed / 1e9:.1f} GB of the GPU's memory, but {free / 1e9:.1f} GB are free; "
            "use device='cpu'"
        )
