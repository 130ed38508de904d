"""A whole fit in several ways: `python -m benchmarks.scale fits ROWS [EFFORT] [WAYS]`.

Fourteen columns in four Parquet files are learned from in this process with two threads, by two Dask workers, and in
this process with all cores of the machine, as `WAYS` says: `threads,dask,cores`.
Time is that of the clock, since the ways share out the work differently. Each run is a line of
benchmarks/records/scale.jsonl.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks import digest, jsonl
from benchmarks.scale.backends import two_workers
from benchmarks.scale.disk import KEY, RECORD, part_of_table
from conceptrules import ConceptRuleClassifier, __version__, classifier
from conceptrules.io import dumps

_FILES, _PART = 4, 500_000


WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "threads": ("two threads", {"n_jobs": 2}),
    "dask": ("two Dask workers", {"n_jobs": 2}),
    "cores": ("all cores", {"n_jobs": None}),
}


def main(rows: str = "10000000", effort: str = "fast", ways: str = "threads,dask") -> None:
    """Learn in each way, and print and keep what it took."""
    with TemporaryDirectory() as folder:
        files = _written(Path(folder), int(rows))
        for name in ways.split(","):
            way, settings = WAYS[name]
            clf = ConceptRuleClassifier(effort=effort, random_state=0, **settings)
            clf.fit(_table(500, 0), "ill")  # loads what is compiled
            with two_workers() if name == "dask" else nullcontext() as client, _search_timed() as search:
                start = perf_counter()
                clf.fit(files, "ill", client=client)
                seconds = perf_counter() - start
            figures = {
                "seconds": seconds,
                "search_seconds": search[0],
                "network": sha256(dumps(clf.network_).encode()).hexdigest()[:16],
                "edges": clf.network_.edges,
                "passes": clf.n_passes_,
                "cores": os.cpu_count(),
                "version": __version__,
                digest.FIELD: digest.learner(digest.SEARCH),
            }
            what = f"a whole fit, 14 columns, effort {effort}"
            entry = jsonl.rounded({"what": what, "way": way, "rows": int(rows), **figures})
            jsonl.put(RECORD, [entry], KEY)
            print(json.dumps(entry), flush=True)


@contextmanager
def _search_timed() -> Iterator[list[float]]:
    """Put the time of the search into a list."""
    plain, spent = classifier.search_networks, list[float]()

    def timed(*given: Any) -> Any:
        start = perf_counter()
        found = plain(*given)
        spent.append(perf_counter() - start)
        return found

    with patch.object(classifier, "search_networks", timed):
        yield spent


def _written(folder: Path, rows: int) -> list[str]:
    """Write the table as files, part by part, and return their names."""
    each = -(-rows // _FILES)
    names = [str(folder / f"{number}.parquet") for number in range(_FILES)]
    for number, name in enumerate(names):
        sizes = [min(_PART, each - start) for start in range(0, each, _PART)]
        with parquet.ParquetWriter(name, _table(1, 0).schema) as writer:
            for place, size in enumerate(sizes):
                writer.write_table(_table(size, number * len(sizes) + place))
    return names


def _table(rows: int, seed: int) -> pa.Table:
    """Return some rows of ten columns that tell something, or look so, and of four more that do not."""
    table, rng = part_of_table(rows, seed), np.random.default_rng((seed, 1))
    for number in range(4):
        table = table.append_column(f"noise {number}", [rng.integers(0, 100, rows).astype(np.int16)])
    return table
