"""From rows to the networks that are best on their validation rows, on whatever engine trains them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from conceptrules.kernels.mllp.cohort import Floats
from conceptrules.learn.examples import Bits, Examples, Targets, Weights, joined, with_negations
from conceptrules.learn.holdout import HELD_BACK, Holdout
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.priority import PRIORITIES
from conceptrules.learn.training_data import TrainingData
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import first_firing
from conceptrules.model.metrics import confusion_matrix, macro_f1


@dataclass(frozen=True, slots=True, eq=False)
class FitJob:
    """One fit: the rows to learn from, those that choose the rate and the epoch, and where its chance comes from."""

    hyperparameters: Hyperparameters
    training: Examples
    validation: Examples
    class_weight: Weights
    rng: np.random.Generator

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of all layers: inputs, the middle layers, classes."""
        return (self.training.inputs, *self.hyperparameters.layers, len(self.class_weight))

    @property
    def weighted(self) -> Examples:
        """The rows to learn from, weighted by their classes."""
        return replace(self.training, weight=self.training.weight * self.class_weight[self.training.target])


def job_of(data: TrainingData, holdout: Holdout, hyperparameters: Hyperparameters, rng: np.random.Generator) -> FitJob:
    """Return the job of learning from a table, whose rows are split once."""
    training = holdout.training
    class_weight = data.weights_of_classes(training.target, training.weight)
    if not (training.weight * class_weight[training.target]).mean() > 0:  # the mean is what weights are divided by
        raise InputError("class_weight and sample_weight leave no weight to the rows to learn from; raise some of them")
    # Rows that the user gives to judge by are no rows to learn from.
    refit = hyperparameters.refit and holdout.source == HELD_BACK
    return FitJob(replace(hyperparameters, refit=refit), training, holdout.held, class_weight, rng)


