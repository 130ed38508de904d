"""Training of one fit or of many: plans, snapshots and the choice of the best, whatever engine does the descent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from conceptrules.kernels.mllp.cohort import Floats, KernelRows
from conceptrules.learn.folds import HELD_BACK
from conceptrules.learn.mllp.examples import Bits, Examples, Targets, Weights, joined, with_negations
from conceptrules.learn.mllp.extraction import PRIORITIES
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.training_data import Holdout, TrainingData
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import first_firing
from conceptrules.model.metrics import confusion_matrix, macro_f1


@dataclass(frozen=True, slots=True, eq=False)
class FitJob:
    """The input of an engine for one fit."""

    hyperparameters: Hyperparameters
    training: Examples
    validation: Examples
    """The rows that choose the rate and the epoch."""
    class_weight: Weights
    rng: np.random.Generator

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of all layers: inputs, the middle layers, classes."""
        return (self.training.inputs, *self.hyperparameters.layers, len(self.class_weight))

    @property
    def training_rows(self) -> KernelRows:
        """The training rows for the kernels, weighted by their classes."""
        return to_kernel_rows(self.training, self.class_weight)


def to_kernel_rows(examples: Examples, class_weight: Weights | None = None) -> KernelRows:
    """Return rows as the kernels read them, with weights of mean 1."""
    weight = examples.weight if class_weight is None else examples.weight * class_weight[examples.target]
    return KernelRows(examples.packed, examples.target, (weight / weight.mean()).astype(np.float32), examples.inputs)


@dataclass(frozen=True, slots=True, eq=False)
class FitPlan:
    """What one classifier learns from, and how."""

    data: TrainingData
    holdout: Holdout
    job: FitJob


def make_plan(
    data: TrainingData, holdout: Holdout, hyperparameters: Hyperparameters, rng: np.random.Generator
) -> FitPlan:
    """Return the plan of learning from a table whose rows are split already."""
    training = holdout.training
    class_weight = data.weights_of_classes(training.target, training.weight)
    if not (training.weight * class_weight[training.target]).mean() > 0:  # the kernels divide by this mean
        raise InputError("class_weight and sample_weight leave no weight to the rows to learn from; raise some of them")
    # A refit learns from rows held back, but never from validation rows that the user gives.
    refit = hyperparameters.refit and holdout.source == HELD_BACK
    job = FitJob(replace(hyperparameters, refit=refit), training, holdout.validation, class_weight, rng)
    return FitPlan(data, holdout, job)


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
        """What to maximize: the score on validation rows; among equals, that on training rows; then brevity."""
        return (self.crs_f1, self.training_f1, -self.edges)


@dataclass(frozen=True, slots=True)
class TrainingSnapshot:
    """One network of the cohort after some epoch: its weights, its priority (class numbers), and how good it is."""

    sizes: tuple[int, ...]
    weights: Floats
    priority: tuple[int, ...]
    default: int
    score: Score


@dataclass(frozen=True, slots=True, eq=False)
class FitResult:
    """The outcome of a job."""

    best: TrainingSnapshot
    """The network that is kept."""
    judged: TrainingSnapshot
    """The best network on the validation rows that has not learned from them: the same one unless there is a refit."""
    history: tuple[Score, ...]
    """The scores of all rates at all snapshots, without those of a refit, which no held-out rows judge."""
    interrupted: bool
    """Whether Ctrl-C ended the training."""


class TrainingEngine(Protocol):
    """Trains jobs, on a CPU or on GPUs."""

    def snapshots(self, jobs: Sequence[FitJob], active: set[int]) -> Iterator[tuple[int, list[TrainingSnapshot]]]:
        """Yield the number of a job and one snapshot for each of its rates, every `snapshot_every` epochs.

        Go on until no job is active; the caller may remove the numbers of jobs, and the engine removes those that have
        had their last epoch.
        """


Watch = Callable[[int, list[Score]], None]


def train(jobs: Sequence[FitJob], engine: TrainingEngine, watch: Watch) -> list[FitResult]:
    """Find for each job the network of all rates and epochs that is best on its validation rows.

    `watch` sees every score, with the number of its job.
    """
    jobs = [_with_negations(job) if job.hyperparameters.negation else job for job in jobs]
    histories: list[list[Score]] = [[] for _ in jobs]

    def record(number: int, scores: list[Score]) -> None:
        histories[number] += scores
        watch(number, scores)

    judged, interrupted = _find_best(jobs, engine, record)
    best = list(judged)
    refitted = [] if interrupted else [number for number, job in enumerate(jobs) if job.hyperparameters.refit]
    if refitted:
        refits = [_refit(jobs[number], judged[number].score.rate) for number in refitted]
        fallback = [judged[number] for number in refitted]
        snapshots, interrupted = _find_best(
            refits, engine, lambda number, scores: watch(refitted[number], scores), fallback
        )
        for number, snapshot in zip(refitted, snapshots, strict=True):
            best[number] = snapshot
    return [FitResult(*outcome, interrupted) for outcome in zip(best, judged, map(tuple, histories), strict=True)]


