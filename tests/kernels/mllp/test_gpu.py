"""Law 2 for the kernels of a GPU: in Triton's interpreter where there is no GPU, on the device where there is one."""

from __future__ import annotations

import os

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
from conceptrules.kernels.mllp.cohort import Cohort, Rows, Settings


def values(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Between 0 and 1, many of them exactly 0 or exactly 1."""
    numbers = rng.random(shape, np.float32)
    return np.where(numbers < 0.3, 0, np.where(numbers > 0.7, 1, numbers)).astype(np.float32)


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6)


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
    close(gpu.none_of(x, w, DEVICE), reference.none_of(x.astype(float), w.astype(float)))
    wanted = reference.none_of_gradient(x.astype(float), w.astype(float), dy.astype(float))
    for found, exact in zip(gpu.none_of_gradient(x, w, dy, DEVICE), wanted, strict=True):
        close(found, exact)


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
    data = Rows.of(bits, rng.integers(0, sizes[-1], rows), rng.random(rows) + 0.5)
    order, options = rng.permutation(rows), Settings(batch_size=batch)
    found = gpu.epoch(ours, masked, data, order, 5e-3, options, DEVICE)
    wanted = reference.epoch(theirs, masked, data, order, 5e-3, options)
    close(found, wanted)
    for name in ("weights", "first", "second"):
        close(getattr(ours, name), getattr(theirs, name))
    assert ours.steps == theirs.steps


def test_a_look_at_rows_is_a_forward_pass() -> None:
    rng = np.random.default_rng(0)
    cohort = cohort_of(3, (11, 6, 5, 7, 3), rng)
    packed = np.packbits(rng.random((33, 11)) < 0.5, axis=1)
    close(gpu.forward(cohort, packed, DEVICE), reference.forward(cohort, packed))
