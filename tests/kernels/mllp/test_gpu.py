"""Law 2 for the kernels of a GPU: in Triton's interpreter where there is no GPU, on the device where there is one."""

from __future__ import annotations

import os
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'conceptrules[gpu]'")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton", reason="triton is not installed: pip install 'conceptrules[gpu]'")

from conceptrules.kernels.mllp import gpu, reference
from conceptrules.kernels.mllp.cohort import Cohort, KernelRows, StepSettings
from conceptrules.kernels.mllp.gpu_state import CohortShape, DeviceState, NetworkSpec, RowSchedule


def values(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Between 0 and 1, many of them exactly 0 or exactly 1."""
    numbers = rng.random(shape, np.float32)
    return np.where(numbers < 0.3, 0, np.where(numbers > 0.7, 1, numbers)).astype(np.float32)


def close(actual: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-6)


@given(
    networks=st.integers(1, 3),
    inputs=st.integers(1, 9),
    outputs=st.integers(1, 5),
    batch=st.integers(1, 19),
    seed=st.integers(0, 2**20),
)
@settings(deadline=None, max_examples=10)
def test_a_layer_and_its_gradients(networks: int, inputs: int, outputs: int, batch: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, w = values(rng, networks, inputs, batch), values(rng, networks, outputs, inputs)
    dy = rng.normal(size=(networks, outputs, batch)).astype(np.float32)
    exact_x, exact_w = x.astype(float), w.astype(float)
    expected = reference.none_of(exact_x, exact_w), *reference.none_of_gradient(exact_x, exact_w, dy.astype(float))
    for computed, exact in zip(layer_on_gpu(x, w, dy), expected, strict=True):
        close(computed, exact)


def layer_on_gpu(x: np.ndarray, w: np.ndarray, dy: np.ndarray) -> list[np.ndarray]:
    """y, dx and dw of the second layer of networks whose first has given x."""
    networks, outputs, inputs = w.shape
    state = DeviceState(CohortShape((1, inputs, outputs)), networks, 1, x.shape[2], torch.device(DEVICE))
    weights = torch.zeros_like(state.effective)
    weights[:, inputs:] = torch.from_numpy(w.reshape(networks, -1))
    state.set_weights(weights, torch.ones_like(weights, dtype=torch.bool))
    state.value[:, :inputs] = torch.from_numpy(x)
    row = KernelRows(np.zeros((1, 1), np.uint8), np.zeros(1, np.int64), np.ones(1, np.float32), 1)
    state.run_layer(1, state.network_numbers, RowSchedule([row], 1, 1, 1, state.network_numbers), last=False)
    slope = -torch.from_numpy(dy).to(DEVICE)
    state.no_zero[:, inputs:] = slope * state.value[:, inputs:]
    state.one_zero[:, inputs:] = slope * state.others[:, inputs:]
    state.others[:, :inputs] = 1  # so that what goes further down is the gradient itself
    state.backprop_layer(1, state.network_numbers)
    dw = state.shape.layer(state.gradient.sum(0), 1)
    return [tensor.cpu().numpy() for tensor in (state.value[:, inputs:], -state.one_zero[:, :inputs], dw)]


def train_epoch(
    cohort: Cohort, masked: np.ndarray, rows: KernelRows, order: np.ndarray, rate: float, settings: StepSettings
) -> np.ndarray:
    """What `reference.epoch` does, with this mask and this order in place of new ones; the cohort takes the result."""
    specs = [NetworkSpec(cohort.sizes, 0.0, 0, rate, settings.l2) for _ in cohort.weights]
    trainer = gpu.Trainer(specs, list(cohort.weights), [rows], [0], settings, DEVICE)
    trainer.moment.copy_(torch.from_numpy(cohort.first))
    trainer.square.copy_(torch.from_numpy(cohort.second))
    trainer.updates.fill_(cohort.steps)
    trainer.rows.set_order(0, torch.from_numpy(order).to(trainer.device))
    with (
        patch.object(trainer.rows, "shuffle", lambda *_: trainer.rows.rewind()),
        patch.object(trainer, "_draw_mask", lambda: trainer.masked.copy_(torch.from_numpy(masked))),
    ):
        loss = trainer.epoch(1.0).cpu().numpy()
    arrays, tensors = (cohort.weights, cohort.first, cohort.second), (trainer.weights, trainer.moment, trainer.square)
    for array, tensor in zip(arrays, tensors, strict=True):
        array[:] = tensor.cpu().numpy()
    cohort.steps += trainer.rows.steps
    return loss


def cohort_of(networks: int, sizes: tuple[int, ...], rng: np.random.Generator) -> Cohort:
    cohort = Cohort(sizes, values(rng, networks, Cohort.count(sizes)))
    cohort.first[:] = rng.normal(size=cohort.first.shape) * 1e-3
    cohort.second[:] = rng.random(cohort.second.shape) * 1e-5
    cohort.steps = 7
    return cohort


@pytest.mark.parametrize(
    ("networks", "sizes", "rows", "batch"),
    [
        (1, (5, 1, 2), 3, 1),
        (2, (11, 6, 5, 7, 3), 50, 16),
        (3, (9, 4, 2), 21, 21),
        (100, (3, 2, 2), 3, 3),
        (1, (3, 2, 1), 9, 8),
    ],
)
def test_an_epoch(networks: int, sizes: tuple[int, ...], rows: int, batch: int) -> None:
    rng = np.random.default_rng(networks)
    ours, theirs = (cohort_of(networks, sizes, np.random.default_rng(3)) for _ in range(2))
    masked = rng.random(ours.weights.shape) < 0.5
    bits = rng.random((rows, sizes[0])) < 0.5
    data = KernelRows.of(bits, rng.integers(0, sizes[-1], rows), rng.random(rows) + 0.5)
    order, options = rng.permutation(rows), StepSettings(batch_size=batch)
    loss = train_epoch(ours, masked, data, order, 5e-3, options)
    close(loss, reference.epoch(theirs, masked, data, order, 5e-3, options))
    for name in ("weights", "first", "second"):
        close(getattr(ours, name), getattr(theirs, name))
    assert ours.steps == theirs.steps


def test_an_evaluation_is_a_forward_pass() -> None:
    rng = np.random.default_rng(0)
    cohort = cohort_of(3, (11, 6, 5, 7, 3), rng)
    packed = np.packbits(rng.random((33, 11)) < 0.5, axis=1)
    rows = KernelRows(packed, np.zeros(33, np.int64), np.ones(33, np.float32), 11)
    specs = [NetworkSpec(cohort.sizes, 0.0, 0, 0.0, 0.0) for _ in cohort.weights]
    trainer = gpu.Trainer(specs, list(cohort.weights), [rows], [0], StepSettings(), DEVICE)
    evaluator = gpu.Evaluator(trainer, [rows])
    close(np.asarray(evaluator.to_host(evaluator.score())), reference.forward(cohort, packed))