def _with_negations(job: FitJob) -> FitJob:
    return replace(job, training=with_negations(job.training), validation=with_negations(job.validation))


def _refit(job: FitJob, rate: float) -> FitJob:
    """Return the job of learning from all rows, with the rate that was best.

    The best epoch from one start says little about another, so it is chosen anew: by the rows trained on, since no
    others are left. Scores on these improve until the end, but some networks answer a single class for many epochs
    first, so patience would end training too early.
    """
    rows = joined(job.training, job.validation)
    hyperparameters = replace(job.hyperparameters, binarization_rate=(rate,), patience=None)
    return replace(job, hyperparameters=hyperparameters, training=rows, validation=rows)


def _find_best(
    jobs: Sequence[FitJob], engine: TrainingEngine, watch: Watch, fallback: Sequence[TrainingSnapshot] = ()
) -> tuple[list[TrainingSnapshot], bool]:
    """Return the best snapshot of each job (its fallback if it has none yet), and whether Ctrl-C ended the training."""
    best: dict[int, TrainingSnapshot] = {}
    active, interrupted = set(range(len(jobs))), False
    try:
        for number, snapshots in engine.snapshots(jobs, active):
            watch(number, [snapshot.score for snapshot in snapshots])
            candidates = [*([best[number]] if number in best else []), *snapshots]
            best[number] = max(candidates, key=lambda snapshot: snapshot.score.rank)
            patience = jobs[number].hyperparameters.patience
            if patience is not None and snapshots[0].score.epoch - best[number].score.epoch >= patience:
                active.discard(number)
    except KeyboardInterrupt:
        if len(best) < len(jobs) and not fallback:
            raise
        interrupted = True
    return [best[number] if number in best else fallback[number] for number in range(len(jobs))], interrupted


@dataclass(frozen=True, slots=True)
class Outputs:
    """What one network of a job answers after some epoch."""

    loss: float
    weights: Floats
    fired_training: Bits
    """Which classes fire on the training rows when every weight is rounded."""
    fired_validation: Bits
    """Which classes fire on the validation rows when every weight is rounded."""
    continuous: Targets
    """The class with the highest score on each validation row."""


def take_snapshot(job: FitJob, rate: float, epoch: int, outputs: Outputs) -> TrainingSnapshot:
    """Learn the priority from the training rows, and score the network on the validation rows.

    Weights cannot become NaN: inputs, weights and activations are between 0 and 1, so no gradient exceeds twice a
    row's weight times the number of paths to the classes; Adam divides it by its own size, the settings are bounded,
    and clipping keeps weights between 0 and 1. Should anything break that on any device, it is reported here.
    """
    if not np.isfinite(outputs.weights).all():
        raise InputError(
            f"training broke down by epoch {epoch}: some weights are no longer numbers; use smaller layers, row "
            "weights that are less far apart, or a smaller learning_rate"
        )
    learn_priority = PRIORITIES[job.hyperparameters.priority]
    priority, default = learn_priority(outputs.fired_training, job.training, job.class_weight)
    on_validation = first_firing(outputs.fired_validation, priority, default)
    on_training = first_firing(outputs.fired_training, priority, default)
    score = Score(
        rate=rate,
        epoch=epoch,
        loss=outputs.loss,
        mllp_f1=_macro_f1(outputs.continuous, job.validation, job),
        crs_f1=_macro_f1(on_validation, job.validation, job),
        training_f1=_macro_f1(on_training, job.training, job),
        edges=int(np.count_nonzero(outputs.weights > 0.5)),
        disagreement=float(np.average(outputs.continuous != on_validation, weights=job.validation.weight)),
    )
    return TrainingSnapshot(job.sizes, outputs.weights, priority, default, score)


def _macro_f1(predicted: Targets, rows: Examples, job: FitJob) -> float:
    return macro_f1(confusion_matrix(rows.target, predicted, rows.weight, len(job.class_weight)))
