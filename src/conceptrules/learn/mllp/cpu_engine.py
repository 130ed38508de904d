"""The engine for a CPU: threads take the rates of one task, or whole tasks where there are several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar

from conceptrules.kernels.compiling import announced
from conceptrules.kernels.mllp import bits, cpu
from conceptrules.kernels.mllp.cohort import Floats
from conceptrules.learn.examples import Bits, Targets
from conceptrules.learn.mllp.descent import Epoch, descend
from conceptrules.learn.mllp.fit import Seen, Snapshot, Task, judged
from conceptrules.model.evaluation import PackedBits, unpack

T = TypeVar("T")


class Here(Executor):
    """The calling thread, as a pool."""

    def map(
        self, fn: Callable[..., T], *iterables: Iterable[Any], timeout: Any = None, chunksize: int = 1
    ) -> Iterator[T]:
        return map(fn, *iterables)


class Cpu:
    """What a task learns does not depend on the number of threads, nor on the tasks beside it."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def snapshots(self, tasks: Sequence[Task], active: set[int]) -> Iterator[tuple[int, list[Snapshot]]]:
        with ThreadPoolExecutor(self.threads) as pool, announced():
            within: Executor = pool if len(tasks) == 1 else Here()
            across: Executor = Here() if len(tasks) == 1 else pool
            runs = [train(task, within) for task in tasks]
            while active:
                turn = sorted(active)
                for number, cohort in zip(turn, across.map(lambda number: next(runs[number], None), turn), strict=True):
                    if cohort is None:
                        active.discard(number)
                    else:
                        yield number, cohort


def train(task: Task, pool: Executor) -> Iterator[list[Snapshot]]:
    """Every so many epochs, one snapshot for each rate."""
    recipe, judge = task.recipe, Judge(task)
    for epoch in descend(recipe, len(task.class_weight), task.weighted, task.rng, pool):
        if epoch.number % recipe.snapshot_every == 0 or epoch.number == recipe.max_epochs:
            yield judge.snapshots(epoch, pool)


class Judge:
    """Looks at the networks of a snapshot on training and validation rows, packed once."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.training, self.validation = task.training.words, task.validation.words

    def snapshots(self, epoch: Epoch, pool: Executor) -> list[Snapshot]:
        continuous = cpu.forward(epoch.cohort, self.task.validation.packed, pool).argmax(axis=2)
        rates = self.task.recipe.binarization_rate
        return [
            judged(self.task, rate, epoch.number, self._seen(epoch, k, continuous[k])) for k, rate in enumerate(rates)
        ]

    def _seen(self, epoch: Epoch, k: int, continuous: Targets) -> Seen:
        sizes, weights = epoch.cohort.sizes, epoch.cohort.weights[k].copy()
        training, validation = (_fired(sizes, weights, words) for words in (self.training, self.validation))
        return Seen(float(epoch.loss[k]), weights, training, validation, continuous)


def _fired(sizes: tuple[int, ...], weights: Floats, inputs: PackedBits) -> Bits:
    return unpack(PackedBits(bits.fired(sizes, weights, inputs.words), inputs.rows))
