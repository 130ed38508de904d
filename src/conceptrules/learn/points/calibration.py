"""Probabilities and cut-offs, from what the cards of the folds say of the rows that these never saw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.points.arithmetic import solve, sum_squares, take_logarithms
from conceptrules.learn.points.path import compute_probabilities
from conceptrules.learn.points.settings import OF_ANSWERS
from conceptrules.model.metrics import macro_f1

Floats = NDArray[np.float64]
_TRUST = 5.0
"""How firmly the slope is taken to be 1 and the shifts 0, in units of curvature: of about so many uncertain rows."""
_STEPS, _FLATTEST = 20, 0.05
_WORTH_A_SHIFT = 0.003
"""What a cut-off has to win on the held-out rows to be moved: less is chance."""
_REACH = 3.0
"""The furthest that the cut-off of a class is moved, in units of log odds."""
_MOST_SHIFTED = 50
"""Classes up to which each has a cut-off of its own: of more, each has few rows, and the search takes long."""
_JACKKNIFE = 20
"""Parts of the held-out rows that are left out in turn to learn how much a score depends on single rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """How margins become honest ones: times `slope`, plus `shift`."""

    slope: float
    shift: Floats
    """[output]."""

    def apply(self, margins: Floats) -> Floats:
        """Return the honest margins."""
        honest: Floats = self.slope * margins + self.shift
        return honest


