"""The engine for a CPU: gradient descent under Random Binarization by threads, with or without a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import numpy as np

from conceptrules.kernels.mllp import cpu
from conceptrules.kernels.mllp.cohort import Cohort, Flags, Floats, StepSettings, initial_weights, passes_of_epoch
from conceptrules.kernels.mllp.compiling import announced
from conceptrules.learn.checkpoint import Arrays, Checkpoint
from conceptrules.learn.mllp.examples import Bits
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import FitJob, Outputs, Score, TrainingSnapshot, take_snapshot
from conceptrules.model.evaluation import PackedBits, unpack

T = TypeVar("T")


class CallingThread(Executor):
    """The calling thread, as a pool."""

    def map(
        self, fn: Callable[..., T], *iterables: Iterable[Any], timeout: Any = None, chunksize: int = 1
    ) -> Iterator[T]:
        return map(fn, *iterables)


class CpuEngine:
    """Threads share the rates of a single job; of several jobs, each thread takes whole ones.

    What a job learns depends neither on the number of threads nor on the jobs beside it. A checkpoint is for a single
    job: first its fit, then its refit.
    """

    def __init__(self, threads: int, checkpoint: Checkpoint | None = None) -> None:
        self.threads, self.checkpoint, self.trainings = threads, checkpoint, 0

    def snapshots(self, jobs: Sequence[FitJob], active: set[int]) -> Iterator[tuple[int, list[TrainingSnapshot]]]:
        with ThreadPoolExecutor(self.threads) as pool, announced():
            within: Executor = pool if len(jobs) == 1 else CallingThread()
            across: Executor = CallingThread() if len(jobs) == 1 else pool
            runs = [train_job(job, within, self._open_checkpoint(job)) for job in jobs]
            while active:
                numbers = sorted(active)
                for number, snapshots in zip(
                    numbers, across.map(lambda number: next(runs[number], None), numbers), strict=True
                ):
                    if snapshots is None:
                        active.discard(number)
                    else:
                        yield number, snapshots

    def _open_checkpoint(self, job: FitJob) -> JobCheckpoint | None:
        if self.checkpoint is None:
            return None
        if not self.trainings:
            rows = job.training, job.validation, job.class_weight
            self.checkpoint.open("mllp", (job.hyperparameters, job.rng.bit_generator.state), rows)
        self.trainings += 1
        return JobCheckpoint(self.checkpoint, f"training {self.trainings - 1}", job)


def train_job(job: FitJob, pool: Executor, checkpoint: JobCheckpoint | None = None) -> Iterator[list[TrainingSnapshot]]:
    """Train one network for each rate, and yield a snapshot of each every `snapshot_every` epochs."""
    settings, start = job.hyperparameters, None
    if checkpoint is not None:
        start = checkpoint.restore()
        yield from checkpoint.snapshots
    training, validation = job.training.to_packed_bits(), job.validation.to_packed_bits()
    for epoch in descend(job, pool, start):
        if epoch.number % settings.snapshot_every == 0 or epoch.number == settings.max_epochs:
            snapshots = take_snapshots(job, epoch, training, validation, pool)
            if checkpoint is not None:
                checkpoint.save(epoch, snapshots)
            yield snapshots


def take_snapshots(
    job: FitJob, epoch: Epoch, training: PackedBits, validation: PackedBits, pool: Executor
) -> list[TrainingSnapshot]:
    """Return a snapshot of each network of the cohort; the rows are those of the job, packed once for all epochs."""
    sizes, continuous = epoch.cohort.sizes, cpu.forward(epoch.cohort, job.validation.packed, pool).argmax(axis=2)

    def fire(weights: Floats, rows: PackedBits) -> Bits:
        return unpack(PackedBits(cpu.fire(sizes, weights, rows.words), rows.rows))

    def snapshot(k: int, rate: float) -> TrainingSnapshot:
        weights = epoch.cohort.weights[k].copy()
        fired = fire(weights, training), fire(weights, validation)
        return take_snapshot(job, rate, epoch.number, Outputs(float(epoch.loss[k]), weights, *fired, continuous[k]))

    return [snapshot(k, rate) for k, rate in enumerate(job.hyperparameters.binarization_rate)]


@dataclass(frozen=True, slots=True)
class Epoch:
    """The cohort after an epoch, and the mean loss of each network in it. Training goes on in the same arrays."""

    number: int
    loss: Floats
    cohort: Cohort


def descend(job: FitJob, executor: Executor, start: tuple[int, Cohort] | None = None) -> Iterator[Epoch]:
    """Train one network for each rate side by side, on the same batches.

    `start` is the number of epochs that are done already and the cohort after them; None: random weights.
    """
    settings, rng, count = job.hyperparameters, job.rng, len(job.training)
    if start is None:
        start = 0, Cohort(job.sizes, initial_weights(job.sizes, len(settings.binarization_rate), rng))
    done, cohort = start
    rows, batch_size = job.training_rows, min(settings.batch_size, count)
    passes = passes_of_epoch(count, batch_size, settings.min_steps)
    for number in range(done + 1, settings.max_epochs + 1):
        learning_rate = settings.learning_rate * settings.decay ** ((number - 1) // settings.decay_every)
        order = np.concatenate([rng.permutation(count) for _ in range(passes)])
        masked, step = _draw_mask(settings, cohort, rng), StepSettings(batch_size, settings.l2)
        yield Epoch(number, cpu.epoch(cohort, masked, rows, order, learning_rate, step, executor), cohort)


def _draw_mask(settings: Hyperparameters, cohort: Cohort, rng: np.random.Generator) -> Flags:
    """Draw which weights are rounded. All networks share the draw: a higher rate adds to what a lower one masks."""
    rates = np.asarray(settings.binarization_rate, np.float32)
    return rng.random(cohort.weights.shape[1], np.float32) < rates[:, None]


class JobCheckpoint:
    """The training of one job in a checkpoint: the state of descent, and the snapshots that were taken before.

    These are yielded again first, so that history, patience and the best network follow from them once more. Only the
    best of them has weights, since no other can be chosen.
    """

    def __init__(self, checkpoint: Checkpoint, piece: str, job: FitJob) -> None:
        self.checkpoint, self.piece, self.job = checkpoint, piece, job
        self.snapshots: list[list[TrainingSnapshot]] = []

    def restore(self) -> tuple[int, Cohort] | None:
        """Return where training stopped, if it ever began, and set the job's random generator to that moment."""
        if (kept := self.checkpoint.get(self.piece)) is None:
            return None
        about, arrays = kept
        self._check_weights(arrays)
        job, cohort = self.job, Cohort(self.job.sizes, arrays["weights"])
        cohort.first, cohort.second, cohort.steps = arrays["first"], arrays["second"], about["steps"]
        job.rng.bit_generator.state = about["chance"]
        none = np.zeros(0, np.float32)
        seen = [
            TrainingSnapshot(job.sizes, none, tuple(priority), default, Score(**score))
            for score, priority, default in about["seen"]
        ]
        best = max(range(len(seen)), key=lambda number: seen[number].score.rank)
        seen[best] = replace(seen[best], weights=arrays["best"])
        rates = len(job.hyperparameters.binarization_rate)
        self.snapshots = [seen[first : first + rates] for first in range(0, len(seen), rates)]
        return about["epoch"], cohort

    def _check_weights(self, arrays: Arrays) -> None:
        """Raise an `InputError` for weights that no training of this job has."""
        weights, rates = Cohort.count(self.job.sizes), len(self.job.hyperparameters.binarization_rate)
        shapes = {"best": (weights,)} | dict.fromkeys(("weights", "first", "second"), (rates, weights))
        for name, shape in shapes.items():
            if arrays[name].shape != shape or not np.isfinite(arrays[name]).all():
                raise self.checkpoint.damaged(f"{name!r} are no weights of this training")

    def save(self, epoch: Epoch, snapshots: list[TrainingSnapshot]) -> None:
        self.snapshots.append(snapshots)
        seen, cohort = [snapshot for cohort in self.snapshots for snapshot in cohort], epoch.cohort
        about = {
            "epoch": epoch.number,
            "steps": cohort.steps,
            "chance": self.job.rng.bit_generator.state,
            "seen": [[asdict(snapshot.score), snapshot.priority, snapshot.default] for snapshot in seen],
        }
        best = max(seen, key=lambda snapshot: snapshot.score.rank)
        arrays = {"weights": cohort.weights, "first": cohort.first, "second": cohort.second}
        kept = {name: array.copy() for name, array in arrays.items()} | {"best": best.weights}
        self.checkpoint.put(self.piece, about, kept)
