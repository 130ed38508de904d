"""Hyperparameters, descent, extraction, priority, and the choice of the best."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.kernels.mllp import bits
from conceptrules.kernels.mllp.cohort import Cohort
from conceptrules.learn.examples import Examples
from conceptrules.learn.mllp.cpu_engine import CpuEngine, train
from conceptrules.learn.mllp.descent import descend
from conceptrules.learn.mllp.extract import extract
from conceptrules.learn.mllp.fit import FitJob, FitResult, Outputs, Score, Watch, fit, snapshot
from conceptrules.learn.mllp.hyperparameters import Hyperparameters, auto_layers
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import layers_plain, pack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Equals

RNG = np.random.default_rng


@pytest.fixture(name="executor")
def _executor() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def xor(repeats: float = 10) -> Examples:
    """Class 1 where just one of two bits is set; a third says nothing. Both bits come with their opposites."""
    inputs = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], dtype=bool)
    pairs = np.hstack([inputs[:, :2], ~inputs[:, :2], inputs[:, 2:]])
    return Examples.of(pairs, (inputs[:, 0] ^ inputs[:, 1]).astype(np.int64), np.full(8, repeats))


def job(settings: Hyperparameters, seed: int = 0) -> FitJob:
    return FitJob(settings, xor(), xor(), np.ones(2), RNG(seed))


def fit_one(settings: Hyperparameters, watch: Watch) -> FitResult:
    (found,) = fit([job(settings)], CpuEngine(2), watch)
    return found


@pytest.mark.parametrize("layers", [(8,), (16, 16, 16)])
def test_xor_is_learned(layers: tuple[int, ...]) -> None:
    scores: list[Score] = []
    found = fit_one(Hyperparameters(layers), lambda _, some: scores.extend(some))
    best = found.best
    assert found.history == tuple(scores)
    assert not found.interrupted
    assert best.score.crs_f1 == best.score.training_f1 == 1
    assert {score.rate for score in scores} == set(Hyperparameters(layers).binarization_rate)
    assert scores[-1].epoch == best.score.epoch + 100  # patience
    assert best.score == max(scores, key=lambda score: score.rank)


def test_negation_finds_xor_without_the_opposites() -> None:
    rows = Examples.of(xor().bits[:, :2], xor().target, xor().weight)
    wanted = replace(job(Hyperparameters((8,), negation=True)), training=rows, validation=rows)
    (found,) = fit([wanted], CpuEngine(2), lambda *_: None)
    best = found.best
    assert best.score.crs_f1 == 1
    literals = {literal for rule in extract(best.sizes, best.weights, 2)[0].rules for literal in rule.literals}
    assert {literal.negated for literal in literals} == {False, True}
    assert {literal.index for literal in literals} <= {0, 1}


def test_descent_is_what_the_recipe_says(executor: Executor) -> None:
    settings = Hyperparameters((4,), binarization_rate=(0.0, 0.5), max_epochs=3, min_steps=6, batch_size=4)
    epochs = [(e.number, e.cohort.steps, e.loss.shape) for e in descend(settings, 2, xor(), RNG(0), executor)]
    assert epochs == [(1, 6, (2,)), (2, 12, (2,)), (3, 18, (2,))]  # 8 rows, 2 steps a pass, 3 passes


def test_an_epoch_takes_each_row_equally_often(monkeypatch: pytest.MonkeyPatch, executor: Executor) -> None:
    orders: list[np.ndarray] = []

    def record(cohort: Cohort, masked: object, rows: object, order: np.ndarray, *rest: object) -> np.ndarray:
        orders.append(order)
        return np.zeros(4)

    monkeypatch.setattr("conceptrules.learn.mllp.descent.cpu.epoch", record)
    list(descend(Hyperparameters((4,), max_epochs=2, min_steps=6, batch_size=4), 2, xor(), RNG(0), executor))
    for order in orders:
        assert np.bincount(order).tolist() == [3] * 8
    assert not np.array_equal(*orders)


def test_class_weight_reaches_the_loss(executor: Executor) -> None:
    """As if the rows of a class were as many more."""
    settings, weight = Hyperparameters((4,), max_epochs=5), np.array([1.0, 9])
    by_class, plain = replace(job(settings), class_weight=weight), job(settings)
    by_row = replace(plain, training=plain.training.weighted(plain.training.weight * weight[plain.training.target]))
    found, wanted, other = (next(train(one, executor))[0].weights for one in (by_class, by_row, plain))
    np.testing.assert_array_equal(found, wanted)
    assert not np.array_equal(found, other)


def test_masks_are_redrawn_and_the_learning_rate_decays(monkeypatch: pytest.MonkeyPatch, executor: Executor) -> None:
    """What every call of the kernel gets: another mask of the right share for each epoch, and a falling rate."""
    calls = []

    def record(
        cohort: Cohort, masked: np.ndarray, rows: object, order: np.ndarray, rate: float, *rest: object
    ) -> np.ndarray:
        calls.append((masked, len(order), rate, cohort.weights.max()))
        return np.zeros(2)

    monkeypatch.setattr("conceptrules.learn.mllp.descent.cpu.epoch", record)
    settings = Hyperparameters((64,), binarization_rate=(0.2, 0.7), max_epochs=6, min_steps=6, batch_size=4)
    list(descend(replace(settings, decay_every=2, decay=0.5), 2, xor(), RNG(0), executor))
    assert [rows for _, rows, _, _ in calls] == [24] * 6
    np.testing.assert_allclose([rate for _, _, rate, _ in calls], [5e-3] * 2 + [2.5e-3] * 2 + [1.25e-3] * 2)
    assert all(np.allclose(masked.mean(axis=1), [0.2, 0.7], atol=0.1) for masked, *_ in calls)
    assert not any(np.array_equal(first[0], second[0]) for first, second in pairwise(calls))
    assert 0.09 < calls[0][3] <= 0.1  # the weights at the start


def test_snapshots_come_with_weights_and_scores(executor: Executor) -> None:
    settings = Hyperparameters((4,), binarization_rate=(0.0, 0.5), max_epochs=7, snapshot_every=3)
    seen = list(train(job(settings), executor))
    assert [[snapshot.score.epoch for snapshot in cohort] for cohort in seen] == [[3, 3], [6, 6], [7, 7]]
    assert not np.array_equal(seen[0][0].weights, seen[1][0].weights)  # copies, not the trainer's own


def test_refit_trains_on_all_rows_with_what_was_chosen() -> None:
    scores: list[Score] = []
    part = xor().weighted(np.array([1, 1, 1, 1, 1, 1, 1, 0.0]))
    wanted = replace(job(Hyperparameters((8,), refit=True)), training=part)
    (found,) = fit([wanted], CpuEngine(2), lambda _, some: scores.extend(some))
    again = next(k for k in range(1, len(scores)) if scores[k].epoch < scores[k - 1].epoch)
    chosen = max(scores[:again], key=lambda score: score.rank)
    assert found.best.score in scores[again:]
    assert {score.rate for score in scores[again:]} == {chosen.rate}


def test_what_a_job_learns_does_not_depend_on_threads_nor_on_the_jobs_beside_it() -> None:
    """Law 6. The jobs beside it are of other depths and widths, and end at other epochs."""
    several = [
        Hyperparameters((8,), max_epochs=20),
        Hyperparameters((5, 4, 3), max_epochs=9),
        Hyperparameters((6,), max_epochs=20, patience=5),
    ]
    alone = [fit([job(settings, seed)], CpuEngine(2), lambda *_: None)[0] for seed, settings in enumerate(several)]
    together = fit([job(settings, seed) for seed, settings in enumerate(several)], CpuEngine(3), lambda *_: None)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.best.weights, other.best.weights)
        assert one.best.score == other.best.score
        assert one.history == other.history


def test_an_interrupt_keeps_the_best_so_far() -> None:
    def interrupt(_: int, scores: list[Score]) -> None:
        if scores[0].epoch == 10:
            raise KeyboardInterrupt

    found = fit_one(Hyperparameters((8,)), interrupt)
    assert found.interrupted
    assert found.best.score.epoch == 5


def test_an_interrupt_of_the_refit_keeps_the_network_before_it() -> None:
    epochs: list[int] = []

    def interrupt(_: int, scores: list[Score]) -> None:
        if epochs and scores[0].epoch < epochs[-1]:
            raise KeyboardInterrupt
        epochs.append(scores[0].epoch)

    found = fit_one(Hyperparameters((8,), refit=True), interrupt)
    assert found.interrupted
    assert found.best.score.epoch in epochs


def test_an_interrupt_before_the_first_snapshot_is_not_swallowed() -> None:
    def interrupt(_: int, scores: list[Score]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_one(Hyperparameters((8,)), interrupt)


@given(st.integers(0, 999), st.sampled_from([(3, 4, 2), (3, 4, 3, 5, 3)]), st.booleans())
def test_the_extracted_network_equals_the_rounded_weights(seed: int, sizes: tuple[int, ...], negation: bool) -> None:
    """Law 3, negations included."""
    sizes = (6, *sizes[1:]) if negation else sizes
    weights = RNG(seed).random(Cohort.count(sizes), np.float32) ** 0.5 * 0.8
    columns = tuple(Column(f"x{j}", "boolean") for j in range(3))
    levels = extract(sizes, weights, 3)
    classes = tuple(range(sizes[-1]))
    network = RuleNetwork(columns, tuple(Equals(column.name, True) for column in columns), levels, classes)
    rows = RNG(seed).random((20, 3)) < 0.5
    inputs = np.hstack([rows, ~rows]) if negation else rows
    fired = bits.fired(sizes, weights, pack(inputs).words)
    assert np.array_equal(pack(layers_plain(network, rows)[-1]).words, fired & pack(np.ones((20, 1), bool)).words)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layers": (4, 4)}, "odd number"),
        ({"layers": ()}, "layers is empty"),
        ({"layers": (4, -1, 4)}, "layers needs whole numbers of at least 1, got -1"),
        ({"layers": "big"}, "layers needs whole numbers of at least 1, got 'big'"),
        ({"binarization_rate": 1.0}, "binarization_rate is 1.0"),
        ({"binarization_rate": (0.5, -0.1)}, "binarization_rate is -0.1"),
        ({"max_epochs": 0}, "max_epochs"),
        ({"batch_size": 2.5}, "batch_size"),
        ({"learning_rate": 0}, "learning_rate needs a number above 0, got 0"),
        ({"l2": float("nan")}, "l2 needs a number of at least 0, got nan"),
        ({"l2": -1e-6}, "l2 needs a number of at least 0, got -1e-06"),
        ({"patience": 0}, "patience"),
        ({"priority": "last"}, "priority is 'last'"),
    ],
)
def test_settings_out_of_range(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Hyperparameters(**{"layers": (4,), **settings})  # type: ignore[arg-type]


def test_a_single_size_and_a_single_rate_will_do() -> None:
    settings = Hyperparameters(8, binarization_rate=0.9)  # type: ignore[arg-type]
    assert (settings.layers, settings.binarization_rate) == ((8,), (0.9,))


def test_auto_layers_grow_with_the_inputs() -> None:
    assert [auto_layers(inputs)[0] for inputs in (1, 27, 155, 10_000)] == [32, 64, 128, 256]


def test_snapshots_are_ranked_by_validation_then_training_then_brevity() -> None:
    score = Score(rate=0.5, epoch=5, loss=0.1, mllp_f1=0.5, crs_f1=0.8, training_f1=0.9, edges=10, disagreement=0.1)
    better = [
        replace(score, edges=9),
        replace(score, training_f1=0.91, edges=99),
        replace(score, crs_f1=0.81, edges=99),
    ]
    ranks = [one.rank for one in (score, *better)]
    assert ranks == sorted(ranks)


@given(
    rate=st.sampled_from([1e-30, 5e-3, 1.0, 1e6]),
    l2=st.sampled_from([0.0, 1e-8, 1e6]),
    weights=st.lists(st.sampled_from([1e-300, 1e-9, 1.0, 1e9]), min_size=8, max_size=8),
)
@settings(max_examples=40)
def test_weights_stay_between_0_and_1_whatever_the_settings(rate: float, l2: float, weights: list[float]) -> None:
    """Why exploding or missing weights cannot happen is in the docstring of `snapshot`."""
    made = Hyperparameters((16, 16, 16), learning_rate=rate, l2=l2, max_epochs=2)
    rows = replace(xor(), weight=np.array(weights))
    with ThreadPoolExecutor(1) as executor:
        for epoch in descend(made, 2, rows, RNG(0), executor):
            assert np.isfinite(epoch.loss).all()
            assert ((epoch.cohort.weights >= 0) & (epoch.cohort.weights <= 1)).all()


def test_weights_that_are_no_numbers_are_told() -> None:
    fired, one = np.zeros((8, 2), bool), job(Hyperparameters((2,)))
    outputs = Outputs(0.0, np.array([0.5, np.nan], np.float32), fired, fired, np.zeros(8, np.int64))
    with pytest.raises(InputError, match="training broke down by epoch 5"):
        snapshot(one, 0.5, 5, outputs)


@pytest.mark.parametrize("name", ["learning_rate", "l2"])
def test_settings_that_would_overflow_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=rf"{name} needs a number .* at most 1e\+06, got 1e\+30"):
        Hyperparameters((2,), **{name: 1e30})
