"""Runs that the figures need besides the columns: `python -m benchmarks.paper.figure_runs rates|gap|case [cpu|cuda]`.

The paper's method, trained below the estimator on four fifths of the training rows of fold 0; the other fifth chooses
the epoch, by the score of the rules.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import digest
from benchmarks.paper.records import RECORDS, write_entry
from benchmarks.paper.scores import scores
from benchmarks.paper.training_data import divided, fold_of, network_of, recipe_of, task_of
from conceptrules.io.model_file import save
from conceptrules.learn.mllp.device import select_engine
from conceptrules.learn.mllp.train import FitJob, TrainingSnapshot
from conceptrules.logic.simplification import simplify
from conceptrules.model.evaluation import class_words, decide, unpack
from conceptrules.model.statistics import with_statistics

CORES = os.cpu_count() or 1
FIGURE = "connect-4"
STRUCTURES = [(32,), (128,), (512,), (32, 32, 32), (64, 64, 64), (128, 128, 128)]
RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
GAPS: dict[str, dict[str, Any]] = {
    "adult": {"layers": [32, 32, 32], "binarization_rate": 0.6, "negation": True, "l2": 1e-6},
    "connect-4": {"layers": [512], "binarization_rate": 0.9, "negation": True, "l2": 1e-7, "min_steps": 100},
}
"""What an earlier search chose for fold 0 of these."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where to train."""

    device: str = "auto"
    cores: int = CORES


def best_of(tasks: Sequence[FitJob], place: Place) -> list[TrainingSnapshot]:
    """Return the snapshot of each task whose rules are best on the validation rows."""
    best: dict[int, TrainingSnapshot] = {}
    for number, snapshots in watched(tasks, place, best):
        rivals = [*([best[number]] if number in best else []), *snapshots]
        best[number] = max(rivals, key=lambda snapshot: snapshot.score.rank)
    return [best[number] for number in range(len(tasks))]


def watched(
    tasks: Sequence[FitJob], place: Place, best: dict[int, TrainingSnapshot]
) -> Iterator[tuple[int, list[TrainingSnapshot]]]:
    """All snapshots; a task ends when it has not become better for as long as its recipe is patient."""
    active = set(range(len(tasks)))
    for number, snapshots in select_engine(place.device, tasks, place.cores).snapshots(tasks, active):
        yield number, snapshots
        patience = tasks[number].hyperparameters.patience
        if patience is not None and snapshots[0].score.epoch - best[number].score.epoch >= patience:
            active.discard(number)


def rates(place: Place, data: str = FIGURE, epochs: int = 200, root: Path = RECORDS) -> None:
    """F1 of the rules on the test rows of a fold, by structure and rate: the paper's figure."""
    part, entries = fold_of(data, 0), []
    recipe = recipe_of({"layers": [128]}, priority="first", max_epochs=epochs, snapshot_every=10)
    todo = list(product(STRUCTURES, RATES))
    recipes = [replace(recipe, layers=layers, binarization_rate=(rate,)) for layers, rate in todo]
    best = best_of([task_of(data, 0, each, 0) for each in recipes], place)
    for (layers, rate), snapshot in zip(todo, best, strict=True):
        answers = decide(network_of(part, snapshot), part.test.to_packed_bits())
        f1 = scores(part.y_test, part.classes[answers], part.y_train)["f1"]
        entries.append({"layers": layers, "rate": rate, "fold": 0, "f1": f1, "epoch": snapshot.score.epoch})
    learner = {digest.FIELD: digest.learner(digest.MLLP)}
    for entry in entries:
        write_entry("rates", {"data": data, **entry, **learner}, "data", "layers", "rate", "fold", root=root)


def gap(data: str, settings: Mapping[str, Any], place: Place, epochs: int = 400, root: Path = RECORDS) -> None:
    """The MLLP and its CRS over the epochs on validation rows, and how many classes fire."""
    part, entries = fold_of(data, 0), []
    recipe = recipe_of(settings, priority="first", max_epochs=epochs, patience=None, snapshot_every=10)
    rows = divided(data, 0, 0).validation
    words = rows.to_packed_bits()
    for _, (snapshot,) in watched([task_of(data, 0, recipe, 0)], place, {}):
        fired = unpack(class_words(network_of(part, snapshot).levels, words)).sum(axis=1)
        shares = np.bincount(np.minimum(fired, 2), rows.weight, 3) / rows.weight.sum()
        score = snapshot.score
        entry = {"epoch": score.epoch, "mllp_f1": score.mllp_f1, "crs_f1": score.crs_f1}
        entries.append(entry | dict(zip(("none", "one", "several"), shares.tolist(), strict=True)))
    learner = {digest.FIELD: digest.learner(digest.MLLP)}
    for entry in entries:
        write_entry("gap", {"data": data, **entry, **learner}, "data", "epoch", root=root)


def case(place: Place) -> None:
    """A small CRS of adult, for the case study: one level, so that its rules are readable."""
    part = fold_of("adult", 0)
    recipe = recipe_of({"layers": [32], "binarization_rate": 0.9, "l2": 1e-5}, priority="first", max_epochs=400)
    (snapshot,) = best_of([task_of("adult", 0, recipe, 0)], place)
    network = simplify(network_of(part, snapshot), part.training_words)
    rows = part.training
    save(with_statistics(network, part.training_words, rows.target, rows.weight), RECORDS / "case_study.json")


if __name__ == "__main__":
    wanted, where = sys.argv[1], Place(sys.argv[2] if len(sys.argv) > 2 else "auto")
    if wanted == "gap":
        for name, chosen in GAPS.items():
            gap(name, chosen, where)
    else:
        {"rates": rates, "case": case}[wanted](where)
