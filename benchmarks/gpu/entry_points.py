"""The public ways to a GPU, from a table to answers: the estimator, `fit_cohort` and the command line.

Each learns from a fold of the paper over five seeds, on the GPU and on the CPU of the same machine: macro-F1 on test
rows. Unlike the other groups this one reads tables, so it needs the packages that do, and $CONCEPTRULES_DATA.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from benchmarks.paper.folds import paper_folds
from benchmarks.paper.scores import macro_f1
from benchmarks.speed.measure import Measurement, Plan
from conceptrules import MLLPClassifier, datasets, fit_cohort, load
from conceptrules.cli import main
from conceptrules.datasets import Dataset

SEEDS = range(5)
LAYERS, RATES, EPOCHS = (64, 64, 64), (0.8, 0.9), 60
SETTINGS: dict[str, Any] = {"layers": LAYERS, "binarization_rate": RATES, "max_epochs": EPOCHS}
Pair = tuple[np.ndarray, np.ndarray]
Fitting = Callable[[Dataset, Pair, str], list[np.ndarray]]


def measure(bits: Path, device: str, plan: Plan) -> Iterator[Measurement]:
    for way, (name, fit) in WAYS.items():
        data = datasets.load(name)
        pair = next(paper_folds(len(data.y)))
        for where in (device, "cpu"):
            start = perf_counter()
            answers = fit(data, pair, where)
            seconds = perf_counter() - start
            found = [macro_f1(data.y[pair[1]], one) for one in answers]
            details = {"seconds for all": seconds, "layers": LAYERS, "rates": RATES, "epochs": EPOCHS, "fold": 0}
            place = where.split(":", maxsplit=1)[0]
            yield Measurement(f"{way}, {name}, test macro-F1 by seed, on {place}", found, details=details)


def by_estimator(data: Dataset, pair: Pair, device: str) -> list[np.ndarray]:
    train, test = pair
    fits = (MLLPClassifier(**SETTINGS, random_state=seed, device=device) for seed in SEEDS)
    return [one.fit(data.X.take(train), data.y[train]).predict(data.X.take(test)) for one in fits]


def by_cohort(data: Dataset, pair: Pair, device: str) -> list[np.ndarray]:
    tries = [{**SETTINGS, "random_state": seed} for seed in SEEDS]
    members = fit_cohort(data.X, data.y, folds=[pair], settings=tries, estimator=MLLPClassifier(device=device))
    return [member.classifier.predict(data.X.take(member.test)) for member in members]


def by_command(data: Dataset, pair: Pair, device: str) -> list[np.ndarray]:
    """`conceptrules fit table.csv --device cuda`, and what the model file answers."""
    train, test = pair
    found = []
    with TemporaryDirectory() as folder:
        table, model = Path(folder, "table.csv"), Path(folder, "model.json")
        pa.csv.write_csv(data.X.take(train).append_column("the class", pa.array(data.y[train])), table)
        for seed in SEEDS:
            given = ["fit", str(table), "--target", "the class", "--output", str(model), "--quiet"]
            given += ["--method", "mllp", "--layers", ",".join(map(str, LAYERS)), "--rate", ",".join(map(str, RATES))]
            given += ["--max-epochs", str(EPOCHS), "--seed", str(seed), "--device", device]
            try:
                main(given)
            except SystemExit as end:
                if end.code:
                    raise RuntimeError(f"conceptrules {' '.join(given)} ended with {end.code}") from None
            found.append(np.asarray(load(model).predict(data.X.take(test))))
            model.unlink()
    return found


WAYS: dict[str, tuple[str, Fitting]] = {
    "MLLPClassifier": ("tic-tac-toe", by_estimator),
    "conceptrules fit": ("tic-tac-toe", by_command),
    "fit_cohort": ("adult", by_cohort),
}
