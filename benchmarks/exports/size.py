"""Ten million rows of adult's columns, scored by `conceptrules predict` and by DuckDB with the SQL export.

Each way is a process of its own, from its start to the written file, with the same threads; the two take turns. Both
read Parquet and write it, all columns and the prediction, and what they wrote is compared. Then the largest resident
size of `conceptrules predict` on a table and on one ten times as large.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from benchmarks.exports import report
from benchmarks.exports.comparison import SETTINGS, learned
from benchmarks.speed.measure import seconds
from conceptrules.datasets import load
from conceptrules.export import export
from conceptrules.io.model_file import save

PART = 250_000
"""Rows made at a time."""
Times = dict[str, list[float]]
OURS = "conceptrules predict"
DUCKDB = "DuckDB with the SQL export"


# The largest resident size of a process: what the system says of an ended one includes that of its parent.
_PEAK = """
from conceptrules.cli import main
try:
    main()
finally:
    with open("/proc/self/status") as status:
        print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


def run(rows: int, repeats: int, seed: int) -> int:
    started, threads = datetime.now(UTC), len(os.sched_getaffinity(0))
    network = learned("adult", seed).network
    with TemporaryDirectory() as name:
        folder = Path(name)
        save(network, folder / "model.json")
        (folder / "model.sql").write_text(export(network, "sql", dialect="duckdb"), encoding="utf-8")
        print(f"making {rows:,} rows ...", file=sys.stderr, flush=True)
        make(folder / "in.parquet", rows, seed)
        clock, cores, different = race(folder, threads, repeats)
        memory = growth(folder, rows, seed, threads)
    report.show_size(clock, cores, rows)
    print(f"{different:,} of {rows:,} predictions differ; {threads} threads each")
    for kind, sizes in memory.items():
        print(f"largest resident size, {kind}: " + ", ".join(f"{n:,} rows {mb:.0f} MB" for n, mb in sizes.items()))
    content = {
        "rows": rows,
        "seed": seed,
        "settings": {"repeats": repeats, "threads": threads, "learner": SETTINGS},
        "edges": network.edges,
        "seconds": clock,
        "core seconds": cores,
        "different": different,
    }
    report.keep("exports_size", started, [{**content, "megabytes by rows": memory}], ("rows", "seed"))
    return 1 if different else 0


def make(path: Path, rows: int, seed: int) -> None:
    """Rows drawn from adult, as Parquet or CSV."""
    table, random = load("adult").X, np.random.default_rng(seed)
    with open(path, "wb") as file:
        writer: Any = (
            parquet.ParquetWriter(file, table.schema)
            if path.suffix == ".parquet"
            else csv.CSVWriter(file, table.schema, write_options=csv.WriteOptions(quoting_style="none"))
        )
        with writer:
            for start in range(0, rows, PART):
                writer.write_table(table.take(random.integers(len(table), size=min(PART, rows - start))))


def race(folder: Path, threads: int, repeats: int) -> tuple[Times, Times, int]:
    """Seconds of each way, repeat by repeat, by the clock and by the cores, and how many predictions differ."""
    commands = {
        OURS: ours(folder, "in.parquet", "ours.parquet", threads),
        DUCKDB: [sys.executable, "-m", "benchmarks.exports.in_duckdb", str(folder), str(threads)],
    }
    clock: Times = {name: [] for name in commands}
    cores: Times = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            before = _core_seconds()
            clock[name].append(seconds(lambda command=command: subprocess.run(command, check=True)))  # type: ignore[misc]
            cores[name].append(_core_seconds() - before)
            print(f"{name}: {clock[name][-1]:.2f} s", file=sys.stderr, flush=True)
    tables = [parquet.read_table(folder / f"{name}.parquet", columns=["prediction"]) for name in ("ours", "duckdb")]
    unequal = pc.not_equal(*(table["prediction"].cast(pa.string()) for table in tables))
    return clock, cores, int(pc.sum(pc.fill_null(unequal, True)).as_py())


def _core_seconds() -> float:
    """Of all processes that have ended: what other work on the machine takes does not count."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def growth(folder: Path, rows: int, seed: int, threads: int) -> dict[str, dict[int, float]]:
    """Megabytes by rows: a table, and one ten times as large."""
    sizes: dict[str, dict[int, float]] = {}
    for suffix, most in (("parquet", rows), ("csv", rows // 2)):
        sizes[suffix] = {}
        for count in (most // 10, most):
            make(folder / f"grown.{suffix}", count, seed)
            command = ours(folder, f"grown.{suffix}", f"out.{suffix}", threads, _PEAK)
            printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            sizes[suffix][count] = int(printed) / 1024
            (folder / f"grown.{suffix}").unlink()
            (folder / f"out.{suffix}").unlink()
    return sizes


def ours(folder: Path, table: str, output: str, threads: int, code: str = "") -> list[str]:
    code = code or "from conceptrules.cli import main; main()"
    paths = [str(folder / "model.json"), str(folder / table), "-o", str(folder / output)]
    return [sys.executable, "-c", code, "predict", *paths, "--n-jobs", str(threads)]
