"""Rows in shards: codes, classes, and weights as whole numbers, so that sums do not depend on their order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.compiling import kernel
from conceptrules.kernels.shards.confusion import Networks, add_confusion

WEIGHT_UNIT = 2**24
"""The weight of one row. 500 billion rows fit into a sum of 64 bits."""

KEYS = 2**64
"""How many keys of rows there are."""


class Shard(NamedTuple):
    """Some of the rows of a table."""

    codes: NDArray[np.uint8]
    """[row, column], in C order; it may be a read-only memory map, as the others may."""
    target: NDArray[np.uint16]
    """The class of each row."""
    weight: NDArray[np.int64]
    """The weight of each row, in units of 1 / `WEIGHT_UNIT`."""
    key: NDArray[np.uint64]
    """`row_keys(codes)`: which rows are in a sample depends on it alone."""

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Shard:
        """Return some of the rows."""
        return Shard(self.codes[rows], self.target[rows], self.weight[rows], self.key[rows])

    def below(self, bound: int) -> Shard:
        """Return the rows whose key is below a bound."""
        return self if bound >= KEYS else self.take(self.key < np.uint64(bound))

    def highest(self) -> NDArray[np.uint8]:
        """Return the highest code of each column."""
        return np.asarray(self.codes.max(axis=0), np.uint8)

    def confusion(self, networks: Networks, classes: int, first_key: int) -> NDArray[np.int64]:
        """Return [candidate, true class, answer]: the weight of the rows whose key is `first_key` or above."""
        found = np.zeros((len(networks.member), classes, classes), np.int64)
        add_confusion(*self, np.uint64(first_key), networks, found)
        return found


@kernel()
def row_keys(codes: Any) -> Any:
    """Return a hash of each row (FNV-1a, then the last steps of SplitMix64), whatever its place in the table."""
    keys = np.empty(len(codes), np.uint64)
    for i in range(len(codes)):
        key = np.uint64(0xCBF29CE484222325)
        for j in range(codes.shape[1]):
            key = (key ^ np.uint64(codes[i, j])) * np.uint64(0x100000001B3)
        key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        keys[i] = key ^ (key >> np.uint64(31))
    return keys


def fixed_weights(weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return weights as whole numbers of units. What weighs anything weighs a unit at least."""
    return np.where(weight > 0, np.maximum(np.rint(weight * WEIGHT_UNIT), 1), 0).astype(np.int64)


def shard_of(codes: NDArray[np.uint8], target: NDArray[Any], weight: NDArray[np.float64]) -> Shard:
    """Return the shard of some rows."""
    codes = np.ascontiguousarray(codes)
    return Shard(codes, target.astype(np.uint16), fixed_weights(weight), row_keys(codes))
