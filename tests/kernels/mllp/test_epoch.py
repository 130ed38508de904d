"""An epoch of training and a forward pass: the compiled ones do what the reference does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from conceptrules.kernels.mllp import cpu, reference
from conceptrules.kernels.mllp.cohort import Cohort, KernelRows, StepSettings
from conceptrules.model.evaluation import PackedBits, pack, unpack

SIZES = [(9, 6, 5, 6, 3), (1, 1, 2), (8, 4, 2), (17, 3, 1, 2, 2)]


def cohort(sizes: tuple[int, ...], networks: int = 3) -> Cohort:
    """Weights of which many are exactly 0 or 1, as they are late in training."""
    weights = np.random.default_rng(1).normal(0.4, 0.5, (networks, Cohort.count(sizes)))
    return Cohort(sizes, np.clip(weights, 0, 1).astype(np.float32))


def rows(inputs: int, classes: int, count: int = 70) -> KernelRows:
    rng = np.random.default_rng(2)
    return KernelRows.of(rng.random((count, inputs)) < 0.5, rng.integers(0, classes, count), rng.random(count) + 0.5)


def trained(sizes: tuple[int, ...], threads: int | None) -> tuple[Cohort, np.ndarray]:
    """After two epochs with other masks, by the reference (None) or with so many threads."""
    state, data, rng = cohort(sizes), rows(sizes[0], sizes[-1]), np.random.default_rng(3)
    for rates in ([0, 0.5, 0.9], [0.3, 0, 1]):
        masked = rng.random(state.weights.shape) < np.array(rates)[:, None]
        settings = StepSettings(batch_size=16, l2=1e-3)
        arguments = (state, masked, data, rng.permutation(70), 0.01, settings)
        if threads is None:
            loss = reference.epoch(*arguments)
        else:
            with ThreadPoolExecutor(threads) as executor:
                loss = cpu.epoch(*arguments, executor)
    return state, loss


def shared(sizes: tuple[int, ...], arguments: tuple[Any, ...], most_threads: int) -> tuple[list[Cohort], list[Any]]:
    """One network after an epoch by the reference, by one thread, by two, ...; and the losses."""
    states = [cohort(sizes, networks=1) for _ in range(1 + most_threads)]
    losses = [reference.epoch(states[0], *arguments)]
    for threads, state in enumerate(states[1:], start=1):
        with ThreadPoolExecutor(threads) as executor:
            losses.append(cpu.epoch(state, *arguments, executor))
    return states, losses


@pytest.mark.parametrize("sizes", SIZES)
def test_an_epoch_equals_the_reference(sizes: tuple[int, ...]) -> None:
    actual, loss = trained(sizes, threads=1)
    expected, reference_loss = trained(sizes, threads=None)
    np.testing.assert_allclose(loss, reference_loss, rtol=1e-4)
    np.testing.assert_allclose(actual.weights, expected.weights, atol=1e-4)
    np.testing.assert_allclose(actual.first, expected.first, rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(actual.second, expected.second, rtol=1e-3, atol=1e-9)
    assert actual.steps == expected.steps == 10
    assert not np.array_equal(actual.weights, cohort(sizes).weights)


@pytest.mark.parametrize("sizes", SIZES)
def test_threads_change_nothing(sizes: tuple[int, ...]) -> None:
    assert np.array_equal(trained(sizes, threads=1)[0].weights, trained(sizes, threads=3)[0].weights)


def test_a_short_last_batch_counts_its_own_rows_only() -> None:
    """70 rows in batches of 64, then of 6: the same loss as all rows in their two batches one by one."""
    data, order = rows(9, 3), np.arange(70)
    with ThreadPoolExecutor(1) as executor:
        arguments = (np.ones((3, Cohort.count(SIZES[0])), bool), data)
        losses = [
            cpu.epoch(cohort(SIZES[0]), *arguments, part, 0.01, StepSettings(batch_size=64), executor)
            for part in (order, order[:64], order[64:])
        ]
    np.testing.assert_allclose(losses[0], (64 * losses[1] + 6 * losses[2]) / 70, rtol=1e-5)


def test_threads_share_a_large_batch_of_one_network() -> None:
    """In parts, by one thread or by two, and as the reference does it in one piece."""
    sizes, data, order = SIZES[0], rows(9, 3, count=700), np.arange(700)
    masked = np.zeros((1, Cohort.count(sizes)), bool)
    arguments = (masked, data, order, 0.01, StepSettings(batch_size=300))
    states, losses = shared(sizes, arguments, most_threads=2)
    np.testing.assert_allclose(states[1].weights, states[0].weights, atol=1e-4)
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)
    assert np.array_equal(states[1].weights, states[2].weights)
    both = Cohort(sizes, np.repeat(cohort(sizes, networks=1).weights, 2, axis=0))
    with ThreadPoolExecutor(2) as executor:
        cpu.epoch(both, np.repeat(masked, 2, axis=0), *arguments[1:], executor)
    assert np.array_equal(both.weights[1:], states[1].weights)  # whole networks, or parts of one: no difference


@pytest.mark.parametrize("sizes", [*SIZES, (70, 40, 30, 40, 3)])
@pytest.mark.parametrize("rate", [0, 0.5, 0.9])
def test_threads_share_the_layers_of_a_large_network(
    sizes: tuple[int, ...], rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit what one thread does; the last batch is a short one."""
    state, data = cohort(sizes, networks=1), rows(sizes[0], sizes[-1], count=100)
    masked = np.random.default_rng(4).random(state.weights.shape) < rate
    arguments = (masked, data, np.arange(100), 0.01, StepSettings(batch_size=70))
    monkeypatch.setattr(cpu, "WORTH_SHARING", 0)
    states, losses = shared(sizes, arguments, most_threads=3)
    np.testing.assert_allclose(states[1].weights, states[0].weights, atol=1e-4)
    np.testing.assert_allclose(states[1].first, states[0].first, rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)
    for state, loss in zip(states[2:], losses[2:], strict=True):
        assert np.array_equal(state.weights, states[1].weights)
        assert np.array_equal(state.second, states[1].second)
        assert np.array_equal(loss, losses[1])


