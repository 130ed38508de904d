"""Training rows in a canonical order, so that neither their order nor repeats of a row leave a trace.

Rows are kept as bytes of a row here, and as `PackedBits` (words of a predicate) where networks are evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.evaluation import PackedBits, octets_for, octets_of, words_of

Bits = NDArray[np.bool_]
Octets = NDArray[np.uint8]
Targets = NDArray[np.int64]
Weights = NDArray[np.float64]


_BLOCK = 1024  # rows that are unpacked at a time, so that a million of them never are


@dataclass(frozen=True, slots=True)
class Examples:
    """Bits of each row, eight in a byte (as `np.packbits` does it, axis 1), its class as a number, and its weight."""

    packed: Octets
    target: Targets
    weight: Weights
    inputs: int
    """How many bits a row has."""

    @staticmethod
    def of(bits: Bits, target: Targets, weight: Weights) -> Examples:
        return Examples(np.packbits(bits, axis=1), target, weight, bits.shape[1])

    @staticmethod
    def from_packed_bits(words: PackedBits, target: Targets, weight: Weights) -> Examples:
        """Turn words, which hold the bits of a predicate together, into bytes, which hold those of a row together."""
        inputs, octets = len(words.words), octets_of(words.words)
        packed = np.empty((words.rows, -(-inputs // 8)), np.uint8)
        for start in range(0, words.rows, _BLOCK):
            rows = packed[start : start + _BLOCK]
            part = octets[:, start // 8 : (start + _BLOCK) // 8]
            bits = np.unpackbits(part, axis=1, count=len(rows), bitorder="little")
            rows[:] = np.packbits(np.ascontiguousarray(bits.T), axis=1)
        return Examples(packed, target, weight, inputs)

    def to_packed_bits(self) -> PackedBits:
        """Turn bytes of a row into words of a predicate: the inverse of `from_packed_bits`."""
        octets = octets_for(self.inputs, len(self))
        for start, bits in self._blocks():
            part = np.packbits(bits, axis=0, bitorder="little")
            octets[:, start // 8 : start // 8 + len(part)] = part.T
        return PackedBits(words_of(octets), len(self))

    @property
    def bits(self) -> Bits:
        """(rows, inputs): the bits, unpacked."""
        return np.unpackbits(self.packed, axis=1, count=self.inputs).view(np.bool_)

    def __len__(self) -> int:
        return len(self.target)

    def weighted(self, weight: Weights) -> Examples:
        """Return the same rows with other weights, without those that get 0."""
        kept = weight > 0
        if kept.all():
            return replace(self, weight=weight)
        return replace(self, packed=self.packed[kept], target=self.target[kept], weight=weight[kept])

    def _blocks(self) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        for start in range(0, len(self), _BLOCK):
            yield start, np.unpackbits(self.packed[start : start + _BLOCK], axis=1, count=self.inputs)


def with_negations(examples: Examples) -> Examples:
    """Return the rows with the negations of all bits as further bits."""
    packed = np.empty((len(examples), -(-2 * examples.inputs // 8)), np.uint8)
    for start, bits in examples._blocks():
        packed[start : start + _BLOCK] = np.packbits(np.hstack([bits, 1 - bits]), axis=1)
    return replace(examples, packed=packed, inputs=2 * examples.inputs)


def joined(first: Examples, second: Examples) -> Examples:
    """Return the rows of both, in canonical form."""
    return canonical(
        Examples(
            np.concatenate([first.packed, second.packed]),
            np.concatenate([first.target, second.target]),
            np.concatenate([first.weight, second.weight]),
            first.inputs,
        )
    )


def canonical(examples: Examples) -> Examples:
    """Return the rows sorted, with equal rows merged and their weights added: a row of weight 3 is three rows."""
    examples = examples.weighted(examples.weight)
    # Weights are sorted along, since a sum of fractions depends on the order in which they are added.
    order = np.lexsort((examples.weight, examples.target, *examples.packed.T))
    packed, target = examples.packed[order], examples.target[order]
    new = np.ones(len(order), bool)
    new[1:] = target[1:] != target[:-1]
    for column in packed.T:
        new[1:] |= column[1:] != column[:-1]
    starts = np.flatnonzero(new)
    weight = np.add.reduceat(examples.weight[order], starts)
    return Examples(packed[starts], target[starts], weight, examples.inputs)


def split_examples(examples: Examples, held: Bits) -> tuple[Examples, Examples]:
    """Return the rows that are not held back, and those that are, both in canonical form."""
    weight = examples.weight
    return canonical(examples.weighted(np.where(held, 0, weight))), canonical(examples.weighted(weight * held))
