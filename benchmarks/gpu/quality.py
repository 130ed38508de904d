"""What is learned: the same settings on a CPU and on a GPU, over seeds. Macro-F1 on the test folds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.gpu.bits import folds
from benchmarks.gpu.tasks import tasks, test_f1
from benchmarks.speed.measure import Measurement, Plan
from conceptrules.learn.mllp.device import select_engine
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import train

SEEDS = range(5)
RECIPES = {
    "tic-tac-toe": (5, Hyperparameters((64, 64, 64), max_epochs=200)),
    "adult": (1, Hyperparameters((64, 64, 64), binarization_rate=(0.8, 0.9), max_epochs=60)),
}


def measure(bits: Path, device: str, plan: Plan) -> Iterator[Measurement]:
    for name, (which, recipe) in RECIPES.items():
        _, parts = folds(name, bits)
        todo = tasks(name, bits, recipe, SEEDS, which)
        best = [one.best for one in train(todo, select_engine(device, todo, os.cpu_count() or 1), lambda *_: None)]
        scores = [test_f1(one, parts[number // len(SEEDS)][1]) for number, one in enumerate(best)]
        by_seed = [sum(scores[seed :: len(SEEDS)]) / which for seed in SEEDS]
        details = {"device": device, "layers": recipe.layers, "epochs": recipe.max_epochs, "folds": which}
        details |= {"chosen": [(one.score.rate, one.score.epoch) for one in best], "scores": scores}
        details |= {"edges": [one.score.edges for one in best]}
        place = device.split(":", maxsplit=1)[0]
        yield Measurement(f"{name}, test macro-F1 by seed, on {place}", by_seed, details=details)
