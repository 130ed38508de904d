"""Descent and snapshots on a CPU."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.kernels.mllp.cohort import Cohort
from conceptrules.learn.mllp.cpu_engine import CpuEngine, descend, train_job
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import train
from tests.learn.mllp.jobs import job, xor


@pytest.fixture(name="executor")
def _executor() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def test_descent_is_what_the_recipe_says(executor: Executor) -> None:
    settings = Hyperparameters((4,), binarization_rate=(0.0, 0.5), max_epochs=3, min_steps=6, batch_size=4)
    epochs = [(e.number, e.cohort.steps, e.loss.shape) for e in descend(job(settings), executor)]
    assert epochs == [(1, 6, (2,)), (2, 12, (2,)), (3, 18, (2,))]  # 8 rows, 2 steps a pass, 3 passes


def test_an_epoch_takes_each_row_equally_often(monkeypatch: pytest.MonkeyPatch, executor: Executor) -> None:
    orders: list[np.ndarray] = []

    def record(cohort: Cohort, masked: object, rows: object, order: np.ndarray, *rest: object) -> np.ndarray:
        orders.append(order)
        return np.zeros(4)

    monkeypatch.setattr("conceptrules.learn.mllp.cpu_engine.cpu.epoch", record)
    list(descend(job(Hyperparameters((4,), max_epochs=2, min_steps=6, batch_size=4)), executor))
    for order in orders:
        assert np.bincount(order).tolist() == [3] * 8
    assert not np.array_equal(*orders)


def test_class_weight_reaches_the_loss(executor: Executor) -> None:
    """As if the rows of a class were as many more."""
    settings, weight = Hyperparameters((4,), max_epochs=5), np.array([1.0, 9])
    by_class, plain = replace(job(settings), class_weight=weight), job(settings)
    by_row = replace(plain, training=plain.training.weighted(plain.training.weight * weight[plain.training.target]))
    actual, expected, other = (next(train_job(one, executor))[0].weights for one in (by_class, by_row, plain))
    np.testing.assert_array_equal(actual, expected)
    assert not np.array_equal(actual, other)


def test_masks_are_redrawn_and_the_learning_rate_decays(monkeypatch: pytest.MonkeyPatch, executor: Executor) -> None:
    """What every call of the kernel gets: another mask of the right share for each epoch, and a falling rate."""
    calls = []

    def record(
        cohort: Cohort, masked: np.ndarray, rows: object, order: np.ndarray, rate: float, *rest: object
    ) -> np.ndarray:
        calls.append((masked, len(order), rate, cohort.weights.max()))
        return np.zeros(2)

    monkeypatch.setattr("conceptrules.learn.mllp.cpu_engine.cpu.epoch", record)
    settings = Hyperparameters((64,), binarization_rate=(0.2, 0.7), max_epochs=6, min_steps=6, batch_size=4)
    list(descend(job(replace(settings, decay_every=2, decay=0.5)), executor))
    assert [rows for _, rows, _, _ in calls] == [24] * 6
    np.testing.assert_allclose([rate for _, _, rate, _ in calls], [5e-3] * 2 + [2.5e-3] * 2 + [1.25e-3] * 2)
    assert all(np.allclose(masked.mean(axis=1), [0.2, 0.7], atol=0.1) for masked, *_ in calls)
    assert not any(np.array_equal(first[0], second[0]) for first, second in pairwise(calls))
    assert 0.09 < calls[0][3] <= 0.1  # the weights at the start


def test_snapshots_come_with_weights_and_scores(executor: Executor) -> None:
    settings = Hyperparameters((4,), binarization_rate=(0.0, 0.5), max_epochs=7, snapshot_every=3)
    seen = list(train_job(job(settings), executor))
    assert [[snapshot.score.epoch for snapshot in cohort] for cohort in seen] == [[3, 3], [6, 6], [7, 7]]
    assert not np.array_equal(seen[0][0].weights, seen[1][0].weights)  # copies, not the trainer's own


def test_what_a_job_learns_does_not_depend_on_threads_nor_on_the_jobs_beside_it() -> None:
    """Law 6. The jobs beside it are of other depths and widths, and end at other epochs."""
    several = [
        Hyperparameters((8,), max_epochs=20),
        Hyperparameters((5, 4, 3), max_epochs=9),
        Hyperparameters((6,), max_epochs=20, patience=5),
    ]
    alone = [train([job(settings, seed)], CpuEngine(2), lambda *_: None)[0] for seed, settings in enumerate(several)]
    together = train([job(settings, seed) for seed, settings in enumerate(several)], CpuEngine(3), lambda *_: None)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.best.weights, other.best.weights)
        assert one.best.score == other.best.score
        assert one.history == other.history


@given(
    rate=st.sampled_from([1e-30, 5e-3, 1.0, 1e6]),
    l2=st.sampled_from([0.0, 1e-8, 1e6]),
    weights=st.lists(st.sampled_from([1e-300, 1e-9, 1.0, 1e9]), min_size=8, max_size=8),
)
@settings(max_examples=40)
def test_weights_stay_between_0_and_1_whatever_the_settings(rate: float, l2: float, weights: list[float]) -> None:
    """Why exploding or missing weights cannot happen is in the docstring of `take_snapshot`."""
    made = Hyperparameters((16, 16, 16), learning_rate=rate, l2=l2, max_epochs=2)
    rows = replace(xor(), weight=np.array(weights))
    with ThreadPoolExecutor(1) as executor:
        for epoch in descend(replace(job(made), training=rows), executor):
            assert np.isfinite(epoch.loss).all()
            assert ((epoch.cohort.weights >= 0) & (epoch.cohort.weights <= 1)).all()
