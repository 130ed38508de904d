"""The one place that knows how our engine is called."""

from __future__ import annotations

from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.mllp import cpu
from conceptrules.kernels.mllp.cohort import Cohort, Flags, KernelRows, StepSettings

LEARNING_RATE = 5e-3
SETTINGS = StepSettings()


def start(sizes: tuple[int, ...], networks: int, rng: np.random.Generator) -> Cohort:
    """Weights as they are before training: Uniform(0, 0.1)."""
    return Cohort(sizes, np.float32(0.1) * rng.random((networks, Cohort.count(sizes)), np.float32))


def masks(cohort: Cohort, rates: tuple[float, ...], rng: np.random.Generator) -> Flags:
    """Which weights are rounded in an epoch, network by network."""
    return rng.random(cohort.weights.shape[1], np.float32) < np.asarray(rates, np.float32)[:, None]


def our_epoch(cohort: Cohort, masked: Flags, rows: KernelRows, order: NDArray[np.int64], executor: Executor) -> None:
    """Train the networks of a cohort, in place, on the rows in this order."""
    cpu.epoch(cohort, masked, rows, order, LEARNING_RATE, SETTINGS, executor)


def train(
    cohort: Cohort,
    rates: tuple[float, ...],
    rows: KernelRows,
    epochs: int,
    rng: np.random.Generator,
    executor: Executor,
) -> None:
    """Train so many epochs under random binarization, which makes late weights of early ones."""
    for _ in range(epochs):
        our_epoch(cohort, masks(cohort, rates, rng), rows, rng.permutation(len(rows.target)), executor)
