"""The figures of a healthy core, in one command: `python -m benchmarks.smoke`.

5-fold macro-F1 of tic-tac-toe and mushroom on the paper's folds, at default settings, for the seeds 0 to 4; then one
fold of adult: time, peak memory, macro-F1 and edges. Each run is a line of benchmarks/records/smoke.jsonl, and
compared with the targets: the exit code is 1 where one falls short. `--quick` runs seed 0 only, without adult.
"""

from __future__ import annotations

import os
import platform
import sys
import warnings
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import version
from multiprocessing import get_context
from resource import RUSAGE_SELF, getrusage
from statistics import mean, pstdev
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import digest, jsonl
from benchmarks.paper.folds import paper_folds
from benchmarks.paper.scores import macro_f1
from conceptrules import MLLPClassifier, __version__, datasets

RECORD = jsonl.RECORDS / "smoke.jsonl"
TARGETS = {"tic-tac-toe": 0.997, "mushroom": 0.999}
ADULT_MEGABYTES = 1000
PACKAGES = ("numpy", "scikit-learn", "numba", "pyarrow", "narwhals")
Run = dict[str, Any]


def run_fold(name: str, seed: int, fold: int) -> Run:
    """Learn on the training rows of one fold, cut points included, and test on the others."""
    data = datasets.load(name)
    train, test = list(paper_folds(len(data.y)))[fold]
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constant columns")  # mushroom has one, veil-type, and that is known
        clf = MLLPClassifier(random_state=seed).fit(data.X.take(train), data.y[train])
    seconds = perf_counter() - start
    return {
        "name": name,
        "seed": seed,
        "fold": fold,
        "seconds": round(seconds, 2),
        "f1": macro_f1(data.y[test], clf.predict(data.X.take(test))),
        "edges": clf.network_.edges,
        "megabytes": round(getrusage(RUSAGE_SELF).ru_maxrss / 1024),  # of the whole process so far
    }


def measure(quick: bool) -> list[Run]:
    """All runs. adult comes first, in a new process, since a process starts with the peak memory of its parent."""
    runs = []
    if not quick:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            runs.append(pool.submit(run_fold, "adult", 0, 0).result())
    seeds = range(1 if quick else 5)
    runs += [run_fold(name, seed, fold) for name in TARGETS for seed in seeds for fold in range(5)]
    return runs


def shortfalls(runs: Sequence[Run]) -> list[str]:
    """Where seed 0 misses its target, in words."""
    missed = [
        f"{name}: macro-F1 {score:.4f}, wanted {target}"
        for name, target in TARGETS.items()
        if (score := fold_means(runs, name)[0]) < target
    ]
    heavy = [run for run in runs if run["name"] == "adult" and run["megabytes"] >= ADULT_MEGABYTES]
    return missed + [f"adult: {run['megabytes']} MB at the peak, wanted less than {ADULT_MEGABYTES}" for run in heavy]


def fold_means(runs: Sequence[Run], name: str) -> list[float]:
    """The mean macro-F1 of the five folds, seed by seed."""
    chosen = [run for run in runs if run["name"] == name]
    return [
        mean(run["f1"] for run in chosen if run["seed"] == seed) for seed in sorted({run["seed"] for run in chosen})
    ]


def show(runs: Sequence[Run]) -> None:
    """One line a data set."""
    table = Table("data", "seed 0", "target", "all seeds", "edges", "seconds a fold", "peak MB", box=None)
    for name in dict.fromkeys(run["name"] for run in runs):
        chosen = [run for run in runs if run["name"] == name]
        scores = fold_means(runs, name)
        table.add_row(
            name,
            f"{scores[0]:.4f}",
            str(TARGETS.get(name, "")),
            f"{mean(scores):.4f} ± {pstdev(scores):.4f}" if len(scores) > 1 else "",
            f"{mean(run['edges'] for run in chosen):.0f}",
            f"{mean(run['seconds'] for run in chosen):.1f}",
            str(max(run["megabytes"] for run in chosen)) if name == "adult" else "",
        )
    Console().print(table)


def keep(runs: Sequence[Run], started: datetime) -> None:
    """Write one line for each run: what was run, what came out, and on what; an earlier one is replaced."""
    about = {
        "started": started.isoformat(timespec="seconds"),
        "settings": {key: value for key, value in MLLPClassifier().get_params().items() if key != "random_state"},
        "versions": {"python": platform.python_version(), "conceptrules": __version__}
        | {package: version(package) for package in PACKAGES},
        digest.FIELD: digest.learner(digest.MLLP),
        "machine": {"cores": len(os.sched_getaffinity(0)), "architecture": platform.machine()},
    }
    jsonl.put(RECORD, [{**run, **about} for run in runs], ("name", "seed", "fold"))


def main() -> int:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="seed 0 only, and no adult")
    started = datetime.now(UTC)
    runs = measure(parser.parse_args().quick)
    show(runs)
    keep(runs, started)
    print(f"kept in benchmarks/records/{RECORD.name}")
    missed = shortfalls(runs)
    print("\n".join(missed) or "all targets are met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
