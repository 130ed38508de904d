"""Rows on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conceptrules.kernels.shards.gpu import RowsOnCard
from conceptrules.kernels.shards.values import Shard
from conceptrules.learn.shards.row_store import Found, RowStore


class OnGpu(RowStore):
    """Rows on a GPU, all of them: one of 14 columns takes 34 bytes there."""

    def __init__(self, shards: Sequence[Shard], device: str = "cuda") -> None:
        super().__init__(sum(len(shard.key) for shard in shards), shards[0].codes.shape[1])
        self._shards = [RowsOnCard(shard, device) for shard in shards if len(shard.key)]

    def _each(self, of_shard: Callable[[Any], Found]) -> list[Found]:
        return [of_shard(shard) for shard in self._shards]
