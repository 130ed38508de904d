"""What grafting and L1 mean: the reference against finite differences, the discrete network against the bits."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from conceptrules.kernels.mllp import bits, reference
from conceptrules.kernels.mllp.cohort import Cohort, Rows, Settings, epoch_length
from conceptrules.model.evaluation import PackedBits, pack, unpack

SIZES, ROWS = (7, 5, 4, 5, 3), 40
# One step of this Adam leaves the gradient in the first moment, and the weights where they were.
ONE_STEP = {"batch_size": ROWS, "beta1": 0.0, "l2": 0.0}


def cohort(seed: int) -> Cohort:
    """Weights away from the ends, where a product has a slope to both sides, and from 0.5."""
    weights = np.random.default_rng(seed).uniform(0.05, 0.45, (1, Cohort.count(SIZES)))
    weights[:, ::3] += 0.5
    return Cohort(SIZES, weights.astype(np.float32))


def table() -> tuple[np.ndarray, Rows]:
    rng = np.random.default_rng(5)
    inputs = rng.random((ROWS, SIZES[0])) < 0.7
    return inputs, Rows.of(inputs, rng.integers(0, SIZES[-1], ROWS), rng.random(ROWS) + 0.5)


def gradient(state: Cohort, masked: np.ndarray, **options: float) -> np.ndarray:
    """That of the first and only step."""
    _, rows = table()
    reference.epoch(state, masked, rows, np.arange(ROWS), 0.0, Settings(**ONE_STEP, **options))
    return state.first[0]


def scores(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """In float64: (rows, classes)."""
    x, start = 1.0 - inputs.T, 0
    for below, above in pairwise(SIZES):
        x = reference.none_of(x, weights[start : start + below * above].reshape(above, below))
        start += below * above
    return 1 - x.T


@pytest.mark.parametrize("options", [{"graft": 0.5}, {"graft": 1.0}, {"l1": 0.01}, {"graft": 0.25, "l1": 0.003}])
def test_the_gradient_is_that_of_the_grafted_loss(options: dict[str, float]) -> None:
    """The slope of sum(grafted error, held fixed, x 2 x score) + l1 x sum(w), by finite differences."""
    state, (inputs, rows) = cohort(1), table()
    weights = state.weights[0].astype(np.float64)
    fired = unpack(PackedBits(bits.fired(SIZES, state.weights[0], pack(inputs).words), ROWS))
    graft, l1 = options.get("graft", 0), options.get("l1", 0)
    wanted = np.arange(SIZES[-1]) == rows.target[:, None]
    error = (1 - graft) * scores(weights, inputs) + graft * fired - wanted
    scale = rows.weight[:, None] / error.size

    def objective(moved: np.ndarray) -> float:
        return float(np.sum(2 * error * scale * scores(moved, inputs)) + l1 * moved.sum())

    found = gradient(state, np.zeros((1, len(weights)), bool), **options)
    for k in range(0, len(weights), 7):
        step = np.zeros(len(weights))
        step[k] = 1e-6
        slope = (objective(weights + step) - objective(weights - step)) / 2e-6
        np.testing.assert_allclose(found[k], slope, rtol=1e-3, atol=1e-6)


def test_a_network_that_is_discrete_already_has_nothing_to_graft() -> None:
    masked = np.ones((1, Cohort.count(SIZES)), bool)
    masked[:, 4] = False
    states = [cohort(1), cohort(1)]
    for state in states:
        state.weights[:, 4] = 1
    plain, grafted = gradient(states[0], masked), gradient(states[1], masked, graft=0.5)
    np.testing.assert_array_equal(plain, grafted)


def test_l1_pulls_learnable_weights_alone() -> None:
    masked = np.random.default_rng(0).random((1, Cohort.count(SIZES))) < 0.5
    pull = gradient(cohort(1), masked, l1=0.25) - gradient(cohort(1), masked)
    np.testing.assert_allclose(pull, np.where(masked[0], 0, 0.25), rtol=1e-5)


@pytest.mark.parametrize(
    ("rows", "size", "min_steps", "epoch_steps", "wanted"),
    [
        (1000, 128, 1, None, 1000),
        (1000, 128, 8, None, 1000),
        (1000, 128, 9, None, 2000),
        (80, 80, 20, None, 1600),
        (1000, 128, 20, 3, 384),
        (80, 80, 20, 3, 240),
    ],
)
def test_the_length_of_an_epoch(rows: int, size: int, min_steps: int, epoch_steps: int | None, wanted: int) -> None:
    assert epoch_length(rows, size, min_steps, epoch_steps) == wanted
