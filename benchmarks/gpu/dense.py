"""An epoch of ours against the paper's formula as dense PyTorch tensors, on the same GPU, for one network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.gpu.clock import wall
from benchmarks.gpu.cohorts import COHORTS, RECIPE
from benchmarks.gpu.tasks import tasks
from benchmarks.speed.dense import DenseTrainer
from benchmarks.speed.measure import Measurement, Plan
from conceptrules.kernels.mllp.cohort import Cohort, StepSettings
from conceptrules.learn.mllp.gpu_engine import GpuRun
from conceptrules.learn.mllp.train import to_kernel_rows

NAME = "connect-4"
EPOCHS = 40
"""That the weights have been trained for when times are taken."""


def measure(bits: Path, device: str, plan: Plan) -> Iterator[Measurement]:
    recipe = replace(RECIPE, binarization_rate=COHORTS[NAME][0])
    all_tasks = tasks(NAME, bits, recipe)
    run = GpuRun(range(len(all_tasks)), all_tasks, device)
    networks = len(run.trainer.networks)
    for _ in range(EPOCHS):
        run.trainer.epoch(1.0)
    ours = wall(lambda: run.trainer.epoch(1.0), 5 * plan.repeats)[-plan.repeats :]
    task = all_tasks[0]
    dense = DenseTrainer(to_kernel_rows(task.training), task.sizes, StepSettings(), device)
    cohort = Cohort(task.sizes, run.trainer.own_weights()[-1][None])
    dense.begin(cohort, RECIPE.learning_rate)
    rng = np.random.default_rng(0)
    masked = np.asarray(rng.random(cohort.weights.shape[1]) < recipe.binarization_rate[-1])
    order = rng.permutation(len(task.training))
    dense.epoch(masked, order[:1024])
    theirs = wall(lambda: dense.epoch(masked, order), plan.repeats)
    ratios = [b / (a / networks) for a, b in zip(ours, theirs, strict=True)]
    times = {f"ours, {networks} networks": ours, "dense, one network": theirs}
    details = {"rows": len(order), "sizes": task.sizes, "trained for": EPOCHS}
    yield Measurement(f"{NAME}, per network and epoch", ratios, 100, times=times, details=details)
