"""Scores of decisions, and their slopes as derivatives."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, recall_score

from conceptrules.learn.scoring import SCORES, SLOPES, expected
from conceptrules.model.metrics import confusion_matrix
from tests.strategies_search import seeded


@st.composite
def decided(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Classes, answers and weights of some rows; a class may never occur, or never be answered."""
    rng, rows, classes = draw(seeded()), draw(st.integers(1, 60)), draw(st.integers(2, 5))
    return rng.integers(classes, size=rows), rng.integers(classes, size=rows), rng.random(rows) + 0.01, classes


def counted(target: np.ndarray, answers: np.ndarray, weight: np.ndarray, classes: int) -> np.ndarray:
    confusion = np.zeros((classes, classes))
    np.add.at(confusion, (target, answers), weight)
    return confusion


@given(decided())
def test_the_confusion_matrix_counts_rows_by_class_and_answer(case):
    np.testing.assert_allclose(confusion_matrix(*case), counted(*case))


@given(decided())
def test_scores_are_those_of_scikit_learn(case):
    target, answers, weight, _ = case
    confusion = counted(*case)
    f1 = f1_score(target, answers, average="macro", sample_weight=weight, zero_division=0)
    assert SCORES["f1_macro"](confusion) == pytest.approx(f1)
    assert SCORES["accuracy"](confusion) == pytest.approx(accuracy_score(target, answers, sample_weight=weight))
    recall = recall_score(target, answers, labels=np.unique(target), average="macro", sample_weight=weight)
    assert SCORES["balanced_accuracy"](confusion) == pytest.approx(recall)


@given(decided())
def test_log_loss_is_the_mean_logarithm_of_smoothed_shares(case):
    confusion = counted(*case)
    prior = (confusion.sum(axis=1) + 1) / (confusion.sum() + len(confusion))
    terms = [
        confusion[y, k] * np.log((confusion[y, k] + prior[y]) / (confusion[:, k].sum() + 1))
        for y, k in itertools.product(range(len(confusion)), repeat=2)
    ]
    assert SCORES["neg_log_loss"](confusion) == pytest.approx(sum(terms) / confusion.sum())


@pytest.mark.parametrize("scoring", sorted(SCORES))
@given(rng=seeded(), classes=st.integers(2, 5))
def test_slopes_are_derivatives_where_no_floor_is_active(scoring, rng, classes):
    """A row of class y goes from answer k to answer j; every class occurs, is answered and has some F1."""
    confusion = rng.random((classes, classes)) * 3 / classes + np.diag(rng.random(classes) + 3)
    slope, step = SLOPES[scoring](confusion), 1e-5
    for y, k, j in itertools.product(range(classes), repeat=3):
        moved = np.zeros_like(confusion)
        moved[y, j] += step
        moved[y, k] -= step
        up, down = (SCORES[scoring](confusion + sign * moved) for sign in (1, -1))
        assert slope[y, j] - slope[y, k] == pytest.approx((up - down) / (2 * step), abs=1e-6)


@pytest.mark.parametrize("scoring", sorted(SCORES))
@given(case=decided())
def test_slopes_are_finite_and_right_answers_are_worth_the_most(scoring, case):
    confusion = counted(*case)
    slope = SLOPES[scoring](confusion)
    assert np.isfinite(slope).all()
    if scoring != "neg_log_loss":  # where an answer is mostly wrong, another may tell more
        occurring = np.flatnonzero(confusion.sum(axis=1))
        assert (slope[occurring, occurring] >= slope[occurring].max(axis=1) - 1e-12).all()


@given(seeded(), st.integers(2, 5))
def test_the_expected_confusion_has_the_rows_of_each_class(rng, classes):
    counts = rng.random(classes) * 9 + 0.1
    assert expected(counts).sum(axis=1) == pytest.approx(counts)
    assert (expected(counts) >= 0).all()
