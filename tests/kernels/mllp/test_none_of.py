"""Law 2: every kernel equals the reference in value and both gradients; the reference equals finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.mllp import passes, reference
from conceptrules.kernels.mllp.active_weights import find_active_weights
from conceptrules.kernels.mllp.vectors import LANES

SHAPES = [(1, 1, 1, 1), (1, 3, 1, 8), (2, 1, 4, 5), (3, 5, 7, 33), (1, 16, 20, 128)]


def operands(shape: tuple[int, int, int, int], seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, w and dy of (networks, outputs, inputs, batch); about a third of the values is exactly 0 or 1."""
    networks, outputs, inputs, batch = shape
    rng = np.random.default_rng(seed)

    def values(*size: int) -> np.ndarray:
        exact = rng.choice([0, 1, 2, 2, 2, 2], size)
        return np.where(exact < 2, exact, rng.random(size)).astype(np.float32)

    return (
        values(networks, inputs, batch),
        values(networks, outputs, inputs),
        rng.normal(size=(networks, outputs, batch)).astype(np.float32),
    )


def test_by_hand() -> None:
    x, w = np.array([[[0.5, 1.0], [0.2, 1.0]]]), np.array([[[1.0, 0.5], [0.0, 0.0]]])
    np.testing.assert_allclose(reference.none_of(x, w), [[[0.5 * 0.9, 0], [1, 1]]])


def test_a_zero_factor_gets_the_product_of_the_others() -> None:
    """w = 1 and x = 1 makes the product 0; only that input's own gradient is not 0."""
    x, w = np.array([[[1.0], [0.5]]]), np.array([[[1.0, 0.5]]])
    dx, dw = reference.none_of_gradient(x, w, np.ones((1, 1, 1)))
    np.testing.assert_allclose(dw, [[[-0.75, 0]]])
    np.testing.assert_allclose(dx, [[[-0.75], [0]]])


@pytest.mark.parametrize("shape", SHAPES)
def test_reference_equals_finite_differences(shape: tuple[int, int, int, int]) -> None:
    x, w, dy = (array.astype(np.float64) for array in operands(shape, seed=1))
    for argument, gradient in enumerate(reference.none_of_gradient(x, w, dy)):
        step = np.random.default_rng(2).normal(size=gradient.shape)

        def moved(by: float, argument: int = argument, step: np.ndarray = step) -> float:
            inputs = [x, w]
            inputs[argument] = inputs[argument] + by * step
            return float(np.sum(reference.none_of(*inputs) * dy))

        slope = (moved(1e-6) - moved(-1e-6)) / 2e-6
        np.testing.assert_allclose(np.sum(gradient * step), slope, rtol=1e-5, atol=1e-7)


def layer_on_cpu(x: np.ndarray, w: np.ndarray, dy: np.ndarray) -> list[np.ndarray]:
    """y, dx and dw of one layer of one network, by the functions that an epoch uses."""
    (outputs, inputs), batch, weights, dw = w.shape, x.shape[1], w.ravel(), np.zeros_like(w)
    sizes, nodes = np.array([inputs, outputs]), inputs + outputs
    active = find_active_weights(sizes, weights, np.zeros(w.size, np.bool_))
    state, lists = passes.allocate_state(sizes, batch), passes.allocate_lists(sizes, batch)
    strips = len(state.value)
    state.value[:, :inputs], state.d[:, inputs:] = in_strips(x), in_strips(dy)
    passes.list_factors(inputs, nodes, active, weights, state, lists)
    passes.run_layer(strips, inputs, nodes, False, active.needed, state, lists)
    passes.split_gradient(strips, inputs, nodes, state)
    passes.backprop_layer(strips, 0, inputs, active, weights, state, lists, dw.reshape(-1))
    y, dx = (array.transpose(1, 0, 2).reshape(nodes, -1)[:, :batch] for array in (state.value, state.d))
    return [y[inputs:], dx[:inputs], dw]


def in_strips(array: np.ndarray) -> np.ndarray:
    """(nodes, batch) as (strips, nodes, rows of a strip), the last strip padded with 0."""
    nodes, batch = array.shape
    return np.pad(array, ((0, 0), (0, -batch % LANES))).reshape(nodes, -1, LANES).transpose(1, 0, 2)


@given(st.tuples(*[st.integers(1, 3)] * 2, st.integers(1, 9), st.integers(1, 40)), st.integers(0, 2**32 - 1))
def test_cpu_equals_reference(shape: tuple[int, int, int, int], seed: int) -> None:
    x, w, dy = operands(shape, seed)
    y, dx, dw = map(np.asarray, zip(*map(layer_on_cpu, x, w, dy), strict=True))
    np.testing.assert_allclose(y, reference.none_of(x, w), rtol=1e-4, atol=1e-7)
    for gradient, expected in zip((dx, dw), reference.none_of_gradient(x, w, dy), strict=True):
        np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-5)
