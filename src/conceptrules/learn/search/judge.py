"""What held-out rows say of the networks of a penalty: those of the folds, and in the end all of a large table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.scores import score_of
from conceptrules.kernels.search.shards import WEIGHT_UNIT
from conceptrules.kernels.search.values import Rows
from conceptrules.learn.checkpoint import Checkpoint
from conceptrules.learn.choose import (
    CHANCE,
    Floats,
    Observations,
    Trial,
    compute_chance,
    compute_influence,
    compute_value,
)
from conceptrules.learn.search.coded_network import mask_networks
from conceptrules.learn.search.fairness import compute_rates, measure_violation
from conceptrules.learn.search.path import Snapshot
from conceptrules.learn.search.settings import SCORINGS, SearchSettings
from conceptrules.learn.task import Fold, Task
from conceptrules.model.errors import InputError, warn
from conceptrules.model.evaluation import first_firing
from conceptrules.model.policy import Fair

_EVIDENT = 1.645
"""Standard errors beyond a bound on held-out rows that chance still explains, in one of twenty cases."""
_ROUNDING = 1e-9
"""Rates that differ by less are the same."""


class Trials:
    """The networks that were learned until now, in the folds and on all rows."""

    def __init__(self, task: Task[SearchSettings], checkpoint: Checkpoint | None) -> None:
        self.task, self.checkpoint = task, checkpoint
        self.sources = [fold.training for fold in task.folds]
        """What is learned from: the rows of each fold, and all rows. Given validation rows leave all rows to learn."""
        if self.sources[0] is not task.rows:
            self.sources.append(task.rows)
        self.snapshots: list[list[Snapshot]] = [[] for _ in self.sources]
        """[source][penalty]: the networks."""
        self.tried: list[Trial] = []
        self.observations, self._observed = list_observations(task.folds, task.class_weight)
        self.influence: list[Floats] = []
        """[trial]: what its score owes to each observation."""

    def network(self, trial: Trial, source: int) -> Snapshot:
        same = ((each.penalty, each.refined) == (trial.penalty, trial.refined) for each in self.tried)
        return self.snapshots[source][list(same).index(True)]

    def value(self, trial: Trial) -> float:
        return compute_value(trial, len(self.task.classes))

    @property
    def beats_chance(self) -> bool:
        """Whether a network agrees with the held-out rows better than chance explains."""
        return any(trial.edges and trial.chance <= CHANCE for trial in self.tried)

    @property
    def too_few_rows(self) -> bool:
        """Whether not even the right answer for every held-out row is better than chance explains."""
        right = self.observations.mass.argmax(axis=1)
        return compute_chance(self.observations, right, SCORINGS[self.task.settings.scoring]) > CHANCE

    def observe(self, answers: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
        """Return the answer of each observation, given those of the held-out rows of each fold."""
        return np.concatenate([each[rows] for each, rows in zip(answers, self._observed, strict=True)])


def list_observations(
    folds: Sequence[Fold], class_weight: NDArray[np.float64]
) -> tuple[Observations, list[NDArray[np.intp]]]:
    """Return the observations that are held out, and of which row each of them is, fold by fold."""
    masses, counts, rows, groups, last = [], [], [], [], 0
    for fold in folds:
        mass = fold.held_out.mass
        if fold.separate:
            row, label = np.nonzero(mass)
            masses.append(np.eye(mass.shape[1])[label] * class_weight)
            counts.append(mass[row, label] / class_weight[label])
        else:
            row = np.arange(len(mass))
            masses.append(mass)
            counts.append(np.ones(len(mass)))
        rows.append(row)
        if fold.group is not None:
            groups.append(fold.group + last)
            last = int(groups[-1].max(initial=last - 1)) + 1
    number = np.repeat(np.arange(len(folds)), [len(row) for row in rows])
    group = np.concatenate(groups) if groups else None
    return Observations(np.concatenate(masses), np.concatenate(counts), number, group), rows


def judge_by_folds(trials: Trials, penalty: float, augmented: bool) -> None:
    """Add a trial: what the held-out rows of all folds say of the last networks."""
    task, classes, scoring = trials.task, len(trials.task.classes), SCORINGS[trials.task.settings.scoring]
    confusion = np.zeros((classes, classes))
    trained, edges, answers = [], [], []
    for snapshots, fold in zip(trials.snapshots, task.folds, strict=False):  # the last may be those of all rows
        snapshot = snapshots[-1]
        answers.append(_predict(snapshot, fold.held_out.codes))
        confusion += _count_confusion(fold.held_out, answers[-1], classes)
        trained.append(
            score_of(_count_confusion(fold.training, _predict(snapshot, fold.training.codes), classes), scoring)
        )
        edges.append(snapshot.edges)
    size, observed = float(np.mean(edges)), trials.observe(answers)
    trials.influence.append(compute_influence(trials.observations, observed, scoring))
    trial = Trial(
        penalty,
        augmented,
        size,
        training_score=float(np.mean(trained)),
        score=float(score_of(confusion, scoring)),
        chance=compute_chance(trials.observations, observed, scoring),
        unfairness=_measure_unfairness(task, answers if size else [], trials.snapshots[-1][-1]),
    )
    trials.tried.append(trial)


def judge_by_remainder(trials: Trials) -> None:
    """Let all held-out rows of a large table judge, in one pass.

    They are counted together, so that those which watched the search go on saying what chance explains, and how much
    the networks differ: a difference has a smaller error on more rows.
    """
    task, remainder, scoring = trials.task, trials.task.remainder, SCORINGS[trials.task.settings.scoring]
    assert remainder is not None
    networks = mask_networks([trials.network(trial, 0) for trial in trials.tried], remainder.code_map)
    counts = remainder.store.count_confusion(networks, len(task.classes), remainder.first_key)
    confusions = counts / WEIGHT_UNIT * task.class_weight[:, None]
    trials.tried = [
        replace(trial, score=float(score_of(confusion, scoring)))
        for trial, confusion in zip(trials.tried, confusions, strict=True)
    ]
    shrink = sqrt(float(task.folds[0].held_out.mass.sum()) / max(float(confusions[0].sum()), 1e-300))
    trials.influence = [each * shrink for each in trials.influence]


def _measure_unfairness(task: Task[SearchSettings], held_out: Sequence[NDArray[np.intp]], snapshot: Snapshot) -> float:
    """Return how far groups are too far apart: on all rows, and on the held-out rows of all folds together.

    Held-out rows of folds are few, and judge other networks of the same penalty: there chance is allowed for. Networks
    without rules treat all groups alike, but the folds may differ in their answer: then `held_out` is empty.
    """
    groups = task.rows.groups
    if not len(groups.total):
        return 0.0
    violation = measure_violation(groups, compute_rates(groups, _predict(snapshot, task.rows.codes)), groups.total)
    if held_out:
        in_folds = [fold.held_out.groups for fold in task.folds]
        total = np.sum([each.total for each in in_folds], axis=0)
        pairs = zip(in_folds, held_out, strict=True)
        answered = np.sum([compute_rates(fold, answers) * fold.total for fold, answers in pairs], axis=0)
        # The user's own validation rows judge the network itself.
        errors = 0.0 if task.folds[0].training is task.rows else _EVIDENT
        rates = answered / np.where(total > 0, total, 1.0)
        violation = max(violation, measure_violation(in_folds[0], rates, total, errors))
    return violation if violation > _ROUNDING else 0.0


def _predict(snapshot: Snapshot, codes: NDArray[np.uint8]) -> NDArray[np.intp]:
    return first_firing(snapshot.find_fired(codes), snapshot.order.tolist(), snapshot.default)


def _count_confusion(rows: Rows, answers: NDArray[np.intp], classes: int) -> NDArray[np.float64]:
    return np.stack([np.bincount(answers, rows.mass[:, k], classes) for k in range(classes)])


def keep_fair(trials: Trials) -> list[Trial]:
    """Return the trials whose networks treat groups as the policy asks, on held-out rows too."""
    fair = [trial for trial in trials.tried if trial.unfairness == 0]
    if len(fair) == len(trials.tried):
        return fair
    policy = trials.task.constraints.policy
    assert policy is not None
    names = " and ".join(clause.name for clause in policy.of_kind(Fair))
    smallest = min(trial.unfairness for trial in trials.tried if trial.unfairness > 0)
    reached = f"the nearest ones are beyond the bound by {smallest:.4f}"
    if not fair:
        raise InputError(f"{names}: no network with these locked rules keeps the bound; {reached}")
    if all(trial.edges == 0 for trial in fair):
        warn(f"{names}: no network with rules keeps the bound on held-out rows; {reached}")
    return fair
