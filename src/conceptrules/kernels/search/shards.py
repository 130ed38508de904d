"""Shards of coded rows, and the compiled passes over them.

All sums are of whole numbers, so that they are the same in any order: however rows are spread over shards, files or
machines, the answers agree bit by bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.compiling import kernel

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

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Shard:
        """Return some of the rows."""
        codes, target, weight, key, member = self
        return Shard(codes[rows], target[rows], weight[rows], key[rows], member[rows])

    def below(self, bound: int) -> Shard:
        """Return the rows whose key is below a bound."""
        return self if bound >= KEYS else self.take(self.key < np.uint64(bound))

    def highest_codes(self) -> NDArray[np.uint8]:
        """Return the highest code of each column."""
        return np.asarray(self.codes.max(axis=0), np.uint8)

    def confusion(self, networks: MaskedNetworks, classes: int, first_key: int) -> NDArray[np.int64]:
        """Return [network, true class, answer]: the weight of the rows whose key is `first_key` or above."""
        sums = np.zeros((len(networks.default), classes, classes), np.int64)
        add_confusion(self.codes, self.target, self.weight, self.key, np.uint64(first_key), networks, sums)
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


_STEPS = (128, 64, 32, 16, 8, 4, 2, 1)


@kernel()
def bin_numbers(numbers: Any, cuts: Any) -> Any:
    """Return what `np.searchsorted` does for at most 255 cuts, and one more than their number for NaN.

    Every search takes the same steps, and no jump depends on a number: 6 ns each, in place of the 57 of
    `np.searchsorted`.
    """
    padded = np.full(256, np.inf)
    padded[: len(cuts)] = cuts
    bins = np.empty(len(numbers), np.uint8)
    for i in range(len(numbers)):
        number, low = numbers[i], np.int64(0)
        for step in _STEPS:
            low += np.int64(step) * np.int64(padded[low + step - 1] < number)
        bins[i] = len(cuts) + 1 if np.isnan(number) else low
    return bins


@kernel()
def hash_codes(codes: Any) -> Any:
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


def _positions_of_bits() -> NDArray[np.int64]:
    positions = np.zeros(WORD, np.int64)
    for bit in range(WORD):
        positions[(_DE_BRUIJN << bit) % 2**WORD >> 58] = bit
    return positions


_DE_BRUIJN = 0x03F79D71B4CB0A89
"""Shifted by 0 to 63, it has 64 different upper six bits, which tell the position of the only bit of a word."""
_POSITION = _positions_of_bits()


@kernel()
def add_confusion(
    codes: Any, target: Any, weight: Any, key: Any, first_key: Any, networks: Any, confusions: Any
) -> Any:
    """Add the weight of each row whose key is `first_key` or above to `confusions[network, true class, answer]`.

    For each value of a row a mask says which rules may still hold. The masks of all columns together leave the rules
    that hold. The rules of a network are in the order of the priority of their classes, so the first of them answers.
    """
    words, count = networks.mask.shape[2], len(networks.default)
    holding = np.empty(words, np.uint64)
    for i in range(len(codes)):
        if key[i] < first_key:
            continue
        for w in range(words):
            holding[w] = np.uint64(0xFFFFFFFFFFFFFFFF)
        for j in range(len(networks.column)):
            mask = networks.mask[j, codes[i, networks.column[j]]]
            for w in range(words):
                holding[w] &= mask[w]
        for n in range(count):
            answer = networks.default[n]
            for w in range(networks.first[n], networks.first[n + 1]):
                if holding[w]:
                    lowest = holding[w] & (~holding[w] + np.uint64(1))
                    position = _POSITION[(lowest * np.uint64(_DE_BRUIJN)) >> np.uint64(58)]
                    answer = networks.owner[WORD * w + position]
                    break
            confusions[n, target[i], answer] += weight[i]
