"""What a fit is after: a score of the decisions, and what one more row decided this way or that is worth to it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def _classwise(confusion: Floats) -> tuple[Floats, Floats, Floats]:
    """Of each class: rows, answers, right answers."""
    return confusion.sum(axis=1), confusion.sum(axis=0), np.diag(confusion)


def macro_f1(confusion: Floats) -> float:
    """The mean of F1 over the classes that occur or were answered. Rows of `confusion` are the true classes."""
    rows, answers, right = _classwise(confusion)
    both = rows + answers
    return float(np.mean(2 * right[both > 0] / both[both > 0]))


def accuracy(confusion: Floats) -> float:
    return float(np.trace(confusion) / confusion.sum())


def balanced_accuracy(confusion: Floats) -> float:
    """The mean over the classes that occur of the share of their rows that is right."""
    rows, _, right = _classwise(confusion)
    return float(np.mean(right[rows > 0] / rows[rows > 0]))


def log_loss(confusion: Floats) -> float:
    """The mean logarithm of how often the true class is right where this class is answered: larger is better."""
    return float((confusion * _log_shares(confusion)).sum() / confusion.sum())


def _log_shares(confusion: Floats) -> Floats:
    """How often each class is right, by the class answered; smoothed by one row of the average kind."""
    shares: Floats = np.log((confusion + _average(confusion)) / (confusion.sum(axis=0) + 1))
    return shares


def _average(confusion: Floats) -> Floats:
    """(classes, 1): one row of the average kind."""
    rows: Floats = confusion.sum(axis=1, keepdims=True) + 1
    return rows / rows.sum()


# A class that is never answered has a slope without any price of wrong answers: everything would be given to it. So
# slopes are taken as if at least half as many rows as it has were answered, and as if some F1 had been reached.
_ANSWERED, _REACHED = 0.5, 0.3


def _macro_f1_slope(confusion: Floats) -> Floats:
    rows, answers, right = _classwise(confusion)
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
    "macro-F1": macro_f1,
    "accuracy": accuracy,
    "balanced accuracy": balanced_accuracy,
    "log loss": log_loss,
}
# slope[y, k]: what the score gains when a row of class y is answered k, to first order.
SLOPES: dict[str, Callable[[Floats], Floats]] = {
    "macro-F1": _macro_f1_slope,
    "accuracy": _accuracy_slope,
    "balanced accuracy": _balanced_slope,
    "log loss": _log_loss_slope,
}


def expected(counts: Floats, f1: float = 0.8) -> Floats:
    """The confusion of a classifier that is right on this share of each class, and wrong in proportion elsewhere."""
    wrong = (1 - f1) * np.outer(counts, counts) / counts.sum()
    return np.diag(f1 * counts) + wrong
