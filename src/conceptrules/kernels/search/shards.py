"""Shards of coded rows, and networks as masks over them: what the passes go over.

All sums are of whole numbers, so that they are the same in any order: however rows are spread over shards, files or
machines, the answers agree bit by bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WEIGHT_UNIT = 2**24
"""The weight of one row. 500 billion rows fit into a sum of 64 bits."""
KEYS = 2**64
"""The number of keys that a row can have."""
WORD = 64
"""Rules in a word."""
NO_GROUP = 255
"""The code of a row that belongs to no group."""


class Shard(NamedTuple):
    """Some of the rows of a table."""

    codes: NDArray[np.uint8]
    """[row, column], in C order; it may be a memory map, as the others may."""
    target: NDArray[np.uint16]
    """The class of each row."""
    weight: NDArray[np.int64]
    """The weight of each row, in units of 1 / `WEIGHT_UNIT`."""
    key: NDArray[np.uint64]
    """Rows of one key stay on one side of every split. Samples are the rows of the smallest keys."""
    member: NDArray[np.uint8]
    """[row, column of groups that a policy wants to be treated alike]: the group, or `NO_GROUP`."""
    number: NDArray[np.float64]
    """[row, 0 or 1]: the number to predict, if it is one; then `target` is its quantile."""

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Shard:
        """Return some of the rows."""
        codes, target, weight, key, member, number = self
        return Shard(codes[rows], target[rows], weight[rows], key[rows], member[rows], number[rows])

    def below(self, bound: int) -> Shard:
        """Return the rows whose key is below a bound."""
        return self if bound >= KEYS else self.take(self.key < np.uint64(bound))

    def highest_codes(self) -> NDArray[np.uint8]:
        """Return the highest code of each column."""
        return np.asarray(self.codes.max(axis=0), np.uint8)

    def confusion(self, networks: MaskedNetworks, classes: int, first_key: int) -> NDArray[np.int64]:
        """Return [network, true class, answer]: the weight of the rows whose key is `first_key` or above."""
        from conceptrules.kernels.search.passes import add_confusion  # compiled, which the GPU's trainer does not need

        sums = np.zeros((len(networks.default), classes, classes), np.int64)
        add_confusion(self.codes, self.target, self.weight, self.key, first_key, networks, sums)
        return sums


class MaskedNetworks(NamedTuple):
    """Networks whose rules are bits of words."""

    column: NDArray[np.int64]
    """The columns that any rule tests."""
    mask: NDArray[np.uint64]
    """[column, code, word]: the rules that allow the code."""
    first: NDArray[np.int64]
    """Where the words of each network begin; the last entry is the number of words."""
    owner: NDArray[np.int64]
    """[bit]: the class of each rule."""
    default: NDArray[np.int64]
    """The class that each network answers where no rule holds."""


def fixed_weights(weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return weights as whole numbers of units. What weighs anything weighs at least one unit."""
    return np.where(weight > 0, np.maximum(np.rint(weight * WEIGHT_UNIT), 1), 0).astype(np.int64)


def concatenate_shards(shards: list[Shard]) -> Shard:
    """Return the rows of several shards in one."""
    return Shard(*map(np.concatenate, zip(*shards, strict=True)))
