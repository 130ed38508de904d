"""Scores of a confusion matrix."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from conceptrules.model.metrics import accuracy, confusion_matrix, macro_f1, macro_f1_by_column


def test_scores_are_those_of_scikit_learn() -> None:
    """Two of five classes neither occur nor are answered."""
    rng = np.random.default_rng(0)
    truth, answers, weight = rng.integers(0, 3, 50), rng.integers(0, 3, 50), rng.random(50)
    confusion = confusion_matrix(truth, answers, weight, 5)
    assert confusion[1, 2] == pytest.approx(weight[(truth == 1) & (answers == 2)].sum())
    assert macro_f1(confusion) == pytest.approx(f1_score(truth, answers, average="macro", sample_weight=weight))
    assert accuracy(confusion) == pytest.approx(accuracy_score(truth, answers, sample_weight=weight))


def test_many_tables_at_once_score_as_one_by_one() -> None:
    rng = np.random.default_rng(1)
    tables = rng.integers(0, 4, (6, 3, 3)).astype(float)
    tables[:, 2] = tables[:, :, 2] = 0  # the last class neither occurs nor is answered
    tables[0] = np.diag([2.0, 0.0, 0.0])
    rows, answered = tables.sum(axis=2).T, tables.sum(axis=1).T
    right = np.array([np.diag(table) for table in tables]).T
    assert macro_f1_by_column(rows, answered, right) == pytest.approx([macro_f1(table) for table in tables])


def test_a_class_that_is_only_answered_or_only_occurs_counts() -> None:
    assert macro_f1(np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])) == pytest.approx(4 / 6 / 3)
