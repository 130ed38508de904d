"""What the passes over rows work on: shards, whose sums are whole numbers, and networks. It needs NumPy alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

WEIGHT_UNIT = 2**24
"""The weight of one row. 500 billion rows fit into a sum of 64 bits."""

KEYS = 2**64
"""How many keys of rows there are."""

WORD = 64
"""Rules of a word."""


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
        """Return [network, true class, answer]: the weight of the rows whose key is `first_key` or above."""
        from conceptrules.kernels.shards.confusion import add_confusion

        found = np.zeros((len(networks.default), classes, classes), np.int64)
        add_confusion(*self, np.uint64(first_key), networks, found)
        return found


class Networks(NamedTuple):
    """Networks as masks."""

    column: NDArray[np.int64]
    """The columns that any rule asks for."""
    mask: NDArray[np.uint64]
    """[column, code, word]: the rules that allow the code."""
    first: NDArray[np.int64]
    """Where the words of each network begin; the last entry is the number of words."""
    owner: NDArray[np.int64]
    """[bit]: the class of each rule."""
    default: NDArray[np.int64]
    """The class that each network answers where no rule holds."""


def row_keys(codes: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return a hash of each row, whatever its place in the table."""
    from conceptrules.kernels.shards import keys

    found: NDArray[np.uint64] = keys.row_keys(np.ascontiguousarray(codes))
    return found


def number_bins(numbers: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return between which cuts each number is, and one more than that for NaN."""
    from conceptrules.kernels.shards import bins

    found: NDArray[np.uint8] = bins.bins_of(numbers, cuts)
    return found


def fixed_weights(weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return weights as whole numbers of units. What weighs anything weighs a unit at least."""
    return np.where(weight > 0, np.maximum(np.rint(weight * WEIGHT_UNIT), 1), 0).astype(np.int64)


def shard_of(codes: NDArray[np.uint8], target: NDArray[Any], weight: NDArray[np.float64]) -> Shard:
    """Return the shard of some rows."""
    codes = np.ascontiguousarray(codes)
    return Shard(codes, target.astype(np.uint16), fixed_weights(weight), row_keys(codes))
