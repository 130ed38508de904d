"""The same network from memory, disk, several files and Dask workers: `python -m benchmarks.scale [backends WAY ...]`.

adult is learned from as a table that is larger than the sample: the sample is made small, so that all rows are gone
over as those of a hundred million are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pyarrow as pa
from pyarrow import parquet

from benchmarks import digest, jsonl
from conceptrules import ConceptRuleClassifier, __version__, datasets
from conceptrules.io import dumps

RECORD = jsonl.RECORDS / "scale.jsonl"
KEY = ("what", "way", "rows")
WHAT = "adult, default effort, a sample of 10,000 rows"
SETTINGS: dict[str, Any] = {"random_state": 0}


@contextmanager
def small_sample() -> Iterator[None]:
    """Let a table of ten thousand rows be a large one."""
    sizes = {"task.SAMPLE": 10_000, "task.WATCH": 2_000, "task.MORE": 15_000, "coding.IN_MEMORY": 0}
    with ExitStack() as stack:
        for name, size in sizes.items():
            stack.enter_context(patch(f"conceptrules.learn.{name}", size))
        yield


def parts(table: pa.Table, folder: Path, count: int) -> list[str]:
    """Write a table as files, and return their names."""
    size = -(-len(table) // count)
    names = [str(folder / f"{count}-{number}.parquet") for number in range(count)]
    for number, name in enumerate(names):
        parquet.write_table(table.slice(number * size, size), name)
    return names


@contextmanager
def two_workers() -> Iterator[Any]:
    """A cluster of two processes that keep the memory of arrays, as `docs/scale.md` advises, and its client."""
    import dask
    from distributed import Client, LocalCluster

    with (
        dask.config.set({"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def from_workers(files: list[str], target: str) -> ConceptRuleClassifier:
    with two_workers() as client:
        return ConceptRuleClassifier(**SETTINGS).fit(files, target, client=client)


def main(*chosen: str) -> None:
    """Learn in each way, or in those that are wanted, print the table and keep it."""
    learner = digest.learner(digest.SEARCH)  # before the constants of the search are changed
    adult = datasets.load("adult")
    target = "income"
    table = adult.X.append_column(target, [adult.y])
    with TemporaryDirectory() as place, small_sample():
        folder = Path(place)
        ways: dict[str, Callable[[], Any]] = {
            "memory": lambda: ConceptRuleClassifier(**SETTINGS).fit(table, target),
            "disk": lambda: ConceptRuleClassifier(**SETTINGS).fit(parts(table, folder, 1), target),
            "three files": lambda: ConceptRuleClassifier(**SETTINGS).fit(parts(table, folder, 3), target),
            "nine files": lambda: ConceptRuleClassifier(**SETTINGS).fit(parts(table, folder, 9), target),
            "two Dask workers": lambda: from_workers(parts(table, folder, 4), target),
        }
        print("| way | network | edges | passes | held-out macro-F1 |\n|---|---|---|---|---|")
        for way in chosen or ways:
            clf = ways[way]()
            figures = {
                "network": sha256(dumps(clf.network_).encode()).hexdigest()[:16],
                "edges": clf.network_.edges,
                "passes": clf.n_passes_,
                "held_out_f1": clf.network_.training.validation.macro_f1,
            }
            about = {"version": __version__, digest.FIELD: learner}
            jsonl.put(RECORD, [jsonl.rounded({"what": WHAT, "way": way, "rows": len(table), **figures, **about})], KEY)
            print(f"| {way} | {' | '.join(map(str, jsonl.rounded(figures).values()))} |", flush=True)
