"""What the reference computes: its gradient against finite differences, and the length of an epoch."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from conceptrules.kernels.mllp import reference
from conceptrules.kernels.mllp.cohort import Cohort, KernelRows, StepSettings, passes_of_epoch

SIZES, ROWS = (7, 5, 4, 5, 3), 40
# One step of this Adam leaves the gradient in the first moment, and the weights where they were.
ONE_STEP = {"batch_size": ROWS, "beta1": 0.0}


def cohort(seed: int) -> Cohort:
    """Weights away from the ends, where a product has a slope to both sides, and from 0.5."""
    weights = np.random.default_rng(seed).uniform(0.05, 0.45, (1, Cohort.count(SIZES)))
    weights[:, ::3] += 0.5
    return Cohort(SIZES, weights.astype(np.float32))


def table() -> tuple[np.ndarray, KernelRows]:
    rng = np.random.default_rng(5)
    inputs = rng.random((ROWS, SIZES[0])) < 0.7
    return inputs, KernelRows.of(inputs, rng.integers(0, SIZES[-1], ROWS), rng.random(ROWS) + 0.5)


def gradient(state: Cohort, masked: np.ndarray, **options: float) -> np.ndarray:
    """That of the first and only step."""
    _, rows = table()
    reference.epoch(state, masked, rows, np.arange(ROWS), 0.0, StepSettings(**ONE_STEP, **options))
    return state.first[0]


def scores(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """In float64: (rows, classes)."""
    x, start = 1.0 - inputs.T, 0
    for below, above in pairwise(SIZES):
        x = reference.none_of(x, weights[start : start + below * above].reshape(above, below))
        start += below * above
    return 1 - x.T


@pytest.mark.parametrize("l2", [0, 0.01])
def test_the_gradient_is_that_of_the_loss(l2: float) -> None:
    """The slope of the mean squared error + l2 / 2 x sum(w squared), by finite differences."""
    state, (inputs, rows) = cohort(1), table()
    weights = state.weights[0].astype(np.float64)
    correct = np.arange(SIZES[-1]) == rows.target[:, None]
    scale = rows.weight[:, None] / correct.size

    def objective(moved: np.ndarray) -> float:
        return float(np.sum(scale * (scores(moved, inputs) - correct) ** 2) + l2 / 2 * np.sum(moved**2))

    actual = gradient(state, np.zeros((1, len(weights)), bool), l2=l2)
    for k in range(0, len(weights), 7):
        step = np.zeros(len(weights))
        step[k] = 1e-6
        slope = (objective(weights + step) - objective(weights - step)) / 2e-6
        np.testing.assert_allclose(actual[k], slope, rtol=1e-3, atol=1e-6)


def test_l2_pulls_learnable_weights_alone() -> None:
    masked = np.random.default_rng(0).random((1, Cohort.count(SIZES))) < 0.5
    pull = gradient(cohort(1), masked, l2=0.25) - gradient(cohort(1), masked, l2=0)
    np.testing.assert_allclose(pull, np.where(masked, 0, 0.25 * cohort(1).weights)[0], rtol=1e-4)


@pytest.mark.parametrize(
    ("rows", "batch_size", "min_steps", "passes"),
    [(1000, 128, 1, 1), (1000, 128, 8, 1), (1000, 128, 9, 2), (80, 80, 20, 20)],
)
def test_the_length_of_an_epoch(rows: int, batch_size: int, min_steps: int, passes: int) -> None:
    assert passes_of_epoch(rows, batch_size, min_steps) == passes
