"""A part of the rows held out, class by class."""

from __future__ import annotations

import numpy as np

from conceptrules.learn.mllp.examples import Examples, Weights


def split(examples: Examples, fraction: float, rng: np.random.Generator) -> tuple[Examples, Examples]:
    """Return training and validation rows, split class by class; a class too small to give a row stays in training.

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
    """Return how much of each size to hold back: of rows laid end to end, every 1/fraction-th from a random start."""
    wanted = size.sum() * fraction
    start = rng.random() * (1 - wanted % 1)  # so that the number taken is `wanted` rounded down
    return np.diff(np.floor(np.cumsum(size) * fraction + start), prepend=0.0)
