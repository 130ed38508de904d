"""A network for each data set, in every engine that an export is made for."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.exports import hostile, report
from conceptrules import MLLPClassifier
from conceptrules.datasets import DatasetError, load
from conceptrules.datasets.loading import catalogue
from conceptrules.export import export
from conceptrules.export.verify.comparison import compare
from conceptrules.model.content_hash import content_hash
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork

ROWS = 5_000
"""So many rows of a data set are used, to learn from and to compare on."""
COVERING = 5_000
"""At most so many rows that cover the network, unless it needs more."""
SETTINGS: dict[str, Any] = {"layers": (32, 16, 32), "negation": True, "max_epochs": 60, "n_jobs": 1}
SQL: dict[str, Any] = {"reasons": True, "probabilities": True, "prefix": "answer_"}
ENGINES: dict[str, tuple[str, dict[str, Any]]] = {
    "python": ("python", {}),
    "javascript": ("javascript", {}),
    "c": ("c", {}),
    "duckdb": ("sql", {"dialect": "duckdb", **SQL}),
    "sqlite": ("sql", {"dialect": "sqlite", **SQL}),
    "postgres": ("sql", {"dialect": "postgres", **SQL}),
    "onnx": ("onnx", {}),
    "pmml": ("pmml", {}),
}


@dataclass(frozen=True, slots=True)
class Task:
    """A network and rows to try it on, beside those that cover it."""

    name: str
    network: RuleNetwork
    data: Any = None
    tables: Mapping[str, str] = field(default_factory=dict)
    """What a database is to call columns whose names it cannot have."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One network in one engine."""

    task: str
    engine: str
    rows: int
    mismatches: int
    seconds: float
    skipped: str | None = None
    first: str | None = None
    """The first row that differs."""

    def outcome(self) -> dict[str, Any]:
        """Return what the record says of this cell."""
        figures = {"rows": self.rows, "mismatches": self.mismatches, "seconds": round(self.seconds, 3)}
        notes = {"skipped": self.skipped, "first": self.first}
        return figures | {key: value for key, value in notes.items() if value is not None}


def run(only: Sequence[str] | None, seed: int) -> int:
    started = datetime.now(UTC)
    cells: list[Cell] = []
    networks: dict[str, RuleNetwork] = {}
    for task in tasks(only, seed):
        networks[task.name] = task.network
        print(f"{task.name} ({task.network.edges} edges) ...", file=sys.stderr, flush=True)
        cells += [compared(task, engine) for engine in ENGINES]
    report.show_comparison(cells, list(ENGINES))
    settings = {"rows": ROWS, "covering": COVERING, "learner": SETTINGS, "engines": ENGINES}
    entries = [
        {
            "data": name,
            "seed": seed,
            "hash": content_hash(network),
            "edges": network.edges,
            "engines": {cell.engine: cell.outcome() for cell in cells if cell.task == name},
            "settings": settings,
        }
        for name, network in networks.items()
    ]
    report.keep("exports", started, entries, ("data", "seed"))
    wrong = [cell for cell in cells if cell.mismatches]
    for cell in wrong:
        print(f"{cell.task} in {cell.engine}: {cell.first}")
    print(f"{sum(cell.mismatches for cell in cells)} mismatches in {sum(cell.rows for cell in cells):,} comparisons")
    return 1 if wrong or not cells else 0


def tasks(only: Sequence[str] | None, seed: int) -> Iterator[Task]:
    """The data sets that are there, then the hostile names."""
    for name in catalogue():
        if only and name not in only:
            continue
        try:
            yield learned(name, seed)
        except DatasetError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    if not only or "hostile" in only:
        yield Task("hostile", hostile.network(), tables=hostile.TABLE_NAMES)


def learned(name: str, seed: int) -> Task:
    data = load(name)
    rows = np.random.default_rng(seed).permutation(len(data.y))[:ROWS]
    X, y = data.X.take(rows), data.y[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about columns that hold one value; quality is not the point here
        clf = MLLPClassifier(**SETTINGS, random_state=seed).fit(X, y)
    return Task(name, clf.network_, X)


def compared(task: Task, engine: str) -> Cell:
    to, options = ENGINES[engine]
    options = options | ({"columns": task.tables} if to == "sql" else {})
    start = perf_counter()
    try:
        outcome = compare(
            task.network, to, export(task.network, to, **options), data=task.data, limit=COVERING, **options
        )
    except InputError as error:
        return Cell(task.name, engine, 0, 0, perf_counter() - start, f"refused: {error}")
    first = str(outcome.mismatches[0]) if outcome.mismatches else None
    return Cell(
        task.name, engine, outcome.rows, len(outcome.mismatches), perf_counter() - start, outcome.skipped, first
    )
