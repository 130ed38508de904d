"""The engine for one GPU or several: all jobs of one depth are trained side by side, in the same launches."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from conceptrules.kernels.mllp import gpu
from conceptrules.kernels.mllp.cohort import Rows, Settings, initial_weights
from conceptrules.kernels.mllp.states import Member
from conceptrules.learn.examples import Examples
from conceptrules.learn.mllp.fit import FitJob, Outputs, Snapshot, snapshot


class GpuEngine:
    """Jobs are spread over the devices."""

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = devices

    def snapshots(self, jobs: Sequence[FitJob], active: set[int]) -> Iterator[tuple[int, list[Snapshot]]]:
        runs = [Run(numbers, [jobs[number] for number in numbers], device) for device, numbers in self._shares(jobs)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            while active:
                running = [run for run in runs if active.intersection(run.numbers)]
                for run in running:  # each device has its work before the host waits for the first
                    run.advance()
                for run in running:
                    yield from run.snapshots(active, pool)

    def _shares(self, jobs: Sequence[FitJob]) -> Iterator[tuple[str, list[int]]]:
        """Deal the numbers of jobs that can share launches out to the devices."""
        alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for number, job in enumerate(jobs):
            alike[_rhythm(job)].append(number)
        for numbers in alike.values():
            for place, device in enumerate(self.devices[: len(numbers)]):
                yield device, numbers[place :: len(self.devices)]


class Run:
    """Jobs that are trained in the same launches: one network for each rate of each."""

    def __init__(self, numbers: Sequence[int], jobs: Sequence[FitJob], device: str) -> None:
        self.numbers, self.jobs, self.settings, self.epoch = numbers, jobs, jobs[0].hyperparameters, 0
        members, weights = [], []
        for group, job in enumerate(jobs):
            rates, own = job.hyperparameters.binarization_rate, job.hyperparameters
            members += [Member(job.sizes, rate, group, own.learning_rate, own.l2) for rate in rates]
            weights += list(initial_weights(job.sizes, len(rates), job.rng))
        seeds = [int(job.rng.integers(2**62)) for job in jobs]
        step = Settings(batch_size=self.settings.batch_size)
        rows = [rows_of(job.weighted) for job in jobs]
        self.trainer = gpu.Trainer(members, weights, rows, seeds, step, device, self.settings.min_steps)
        self.training = gpu.Look(self.trainer, rows)
        self.validation = gpu.Look(self.trainer, [rows_of(job.validation) for job in jobs])

    def advance(self) -> None:
        """Trains up to the next snapshot, without waiting for the device."""
        settings = self.settings
        for _ in range(min(settings.snapshot_every, settings.max_epochs - self.epoch)):
            self.loss = self.trainer.epoch(settings.decay ** (self.epoch // settings.decay_every))
            self.epoch += 1

    def snapshots(self, active: set[int], pool: ThreadPoolExecutor) -> Iterator[tuple[int, list[Snapshot]]]:
        outputs = map(
            Outputs,
            self.loss.tolist(),
            self.trainer.own_weights(),
            self.training.fired(),
            self.validation.fired(),
            [scores.argmax(axis=1) for scores in self.validation.scores()],
        )
        waiting = []
        for number, job in zip(self.numbers, self.jobs, strict=True):
            rates = job.hyperparameters.binarization_rate
            waiting.append((number, [pool.submit(snapshot, job, rate, self.epoch, next(outputs)) for rate in rates]))
        for number, networks in waiting:
            if number in active:
                if self.epoch == self.settings.max_epochs:
                    active.discard(number)
                yield number, [network.result() for network in networks]


def _rhythm(job: FitJob) -> tuple[object, ...]:
    """Return what has to be the same in jobs that share launches, and leave each other alone."""
    settings = job.hyperparameters
    names = ("max_epochs", "min_steps", "decay", "decay_every", "snapshot_every")
    size = min(settings.batch_size, len(job.training))
    return len(settings.layers), size, *(getattr(settings, name) for name in names)


def rows_of(examples: Examples) -> Rows:
    weight = (examples.weight / examples.weight.mean()).astype(np.float32)
    return Rows(examples.packed, examples.target, weight, examples.inputs)
