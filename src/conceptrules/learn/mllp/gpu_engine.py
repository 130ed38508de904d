"""The engine for one GPU or several: all tasks of one depth are trained side by side, in the same launches."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from conceptrules.kernels.mllp import gpu
from conceptrules.kernels.mllp.cohort import Cohort, Rows, Settings
from conceptrules.kernels.mllp.states import Member
from conceptrules.learn.examples import Examples
from conceptrules.learn.mllp.fit import Seen, Snapshot, Task, judged
from conceptrules.model.errors import InputError


class Gpu:
    """Tasks are spread over the devices."""

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = devices

    def snapshots(self, tasks: Sequence[Task], active: set[int]) -> Iterator[tuple[int, list[Snapshot]]]:
        _check(tasks)
        runs = [Run(numbers, [tasks[number] for number in numbers], device) for device, numbers in self._shares(tasks)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            while active:
                running = [run for run in runs if active.intersection(run.numbers)]
                for run in running:  # each device has its work before the host waits for the first
                    run.advance()
                for run in running:
                    yield from run.snapshots(active, pool)

    def _shares(self, tasks: Sequence[Task]) -> Iterator[tuple[str, list[int]]]:
        """Numbers of tasks that can share launches, dealt out to the devices."""
        alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for number, task in enumerate(tasks):
            alike[_rhythm(task)].append(number)
        for numbers in alike.values():
            for place, device in enumerate(self.devices[: len(numbers)]):
                yield device, numbers[place :: len(self.devices)]


def _check(tasks: Sequence[Task]) -> None:
    """The kernels of a GPU know the paper's descent only."""
    for name in ("graft", "l1", "epoch_steps"):
        if any(getattr(task.recipe, name) for task in tasks):
            raise InputError(f"{name} is for training on a CPU; use device='cpu', or leave it out")


class Run:
    """Tasks that are trained in the same launches: one network for each rate of each."""

    def __init__(self, numbers: Sequence[int], tasks: Sequence[Task], device: str) -> None:
        self.numbers, self.tasks, self.recipe, self.epoch = numbers, tasks, tasks[0].recipe, 0
        members, weights = [], []
        for group, task in enumerate(tasks):
            rates, recipe = task.recipe.binarization_rate, task.recipe
            members += [Member(task.sizes, rate, group, recipe.learning_rate, recipe.l2) for rate in rates]
            # Small weights: from a product of many factors well below 1 no gradient would come back.
            weights += list(np.float32(0.1) * task.rng.random((len(rates), Cohort.count(task.sizes)), np.float32))
        seeds = [int(task.rng.integers(2**62)) for task in tasks]
        settings = Settings(batch_size=self.recipe.batch_size)
        rows = [rows_of(task.weighted) for task in tasks]
        self.trainer = gpu.Trainer(members, weights, rows, seeds, settings, device, self.recipe.min_steps)
        self.training = gpu.Look(self.trainer, rows)
        self.validation = gpu.Look(self.trainer, [rows_of(task.validation) for task in tasks])

    def advance(self) -> None:
        """Trains up to the next snapshot, without waiting for the device."""
        recipe = self.recipe
        for _ in range(min(recipe.snapshot_every, recipe.max_epochs - self.epoch)):
            self.loss = self.trainer.epoch(recipe.decay ** (self.epoch // recipe.decay_every), recipe.mask_every)
            self.epoch += 1

    def snapshots(self, active: set[int], pool: ThreadPoolExecutor) -> Iterator[tuple[int, list[Snapshot]]]:
        seen = map(
            Seen,
            self.loss.tolist(),
            self.trainer.own_weights(),
            self.training.fired(),
            self.validation.fired(),
            [scores.argmax(axis=1) for scores in self.validation.scores()],
        )
        jobs = []
        for number, task in zip(self.numbers, self.tasks, strict=True):
            rates = task.recipe.binarization_rate
            jobs.append((number, [pool.submit(judged, task, rate, self.epoch, next(seen)) for rate in rates]))
        for number, networks in jobs:
            if number in active:
                if self.epoch == self.recipe.max_epochs:
                    active.discard(number)
                yield number, [network.result() for network in networks]


def _rhythm(task: Task) -> tuple[object, ...]:
    """What has to be the same in tasks that share launches, and leave each other alone."""
    recipe, rows = task.recipe, len(task.training)
    names = ("max_epochs", "min_steps", "decay", "decay_every", "mask_every", "snapshot_every")
    settings = (getattr(recipe, name) for name in names)
    return len(recipe.layers), min(recipe.batch_size, rows), rows if recipe.mask_every else None, *settings


def rows_of(examples: Examples) -> Rows:
    weight = (examples.weight / examples.weight.mean()).astype(np.float32)
    return Rows(examples.packed, examples.target, weight, examples.inputs)
