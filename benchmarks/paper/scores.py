"""The scores of a fold."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

COMMON = 5
"""A class with fewer training rows is rare: nursery has one of two rows in all, which macro-F1 counts as a fifth."""


def macro_f1(y: np.ndarray, answers: np.ndarray) -> float:
    """Return the mean F1 over the classes that occur in the rows or the answers, as scikit-learn and the paper do."""
    return float(f1_score(y, answers, average="macro", zero_division=0))


def scores(y: np.ndarray, answers: np.ndarray, y_train: np.ndarray) -> dict[str, float]:
    return {
        "f1": macro_f1(y, answers),
        "accuracy": float(accuracy_score(y, answers)),
        "f1_common": _common_f1(y, answers, y_train),
    }


def _common_f1(y: np.ndarray, answers: np.ndarray, y_train: np.ndarray) -> float:
    classes, counts = np.unique(y_train, return_counts=True)
    common = np.intersect1d(classes[counts >= COMMON], np.union1d(y, answers))
    return float(f1_score(y, answers, labels=common, average="macro", zero_division=0))
