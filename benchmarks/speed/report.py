"""What came out: kept as JSON lines, shown on the screen, and written as the table of docs/performance.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import digest, jsonl
from benchmarks.speed.measure import Measurement, Plan
from conceptrules import __version__

RECORD = jsonl.RECORDS / "speed.jsonl"
QUICK = Path(__file__).parents[1] / ".quick" / "speed.jsonl"
"""Where a quick run is kept, away from the committed record (and from git)."""
PACKAGES = ("numpy", "scikit-learn", "numba", "pyarrow", "narwhals", "pandas", "polars", "torch", "triton", "lightgbm")
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
)
HEADER = ("", "measured", "spread", "target", "")
Groups = dict[str, list[Measurement]]


def row(measured: Measurement) -> tuple[str, ...]:
    """Return name, median, smallest and largest of the repeats, target and verdict."""
    unit = f" {measured.unit}".rstrip()
    bound = "at least" if measured.at_least else "at most"
    target = "" if measured.target is None else f"{bound} {measured.target:g}{unit}"
    verdict = "" if measured.target is None else "ok" if measured.met else "short"
    low, high = min(measured.values), max(measured.values)
    spread = f"{_short(low)} to {_short(high)}" if len(measured.values) > 1 else "one run"
    return measured.name, f"{_short(measured.value)}{unit}", spread, target, verdict


def _short(value: float) -> str:
    """Return a number with three digits that matter."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def show(groups: Groups) -> None:
    """Print all measurements, group by group."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*HEADER, box=None)
    for group, measured in groups.items():
        table.add_row(f"[bold]{group}[/bold]")
        for measurement in measured:
            style = None if measurement.met else "red"
            table.add_row(*row(measurement), style=style)
    Console().print(table)


def markdown(groups: Groups) -> str:
    """Return all measurements as tables of a page."""
    lines = []
    for group, measured in groups.items():
        lines += [f"\n**{group}**\n", f"| {' | '.join(HEADER)} |", "|---|---|---|---|---|"]
        lines += [f"| {' | '.join(row(measurement))} |" for measurement in measured]
    return "\n".join(lines)


def shortfalls(groups: Groups) -> list[str]:
    """Say in words what misses its target."""
    return [
        f"{group}: {measurement.name}: {row(measurement)[1]}, wanted {row(measurement)[3]}"
        for group, measured in groups.items()
        for measurement in measured
        if not measurement.met
    ]


def keep(groups: Groups, plan: Plan, started: datetime, path: Path, device: str = "cpu") -> Path:
    """Write one line for each group and device: what was run, on what, and what came out; earlier ones are replaced."""
    about = {
        "started": started.isoformat(timespec="seconds"),
        "plan": asdict(plan),
        "threads": {name: os.environ.get(name) for name in THREAD_VARIABLES},
        "versions": versions(),
        digest.FIELD: digest.learner(digest.MLLP),
        "machine": machine(),
    }
    entries = [
        {"group": group, "device": device, **about, "measurements": [asdict(measurement) for measurement in measured]}
        for group, measured in groups.items()
    ]
    return jsonl.put(path, entries, ("group", "device"))


def read(path: Path) -> Groups:
    """Return all measurements on record, by group; those of several devices stand one after the other."""
    groups: Groups = {}
    for entry in jsonl.read(path):
        groups.setdefault(entry["group"], []).extend(
            Measurement(**measurement) for measurement in entry["measurements"]
        )
    return groups


def versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    known = {"python": platform.python_version(), "conceptrules": __version__}
    for package in packages:
        try:
            known[package] = version(package)
        except PackageNotFoundError:
            known[package] = "not installed"
    return known


def machine() -> dict[str, Any]:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return {
        "processor": processor or platform.processor(),
        "architecture": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
    }
