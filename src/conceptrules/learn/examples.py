"""Training rows in a canonical order, so that neither their order nor repeats of a row leave a trace."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.bool_]
Targets = NDArray[np.int64]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Examples:
    """Bits of each row, its class as a number, and its weight."""

    bits: Bits
    target: Targets
    weight: Weights

    def __len__(self) -> int:
        return len(self.target)

    def weighted(self, weight: Weights) -> Examples:
        """The same rows with other weights; those that get 0 are gone."""
        kept = weight > 0
        return Examples(self.bits[kept], self.target[kept], weight[kept])


def with_negations(examples: Examples) -> Examples:
    """The negations of all bits as further bits."""
    return replace(examples, bits=np.hstack([examples.bits, ~examples.bits]))


def joined(first: Examples, second: Examples) -> Examples:
    """The rows of both, in canonical form."""
    return canonical(
        Examples(
            np.concatenate([first.bits, second.bits]),
            np.concatenate([first.target, second.target]),
            np.concatenate([first.weight, second.weight]),
        )
    )


def canonical(examples: Examples) -> Examples:
    """Sorted, with equal rows merged and their weights added: a row of weight 3 is three rows."""
    examples = examples.weighted(examples.weight)
    packed = np.packbits(examples.bits, axis=1)
    # Weights are sorted along, since a sum of fractions depends on the order in which they are added.
    order = np.lexsort((examples.weight, examples.target, *packed.T))
    packed, target = packed[order], examples.target[order]
    new = np.ones(len(order), bool)
    new[1:] = np.any(packed[1:] != packed[:-1], axis=1) | (target[1:] != target[:-1])
    starts = np.flatnonzero(new)
    weight = np.add.reduceat(examples.weight[order], starts)
    return Examples(examples.bits[order[starts]], target[starts], weight)


def split(examples: Examples, fraction: float, rng: np.random.Generator) -> tuple[Examples, Examples]:
    """Training and validation rows, class by class; a class too small to give a row stays in training.

    Whole-number weights are split like the repeats they stand for; where there are fractions, rows go one way whole.
    """
    held = np.zeros(len(examples))
    whole = bool(np.all(examples.weight == np.round(examples.weight)))
    for label in np.unique(examples.target):
        members = rng.permutation(np.flatnonzero(examples.target == label))
        size = examples.weight[members] if whole else np.ones(len(members))
        held[members] = _every(size, fraction, rng) * (examples.weight[members] / size)
    return examples.weighted(examples.weight - held), examples.weighted(held)


def _every(size: Weights, fraction: float, rng: np.random.Generator) -> Weights:
    """How much of each size to hold back: rows laid end to end, every 1/fraction-th one from a random start."""
    wanted = size.sum() * fraction
    start = rng.random() * (1 - wanted % 1)  # so that the number taken is `wanted` rounded down
    return np.diff(np.floor(np.cumsum(size) * fraction + start), prepend=0.0)
