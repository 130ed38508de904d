"""The kernels score a confusion matrix as scikit-learn does; slopes are derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, recall_score

from conceptrules.kernels.search import scores
from conceptrules.kernels.search.scores import score_of, slopes_of
from conceptrules.learn.search.settings import SCORINGS
from tests.strategies_search import seeded


@st.composite
def confusions(draw: st.DrawFn) -> np.ndarray:
    """Any of the classes may never occur, and never be answered."""
    rng, classes = draw(seeded()), draw(st.integers(2, 5))
    return rng.random((classes, classes)) * rng.integers(0, 20, (classes, classes)) * (rng.random((classes, 1)) < 0.9)


@given(confusions())
def test_log_loss_is_the_mean_logarithm_of_smoothed_shares(confusion: np.ndarray) -> None:
    assume(confusion.sum() > 0)
    average = (confusion.sum(axis=1, keepdims=True) + 1) / (confusion.sum() + len(confusion))
    logarithms = np.log((confusion + average) / (confusion.sum(axis=0) + 1))
    assert score_of(confusion, scores.NEG_LOG_LOSS) == pytest.approx((confusion * logarithms).sum() / confusion.sum())


@given(seeded(), st.integers(1, 60), st.integers(2, 5))
def test_scores_are_those_of_scikit_learn(rng: np.random.Generator, rows: int, classes: int) -> None:
    target, weight = rng.integers(classes, size=rows), rng.random(rows) + 0.01
    answers = np.where(rng.random(rows) < 0.5, target, rng.permutation(target))
    confusion = np.zeros((classes, classes))
    np.add.at(confusion, (target, answers), weight)
    occurring = np.unique(target)
    f1 = f1_score(target, answers, labels=occurring, average="macro", sample_weight=weight, zero_division=0)
    recall = recall_score(target, answers, labels=occurring, average="macro", sample_weight=weight)
    assert score_of(confusion, scores.F1_MACRO) == pytest.approx(f1)
    assert score_of(confusion, scores.BALANCED_ACCURACY) == pytest.approx(recall)
    assert score_of(confusion, scores.ACCURACY) == pytest.approx(accuracy_score(target, answers, sample_weight=weight))


@pytest.mark.parametrize("scoring", sorted(SCORINGS))
@given(seeded(), st.integers(2, 4))
def test_slopes_are_what_moving_a_little_weight_to_another_answer_is_worth(
    scoring: str, rng: np.random.Generator, classes: int
) -> None:
    """Every class is answered often and mostly right, where the slopes of F1 are as they are."""
    confusion = rng.random((classes, classes)) + np.diag(5 + 5 * rng.random(classes))
    slopes, step = np.empty((classes, classes)), 1e-6
    slopes_of(confusion, SCORINGS[scoring], slopes)
    for k in range(classes):
        for before in range(classes):
            for after in range(classes):
                moved = confusion.copy()
                moved[k, before] -= step
                moved[k, after] += step
                gained = score_of(moved, SCORINGS[scoring]) - score_of(confusion, SCORINGS[scoring])
                assert slopes[k, after] - slopes[k, before] == pytest.approx(gained / step, abs=1e-5)


@pytest.mark.parametrize("scoring", sorted(SCORINGS))
@given(confusions())
def test_slopes_are_finite_and_prefer_right_answers(scoring: str, confusion: np.ndarray) -> None:
    assume(confusion.sum() > 0)
    slopes = np.empty_like(confusion)
    slopes_of(confusion, SCORINGS[scoring], slopes)
    assert np.isfinite(slopes).all()
    for k in np.flatnonzero(confusion.sum(axis=1)):
        if scoring != "neg_log_loss":  # where a class is always taken for another, that answer tells more
            assert slopes[k, k] == slopes[k].max()


def test_a_class_that_is_never_answered_does_not_get_everything() -> None:
    """One right answer is worth more than a wrong one costs, but wrong ones cost."""
    confusion, slopes = np.array([[90.0, 0.0], [10.0, 0.0]]), np.empty((2, 2))
    slopes_of(confusion, scores.F1_MACRO, slopes)
    assert slopes[1, 1] > 0 > slopes[0, 1]
