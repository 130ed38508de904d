"""What the defaults of MLLPClassifier are worth on tables that nobody tuned them to.

    python -m benchmarks.mllp_defaults [TABLE...]

Each table that is not the paper's is learned in five folds: with the defaults, without the refit on all rows, and with
those before the paper's column was trained anew (no refit, at least 20 steps an epoch). Each fold is a line of
benchmarks/records/mllp_defaults.jsonl; those that are there are not repeated.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from dataclasses import replace
from statistics import mean
from time import process_time
from typing import Any

from benchmarks import jsonl
from benchmarks.paper.reference import data_names
from benchmarks.paper.scores import macro_f1
from benchmarks.tables.suite import FOLDS, load, tables
from conceptrules import MLLPClassifier, __version__
from conceptrules.learn.mllp.hyperparameters import Hyperparameters

RECORD = jsonl.RECORDS / "mllp_defaults.jsonl"
KEY = ("table", "fold", "settings")


class Before(MLLPClassifier):
    """With the defaults as they were before."""

    def _hyperparameters(self, inputs: int) -> Hyperparameters:
        return replace(super()._hyperparameters(inputs), min_steps=20, refit=False)


SETTINGS = {
    "now": MLLPClassifier(random_state=0, n_jobs=1, device="cpu"),
    "no-refit": MLLPClassifier(random_state=0, n_jobs=1, device="cpu", refit=False),
    "before": Before(random_state=0, n_jobs=1, device="cpu"),
}


def run(name: str, fold: int, settings: str) -> dict[str, Any]:
    """Learn from the training rows of a fold, and test on the others."""
    table = load(name)
    train, test = table.folds()[fold]
    clf, start = SETTINGS[settings], process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(table.X.take(train), table.y[train])
    seconds = process_time() - start
    score = macro_f1(table.y[test], clf.predict(table.X.take(test)))
    told = {"f1": score, "edges": clf.network_.edges, "seconds": seconds, "version": __version__}
    return {"table": name, "fold": fold, "settings": settings, **told}


def page(entries: Iterable[dict[str, Any]]) -> str:
    """Return the means of the tables that have all folds with all settings, and the mean of them."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for one in entries:
        found.setdefault(one["table"], {}).setdefault(one["settings"], []).append(one)
    lines = ["| table | now | without refit | before | edges now | edges before | times before's seconds |"]
    lines += ["|---|---|---|---|---|---|---|"]
    rows = []
    for name, each in found.items():
        if all(len(each.get(settings, [])) == FOLDS for settings in SETTINGS):
            scores = [100 * mean(one["f1"] for one in each[settings]) for settings in SETTINGS]
            edges = [mean(one["edges"] for one in each[settings]) for settings in ("now", "before")]
            ratio = mean(one["seconds"] for one in each["now"]) / mean(one["seconds"] for one in each["before"])
            rows.append([*scores, *edges, ratio])
            lines.append(f"| {name} | " + _cells(rows[-1]) + " |")
    means = [mean(values) for values in zip(*rows, strict=True)]
    return "\n".join([*lines, f"| **mean of {len(rows)}** | {_cells(means)} |"] if rows else lines)


def _cells(row: list[float]) -> str:
    return " | ".join([*(f"{score:.2f}" for score in row[:3]), f"{row[3]:.0f}", f"{row[4]:.0f}", f"{row[5]:.1f}"])


def main(names: list[str]) -> None:
    """Run what is missing, the smallest table first, and print the table."""
    for name in names or [name for name in tables() if name not in data_names()]:
        for fold in range(FOLDS):
            for settings in SETTINGS:
                key = {"table": name, "fold": fold, "settings": settings}
                if jsonl.find(RECORD, key) is None:
                    jsonl.put(RECORD, [jsonl.rounded(run(name, fold, settings))], KEY)
    print(page(jsonl.read(RECORD)))


if __name__ == "__main__":
    main(sys.argv[1:])
