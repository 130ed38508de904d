"""What the tables say, before it is text: each cell of Table 1, ours beside the paper's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

from benchmarks.paper.records import RESULTS, Record, read_all
from benchmarks.paper.reference import paper_cell

NEAR = 2.0
"""Points of macro-F1 within which a cell counts as reproduced."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Ours and the paper's, in per cent. Without `ours`, `reason` says why."""

    data: str
    model: str
    paper: float
    ours: float | None = None
    spread: float | None = None
    reason: str = ""

    @property
    def difference(self) -> float | None:
        return None if self.ours is None else self.ours - self.paper

    @property
    def verdict(self) -> str:
        """near, above or below the paper's cell; `open` where there is nothing to compare yet."""
        if self.difference is None:
            return "open"
        if abs(self.difference) <= NEAR:
            return "near"
        return "above" if self.difference > 0 else "below"


@dataclass(frozen=True, slots=True)
class Results:
    """All that is on record, and how to ask for it."""

    records: tuple[Record, ...]
    root: Path = RESULTS

    def record(self, data: str, model: str, protocol: str = "fold", seed: int = 0) -> Record | None:
        wanted = (data, model, protocol, seed)
        return next((each for each in self.records if _key(each) == wanted), None)

    def seeds(self, data: str, model: str, protocol: str = "fold") -> list[Record]:
        """The complete runs, one a seed."""
        return [each for each in self.records if _key(each)[:3] == (data, model, protocol) and each.complete]

    def cell(self, data: str, model: str, protocol: str = "fold") -> Cell:
        paper = paper_cell(data, model)
        record = self.record(data, model, protocol)
        if record is None:
            return Cell(data, model, paper, reason="not run")
        if not record.complete:
            return Cell(data, model, paper, reason=record.failed or f"{len(record.folds)} of 5 folds run")
        found = f1_of(record)
        return Cell(data, model, paper, mean(found), pstdev(found))

    def other(self, name: str) -> Any:
        """A record that is not a run, by its path below results/; None where there is none."""
        path = self.root / name
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def read_results(root: Path = RESULTS) -> Results:
    return Results(tuple(read_all(root)), root)


def f1_of(record: Record, name: str = "f1") -> list[float]:
    """Per cent, fold by fold."""
    return [100 * fold.scores[name] for fold in record.folds]


def edges_of(record: Record | None, stage: str) -> float | None:
    """The mean over the folds."""
    if record is None or not record.complete or any(stage not in fold.edges for fold in record.folds):
        return None
    return mean(fold.edges[stage] for fold in record.folds)


def average(cells: Iterable[Cell]) -> float | None:
    """The mean of a column, if it is whole."""
    ours = [cell.ours for cell in cells]
    return None if None in ours or not ours else mean(value for value in ours if value is not None)


def seed_means(records: Sequence[Record]) -> list[float]:
    return [mean(f1_of(record)) for record in records]


def _key(record: Record) -> tuple[str, str, str, int]:
    run = record.run
    return run.data, run.model, run.protocol, run.seed
