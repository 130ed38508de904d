"""Learning from a Parquet file of any size: `python -m benchmarks.scale disk ROWS [memory] [default]`.

A table of ten columns is made in a stream, in a scratch folder, and learned from with effort fast, or another, in a
process of its own: from the file, or with `memory` from a table in memory, for comparison. Time is that of all threads
of the process; the peak of memory is what the system says at its end. Each run is a line of
benchmarks/records/scale.jsonl.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks import digest, jsonl
from conceptrules import ConceptRuleClassifier, __version__
from conceptrules.learn import coding

RECORD = jsonl.RECORDS / "scale.jsonl"
KEY = ("what", "way", "rows")
_PART = 1_000_000


def main(rows: str = "1000000", way: str = "disk", effort: str = "fast", place: str = "") -> None:
    """Make the table, learn from it in a process of its own, and record what that took."""
    count = int(rows)
    with TemporaryDirectory(dir=place or None) as folder:
        file = Path(folder, "table.parquet")
        write_table(file, count)
        code = "from benchmarks.scale.disk import learn; learn()"
        command = [sys.executable, "-c", code, str(file), way, effort, folder]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        figures = json.loads(done.stdout.splitlines()[-1])
        size = file.stat().st_size
    entry = {
        "what": f"ten columns, effort {effort}",
        "way": way,
        "rows": count,
        **figures,
        "file_gb": size / 1e9,
        "cores": os.cpu_count(),
        "version": __version__,
        digest.FIELD: digest.learner(digest.SEARCH),
    }
    jsonl.put(RECORD, [entry], KEY)
    print(json.dumps(entry))


def write_table(file: Path, rows: int) -> None:
    """Write a table part by part, under 20 bytes a row; a part depends on nothing but its number."""
    writer: Any = None
    for part in range(-(-rows // _PART)):
        table = part_of_table(min(_PART, rows - part * _PART), part)
        writer = writer or parquet.ParquetWriter(file, table.schema, compression="zstd")
        writer.write_table(table)
    writer.close()


def part_of_table(rows: int, seed: int) -> pa.Table:
    """Return some rows: numbers with few values and with very many, categories, gaps, and a tenth of noise."""
    rng = np.random.default_rng(seed)
    age, hours = rng.integers(18, 90, rows).astype(np.int16), rng.integers(0, 100, rows).astype(np.int16)
    score, dose = rng.normal(500, 100, rows).round().astype(np.int16), rng.gamma(2, 20, rows).round(1)
    level = rng.normal(0, 1, rows).astype(np.float32)
    job, region = rng.integers(0, 12, rows), rng.integers(0, 30, rows)
    treated, visits = rng.random(rows) < 0.4, rng.poisson(3, rows).astype(np.int8)
    ill = ((age > 60) & (dose > 45)) | ((job < 3) & (score < 450)) | ((level > 1) & treated & (visits > 2))
    ill ^= rng.random(rows) < 0.1
    return pa.table(
        {
            "age": age,
            "hours": hours,
            "score": score,
            "dose": dose.astype(np.float32),
            "level": level,
            "income": pa.array(rng.integers(0, 1000, rows).astype(np.int16), mask=rng.random(rows) < 0.05),
            "job": pa.DictionaryArray.from_arrays(job.astype(np.int8), [f"job {k}" for k in range(12)]).cast(
                pa.string()
            ),
            "region": pa.DictionaryArray.from_arrays(region.astype(np.int8), [f"r{k}" for k in range(30)]).cast(
                pa.string()
            ),
            "treated": treated,
            "visits": visits,
            "ill": np.where(ill, "yes", "no"),
        }
    )


def _timed(stages: dict[str, float]) -> None:
    """Let the passes that read the file add up the processor time that they take."""
    for name in ("read_classes", "fit_to_counts", "_write_codes"):
        plain = getattr(coding, name)

        def timed(*given: Any, plain: Any = plain, **more: Any) -> Any:
            start = process_time()
            found = plain(*given, **more)
            stages["read_cpu_s"] = stages.get("read_cpu_s", 0.0) + process_time() - start
            return found

        setattr(coding, name, timed)


def learn() -> None:
    """Learn from the file that the command line names, and print what it took."""
    file, way, effort, folder = sys.argv[1:5]
    clf = ConceptRuleClassifier(effort=effort, random_state=0, verbose=True)
    clf.fit(part_of_table(500, 0), "ill")  # loads what is compiled
    stages: dict[str, float] = {}
    _timed(stages)
    start, cpu = perf_counter(), process_time()
    if way == "memory":
        clf.fit(parquet.read_table(file), "ill")
    else:
        clf.fit(file, "ill", scratch=folder)
    network = clf.network_
    validation = network.training.validation if network.training else None
    figures = {
        "cpu_s": process_time() - cpu,
        "wall_s": perf_counter() - start,
        **stages,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "edges": network.edges,
        "held_out_f1": validation.macro_f1 if validation else None,
    }
    print(json.dumps(figures))
