"""Which network of a regularization path is taken: the smallest that held-out rows do not tell from the best.

All networks answer the same held-out rows, so they are compared row by row: what most rows say of both of them cancels
out. First the answers have to be better than chance explains; or else there are no rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.scores import ACCURACY, BALANCED_ACCURACY, F1_MACRO

Floats = NDArray[np.float64]

_SIZE = 1.2e-3
"""The cost of a class with one edge when held-out rows choose a network, in units of their score; one with 100 edges
costs ten times that. So 100 edges a class have to be 0.006 better than 25, or else the smaller network is taken."""
_TOLERANCE = 1.0
"""Networks at most this many standard errors below the best are as good as the best."""
USUAL, USUAL_FOR_LOSS, _USUAL_SHARE = 1.2, 5.0, 1 / 1000
"""The penalty, in rows, that does well on most tables, and its share of all rows where that is more: no network of a
higher one is preferred to the best, unless the best has a higher one itself. Few rows do not tell apart what is. A row
that is right instead of wrong is worth more than one unit of log loss, and so is an edge."""
CHANCE = 0.004
"""No rules are chosen unless the answers of a network agree with the classes as well as this by chance. A path has
about ten networks, of which the luckiest counts: so about one table of noise in twenty-five gets rules."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """What is held out: rows of which each says something of its own about a network."""

    mass: Floats
    """[observation, class]: its weight. Copies of a row are one observation, with the weight of all of them."""
    count: Floats
    """How many independent observations there are of each kind."""
    fold: NDArray[np.intp]
    """The fold that holds each of them out."""
    group: NDArray[np.intp] | None = None
    """The group of each of them; those of one group say the same thing. None: each says something of its own."""

    @property
    def independent(self) -> Floats:
        """How many observations there are of each kind that is independent of the others."""
        return self.count if self.group is None else np.ones(int(self.group.max(initial=-1)) + 1)

    def add_groups(self, values: Floats) -> Floats:
        """Return the sum of the values of each group, or the values where there are no groups."""
        return values if self.group is None else np.bincount(self.group, values).astype(np.float64)


def compute_value(trial: Trial, classes: int) -> float:
    """Return the score less the cost of reading a network of this size."""
    return trial.score - _SIZE * (max(trial.edges, 1) / classes) ** 0.5


def compute_chance(rows: Observations, answers: NDArray[np.intp], scoring: int) -> float:
    """Return the probability that answers unrelated to the classes agree with them as well as these do.

    The score of answers as frequent as these depends on the agreements in each class alone. So it is compared with
    its mean and variance over all ways to hand out the answers anew among the observations of a fold.
    """
    classes = rows.mass.shape[1]
    owed = np.zeros(len(answers))
    worth = rows.mass * _weigh_agreements(count_confusion(rows, answers, classes), scoring)
    surplus, variance = 0.0, 0.0
    for fold in range(int(rows.fold.max(initial=-1)) + 1):
        inside = rows.fold == fold
        count, answered = rows.count[inside], answers[inside]
        total = count.sum()
        if total <= 1:
            continue
        shares = np.bincount(answered, count, classes) / total
        centred = worth[inside] - (count / total) @ worth[inside]
        centred -= (centred @ shares)[:, None]
        owed[inside] = centred[np.arange(len(answered)), answered]
        surplus += float(count @ owed[inside])
        variance += float(count @ (centred**2 @ shares)) * total / (total - 1)
    if rows.group is not None:
        variance = max(variance, float((rows.add_groups(owed) ** 2).sum()))
    if variance <= 0:
        return 1.0
    # Agreements are whole numbers: with half a step less, the normal distribution promises no more than tables of a few
    # rows keep. Of two classes, both have one agreement more or neither has.
    weighed = worth > 0
    occurring = weighed.any(axis=0)
    step = float(np.mean((rows.count @ worth)[occurring] / (rows.count @ weighed)[occurring]))
    step *= 1.0 if np.count_nonzero(occurring) <= 2 else 0.5
    return erfc((surplus - step) / sqrt(2 * variance)) / 2


def compute_influence(rows: Observations, answers: NDArray[np.intp], scoring: int) -> Floats:
    """Return by how much each independent observation changes the score, to first order; together they cancel out."""
    confusion = count_confusion(rows, answers, rows.mass.shape[1])
    known, answered = confusion.sum(axis=1), confusion.sum(axis=0)
    right, weight, kinds = confusion.diagonal(), confusion.sum(), max(np.count_nonzero(known), 1)
    size = np.where(known > 0, known, 1.0)
    if scoring == F1_MACRO:
        half = np.where(known > 0, 2 * right / (size + answered) ** 2, 0.0) / kinds
        slopes = np.diag(np.where(known > 0, 2 / (size + answered), 0.0) / kinds) - half[:, None] - half
    elif scoring == BALANCED_ACCURACY:
        slopes = np.diag(np.where(known > 0, 1 / size, 0.0) / kinds) - (right / size**2 / kinds)[:, None]
    elif scoring == ACCURACY:
        slopes = (np.eye(len(known)) - right.sum() / weight) / weight
    else:
        average = (known + 1) / (weight + len(known))
        logs = np.log((confusion + average[:, None]) / (answered + 1))
        slopes = (logs - (confusion * logs).sum() / weight) / weight
    return rows.add_groups((rows.mass * slopes[:, answers].T).sum(axis=1))


def count_confusion(rows: Observations, answers: NDArray[np.intp], classes: int) -> Floats:
    """Return [true class, answer]: the weight of the observations."""
    return np.stack([np.bincount(answers, rows.count * rows.mass[:, k], classes) for k in range(classes)])


def _weigh_agreements(confusion: Floats, scoring: int) -> Floats:
    """Return what an agreement in each class is worth, where the number of rows and of answers of each class stays."""
    known = confusion.sum(axis=1)
    if scoring not in (F1_MACRO, BALANCED_ACCURACY):
        return np.full(len(known), 1 / confusion.sum())
    size = (known + confusion.sum(axis=0)) / 2 if scoring == F1_MACRO else known
    return np.where(known > 0, 1 / np.where(known > 0, size, 1.0), 0.0) / max(np.count_nonzero(known), 1)


def compute_error(difference: Floats, count: Floats) -> float:
    """Return the standard error of a difference of scores, made of what each observation adds to it."""
    total = max(float(count.sum()), 2.0)
    variance = float(count @ difference**2) - float(count @ difference) ** 2 / total
    return sqrt(max(variance, 0.0) * total / (total - 1))


def choose_trial(
    trials: Sequence[Trial], influence: Floats, count: Floats, rows: float, classes: int, usual: float = USUAL
) -> Trial:
    """Return the smallest trial that is as good as the best, or the first one, which has no rules.

    `influence` is what each trial owes to each observation, `count` how many of these there are, and `rows` how many
    rows are learned from. No penalty beyond the `usual` one is preferred to the best.
    """
    with_rules = [number for number, trial in enumerate(trials) if trial.edges]
    if not with_rules or min(trials[number].chance for number in with_rules) > CHANCE:
        return trials[0]
    # A value is half chance: the mean of a trial and its neighbours on the path is compared, and so are its errors.
    mixing = _mix_neighbours(trials)
    values = mixing @ np.array([compute_value(trial, classes) for trial in trials])
    smooth = mixing @ influence
    best = max(with_rules, key=lambda number: values[number])
    highest = max(usual, _USUAL_SHARE * rows, trials[best].penalty)

    def is_as_good(number: int) -> bool:
        error = compute_error(smooth[best] - smooth[number], count)
        return bool(values[best] - values[number] <= _TOLERANCE * error and trials[number].penalty <= highest)

    return min((trials[number] for number in with_rules if is_as_good(number)), key=lambda trial: trial.edges)


def _mix_neighbours(trials: Sequence[Trial]) -> Floats:
    """Return [trial, trial]: the weights with which a trial and its neighbours on the path are averaged."""
    mixing = np.zeros((len(trials), len(trials)))
    for refined in (False, True):
        path = [number for number, trial in enumerate(trials) if trial.refined == refined]
        for step, number in enumerate(path):
            neighbours = path[max(step - 1, 0) : step + 2]
            mixing[number, neighbours] = 1 / len(neighbours)
    return mixing
