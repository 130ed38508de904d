"""The engine for a CPU: threads take the rates of one job, or whole jobs where there are several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar

from conceptrules.kernels.compiling import announced
from conceptrules.kernels.mllp import bits, cpu
from conceptrules.kernels.mllp.cohort import Floats
from conceptrules.learn.examples import Bits, Targets
from conceptrules.learn.mllp.descent import Epoch, descend
from conceptrules.learn.mllp.fit import FitJob, Outputs, Snapshot, snapshot
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.model.evaluation import PackedBits, unpack

T = TypeVar("T")


class CallingThread(Executor):
    """The calling thread, as a pool."""

    def map(
        self, fn: Callable[..., T], *iterables: Iterable[Any], timeout: Any = None, chunksize: int = 1
    ) -> Iterator[T]:
        return map(fn, *iterables)


class CpuEngine:
    """What a job learns does not depend on the number of threads, nor on the jobs beside it."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def snapshots(self, jobs: Sequence[FitJob], active: set[int]) -> Iterator[tuple[int, list[Snapshot]]]:
        with ThreadPoolExecutor(self.threads) as pool, announced():
            within: Executor = pool if len(jobs) == 1 else CallingThread()
            across: Executor = CallingThread() if len(jobs) == 1 else pool
            runs = [train(job, within) for job in jobs]
            while active:
                turn = sorted(active)
                for number, cohort in zip(turn, across.map(lambda number: next(runs[number], None), turn), strict=True):
                    if cohort is None:
                        active.discard(number)
                    else:
                        yield number, cohort


def train(job: FitJob, pool: Executor) -> Iterator[list[Snapshot]]:
    """Train, and give one snapshot for each rate every so many epochs."""
    settings, taker = job.hyperparameters, SnapshotTaker(job)
    for epoch in descend(settings, len(job.class_weight), job.weighted, job.rng, pool):
        if is_due(epoch, settings):
            yield taker.snapshots(epoch, pool)


def is_due(epoch: Epoch, settings: Hyperparameters) -> bool:
    """Return whether a snapshot is taken after an epoch."""
    return epoch.number % settings.snapshot_every == 0 or epoch.number == settings.max_epochs


class SnapshotTaker:
    """Takes snapshots of the networks of a job. Training and validation rows are packed once."""

    def __init__(self, job: FitJob) -> None:
        self.job = job
        self.training, self.validation = job.training.to_packed_bits(), job.validation.to_packed_bits()

    def snapshots(self, epoch: Epoch, pool: Executor) -> list[Snapshot]:
        continuous = cpu.forward(epoch.cohort, self.job.validation.packed, pool).argmax(axis=2)
        rates = self.job.hyperparameters.binarization_rate
        return [
            snapshot(self.job, rate, epoch.number, self._outputs(epoch, k, continuous[k]))
            for k, rate in enumerate(rates)
        ]

    def _outputs(self, epoch: Epoch, k: int, continuous: Targets) -> Outputs:
        sizes, weights = epoch.cohort.sizes, epoch.cohort.weights[k].copy()
        training, validation = (_fired(sizes, weights, words) for words in (self.training, self.validation))
        return Outputs(float(epoch.loss[k]), weights, training, validation, continuous)


def _fired(sizes: tuple[int, ...], weights: Floats, inputs: PackedBits) -> Bits:
    return unpack(PackedBits(bits.fired(sizes, weights, inputs.words), inputs.rows))
