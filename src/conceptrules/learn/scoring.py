"""What a fit is after: a score of the confusion matrix, and what one more row decided this way or that is worth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.metrics import accuracy, macro_f1

Floats = NDArray[np.float64]


def balanced_accuracy(confusion: Floats) -> float:
    """Return the mean over the classes that occur of the share of their rows that is right."""
    rows = confusion.sum(axis=1)
    return float(np.mean(np.diag(confusion)[rows > 0] / rows[rows > 0]))


def neg_log_loss(confusion: Floats) -> float:
    """Return the mean logarithm of how often the true class is right where this class is answered."""
    return float((confusion * _log_shares(confusion)).sum() / confusion.sum())


def _log_shares(confusion: Floats) -> Floats:
    """Return the logarithm of how often each class is right, by the class answered.

    It is smoothed by one row of the average kind.
    """
    shares: Floats = np.log((confusion + _average(confusion)) / (confusion.sum(axis=0) + 1))
    return shares


def _average(confusion: Floats) -> Floats:
    """Return (classes, 1): one row of the average kind."""
    rows: Floats = confusion.sum(axis=1, keepdims=True) + 1
    return rows / rows.sum()


# A class that is never answered has a slope without any cost of wrong answers: everything would be given to it. So
# slopes are taken as if at least half as many rows as it has were answered, and as if some F1 had been reached.
_ANSWERED, _REACHED = 0.5, 0.3


def _macro_f1_slope(confusion: Floats) -> Floats:
    rows, answers, right = confusion.sum(axis=1), confusion.sum(axis=0), np.diag(confusion)
    size = np.maximum(rows + np.maximum(answers, _ANSWERED * rows), 1e-9)
    slope = np.tile(-np.maximum(2 * right / size, _REACHED) / size, (len(rows), 1))
    slope[np.diag_indices(len(rows))] += 2 / size
    return slope / _occurring(rows)


def _occurring(rows: Floats) -> int:
    return max(int(np.count_nonzero(rows)), 1)


def _accuracy_slope(confusion: Floats) -> Floats:
    return np.eye(len(confusion)) / confusion.sum()


def _balanced_slope(confusion: Floats) -> Floats:
    rows = confusion.sum(axis=1)
    return np.diag(np.where(rows > 0, 1 / np.maximum(rows, 1e-9), 0)) / _occurring(rows)


def _log_loss_slope(confusion: Floats) -> Floats:
    answers = confusion.sum(axis=0)
    moved = confusion / (confusion + _average(confusion)) - answers / (answers + 1)  # the shares change as well
    slope: Floats = (_log_shares(confusion) + moved) / confusion.sum()
    return slope


Score = Callable[[Floats], float]
SCORES: dict[str, Score] = {
    "f1_macro": macro_f1,
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "neg_log_loss": neg_log_loss,
}
"""Scores by the names that scikit-learn has for them. Rows of the confusion matrix are the true classes."""
# slope[y, k]: what the score gains when a row of class y is answered k, to first order.
SLOPES: dict[str, Callable[[Floats], Floats]] = {
    "f1_macro": _macro_f1_slope,
    "accuracy": _accuracy_slope,
    "balanced_accuracy": _balanced_slope,
    "neg_log_loss": _log_loss_slope,
}


def expected(counts: Floats, f1: float = 0.8) -> Floats:
    """Return the confusion of a classifier that is right on this share of each class, and errs in proportion."""
    wrong = (1 - f1) * np.outer(counts, counts) / counts.sum()
    return np.diag(f1 * counts) + wrong
