"""What came out: shown as tables, kept as JSON lines."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from benchmarks import digest, jsonl
from benchmarks.speed.report import machine, versions

if TYPE_CHECKING:
    from benchmarks.exports.comparison import Cell

RECORDS = jsonl.RECORDS
PACKAGES = ("numpy", "pyarrow", "duckdb", "sqlglot", "onnx", "onnxruntime", "jpmml_evaluator", "psycopg")
PROGRAMS = {
    "node": ("--version",),
    "gcc": ("-dumpfullversion",),
    "java": ("--version",),
    "psql": ("--version",),
}


def show_comparison(cells: Sequence[Cell], engines: Sequence[str]) -> None:
    """Print mismatches of rows, data sets by engines."""
    table = Table("mismatches of rows", *engines, box=None)
    by_place = {(cell.task, cell.engine): cell for cell in cells}
    for task in dict.fromkeys(cell.task for cell in cells):
        table.add_row(task, *(outcome_text(by_place[task, engine]) for engine in engines))
    console = Console(width=200, highlight=False)
    console.print(table)
    for reason in dict.fromkeys(f"{cell.engine}: {cell.skipped}" for cell in cells if cell.skipped):
        console.print(reason, markup=False)


def outcome_text(cell: Cell) -> str:
    return "not run" if cell.skipped else f"{cell.mismatches} of {cell.rows:,}"


def show_size(clock: Mapping[str, Sequence[float]], cores: Mapping[str, Sequence[float]], rows: int) -> None:
    """Print medians, and the spread of rows per second."""
    table = Table(
        "", "seconds", "rows per second", "slowest to fastest", "core seconds", "rows per core second", box=None
    )
    for name, taken in clock.items():
        middle, core = median(taken), median(cores[name])
        ends = f"{rows / max(taken):,.0f} to {rows / min(taken):,.0f}"
        table.add_row(name, f"{middle:.2f}", f"{rows / middle:,.0f}", ends, f"{core:.2f}", f"{rows / core:,.0f}")
    Console(width=160, highlight=False).print(table)


def keep(name: str, started: datetime, entries: Sequence[Mapping[str, Any]], key: Sequence[str]) -> Path:
    """Write one line for each entry: what was run, what came out, and on what; an earlier one is replaced."""
    about = {
        "started": started.isoformat(timespec="seconds"),
        "versions": _versions(),
        digest.FIELD: digest.learner(digest.MLLP),
        "machine": machine(),
    }
    path = jsonl.put(RECORDS / f"{name}.jsonl", [{**entry, **about} for entry in entries], key)
    print(f"kept in benchmarks/records/{path.name}")
    return path


def _versions() -> dict[str, str]:
    return versions(PACKAGES) | {name: _program(name, options) for name, options in PROGRAMS.items()}


def _program(name: str, options: Sequence[str]) -> str:
    if shutil.which(name) is None:
        return "not installed"
    run = subprocess.run([name, *options], capture_output=True, text=True, check=False)
    return run.stdout.partition("\n")[0].strip()
