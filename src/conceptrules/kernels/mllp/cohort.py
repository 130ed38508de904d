"""What the kernels work on: the weights of a cohort of networks, and the rows that they are trained on.

All weights of one network lie in one flat row, layer after layer, so that a step of Adam is one loop; `Cohort.layers`
shows them as one matrix a layer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]


@dataclass(slots=True)
class Cohort:
    """The state of training K networks of one shape: weights and Adam's two moments, each (K, weights)."""

    sizes: tuple[int, ...]
    """Inputs, the middle layers, classes."""
    weights: Floats
    first: Floats = field(init=False)
    second: Floats = field(init=False)
    steps: int = 0

    def __post_init__(self) -> None:
        self.first = np.zeros_like(self.weights)
        self.second = np.zeros_like(self.weights)

    @staticmethod
    def count(sizes: tuple[int, ...]) -> int:
        """Return how many weights a network of these sizes has."""
        return sum(inputs * outputs for inputs, outputs in pairwise(sizes))

    @staticmethod
    def layers(sizes: tuple[int, ...], flat: NDArray[Any]) -> list[NDArray[Any]]:
        """Return views of (K, weights) as (K, outputs, inputs), layer by layer."""
        views, start = [], 0
        for inputs, outputs in pairwise(sizes):
            stop = start + inputs * outputs
            views.append(flat[:, start:stop].reshape(-1, outputs, inputs))
            start = stop
        return views


def initial_weights(sizes: tuple[int, ...], networks: int, rng: np.random.Generator) -> Floats:
    """Return (networks, weights) of random weights near 0.

    With larger ones, the products of many factors well below 1 would let no gradient through.
    """
    return np.float32(0.1) * rng.random((networks, Cohort.count(sizes)), np.float32)


@dataclass(frozen=True, slots=True)
class KernelRows:
    """Training rows: bits packed eight to a byte, the class of each row, its weight (mean 1)."""

    packed: NDArray[np.uint8]
    target: NDArray[np.int64]
    weight: Floats
    inputs: int

    @staticmethod
    def of(bits: Flags, target: NDArray[np.int64], weight: NDArray[np.float64]) -> KernelRows:
        packed = np.packbits(bits, axis=1)
        return KernelRows(packed, target, (weight / weight.mean()).astype(np.float32), bits.shape[1])


def passes_of_epoch(rows: int, batch_size: int, min_steps: int) -> int:
    """Return how often an epoch passes over the table: as often as it takes for at least `min_steps` steps."""
    return -(-min_steps // -(-rows // batch_size))


@dataclass(frozen=True, slots=True)
class StepSettings:
    """The hyperparameters that a kernel needs."""

    batch_size: int = 128
    l2: float = 1e-8
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
