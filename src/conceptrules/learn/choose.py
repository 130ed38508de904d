"""Which network of a regularization path is taken: held-out rows choose, and where they do not, what is usual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, log, sqrt

import numpy as np
from numpy.typing import NDArray

_SIZE = 1.2e-3
"""What a class of one edge costs where held-out rows choose a network, in units of their score; one of 100 edges costs
ten times that. So a class of 100 edges has to be 0.006 better than one of 25, else the smaller network is taken."""
_TOLERANCE = 1.0
"""Networks that are so many standard errors below the best, or less, are as good as the best."""
_USUAL, _USUAL_WITH_MIXED, _USUAL_SHARE = 1.2, 0.3, 1 / 4000
"""The penalty that does well on most tables: so many rows, fewer where mixed rows, which weigh three times as much as
the table's own, were learned from as well, or this share of all rows where that is more. Of the penalties that are as
good as the best, the nearest to it is taken. With mixed rows, on inner splits of 26 tables of up to 1,500 rows, 0.15 is
0.3 points better, by chance or not, with 1.3 times the edges."""
_CHANCE, _ENOUGH = 0.05, 200
"""No rules are chosen where answers such as those of the best ones come about by chance more often than this, if so
many rows were held out that a real effect would show."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A penalty, and what the networks it leads to are like: a line of the history."""

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
    """How often such answers on the held-out rows would come about if they had nothing to do with the classes."""
    unfairness: float = 0.0
    """How far the rates of groups are beyond what the policy allows, on its own rows or in the mean of the folds."""
    refined: bool = False
    """Whether it is the best network of a sample, improved on more rows."""


def value_of(trial: Trial, classes: int) -> float:
    """Return the score less what the size of the network costs the reader."""
    return trial.score - _SIZE * (max(trial.edges, 1) / classes) ** 0.5


def standard_error(trial: Trial, held: float) -> float:
    """Return about how far a score of so many held-out rows is off by chance; 0 of a log loss, which is no share."""
    share = min(max(trial.score, 0.0), 1.0)
    return sqrt(share * (1 - share) / held)


def chance_of(confusion: NDArray[np.float64], class_weight: NDArray[np.float64]) -> float:
    """Return how often answers that know nothing of the classes would agree with them as much, by numbers of rows."""
    counts = confusion / np.where(class_weight > 0, class_weight, 1.0)[:, None]
    rows = counts.sum()
    shares = counts / rows  # the square of the smallest weights would be 0
    expected = float(shares.sum(axis=0) @ shares.sum(axis=1))
    if not 0 < expected < 1:  # answers that have no class in common with the rows agree by chance as well
        return 1.0
    surplus = (np.trace(counts) / rows - expected) / sqrt(expected * (1 - expected) / rows)
    return erfc(surplus / sqrt(2)) / 2


def choose(trials: Sequence[Trial], held: float, rows: float, classes: int) -> Trial:
    """Return the trial of a usual penalty that the held-out rows hardly tell from the best, or that without rules.

    `held` is how many rows were held out, and `rows` how many there are.
    """
    values = _smoothed(trials, classes)
    best = trials[int(np.argmax(values))]
    if not best.edges or (best.chance > _CHANCE and held >= _ENOUGH):
        return trials[0]
    least = max(values) - _TOLERANCE * standard_error(best, held)
    usual = max(_USUAL_WITH_MIXED if best.augmented else _USUAL, _USUAL_SHARE * rows)
    good = [trial for trial, value in zip(trials, values, strict=True) if value >= least]
    return min(good, key=lambda trial: (abs(log(trial.penalty / usual)), trial.edges))


def _smoothed(trials: Sequence[Trial], classes: int) -> list[float]:
    """Return the value of each trial, in the mean with those of the penalties beside it: one alone is half chance."""
    found = []
    for trial in trials:
        path = [one for one in trials if one.refined == trial.refined]
        place = path.index(trial)
        beside = (path[max(place - 1, 0)], trial, path[min(place + 1, len(path) - 1)])
        found.append(float(np.mean([value_of(one, classes) for one in beside])))
    return found