def test_masked_weights_keep_their_momentum() -> None:
    """Two epochs of many steps, the second with all weights masked: they coast as the reference has them do."""
    sizes, data = SIZES[0], rows(9, 3, count=700)
    actual, expected = cohort(sizes), cohort(sizes)
    start = actual.weights.copy()
    with ThreadPoolExecutor(1) as executor:
        for masked in (np.zeros(start.shape, bool), np.ones(start.shape, bool)):
            arguments = (masked, data, np.arange(700), 0.01, StepSettings(batch_size=3))
            reference.epoch(expected, *arguments)
            before = actual.weights.copy()
            cpu.epoch(actual, *arguments, executor)
    assert np.abs(actual.weights - before).max() > 0.01
    np.testing.assert_allclose(actual.weights, expected.weights, atol=2e-3)
    np.testing.assert_allclose(actual.second, expected.second, rtol=1e-2, atol=1e-9)


@pytest.mark.parametrize("sizes", SIZES)
def test_forward_equals_the_reference(sizes: tuple[int, ...]) -> None:
    state, data = cohort(sizes), rows(sizes[0], sizes[-1], count=200)
    with ThreadPoolExecutor(1) as executor:
        actual = cpu.forward(state, data.packed, executor)
    np.testing.assert_allclose(actual, reference.forward(state, data.packed), atol=1e-5)


@pytest.mark.parametrize("sizes", SIZES)
def test_bits_equal_the_forward_pass_with_rounded_weights(sizes: tuple[int, ...]) -> None:
    state = cohort(sizes)
    state.weights[:] = state.weights > 0.7
    inputs = np.random.default_rng(5).random((130, sizes[0])) < 0.5
    expected = reference.forward(state, np.packbits(inputs, axis=1))
    for weights, scores in zip(state.weights, expected, strict=True):
        fired = cpu.fire(sizes, weights, pack(inputs).words)
        assert np.array_equal(unpack(PackedBits(fired, 130)), scores == 1)
        assert set(np.unique(scores)) <= {0, 1}