def fit_calibration(margins: Floats, mass: Floats) -> Calibration:
    """Return the slope and the shifts of the largest likelihood: Newton's method, held back where rows are few."""
    outputs, total = margins.shape[1], mass.sum(axis=1)
    target, start = mass[:, -outputs:], np.concatenate([[1.0], np.zeros(outputs)])

    def measure_loss_at(figures: Floats) -> float:
        shares = compute_probabilities(figures[0] * margins + figures[1:])
        loss = -float((mass * take_logarithms(np.maximum(shares, 1e-300))).sum())
        return loss + 0.5 * _TRUST * float(((figures - start) ** 2).sum())

    figures, loss = start, measure_loss_at(start)
    for _ in range(_STEPS):
        shares = compute_probabilities(figures[0] * margins + figures[1:])[:, -outputs:]
        slopes, weighted = target - total[:, None] * shares, total[:, None] * shares
        mean = (shares * margins).sum(axis=1)
        vector = np.concatenate([[(slopes * margins).sum()], slopes.sum(axis=0)]) - _TRUST * (figures - start)
        matrix = _TRUST * np.eye(outputs + 1)
        matrix[0, 0] += (weighted * margins**2).sum() - (total * mean**2).sum()
        matrix[0, 1:] = matrix[1:, 0] = (weighted * (margins - mean[:, None])).sum(axis=0)
        matrix[1:, 1:] += np.diag(weighted.sum(axis=0)) - sum_squares(total, np.ascontiguousarray(shares))
        step = solve(matrix, vector)
        tried = measure_loss_at(figures + step)
        while tried > loss + 1e-12 * abs(loss) and np.abs(step).max() > 1e-8:
            step = step / 2
            tried = measure_loss_at(figures + step)
        figures, loss = figures + step, tried
        if np.abs(step).max() < 1e-6:
            break
    return Calibration(max(float(figures[0]), _FLATTEST), figures[1:])  # higher scores stay more likely


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What cards say of rows that they never saw."""

    margins: Floats
    """[row, output]."""
    mass: Floats
    """[row, class]: weighted by class."""
    shares: Floats
    """[row, class]: the calibrated probabilities."""
    answers: NDArray[np.intp]
    """By the best cut-offs, where the scoring is about answers."""


def judge_margins(margins: Floats, mass: Floats, scoring: str) -> Judged:
    """Return what the margins mean once they are calibrated."""
    shares = compute_probabilities(fit_calibration(margins, mass).apply(margins))
    logs = take_logarithms(np.maximum(shares, 1e-15))
    if scoring in OF_ANSWERS:
        logs += choose_shifts(shares, mass, make_utility(scoring, None))
    return Judged(margins, mass, shares, np.argmax(logs, axis=1))


def measure_score(judged: Judged, scoring: str, rows: Any = slice(None)) -> float:
    """Return how good the cards are on the held-out rows, or some of them; more is better."""
    shares, mass = judged.shares[rows], judged.mass[rows]
    total = float(mass.sum())
    if scoring == "neg_log_loss":
        return float((mass * take_logarithms(np.maximum(shares, 1e-15))).sum()) / total
    if scoring == "neg_brier_score":
        squares = (shares**2).sum(axis=1, keepdims=True) - 2 * shares + 1
        return -float((mass * squares).sum()) / total / (2 if shares.shape[1] == 2 else 1)
    if scoring in OF_ANSWERS:
        return make_utility(scoring, None)(count_confusion(mass, judged.answers[rows]))
    return _measure_auc(shares, mass)


def _measure_auc(shares: Floats, mass: Floats) -> float:
    """Return the mean area under the ROC curve of each class against the rest, of those that have both."""
    from sklearn.metrics import roc_auc_score

    row, label = np.nonzero(mass)
    areas = []
    for k in range(1 if mass.shape[1] == 2 else 0, mass.shape[1]):
        truth = label == k
        if truth.any() and not truth.all():
            areas.append(roc_auc_score(truth, shares[row, k], sample_weight=mass[row, label]))
    return float(np.mean(areas)) if areas else 0.5


def measure_loss(judged: Judged, best: Judged, scoring: str) -> tuple[float, float]:
    """Return how much worse cards are than the best, and the standard error of that, by the jackknife."""
    loss = measure_score(best, scoring) - measure_score(judged, scoring)
    if len(best.mass) < 2:
        return loss, np.inf
    part = np.arange(len(best.mass)) % _JACKKNIFE
    values = [
        measure_score(best, scoring, part != number) - measure_score(judged, scoring, part != number)
        for number in range(min(_JACKKNIFE, len(part)))
    ]
    return loss, ((len(values) - 1) * float(np.var(values))) ** 0.5


Utility = Callable[[Floats], float]


def make_utility(scoring: str, costs: tuple[tuple[float, ...], ...] | None) -> Utility:
    """Return what cut-offs maximise, from the confusion matrix [true class, answer]."""
    if costs is not None:
        return partial(_measure_savings, np.array(costs, np.float64))
    if scoring == "accuracy":
        return _measure_accuracy
    return _measure_recall if scoring == "balanced_accuracy" else macro_f1


def _measure_savings(costs: Floats, confusion: Floats) -> float:
    return -float((costs * confusion).sum() / confusion.sum())


def _measure_accuracy(confusion: Floats) -> float:
    return float(np.trace(confusion) / confusion.sum())


def _measure_recall(confusion: Floats) -> float:
    rows = confusion.sum(axis=1)
    return float(np.mean(np.diag(confusion)[rows > 0] / rows[rows > 0]))


def count_confusion(mass: Floats, answers: NDArray[np.intp]) -> Floats:
    """Return [true class, answer]."""
    classes = mass.shape[1]
    return np.stack([np.bincount(answers, mass[:, k], classes) for k in range(classes)]).astype(np.float64)


def choose_shifts(shares: Floats, mass: Floats, utility: Utility, unit: float = 0.25) -> Floats:
    """Return what to add to the logarithm of the share of each class before the largest answers, in whole units."""
    logs, shift = take_logarithms(np.maximum(shares, 1e-15)), np.zeros(mass.shape[1])
    steps = np.arange(-round(_REACH / unit), round(_REACH / unit) + 1) * unit
    best = utility(count_confusion(mass, np.argmax(logs, axis=1)))
    moved = [1] if mass.shape[1] == 2 else range(mass.shape[1] if mass.shape[1] <= _MOST_SHIFTED else 0)
    for _ in range(2):
        for k in moved:
            others = logs + shift
            others[:, k] = -np.inf
            # The class answers where its own value exceeds the largest other one: a single figure for each row.
            answers, lead = np.argmax(others, axis=1), np.max(others, axis=1) - logs[:, k]
            values = _measure_moves(utility, mass, answers, k, np.searchsorted(steps, lead, "right"), len(steps))
            chosen = int(np.argmax(mix_neighbours(values)))
            if values[chosen] > best + _WORTH_A_SHIFT * abs(best):
                best, shift[k] = float(values[chosen]), steps[chosen]
    return shift


def mix_neighbours(values: Floats) -> Floats:
    """Return the mean of each value and its neighbours: a single one is half chance."""
    padded = np.pad(values, 1, mode="edge")
    means: Floats = 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]
    return means


def _measure_moves(
    utility: Utility, mass: Floats, answers: NDArray[np.intp], k: int, first: NDArray[np.intp], steps: int
) -> Floats:
    """Return the utility at each step, where each row has its answer before its `first` step, and `k` from it on."""
    confusion, order = count_confusion(mass, answers), np.argsort(first, kind="stable")
    starts, values = np.searchsorted(first[order], np.arange(steps + 1)), np.zeros(steps)
    for step in range(steps):
        rows = order[starts[step] : starts[step + 1]]
        np.subtract.at(confusion.T, answers[rows], mass[rows])
        confusion[:, k] += mass[rows].sum(axis=0)
        values[step] = utility(confusion) if len(rows) or not step else values[step - 1]
    return values
