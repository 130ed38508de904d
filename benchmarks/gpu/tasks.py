"""Folds as tasks, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.gpu.bits import folds
from conceptrules.kernels.mllp.cohort import Cohort
from conceptrules.learn.mllp.examples import Bits, Examples
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import FitJob, TrainingSnapshot
from conceptrules.model.evaluation import first_firing
from conceptrules.model.metrics import confusion_matrix, macro_f1


def tasks(name: str, bits: Path, recipe: Hyperparameters, seeds: Sequence[int] = (0,), which: int = 5) -> list[FitJob]:
    """Fold by fold and seed by seed: four fifths of the training rows to learn from, the others for validation.

    Equal rows are not merged here, as `fit` does it: every row of the fold is visited in every epoch.
    """
    classes, parts = folds(name, bits)
    return [_task(training, classes, recipe, seed) for training, _ in parts[:which] for seed in seeds]


def _task(rows: Examples, classes: int, recipe: Hyperparameters, seed: int) -> FitJob:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows))
    cut = len(rows) * 4 // 5
    return FitJob(recipe, _some(rows, order[:cut]), _some(rows, order[cut:]), np.ones(classes), rng)


def _some(rows: Examples, places: np.ndarray) -> Examples:
    return Examples(rows.packed[places], rows.target[places], rows.weight[places], rows.inputs)


def test_f1(snapshot: TrainingSnapshot, test: Examples) -> float:
    """Macro-F1 of the rules on a test fold."""
    fired = rounded(snapshot, test)
    decided = first_firing(fired, snapshot.priority, snapshot.default)
    return macro_f1(confusion_matrix(test.target, decided, test.weight, snapshot.sizes[-1]))


def rounded(snapshot: TrainingSnapshot, rows: Examples) -> Bits:
    """Which classes fire: a node is true where none of its selected inputs is."""
    x = 1 - rows.bits.T.astype(np.float32)
    for layer in Cohort.layers(snapshot.sizes, (snapshot.weights > 0.5).astype(np.float32)[None]):
        x = (layer[0] @ x == 0).astype(np.float32)
    return x.T == 0
