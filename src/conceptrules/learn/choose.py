"""Which network of a regularization path is taken: held-out rows choose, and a usual penalty breaks near-ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, log, sqrt

import numpy as np
from numpy.typing import NDArray

_SIZE = 1.2e-3
"""The cost of a class with one edge when held-out rows choose a network, in units of their score; one with 100 edges
costs ten times that. So 100 edges a class have to be 0.006 better than 25, or else the smaller network is taken."""
_TOLERANCE = 1.0
"""Networks at most this many standard errors below the best are as good as the best."""
_USUAL, _USUAL_WITH_MIXED, _USUAL_SHARE = 1.2, 0.3, 1 / 4000
"""The penalty that does well on most tables, in rows: `_USUAL`, or `_USUAL_WITH_MIXED` if mixed rows (which weigh three
times as much as the table's own) were learned from as well, or `_USUAL_SHARE` of all rows if that is more. Of the
penalties that are as good as the best, the nearest to it is taken. With mixed rows, on inner splits of 26 tables of up
to 1,500 rows, 0.15 is 0.3 points better, which may be chance, with 1.3 times the edges."""
_CHANCE, _ENOUGH = 0.05, 200
"""No rules are chosen if answers as good as those of the best ones come about by chance more often than `_CHANCE`,
provided that `_ENOUGH` rows were held out, so that a real effect would show."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A penalty and the networks that it leads to: a line of the history."""

    penalty: float
    """In rows."""
    augmented: bool
    """Whether mixed rows were learned from as well."""
    edges: float
    training_score: float
    """On the rows that were learned from."""
    score: float
    """On the held-out rows of all folds together."""
    chance: float
    """The probability that answers unrelated to the classes agree with them as well on the held-out rows."""
    unfairness: float = 0.0
    """How far the rates of groups exceed what the policy allows, on all rows or on the held-out rows of the folds."""
    refined: bool = False
    """Whether it is the best network of a sample, improved on more rows."""

    @property
    def label(self) -> str:
        return f"penalty {self.penalty:g} rows"


def compute_value(trial: Trial, classes: int) -> float:
    """Return the score less the cost of reading a network of this size."""
    return trial.score - _SIZE * (max(trial.edges, 1) / classes) ** 0.5


def compute_standard_error(trial: Trial, held_out: float) -> float:
    """Return the standard error of a score of this many held-out rows; 0 for a log loss, which is not a share."""
    share = min(max(trial.score, 0.0), 1.0)
    return sqrt(share * (1 - share) / held_out)


def compute_chance(confusion: NDArray[np.float64], class_weight: NDArray[np.float64]) -> float:
    """Return the probability that answers unrelated to the classes would agree with them as often as these do."""
    counts = confusion / np.where(class_weight > 0, class_weight, 1.0)[:, None]
    rows = counts.sum()
    shares = counts / rows  # the square of the smallest weights would be 0
    expected = float(shares.sum(axis=0) @ shares.sum(axis=1))
    if not 0 < expected < 1:  # answers that share no class with the rows are no better than chance
        return 1.0
    surplus = (np.trace(counts) / rows - expected) / sqrt(expected * (1 - expected) / rows)
    return erfc(surplus / sqrt(2)) / 2


def choose_trial(trials: Sequence[Trial], held_out: float, rows: float, classes: int) -> Trial:
    """Return the trial nearest to the usual penalty of those as good as the best, or the one without rules.

    `held_out` is the number of held-out rows, and `rows` that of all rows.
    """
    values = _smooth_values(trials, classes)
    best = trials[int(np.argmax(values))]
    if not best.edges or (best.chance > _CHANCE and held_out >= _ENOUGH):
        return trials[0]
    least = max(values) - _TOLERANCE * compute_standard_error(best, held_out)
    usual = max(_USUAL_WITH_MIXED if best.augmented else _USUAL, _USUAL_SHARE * rows)
    good = [trial for trial, value in zip(trials, values, strict=True) if value >= least]
    return min(good, key=lambda trial: (abs(log(trial.penalty / usual)), trial.edges))


def _smooth_values(trials: Sequence[Trial], classes: int) -> list[float]:
    """Return the mean value of each trial and its neighbours on the path: a single value is half chance."""
    smoothed = []
    for trial in trials:
        path = [each for each in trials if each.refined == trial.refined]
        step = path.index(trial)
        neighbours = (path[max(step - 1, 0)], trial, path[min(step + 1, len(path) - 1)])
        smoothed.append(float(np.mean([compute_value(each, classes) for each in neighbours])))
    return smoothed
