"""Scores of a confusion matrix [true class, answer], and what one more row in a cell of it is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.compiling import kernel

F1_MACRO, ACCURACY, BALANCED_ACCURACY, NEG_LOG_LOSS = range(4)
# A class that is never answered has a slope without any cost of wrong answers: everything would be given to it. So
# slopes are taken as if at least half as many rows as it has were answered, and as if some F1 had been reached.
_ANSWERED, _REACHED = 0.5, 0.3


@kernel()
def totals(confusion: Any, rows: Any, answers: Any) -> Any:
    """Write the sums of the rows and of the columns, and return the number of classes that occur."""
    classes, occurring = len(confusion), 0
    for k in range(classes):
        rows[k] = 0.0
        answers[k] = 0.0
        for j in range(classes):
            rows[k] += confusion[k, j]
            answers[k] += confusion[j, k]
        if rows[k] > 0:
            occurring += 1
    return max(occurring, 1)


@kernel()
def score_of(confusion: Any, scoring: Any) -> Any:
    """Return the score of a confusion matrix."""
    classes = len(confusion)
    rows, answers = np.empty(classes), np.empty(classes)
    occurring = totals(confusion, rows, answers)
    weight, score = 0.0, 0.0
    for k in range(classes):
        weight += rows[k]
    for k in range(classes):
        if scoring == F1_MACRO:
            if rows[k] + answers[k] > 0 and rows[k] > 0:
                score += 2 * confusion[k, k] / (rows[k] + answers[k]) / occurring
        elif scoring == ACCURACY:
            score += confusion[k, k] / weight
        elif scoring == BALANCED_ACCURACY:
            if rows[k] > 0:
                score += confusion[k, k] / rows[k] / occurring
        else:
            average = (rows[k] + 1) / (weight + classes)
            for j in range(classes):
                score += confusion[k, j] * np.log((confusion[k, j] + average) / (answers[j] + 1)) / weight
    return score


@kernel()
def slopes_of(confusion: Any, scoring: Any, slopes: Any) -> Any:
    """Write what one more row of each true class is worth under each answer, to first order."""
    classes = len(confusion)
    rows, answers = np.empty(classes), np.empty(classes)
    occurring = totals(confusion, rows, answers)
    weight = 0.0
    for k in range(classes):
        weight += rows[k]
    for j in range(classes):
        size = max(rows[j] + max(answers[j], _ANSWERED * rows[j]), 1e-9)
        for k in range(classes):
            if scoring == F1_MACRO:
                slopes[k, j] = -max(2 * confusion[j, j] / size, _REACHED) / size / occurring if rows[j] > 0 else 0.0
                if k == j and rows[j] > 0:
                    slopes[k, j] += 2 / size / occurring
            elif scoring == ACCURACY:
                slopes[k, j] = 1 / weight if k == j else 0.0
            elif scoring == BALANCED_ACCURACY:
                slopes[k, j] = 1 / rows[k] / occurring if k == j and rows[k] > 0 else 0.0
            else:
                average = (rows[k] + 1) / (weight + classes)
                share = np.log((confusion[k, j] + average) / (answers[j] + 1))
                moved = confusion[k, j] / (confusion[k, j] + average) - answers[j] / (answers[j] + 1)
                slopes[k, j] = (share + moved) / weight
