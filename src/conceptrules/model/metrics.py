"""How good answers are: the confusion matrix, and the scores that are read off it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SCORE_NAMES = {
    "f1_macro": "macro-F1",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "neg_log_loss": "log loss",
    "roc_auc": "AUC",
    "roc_auc_ovr": "AUC, one class against the rest",
    "neg_brier_score": "Brier score",
}
"""How scores are called in text, by scikit-learn's names."""


def read_score(scoring: str, score: float) -> float:
    """Return a score as people read it: a loss, which scikit-learn makes negative, is positive.

    >>> SCORE_NAMES["neg_log_loss"], read_score("neg_log_loss", -0.25)
    ('log loss', 0.25)
    """
    return -score if scoring.startswith("neg_") else score


def confusion_matrix(
    truth: NDArray[np.integer[Any]], answers: NDArray[np.integer[Any]], weight: NDArray[np.float64], classes: int
) -> Floats:
    """Return the weight of the rows of each true class (axis 0) that were given each answer (axis 1)."""
    counts: Floats = np.bincount(truth * classes + answers, weight, classes**2).astype(np.float64)
    return counts.reshape(classes, classes)


def macro_f1(confusion: NDArray[Any]) -> float:
    """Return the mean of F1 over the classes that occur, in the data or in the answers.

    Parameters
    ----------
    confusion : array of shape (classes, classes)
        The weight of the rows by their true class (first axis) and their answer (second axis).

    Returns
    -------
    float
        The macro-F1, between 0 and 1.

    Examples
    --------
    >>> macro_f1(np.array([[2, 0], [1, 1]]))
    0.7333333333333334
    """
    both = confusion.sum(axis=0) + confusion.sum(axis=1)
    return float(np.mean(2 * np.diag(confusion)[both > 0] / both[both > 0]))


def macro_f1_by_column(rows: Floats, answered: Floats, right: Floats) -> Floats:
    """Return the macro-F1 of many tables at once, from counts of shape (classes, tables).

    `rows` counts the rows of each class, `answered` the answers with each class and `right` those that are right.
    """
    both = rows + answered
    occurs = both > 0
    scores = np.divide(2 * right, both, out=np.zeros_like(both), where=occurs)
    mean: Floats = scores.sum(axis=0) / occurs.sum(axis=0)
    return mean


def accuracy(confusion: NDArray[Any]) -> float:
    """Return the share of rows that were answered with their class."""
    return float(np.trace(confusion) / confusion.sum())


def share_below(values: NDArray[Any], others: NDArray[Any]) -> Floats:
    """Return for each value the share of others that are below it; equal ones count a half: AUC is its mean."""
    ranked = np.sort(others)
    sides = np.searchsorted(ranked, values, "left") + np.searchsorted(ranked, values, "right")
    shares: Floats = sides / (2 * len(ranked))
    return shares
