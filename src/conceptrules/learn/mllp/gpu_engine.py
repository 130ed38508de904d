"""The engine for one GPU or several: all jobs of one depth are trained side by side, in the same launches."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from conceptrules.kernels.mllp import gpu
from conceptrules.kernels.mllp.cohort import StepSettings, initial_weights
from conceptrules.kernels.mllp.gpu_state import NetworkSpec
from conceptrules.learn.mllp.train import FitJob, Outputs, TrainingSnapshot, take_snapshot, to_kernel_rows


class GpuEngine:
    """Deals the jobs out to the devices."""

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = devices

    def snapshots(self, jobs: Sequence[FitJob], active: set[int]) -> Iterator[tuple[int, list[TrainingSnapshot]]]:
        runs = [GpuRun(numbers, [jobs[number] for number in numbers], device) for device, numbers in self._deal(jobs)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            while active:
                running = [run for run in runs if active.intersection(run.numbers)]
                for run in running:  # every device gets its work before the host waits for the first
                    run.advance()
                for run in running:
                    yield from run.snapshots(active, pool)

    def _deal(self, jobs: Sequence[FitJob]) -> Iterator[tuple[str, list[int]]]:
        """Yield a device and the numbers of jobs that share its launches."""
        groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for number, job in enumerate(jobs):
            groups[_launch_key(job)].append(number)
        for numbers in groups.values():
            for first, device in enumerate(self.devices[: len(numbers)]):
                yield device, numbers[first :: len(self.devices)]


def _launch_key(job: FitJob) -> tuple[object, ...]:
    """Return what has to be the same in jobs that share launches and yet leave each other alone."""
    settings = job.hyperparameters
    names = ("max_epochs", "min_steps", "decay", "decay_every", "snapshot_every")
    batch_size = min(settings.batch_size, len(job.training))
    return len(settings.layers), batch_size, *(getattr(settings, name) for name in names)


class GpuRun:
    """Jobs that are trained in the same launches: one network for each rate of each."""

    def __init__(self, numbers: Sequence[int], jobs: Sequence[FitJob], device: str) -> None:
        self.numbers, self.jobs, self.settings, self.epoch = numbers, jobs, jobs[0].hyperparameters, 0
        networks, weights = [], []
        for group, job in enumerate(jobs):
            own = job.hyperparameters
            rates = own.binarization_rate
            networks += [NetworkSpec(job.sizes, rate, group, own.learning_rate, own.l2) for rate in rates]
            weights += list(initial_weights(job.sizes, len(rates), job.rng))
        seeds = [int(job.rng.integers(2**62)) for job in jobs]
        step = StepSettings(batch_size=self.settings.batch_size)
        rows = [job.training_rows for job in jobs]
        self.trainer = gpu.Trainer(networks, weights, rows, seeds, step, device, self.settings.min_steps)
        self.training = gpu.Evaluator(self.trainer, rows)
        self.validation = gpu.Evaluator(self.trainer, [to_kernel_rows(job.validation) for job in jobs])

    def advance(self) -> None:
        """Train up to the next snapshot, without waiting for the device."""
        settings = self.settings
        for _ in range(min(settings.snapshot_every, settings.max_epochs - self.epoch)):
            self.loss = self.trainer.epoch(settings.decay ** (self.epoch // settings.decay_every))
            self.epoch += 1

    def snapshots(self, active: set[int], pool: ThreadPoolExecutor) -> Iterator[tuple[int, list[TrainingSnapshot]]]:
        outputs = map(
            Outputs,
            self.loss.tolist(),
            self.trainer.own_weights(),
            self.training.to_host(self.training.fire()),
            self.validation.to_host(self.validation.fire()),
            [scores.argmax(axis=1) for scores in self.validation.to_host(self.validation.score())],
        )
        pending = []
        for number, job in zip(self.numbers, self.jobs, strict=True):
            rates = job.hyperparameters.binarization_rate
            futures = [pool.submit(take_snapshot, job, rate, self.epoch, next(outputs)) for rate in rates]
            pending.append((number, futures))
        for number, futures in pending:
            if number in active:
                if self.epoch == self.settings.max_epochs:
                    active.discard(number)
                yield number, [future.result() for future in futures]
