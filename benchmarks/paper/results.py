"""All that is on record, as the tables ask for it: each cell of Table 1, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

from benchmarks import jsonl
from benchmarks.jsonl import Entry
from benchmarks.paper.choice import protocol as protocol_of_columns
from benchmarks.paper.markdown import signed
from benchmarks.paper.records import RECORDS, Record, read_all
from benchmarks.paper.reference import OURS, paper_cell
from conceptrules.datasets.loading import catalogue

NEAR = 2.0
"""Points of macro-F1 within which a cell counts as reproduced."""
SEEDS: int = protocol_of_columns()["seeds"]
"""Runs behind a cell of our columns; that of a baseline has one."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of Table 1: ours and the paper's, in per cent. Without `ours`, `reason` says why."""

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
        """Whether it is near, above or below the paper's cell; `open` where there is nothing to compare yet."""
        if self.difference is None:
            return "open"
        if abs(self.difference) <= NEAR:
            return "near"
        return "above" if self.difference > 0 else "below"


@dataclass(frozen=True, slots=True)
class Results:
    """All that is on record, and how to ask for it."""

    records: tuple[Record, ...]
    root: Path = RECORDS

    def record(self, data: str, model: str, protocol: str = "fold", seed: int = 0) -> Record | None:
        key = (data, model, protocol, seed)
        return next((record for record in self.records if _key(record) == key), None)

    def seeds(self, data: str, model: str, protocol: str = "fold") -> list[Record]:
        """Return the complete runs, one for each seed."""
        return [each for each in self.records if _key(each)[:3] == (data, model, protocol) and each.complete]

    def cell(self, data: str, model: str, protocol: str = "fold") -> Cell:
        """Return a cell: of a baseline the mean of its folds and their spread, of our columns that of the seeds."""
        paper = paper_cell(data, model)
        record = self.record(data, model, protocol)
        if record is None:
            return Cell(data, model, paper, reason="not run")
        if not record.complete:
            return Cell(data, model, paper, reason=record.failed or f"{len(record.folds)} of 5 folds run")
        scores = f1_of(record)
        if model in OURS:
            scores = seed_means(self.seeds(data, model, protocol))
            if len(scores) < SEEDS:
                return Cell(data, model, paper, reason=f"{len(scores)} of {SEEDS} seeds run")
        return Cell(data, model, paper, mean(scores), pstdev(scores))

    def published_cell(self, data: str, model: str) -> Cell:
        """Return the cell with cut points of all rows: the same as that of a fold where no column has any."""
        protocol = "published" if catalogue()[data].continuous or self.record(data, model, "published") else "fold"
        return self.cell(data, model, protocol)

    def places(self, models: Iterable[str]) -> list[Mapping[str, Any]]:
        """Return where and with which learner the runs of some models were made."""
        return [place for record in self.records if record.run.model in models for place in record.places]

    def edges(self, data: str, model: str, stage: str) -> float | None:
        """Return the mean number of edges over folds and seeds, or None if a fold has no such count."""
        counts = [edges_of(record, stage) for record in self.seeds(data, model)]
        known = [count for count in counts if count is not None]
        return mean(known) if known and len(known) == len(counts) else None

    def entries(self, experiment: str, **key: Any) -> list[Entry]:
        """Return the lines of an experiment that is not made of runs: all of them, or those with these values."""
        lines = jsonl.read(self.root / f"{experiment}.jsonl")
        return [entry for entry in lines if all(entry[name] == value for name, value in key.items())]

    def entry(self, experiment: str, **key: Any) -> Entry | None:
        """Return the first line of an experiment that has these values."""
        return next(iter(self.entries(experiment, **key)), None)


def read_results(root: Path = RECORDS) -> Results:
    return Results(tuple(read_all(root)), root)


def f1_of(record: Record, name: str = "f1") -> list[float]:
    """Return the scores of a run, fold by fold, in per cent."""
    return [100 * fold.scores[name] for fold in record.folds]


def edges_of(record: Record | None, stage: str) -> float | None:
    """Return the mean number of edges over the folds, or None if a fold has no such count."""
    if record is None or not record.complete or any(stage not in fold.edges for fold in record.folds):
        return None
    return mean(fold.edges[stage] for fold in record.folds)


def reached(cells: Sequence[Cell]) -> list[str]:
    """Name the data sets on which a column comes near the paper's cell or is above it."""
    return [cell.data for cell in cells if cell.verdict in ("near", "above")]


def average(cells: Iterable[Cell]) -> float | None:
    """Return the mean of a column, or None if a cell is missing."""
    ours = [cell.ours for cell in cells]
    return None if None in ours or not ours else mean(value for value in ours if value is not None)


def seed_means(records: Sequence[Record], name: str = "f1") -> list[float]:
    return [mean(f1_of(record, name)) for record in records]


def beside(other: Sequence[float] | None, first: Record | None) -> tuple[str, str]:
    """Return the scores of another run as text, and those of Table 1 with how much the other is above them."""
    if other is None:
        return "", ""
    text = f"{mean(other):.2f} ± {pstdev(other):.2f}"
    if first is None or not first.complete:
        return text, "not run"
    own = f1_of(first)
    return text, f"{mean(own):.2f} ± {pstdev(own):.2f} ({signed(mean(other) - mean(own))})"


def _key(record: Record) -> tuple[str, str, str, int]:
    run = record.run
    return run.data, run.model, run.protocol, run.seed
