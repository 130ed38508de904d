from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.kernels.search.scores import score_of
from conceptrules.learn.choose import (
    USUAL,
    USUAL_FOR_LOSS,
    Observations,
    Trial,
    choose_trial,
    compute_chance,
    compute_error,
    compute_influence,
    compute_value,
    count_confusion,
)
from conceptrules.learn.search.settings import SCORINGS
from tests.strategies_search import seeded

PENALTIES = (100.0, 10.0, 5.0, 2.5, 1.2, 0.6, 0.3, 0.15)


def path(*scores: float) -> list[Trial]:
    """A trial for each of the first penalties; the first has no rules, and every other has twice the edges."""
    return [
        Trial(penalty, augmented=False, edges=2.0**number if number else 0.0, training_score=1.0, score=score, chance=0)
        for number, (penalty, score) in enumerate(zip(PENALTIES, scores, strict=False))
    ]


def chosen(trials: list[Trial], error: float = 0.01, rows: float = 100_000.0) -> float:
    """The penalty that is chosen where every two trials differ by so much times the root of two, give or take."""
    observations = 2 * len(trials)
    influence = np.zeros((len(trials), observations))
    for number in range(len(trials)):
        influence[number, 2 * number : 2 * number + 2] = np.array([error, -error]) / 2**0.5
    return choose_trial(trials, influence, np.ones(observations), rows, classes=2).penalty


def observe(truth: np.ndarray, classes: int, copies: int = 1) -> Observations:
    mass = copies * np.eye(classes)[truth]
    return Observations(mass, np.ones(len(truth)), np.zeros(len(truth), np.intp))


def test_the_smallest_that_is_as_good_as_the_best_is_taken() -> None:
    scores = (0.4, 0.7, 0.8, 0.805, 0.81, 0.81, 0.81, 0.81)
    assert chosen(path(*scores), error=1e-6) > chosen(path(*scores), error=1e-9) / 100
    assert chosen(path(*scores), error=0.02) > chosen(path(*scores), error=0.002)
    assert chosen(path(*scores), error=10.0) == PENALTIES[1]


def test_few_rows_do_not_speak_for_a_very_high_penalty() -> None:
    alike = path(0.4, 0.78, 0.79, 0.8, 0.81, 0.82, 0.83, 0.85)
    assert chosen(alike, error=1.0, rows=300) == 1.2
    assert chosen(alike, error=1.0, rows=2500) == 2.5
    assert chosen(path(0.4, 0.9, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5), error=1e-4, rows=300) >= 5.0


def test_an_edge_may_cost_more_log_loss_than_rows() -> None:
    alike = path(-0.7, -0.44, -0.43, -0.42, -0.41, -0.4, -0.4, -0.39)
    influence = np.tile([1.0, -1.0], (len(alike), 1)) * np.arange(len(alike))[:, None]
    choices = [choose_trial(alike, influence, np.ones(2), 300, 2, usual) for usual in (USUAL, USUAL_FOR_LOSS)]
    assert [trial.penalty for trial in choices] == [1.2, 5.0]


def test_what_is_clearly_better_is_taken_however_large() -> None:
    assert chosen(path(0.4, 0.5, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97), error=0.001) <= 0.3


def test_one_score_that_is_better_than_its_neighbours_is_taken_for_chance() -> None:
    lucky = path(0.4, 0.6, 0.83, 0.6, 0.7, 0.8, 0.8, 0.8)
    assert max(lucky, key=lambda trial: compute_value(trial, 2)).penalty == 5.0
    assert chosen(lucky, error=0.001) <= 0.6


def test_no_rules_where_the_answers_may_agree_by_chance() -> None:
    trials = [replace(trial, chance=0.01) for trial in path(0.5, 0.51, 0.52, 0.53)]
    assert chosen(trials) == PENALTIES[0]
    assert chosen([*trials[:-1], replace(trials[-1], chance=1e-4)]) < PENALTIES[0]


