"""Scores of a confusion matrix."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from conceptrules.model.metrics import accuracy, confusion_matrix, macro_f1


def test_scores_are_those_of_scikit_learn() -> None:
    """Two of five classes neither occur nor are answered."""
    rng = np.random.default_rng(0)
    truth, answers, weight = rng.integers(0, 3, 50), rng.integers(0, 3, 50), rng.random(50)
    confusion = confusion_matrix(truth, answers, weight, 5)
    assert confusion[1, 2] == pytest.approx(weight[(truth == 1) & (answers == 2)].sum())
    assert macro_f1(confusion) == pytest.approx(f1_score(truth, answers, average="macro", sample_weight=weight))
    assert accuracy(confusion) == pytest.approx(accuracy_score(truth, answers, sample_weight=weight))
