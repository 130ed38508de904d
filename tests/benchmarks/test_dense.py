"""The baseline of the benchmark is fair only if it does the same thing: it is compared with the reference."""

from __future__ import annotations

import numpy as np
import pytest

from conceptrules.kernels.mllp import reference
from conceptrules.kernels.mllp.cohort import Cohort, KernelRows, StepSettings

torch = pytest.importorskip("torch", reason="the extra `bench` is not installed", exc_type=ModuleNotFoundError)

SIZES = (7, 5, 4, 6, 3)
SETTINGS = StepSettings(batch_size=16, l2=1e-3)


def some_weights(rng, shape):
    """Numbers, with exact zeros and ones among them."""
    return rng.choice([0, 1, *rng.random(8)], shape).astype(np.float32)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def rows(rng):
    return KernelRows.of(rng.random((50, SIZES[0])) < 0.7, rng.integers(0, SIZES[-1], 50), rng.random(50) + 0.5)


@pytest.mark.parametrize("layer", ["conjunction", "disjunction"])
def test_values_and_both_gradients_equal_the_reference(layer, rng):
    from benchmarks.speed import dense

    h, w = some_weights(rng, (9, 6)), some_weights(rng, (4, 6))
    dy = rng.normal(size=(9, 4)).astype(np.float32)
    torch_h, torch_w = (torch.tensor(array, requires_grad=True) for array in (h, w))
    value = getattr(dense, layer)(torch_h, torch_w)
    value.backward(torch.tensor(dy))

    x, sign = (1 - h.T, 1) if layer == "conjunction" else (h.T, -1)
    product = reference.none_of(x, w).T
    dx, dw = reference.none_of_gradient(x, w, dy.T)
    np.testing.assert_allclose(value.detach(), product if sign == 1 else 1 - product, atol=1e-6)
    np.testing.assert_allclose(torch_h.grad, -dx.T, atol=1e-5)  # x = 1 - h, or the value is 1 - product
    np.testing.assert_allclose(torch_w.grad, sign * dw, atol=1e-5)


def test_scores_equal_the_reference(rng, rows):
    from benchmarks.speed import dense

    cohort = Cohort(SIZES, some_weights(rng, (1, Cohort.count(SIZES))))
    trainer = dense.DenseTrainer(rows, SIZES, SETTINGS)
    trainer.begin(cohort, rate=0.01)
    scores = dense.forward(trainer.weights, trainer.bits).detach()
    np.testing.assert_allclose(scores, reference.forward(cohort, rows.packed)[0], atol=1e-6)


@pytest.mark.parametrize("rate", [0.0, 0.5, 0.9])
def test_epochs_equal_the_reference(rate, rng, rows):
    """The second begins with moments and a step count, and with a part of the weights masked anew."""
    from benchmarks.speed.dense import DenseTrainer

    cohort = Cohort(SIZES, rng.random((1, Cohort.count(SIZES)), np.float32))
    trainer = DenseTrainer(rows, SIZES, SETTINGS)
    for _ in range(2):
        masked, order = rng.random(cohort.weights.shape) < rate, rng.permutation(50)
        trainer.begin(cohort, rate=0.01)
        found = trainer.epoch(masked[0], order)
        expected = reference.epoch(cohort, masked, rows, order, 0.01, SETTINGS)
        assert found == pytest.approx(expected[0], rel=1e-4)
        np.testing.assert_allclose(trainer.flat(), cohort.weights[0], atol=1e-4)