@pytest.mark.parametrize("scoring", SCORINGS.values())
@given(seeded(), st.integers(2, 4))
def test_influence_says_how_the_score_changes_with_the_weight_of_a_row(
    scoring: int, rng: np.random.Generator, classes: int
) -> None:
    truth, answers = rng.integers(0, classes, (2, 300))
    rows = observe(truth, classes)
    influence, step = compute_influence(rows, answers, scoring), 1e-4
    assert influence.sum() == pytest.approx(0, abs=1e-9)
    for row in range(3):
        mass = rows.mass.copy()
        mass[row] *= 1 + step
        before, after = (
            score_of(count_confusion(each, answers, classes), scoring) for each in (rows, replace(rows, mass=mass))
        )
        assert (after - before) / step == pytest.approx(influence[row], abs=3e-4)


@settings(max_examples=25)  # of so many shuffles that their own error is a hundredth
@given(seeded())
def test_chance_is_that_of_handing_out_the_answers_anew(rng: np.random.Generator) -> None:
    truth, answers = rng.integers(0, 3, (2, 200))
    answers = np.where(rng.random(200) < 0.1, truth, answers)
    rows = observe(truth, 3)
    for scoring in (0, 1, 2):
        score = score_of(count_confusion(rows, answers, 3), scoring)
        shuffled = [score_of(count_confusion(rows, rng.permutation(answers), 3), scoring) for _ in range(1600)]
        expected = np.mean(np.array(shuffled) >= score - 1e-12)  # equal scores differ in the last digit
        assert expected - 0.08 < compute_chance(rows, answers, scoring) < expected + 0.1


def test_copies_of_rows_are_no_more_evidence_and_separate_rows_are() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    answers = np.where(rng.random(60) < 0.6, truth, 1 - truth)
    once, copied = (compute_chance(observe(truth, 2, copies), answers, 0) for copies in (1, 10))
    separate = compute_chance(replace(observe(truth, 2), count=np.full(60, 10.0)), answers, 0)
    assert copied == pytest.approx(once)
    assert separate < once / 10


def test_the_weight_of_a_class_changes_no_chance_between_two() -> None:
    truth = np.repeat([0, 1], [50, 10])
    answers = np.r_[np.zeros(45, int), np.ones(5, int), np.zeros(5, int), np.ones(5, int)]
    rows = observe(truth, 2)
    heavy = replace(rows, mass=rows.mass * [1.0, 5.0])
    assert compute_chance(heavy, answers, 0) == pytest.approx(compute_chance(rows, answers, 0), rel=0.3)
    tiny = replace(rows, mass=rows.mass * 1e-300)  # whose squares are 0
    assert compute_chance(tiny, answers, 0) == pytest.approx(compute_chance(rows, answers, 0))


@pytest.mark.parametrize("answers", [[0, 0, 0, 0], [1, 1, 1, 1]])
def test_one_answer_for_all_rows_is_chance(answers: list[int]) -> None:
    assert compute_chance(observe(np.array([0, 0, 1, 1]), 2), np.array(answers), 0) == 1


def test_the_error_of_a_difference_does_not_depend_on_how_rows_are_counted() -> None:
    difference = np.random.default_rng(0).normal(size=50)
    counted = compute_error(difference, np.full(50, 3.0))
    assert counted == pytest.approx(compute_error(np.repeat(difference, 3), np.ones(150)))


def test_rows_of_one_group_are_one_observation() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    answers = np.where(rng.random(60) < 0.6, truth, 1 - truth)
    members = np.repeat(np.arange(60), 4)
    rows = replace(observe(truth[members], 2), group=members)
    alone = compute_chance(observe(truth, 2), answers, 0)
    assert compute_chance(rows, answers[members], 0) == pytest.approx(alone, abs=0.05)
    assert compute_chance(replace(rows, group=None), answers[members], 0) < alone / 2
    assert len(compute_influence(rows, answers[members], 0)) == len(rows.independent) == 60
