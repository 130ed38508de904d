"""The choice of the best network, refits, interrupts and scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conceptrules.learn.mllp.cpu_engine import CpuEngine
from conceptrules.learn.mllp.examples import Examples
from conceptrules.learn.mllp.extraction import extract_levels
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import FitResult, Outputs, Score, Watch, take_snapshot, train
from conceptrules.model.errors import InputError
from tests.learn.mllp.jobs import job, xor


def fit_one(settings: Hyperparameters, watch: Watch) -> FitResult:
    (result,) = train([job(settings)], CpuEngine(2), watch)
    return result


@pytest.mark.parametrize("layers", [(8,), (16, 16, 16)])
def test_xor_is_learned(layers: tuple[int, ...]) -> None:
    scores: list[Score] = []
    result = fit_one(Hyperparameters(layers), lambda _, batch: scores.extend(batch))
    best = result.best
    assert result.history == tuple(scores)
    assert not result.interrupted
    assert best.score.crs_f1 == best.score.training_f1 == 1
    assert {score.rate for score in scores} == set(Hyperparameters(layers).binarization_rate)
    assert scores[-1].epoch == best.score.epoch + 100  # patience
    assert best.score == max(scores, key=lambda score: score.rank)


def test_negation_finds_xor_without_the_opposites() -> None:
    rows = Examples.of(xor().bits[:, :2], xor().target, xor().weight)
    own_job = replace(job(Hyperparameters((8,), negation=True)), training=rows, validation=rows)
    (result,) = train([own_job], CpuEngine(2), lambda *_: None)
    best = result.best
    assert best.score.crs_f1 == 1
    literals = {literal for rule in extract_levels(best.sizes, best.weights, 2)[0].rules for literal in rule.literals}
    assert {literal.negated for literal in literals} == {False, True}
    assert {literal.index for literal in literals} <= {0, 1}


def test_refit_trains_on_all_rows_with_what_was_chosen() -> None:
    scores: list[Score] = []
    part = xor().weighted(np.array([1, 1, 1, 1, 1, 1, 1, 0.0]))
    own_job = replace(job(Hyperparameters((8,), refit=True)), training=part)
    (result,) = train([own_job], CpuEngine(2), lambda _, batch: scores.extend(batch))
    again = next(k for k in range(1, len(scores)) if scores[k].epoch < scores[k - 1].epoch)
    chosen = max(scores[:again], key=lambda score: score.rank)
    assert result.best.score in scores[again:]
    assert {score.rate for score in scores[again:]} == {chosen.rate}


def test_an_interrupt_keeps_the_best_so_far() -> None:
    def interrupt(_: int, scores: list[Score]) -> None:
        if scores[0].epoch == 10:
            raise KeyboardInterrupt

    result = fit_one(Hyperparameters((8,)), interrupt)
    assert result.interrupted
    assert result.best.score.epoch == 5


def test_an_interrupt_of_the_refit_keeps_the_network_before_it() -> None:
    epochs: list[int] = []

    def interrupt(_: int, scores: list[Score]) -> None:
        if epochs and scores[0].epoch < epochs[-1]:
            raise KeyboardInterrupt
        epochs.append(scores[0].epoch)

    result = fit_one(Hyperparameters((8,), refit=True), interrupt)
    assert result.interrupted
    assert result.best.score.epoch in epochs


def test_an_interrupt_before_the_first_snapshot_is_not_swallowed() -> None:
    def interrupt(_: int, scores: list[Score]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_one(Hyperparameters((8,)), interrupt)


def test_snapshots_are_ranked_by_validation_then_training_then_brevity() -> None:
    score = Score(rate=0.5, epoch=5, loss=0.1, mllp_f1=0.5, crs_f1=0.8, training_f1=0.9, edges=10, disagreement=0.1)
    better = [
        replace(score, edges=9),
        replace(score, training_f1=0.91, edges=99),
        replace(score, crs_f1=0.81, edges=99),
    ]
    ranks = [one.rank for one in (score, *better)]
    assert ranks == sorted(ranks)


def test_weights_that_are_no_numbers_are_told() -> None:
    fired, one = np.zeros((8, 2), bool), job(Hyperparameters((2,)))
    outputs = Outputs(0.0, np.array([0.5, np.nan], np.float32), fired, fired, np.zeros(8, np.int64))
    with pytest.raises(InputError, match="training broke down by epoch 5"):
        take_snapshot(one, 0.5, 5, outputs)
