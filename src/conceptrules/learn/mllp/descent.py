"""Gradient descent under Random Binarization: an iterator over the epochs of a cohort."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.mllp import cpu
from conceptrules.kernels.mllp.cohort import Cohort, Flags, Floats, Rows, Settings, initial_weights, passes_of_epoch
from conceptrules.learn.examples import Examples
from conceptrules.learn.mllp.hyperparameters import Hyperparameters


@dataclass(frozen=True, slots=True)
class Epoch:
    """The cohort after an epoch, and the mean loss of each network in it. Training goes on in the same arrays."""

    number: int
    loss: Floats
    cohort: Cohort


def descend(
    settings: Hyperparameters,
    classes: int,
    examples: Examples,
    rng: np.random.Generator,
    executor: Executor,
    after: tuple[int, Cohort] | None = None,
) -> Iterator[Epoch]:
    """Train one network for each rate side by side, on the same batches: from the start, or on after an epoch."""
    if after is None:
        sizes = (examples.inputs, *settings.layers, classes)
        after = 0, Cohort(sizes, initial_weights(sizes, len(settings.binarization_rate), rng))
    done, cohort = after
    weight = (examples.weight / examples.weight.mean()).astype(np.float32)
    rows = Rows(examples.packed, examples.target, weight, examples.inputs)
    step = Settings(min(settings.batch_size, len(examples)), settings.l2)
    for number in range(done + 1, settings.max_epochs + 1):
        learning_rate = settings.learning_rate * settings.decay ** ((number - 1) // settings.decay_every)
        order = _order(settings, len(examples), rng)
        masked = _masked(settings, cohort, rng)
        yield Epoch(number, cpu.epoch(cohort, masked, rows, order, learning_rate, step, executor), cohort)


def _masked(settings: Hyperparameters, cohort: Cohort, rng: np.random.Generator) -> Flags:
    """Draw which weights are rounded now. All networks share the draw: a higher rate adds to what a lower one masks."""
    rates = np.asarray(settings.binarization_rate, np.float32)
    return rng.random(cohort.weights.shape[1], np.float32) < rates[:, None]


def _order(settings: Hyperparameters, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the rows of an epoch in a random order; a small table is passed several times."""
    passes = passes_of_epoch(rows, min(settings.batch_size, rows), settings.min_steps)
    return np.concatenate([rng.permutation(rows) for _ in range(passes)])
