"""Gradient descent under Random Binarization: an iterator over the epochs of a cohort."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.mllp import cpu
from conceptrules.kernels.mllp.cohort import Cohort, Flags, Floats, Rows, Settings, epoch_length
from conceptrules.learn.examples import Examples
from conceptrules.learn.mllp.hyperparameters import Recipe


@dataclass(frozen=True, slots=True)
class Epoch:
    """The cohort after an epoch, and the mean loss of each network in it. Training goes on in the same arrays."""

    number: int
    loss: Floats
    cohort: Cohort


def descend(
    recipe: Recipe, classes: int, examples: Examples, rng: np.random.Generator, executor: Executor
) -> Iterator[Epoch]:
    """Trains one network for each rate side by side, on the same batches."""
    cohort = _start(recipe, (examples.inputs, *recipe.layers, classes), rng)
    weight = (examples.weight / examples.weight.mean()).astype(np.float32)
    rows = Rows(examples.packed, examples.target, weight, examples.inputs)
    settings = Settings(min(recipe.batch_size, len(examples)), recipe.l1, recipe.l2, recipe.graft)
    for number in range(1, recipe.max_epochs + 1):
        learning_rate = recipe.learning_rate * recipe.decay ** ((number - 1) // recipe.decay_every)
        parts = _batches(recipe, len(examples), rng)
        losses = [
            cpu.epoch(cohort, _masked(recipe, cohort, rng), rows, part, learning_rate, settings, executor)
            for part in parts
        ]
        yield Epoch(number, np.average(losses, axis=0, weights=[len(part) for part in parts]), cohort)


def _start(recipe: Recipe, sizes: tuple[int, ...], rng: np.random.Generator) -> Cohort:
    """Small weights: from a product of many factors well below 1 no gradient would come back."""
    weights = rng.random((len(recipe.binarization_rate), Cohort.count(sizes)), np.float32)
    return Cohort(sizes, np.float32(0.1) * weights)


def _masked(recipe: Recipe, cohort: Cohort, rng: np.random.Generator) -> Flags:
    """Which weights are rounded now; one draw for all networks, so a higher rate adds to what a lower one masks."""
    rates = np.asarray(recipe.binarization_rate, np.float32)
    return rng.random(cohort.weights.shape[1], np.float32) < rates[:, None]


def _batches(recipe: Recipe, rows: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """The rows of an epoch in their order, in parts that share a mask; a small table is passed several times."""
    size = min(recipe.batch_size, rows)
    length = epoch_length(rows, size, recipe.min_steps, recipe.epoch_steps)
    order = np.concatenate([rng.permutation(rows) for _ in range(0, length, rows)])[:length]
    steps = recipe.mask_every or len(order)
    return np.split(order, range(steps * size, len(order), steps * size))
