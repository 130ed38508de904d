from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conceptrules.learn.choose import Trial, choose_trial, compute_chance, compute_value

PENALTIES = (100.0, 10.0, 5.0, 2.5, 1.2, 0.6, 0.3, 0.15)


def path(*scores: float) -> list[Trial]:
    """A trial for each of the first penalties; every one has twice the edges of the one before."""
    return [
        Trial(penalty, augmented=False, edges=2.0**number, training_score=1.0, score=score, chance=0.0)
        for number, (penalty, score) in enumerate(zip(PENALTIES, scores, strict=False))
    ]


def chosen(trials: list[Trial], held: float = 300.0, rows: float = 300.0) -> float:
    return choose_trial(trials, held, rows, classes=2).penalty


def test_of_penalties_that_are_as_good_the_usual_one_is_taken() -> None:
    alike = path(0.4, 0.7, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8)
    assert chosen(alike) == 1.2
    assert chosen([replace(trial, augmented=True) for trial in alike]) == 0.3


def test_the_usual_penalty_grows_with_the_table() -> None:
    assert chosen(path(0.4, 0.7, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8), rows=10_000.0) == 2.5


def test_what_is_clearly_better_is_taken_whatever_is_usual() -> None:
    assert chosen(path(0.4, 0.7, 0.9, 0.9, 0.9, 0.7, 0.6, 0.6), held=10_000.0) == 2.5


def test_one_score_that_is_better_than_its_neighbours_is_taken_for_chance() -> None:
    lucky = path(0.4, 0.6, 0.83, 0.6, 0.7, 0.8, 0.8, 0.8)
    assert max(lucky, key=lambda trial: compute_value(trial, 2)).penalty == 5.0
    assert chosen(lucky, held=10_000.0) <= 0.6


def test_no_rules_where_the_answers_may_agree_by_chance() -> None:
    trials = [replace(trial, chance=0.3) for trial in path(0.5, 0.51, 0.52, 0.53)]
    assert chosen(trials, held=300.0) == PENALTIES[0]
    assert chosen(trials, held=100.0) < PENALTIES[0]  # so few rows would not show a real effect


@pytest.mark.parametrize(("confusion", "likely"), [([[50, 50], [50, 50]], True), ([[90, 10], [10, 90]], False)])
def test_agreement_by_chance(confusion: list[list[float]], likely: bool) -> None:
    assert (compute_chance(np.array(confusion, float), np.ones(2)) > 0.05) == likely


def test_answers_that_are_never_right_agree_bychance_of() -> None:
    assert compute_chance(np.array([[0.0, 5.0], [0.0, 0.0]]), np.ones(2)) == 1


def test_chance_counts_rows_of_the_smallest_weights() -> None:
    """Their squares are 0."""
    told = np.array([[5.0, 1.0], [1.0, 5.0]])
    assert compute_chance(told * 1e-300, np.full(2, 1e-300)) == pytest.approx(compute_chance(told, np.ones(2)))
