"""Whole trainings: folds times rates side by side, with a look at the validation rows every ten epochs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import mean

import torch

from benchmarks.gpu.bits import folds
from benchmarks.gpu.clock import wall
from benchmarks.gpu.tasks import tasks, test_f1
from benchmarks.speed.measure import Measurement, Plan
from conceptrules.learn.mllp.gpu_engine import GpuEngine
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import TrainingSnapshot, train

COHORTS = {"adult": ((0.5, 0.6, 0.7, 0.8, 0.9), 25.0), "connect-4": ((0.7, 0.8, 0.9), 40.0)}
RECIPE = Hyperparameters((128, 128, 128), max_epochs=400, batch_size=128, patience=None, snapshot_every=10)


def measure(bits: Path, device: str, plan: Plan) -> Iterator[Measurement]:
    for name, (rates, target) in COHORTS.items():
        recipe = replace(RECIPE, binarization_rate=rates)
        best: list[TrainingSnapshot] = []

        def train_all(name: str = name, recipe: Hyperparameters = recipe, best: list[TrainingSnapshot] = best) -> None:
            best[:] = [one.best for one in train(tasks(name, bits, recipe), GpuEngine([device]), lambda *_: None)]

        train(tasks(name, bits, replace(recipe, max_epochs=1)), GpuEngine([device]), lambda *_: None)  # compiles
        torch.cuda.reset_peak_memory_stats()
        times = wall(train_all, 2)
        _, parts = folds(name, bits)
        details = {
            "networks": 5 * len(rates),
            "rates": rates,
            "layers": recipe.layers,
            "rows to learn from": len(parts[0][0]) * 4 // 5,
            "megabytes": round(torch.cuda.max_memory_allocated() / 1e6),
            "test macro-F1": [test_f1(one, test) for one, (_, test) in zip(best, parts, strict=True)],
            "chosen": [(one.score.rate, one.score.epoch) for one in best],
        }
        f1 = mean(details["test macro-F1"])
        label = f"{name}, {5 * len(rates)} networks, 400 epochs (mean test macro-F1 {f1:.4f})"
        yield Measurement(label, times, target, at_least=False, unit="s", details=details)
