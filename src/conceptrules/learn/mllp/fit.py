"""Tasks to the networks that are best on their validation rows, on whatever engine trains them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from conceptrules.kernels.mllp.cohort import Floats
from conceptrules.learn.examples import Bits, Examples, Targets, Weights, joined, with_negations
from conceptrules.learn.mllp.hyperparameters import Recipe
from conceptrules.learn.priority import WINNERS, macro_f1
from conceptrules.model.evaluation import first_firing


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One fit: the rows to learn from, those that choose the rate and the epoch, and where its chance comes from."""

    recipe: Recipe
    training: Examples
    validation: Examples
    class_weight: Weights
    rng: np.random.Generator

    @property
    def sizes(self) -> tuple[int, ...]:
        """Inputs, the middle layers, classes."""
        return (self.training.inputs, *self.recipe.layers, len(self.class_weight))

    @property
    def weighted(self) -> Examples:
        """The rows to learn from, by class weight."""
        return replace(self.training, weight=self.training.weight * self.class_weight[self.training.target])


@dataclass(frozen=True, slots=True)
class Score:
    """One network of the cohort at one snapshot: a line of the history."""

    rate: float
    epoch: int
    loss: float
    mllp_f1: float
    """Macro-F1 of the continuous network on the validation rows."""
    crs_f1: float
    """The same of the rules."""
    training_f1: float
    """The same of the rules on the training rows."""
    edges: int
    """Of the rules, before simplification."""
    disagreement: float
    """The share of validation rows on which the continuous network and the rules answer differently."""

    @property
    def rank(self) -> tuple[float, float, int]:
        """What is best: the validation rows decide; where they see no difference, the training rows; then brevity."""
        return (self.crs_f1, self.training_f1, -self.edges)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One network of the cohort at one moment: its weights, who wins (indices of classes), and how good it is."""

    sizes: tuple[int, ...]
    weights: Floats
    priority: tuple[int, ...]
    default: int
    score: Score


class Engine(Protocol):
    """What trains."""

    def snapshots(self, tasks: Sequence[Task], active: set[int]) -> Iterator[tuple[int, list[Snapshot]]]:
        """Every so many epochs, for each task that is still active (by its number) one snapshot for each rate.

        Ends when no task is active; takes those out that have had their last epoch.
        """


Watch = Callable[[int, list[Score]], None]


def fit(tasks: Sequence[Task], engine: Engine, watch: Watch) -> list[Snapshot]:
    """For each task the best network of all rates and epochs on its validation rows. `watch` sees every score."""
    tasks = [negated(task) if task.recipe.negation else task for task in tasks]
    best, interrupted = _best(tasks, engine, watch)
    again = [] if interrupted else [number for number, task in enumerate(tasks) if task.recipe.refit]
    if again:
        fallback = [best[number] for number in again]
        refits = [_refit(tasks[number], best[number].score.rate) for number in again]
        better, interrupted = _best(refits, engine, lambda number, scores: watch(again[number], scores), fallback)
        for number, snapshot in zip(again, better, strict=True):
            best[number] = snapshot
    if interrupted:
        epochs = sorted({snapshot.score.epoch for snapshot in best})
        warnings.warn(
            f"training was interrupted; the best network so far is kept (epoch {', '.join(map(str, epochs))})",
            stacklevel=2,
        )
    return best


def negated(task: Task) -> Task:
    return replace(task, training=with_negations(task.training), validation=with_negations(task.validation))


def _refit(task: Task, rate: float) -> Task:
    """All rows, with the rate that was best.

    The epoch that was best from one start says little about another, so it is chosen anew: by the rows trained on,
    since no others are left.
    """
    rows = joined(task.training, task.validation)
    return replace(task, recipe=replace(task.recipe, binarization_rate=(rate,)), training=rows, validation=rows)


def _best(
    tasks: Sequence[Task], engine: Engine, watch: Watch, otherwise: Sequence[Snapshot] = ()
) -> tuple[list[Snapshot], bool]:
    """The best of each task, and whether Ctrl-C ended the training; `otherwise` is for those that had none by then."""
    best: dict[int, Snapshot] = {}
    active, interrupted = set(range(len(tasks))), False
    try:
        for number, cohort in engine.snapshots(tasks, active):
            watch(number, [snapshot.score for snapshot in cohort])
            rivals = [*([best[number]] if number in best else []), *cohort]
            best[number] = max(rivals, key=lambda snapshot: snapshot.score.rank)
            patience = tasks[number].recipe.patience
            if patience is not None and cohort[0].score.epoch - best[number].score.epoch >= patience:
                active.discard(number)
    except KeyboardInterrupt:
        if len(best) < len(tasks) and not otherwise:
            raise
        interrupted = True
    return [best[number] if number in best else otherwise[number] for number in range(len(tasks))], interrupted


@dataclass(frozen=True, slots=True)
class Seen:
    """What one network of a task answers at one moment."""

    loss: float
    weights: Floats
    fired_training: Bits
    """Which classes fire on the training rows when every weight is rounded."""
    fired_validation: Bits
    continuous: Targets
    """The class with the highest score, on the validation rows."""


def judged(task: Task, rate: float, epoch: int, seen: Seen) -> Snapshot:
    """Learns who wins from the training rows, and scores on the validation rows."""
    classes = len(task.class_weight)
    priority, default = WINNERS[task.recipe.priority](seen.fired_training, task.training, task.class_weight)
    decided = first_firing(seen.fired_validation, priority, default)
    learned = first_firing(seen.fired_training, priority, default)
    score = Score(
        rate=rate,
        epoch=epoch,
        loss=seen.loss,
        mllp_f1=macro_f1(seen.continuous, task.validation, classes),
        crs_f1=macro_f1(decided, task.validation, classes),
        training_f1=macro_f1(learned, task.training, classes),
        edges=int(np.count_nonzero(seen.weights > 0.5)),
        disagreement=float(np.average(seen.continuous != decided, weights=task.validation.weight)),
    )
    return Snapshot(task.sizes, seen.weights, priority, default, score)