@dataclass(frozen=True, slots=True)
class Score:
    """One network of the cohort at one snapshot: a line of the history."""

    rate: float
    epoch: int
    loss: float
    mllp_f1: float
    """The macro-F1 of the continuous network on the validation rows."""
    crs_f1: float
    """The macro-F1 of the rules on the validation rows."""
    training_f1: float
    """The macro-F1 of the rules on the training rows."""
    edges: int
    """The number of edges of the rules, before simplification."""
    disagreement: float
    """The share of validation rows on which the continuous network and the rules answer differently."""

    @property
    def rank(self) -> tuple[float, float, int]:
        """What is best: the validation rows decide; where they see no difference, the training rows; then brevity."""
        return (self.crs_f1, self.training_f1, -self.edges)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One network of the cohort at one moment: its weights, its priority (class numbers), and how good it is."""

    sizes: tuple[int, ...]
    weights: Floats
    priority: tuple[int, ...]
    default: int
    score: Score


@dataclass(frozen=True, slots=True, eq=False)
class FitResult:
    """What came out of a job."""

    best: Snapshot
    """The network that is kept."""
    judged: Snapshot
    """The one that was best on the validation rows, without having learned from them: the same if there is no refit."""
    history: tuple[Score, ...]
    """The scores of all rates at all snapshots, without those of a refit, which has no rows to be judged by."""
    interrupted: bool
    """Whether Ctrl-C ended the training."""


class Engine(Protocol):
    """What trains."""

    def snapshots(self, jobs: Sequence[FitJob], active: set[int]) -> Iterator[tuple[int, list[Snapshot]]]:
        """Every so many epochs, give one snapshot for each rate of each job that is still active (by its number).

        End when no job is active; take those out that have had their last epoch.
        """


Watch = Callable[[int, list[Score]], None]


def fit(jobs: Sequence[FitJob], engine: Engine, watch: Watch) -> list[FitResult]:
    """Find for each job the network of all rates and epochs that is best on its validation rows.

    `watch` sees every score, with the number of its job.
    """
    jobs = [_with_negations(job) if job.hyperparameters.negation else job for job in jobs]
    histories: list[list[Score]] = [[] for _ in jobs]

    def record(number: int, scores: list[Score]) -> None:
        histories[number] += scores
        watch(number, scores)

    judged, interrupted = _best(jobs, engine, record)
    best = list(judged)
    again = [] if interrupted else [number for number, job in enumerate(jobs) if job.hyperparameters.refit]
    if again:
        fallback = [best[number] for number in again]
        refits = [_refit(jobs[number], best[number].score.rate) for number in again]
        better, interrupted = _best(refits, engine, lambda number, scores: watch(again[number], scores), fallback)
        for number, snapshot in zip(again, better, strict=True):
            best[number] = snapshot
    each = zip(best, judged, map(tuple, histories), strict=True)
    return [FitResult(*one, interrupted) for one in each]


def _with_negations(job: FitJob) -> FitJob:
    return replace(job, training=with_negations(job.training), validation=with_negations(job.validation))


def _refit(job: FitJob, rate: float) -> FitJob:
    """Learn from all rows, with the rate that was best.

    The epoch that was best from one start says little about another, so it is chosen anew: by the rows trained on,
    since no others are left. They get better until the end, though some networks answer one class for many epochs
    first: so patience would end training too early.
    """
    rows = joined(job.training, job.validation)
    hyperparameters = replace(job.hyperparameters, binarization_rate=(rate,), patience=None)
    return replace(job, hyperparameters=hyperparameters, training=rows, validation=rows)


def _best(
    jobs: Sequence[FitJob], engine: Engine, watch: Watch, otherwise: Sequence[Snapshot] = ()
) -> tuple[list[Snapshot], bool]:
    """Return the best of each job, and whether Ctrl-C ended the training; `otherwise` is for jobs without any yet."""
    best: dict[int, Snapshot] = {}
    active, interrupted = set(range(len(jobs))), False
    try:
        for number, cohort in engine.snapshots(jobs, active):
            watch(number, [snapshot.score for snapshot in cohort])
            rivals = [*([best[number]] if number in best else []), *cohort]
            best[number] = max(rivals, key=lambda snapshot: snapshot.score.rank)
            patience = jobs[number].hyperparameters.patience
            if patience is not None and cohort[0].score.epoch - best[number].score.epoch >= patience:
                active.discard(number)
    except KeyboardInterrupt:
        if len(best) < len(jobs) and not otherwise:
            raise
        interrupted = True
    return [best[number] if number in best else otherwise[number] for number in range(len(jobs))], interrupted


@dataclass(frozen=True, slots=True)
class Outputs:
    """What one network of a job answers at one moment."""

    loss: float
    weights: Floats
    fired_training: Bits
    """Which classes fire on the training rows when every weight is rounded."""
    fired_validation: Bits
    """Which classes fire on the validation rows when every weight is rounded."""
    continuous: Targets
    """The class with the highest score on each validation row."""


def snapshot(job: FitJob, rate: float, epoch: int, outputs: Outputs) -> Snapshot:
    """Learn the priority from the training rows, and score on the validation rows.

    Weights that are no numbers cannot come about: inputs, weights and activations are between 0 and 1, so that no
    gradient is above twice a row's weight times the number of paths to the classes; Adam divides it by its own size,
    the settings are bounded, and Clip keeps weights between 0 and 1. Whatever breaks that is told here, on any device.
    """
    if not np.isfinite(outputs.weights).all():
        raise InputError(
            f"training broke down by epoch {epoch}: some weights are no numbers any more; use smaller layers, weights "
            "of rows that are less far apart, or a smaller learning_rate"
        )
    learn_priority = PRIORITIES[job.hyperparameters.priority]
    priority, default = learn_priority(outputs.fired_training, job.training, job.class_weight)
    decided = first_firing(outputs.fired_validation, priority, default)
    learned = first_firing(outputs.fired_training, priority, default)
    score = Score(
        rate=rate,
        epoch=epoch,
        loss=outputs.loss,
        mllp_f1=_macro_f1(outputs.continuous, job.validation, job),
        crs_f1=_macro_f1(decided, job.validation, job),
        training_f1=_macro_f1(learned, job.training, job),
        edges=int(np.count_nonzero(outputs.weights > 0.5)),
        disagreement=float(np.average(outputs.continuous != decided, weights=job.validation.weight)),
    )
    return Snapshot(job.sizes, outputs.weights, priority, default, score)


def _macro_f1(decided: Targets, rows: Examples, job: FitJob) -> float:
    return macro_f1(confusion_matrix(rows.target, decided, rows.weight, len(job.class_weight)))
