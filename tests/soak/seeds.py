"""The same seed and the same rows give the same network: however the rows come, and wherever they are learned from.

Each table is fitted plainly, and then in every other way. Whole model files are compared, which say all of a network.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from conceptrules.io.model_file import dumps
from conceptrules.kernels.mllp import cpu, reference
from tests.people import quick_mllp, quick_search

ROOT = Path(__file__).parents[2]
LEARNERS: dict[str, Callable[..., Any]] = {
    "search": quick_search,
    "mllp": lambda **given: quick_mllp(max_epochs=20, **given),
}
Columns = dict[str, list[Any]]
Table = tuple[Any, list[str]]


def columns_of(seed: int, rows: int = 90) -> tuple[Columns, list[str]]:
    """Return numbers, text and booleans, with gaps and repeats, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    age, height = rng.integers(18, 80, rows).tolist(), rng.normal(170, 10, rows).round(1).tolist()
    job, colour = (
        rng.choice(["nurse", "smith", "clerk", "baker"], rows).tolist(),
        rng.choice(["red", "green", "blue"], rows).tolist(),
    )
    columns: Columns = {
        "age": age,
        "height": height,
        "job": job,
        "colour": colour,
        "smoker": (rng.random(rows) < 0.4).tolist(),
    }
    answer = [
        "care" if j == "nurse" and h < 175 else "old" if a > 50 else "young"
        for a, h, j in zip(age, height, job, strict=True)
    ]
    for name in ("height", "job"):
        columns[name] = [None if gap else one for gap, one in zip(rng.random(rows) < 0.1, columns[name], strict=True)]
    wrong = rng.random(rows) < 0.1
    return columns, [
        str(rng.choice(["care", "old", "young"])) if bad else one for bad, one in zip(wrong, answer, strict=True)
    ]


def flavours(columns: Columns, y: list[str], seed: int) -> Iterator[tuple[str, Table]]:
    """Yield the same table in many ways."""
    rng, arrow, frame = np.random.default_rng(seed), pa.table(columns), pd.DataFrame(columns)
    rows, names = len(y), list(columns)
    yield "pandas", (frame, y)
    yield "pandas with types of arrow", (arrow.to_pandas(types_mapper=pd.ArrowDtype), y)
    yield "polars", (pl.DataFrame(columns), y)
    yield "arrow", (arrow, y)
    for size in (1, 7, 64):
        yield "arrow in chunks", (pa.concat_tables([arrow.slice(k, size) for k in range(0, rows, size)]), y)
    cells = np.empty((rows, len(names)), object)
    for k, name in enumerate(names):
        cells[:, k] = columns[name]
    yield "dictionaries", ([dict(zip(names, row, strict=True)) for row in cells.tolist()], y)
    # Whether the order of the categories of a type leaves a trace.
    jobs = rng.permutation(["nurse", "smith", "clerk", "baker"]).tolist()
    yield "pandas categories in any order", (frame.assign(job=pd.Categorical(columns["job"], jobs)), y)
    codes = [None if one is None else jobs.index(one) for one in columns["job"]]
    shuffled = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), jobs)
    yield "arrow dictionary in any order", (arrow.set_column(names.index("job"), "job", shuffled), y)
    yield "polars categories", (pl.DataFrame(columns).with_columns(pl.col("job").cast(pl.Categorical)), y)
    order = rng.permutation(rows)
    yield "rows in any order", (arrow.take(order), [y[k] for k in order])


def digest(learner: str, table: Table, **given: Any) -> str:
    """Return a hash of the model file that comes out."""
    return sha256(dumps(LEARNERS[learner](**given).fit(*table).network_).encode()).hexdigest()


def ways(seed: int) -> Iterator[tuple[str, bool]]:
    """Yield each way that a table was fitted, and whether the network was the same."""
    columns, y = columns_of(seed)
    table = pa.table(columns), y
    for learner in LEARNERS:
        wanted = digest(learner, table)
        yield f"{learner}: once more", digest(learner, table) == wanted
        for jobs in (1, 2, 3):
            yield f"{learner}: n_jobs", digest(learner, table, n_jobs=jobs) == wanted
        for name, other in flavours(columns, y, seed):
            yield f"{learner}: {name}", digest(learner, other) == wanted
    # NumPy has no names of columns.
    cells = np.array(list(zip(*columns.values(), strict=True)), object)
    unnamed = [list(row) for row in cells.tolist()]
    yield "search: NumPy, and lists", digest("search", (cells, y)) == digest("search", (unnamed, y))
    wanted = digest("mllp", table)
    with by_the_reference():
        yield "mllp: by the plain reference", digest("mllp", table) == wanted


@contextmanager
def by_the_reference() -> Iterator[None]:
    """Train by the plain reference instead of the compiled kernels."""
    plain = SimpleNamespace(
        epoch=lambda *arguments: reference.epoch(*arguments[:-1]),
        forward=lambda cohort, packed, _: reference.forward(cohort, packed),
        fire=cpu.fire,
    )
    with patch("conceptrules.learn.mllp.cpu_engine.cpu", plain):
        yield


PROCESSES = {
    "another PYTHONHASHSEED": [{"PYTHONHASHSEED": seed} for seed in ("0", "1", "4242")],
    "other numbers of threads": [dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), n) for n in ("1", "4")],
}


def processes(seed: int, quick: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield each way that a table was fitted in a process of its own, and whether the network was the same.

    With `quick`, one process differs in everything at once.
    """
    columns, y = columns_of(seed, rows=40)
    wanted = [digest(learner, (pa.table(columns), y)) for learner in LEARNERS]
    last = {key: value for settings in PROCESSES.values() for key, value in settings[-1].items()}
    for name, settings in {"all at once": [last]}.items() if quick else PROCESSES.items():
        for more in settings:
            command = [sys.executable, "-W", "ignore", "-m", "tests.soak.seeds", str(seed), *LEARNERS]
            env = {**os.environ, **more}
            run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=env)
            yield f"process: {name}", run.stdout.split() == wanted


def main(minutes: float, start: int = 0) -> None:
    """Fit tables in all ways until the time is over, beginning with the table of a seed."""
    end, tried, same = time.monotonic() + 60 * minutes, Counter[str](), Counter[str]()
    for seed in count(start):
        for way, held in (*ways(seed), *processes(seed)):
            tried[way] += 1
            same[way] += held
        if time.monotonic() > end:
            break
    print(f"{seed + 1 - start} tables, {tried.total()} fits compared with a plain one")
    for way, times in tried.items():
        print(f"  {way}: the same network {same[way]} of {times} times")
    assert same == tried, "not always the same network"


if __name__ == "__main__":  # one table, in this process
    THERE = columns_of(int(sys.argv[1]), rows=40)
    for one in sys.argv[2:]:
        print(digest(one, (pa.table(THERE[0]), THERE[1])))
