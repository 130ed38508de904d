"""What the defaults of MLLPClassifier are worth on tables that nobody tuned them to.

    python -m benchmarks.mllp_defaults [--device cuda] [TABLE...]

Each table that is not the paper's is learned in five folds: with at least 20 steps an epoch, with the defaults, which
are 50 steps as in the paper's columns, and then with a refit on all rows as well. Each fold is a line of
benchmarks/records/mllp_defaults.jsonl; those that are there are not repeated. The ones on record were trained five
folds at once on an H200, and have a fifth of that time each.
"""

from __future__ import annotations

import warnings
from argparse import ArgumentParser
from collections.abc import Iterable
from dataclasses import replace
from statistics import mean
from time import perf_counter
from typing import Any

from sklearn.base import clone

from benchmarks import digest, jsonl
from benchmarks.paper.reference import data_names
from benchmarks.paper.scores import macro_f1
from benchmarks.tables.suite import FOLDS, load, tables
from conceptrules import MLLPClassifier, __version__
from conceptrules.learn.mllp.hyperparameters import Hyperparameters

RECORD = jsonl.RECORDS / "mllp_defaults.jsonl"
KEY = ("table", "fold", "settings")


class FewerSteps(MLLPClassifier):
    """With at least 20 steps an epoch."""

    def _hyperparameters(self, inputs: int) -> Hyperparameters:
        return replace(super()._hyperparameters(inputs), min_steps=20)


SETTINGS = {
    "20 steps": FewerSteps(random_state=0),
    "default": MLLPClassifier(random_state=0),
    "refit": MLLPClassifier(random_state=0, refit=True),
}


def run(name: str, fold: int, settings: str, device: str) -> dict[str, Any]:
    """Learn from the training rows of a fold, and test on the others."""
    table = load(name)
    train, test = table.folds()[fold]
    clf, start = clone(SETTINGS[settings]).set_params(device=device), perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(table.X.take(train), table.y[train])
    seconds = perf_counter() - start
    score = macro_f1(table.y[test], clf.predict(table.X.take(test)))
    figures = {"f1": score, "edges": clf.network_.edges, "seconds": seconds, "device": device, "version": __version__}
    return {"table": name, "fold": fold, "settings": settings, **figures, digest.FIELD: digest.learner(digest.MLLP)}


def page(records: Iterable[dict[str, Any]]) -> str:
    """Return the means of the tables that have all folds with all settings, and the mean of them."""
    folds: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for record in records:
        folds.setdefault(record["table"], {}).setdefault(record["settings"], []).append(record)
    rows = {}
    for name, by_settings in folds.items():
        if all(len(by_settings.get(settings, [])) == FOLDS for settings in SETTINGS):
            figures = ("f1", "edges", "seconds")
            rows[name] = [
                mean(record[key] for record in by_settings[settings]) for key in figures for settings in SETTINGS
            ]
    if rows:
        rows[f"**mean of {len(rows)}**"] = [mean(values) for values in zip(*rows.values(), strict=True)]
    header = [f"{key}: {settings}" for key in ("macro-F1", "edges", "seconds") for settings in SETTINGS]
    lines = [f"| table | {' | '.join(header)} |", "|---" * (len(header) + 1) + "|"]
    for name, values in rows.items():
        scores = [f"{100 * score:.2f}" for score in values[: len(SETTINGS)]]
        counts = [f"{value:.0f}" for value in values[len(SETTINGS) :]]
        lines.append(f"| {name} | {' | '.join([*scores, *counts])} |")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, the smallest table first, and print the table."""
    parser = ArgumentParser("python -m benchmarks.mllp_defaults")
    parser.add_argument("tables", nargs="*", help="names; none: all that are not the paper's")
    parser.add_argument("--device", default="cpu", help="where to train, as MLLPClassifier has it (cpu)")
    options = parser.parse_args()
    for name in options.tables or [name for name in tables() if name not in data_names()]:
        for fold in range(FOLDS):
            for settings in SETTINGS:
                key = {"table": name, "fold": fold, "settings": settings}
                if jsonl.find(RECORD, key) is None:
                    jsonl.put(RECORD, [jsonl.rounded(run(name, fold, settings, options.device))], KEY)
    print(page(jsonl.read(RECORD)))


if __name__ == "__main__":
    main()
