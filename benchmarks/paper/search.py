"""The search for settings of the CRS column: by validation score alone, in a space written down beforehand.

`python -m benchmarks.paper.search adult,wine --device cuda` tries the configurations that space.toml describes, on the
training rows of some folds, keeps all of them in results/<data>/search.json, and writes the best into
settings/<data>/crs.toml.
"""

from __future__ import annotations

import json
import sys
import tomllib
import zlib
from argparse import ArgumentParser
from collections import defaultdict
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.paper.lessons import fold_of, recipe_of, task_of
from benchmarks.speed.report import machine, versions
from conceptrules.learn.device import engine
from conceptrules.learn.fit import Score, fit

HERE = Path(__file__).parent
SETTINGS, RESULTS = HERE / "settings", HERE / "results"


def space() -> dict[str, Any]:
    return tomllib.loads((HERE / "space.toml").read_text(encoding="utf-8"))


def configurations(name: str, space: dict[str, Any]) -> list[dict[str, Any]]:
    """So many different draws from the space, the same ones in every run; the paper's own settings come first."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    found: dict[str, dict[str, Any]] = {}
    for rate in space["rates of the paper"]:
        one = {**space["paper"], "binarization_rate": rate}
        found[json.dumps(one, sort_keys=True)] = one
    while len(found) < space["configurations"]:
        one = {key: values[rng.integers(len(values))] for key, values in space["choices"].items()}
        found.setdefault(json.dumps(one, sort_keys=True), one)
    return list(found.values())


def search(name: str, device: str, cores: int) -> dict[str, Any]:
    """All configurations on all folds of the search, side by side."""
    chosen = space()
    folds = chosen["folds"].get(name, chosen["folds"]["others"])
    tries = configurations(name, chosen)
    start = perf_counter()
    tasks = [
        task_of(fold_of(name, number, "fold"), recipe_of(one, **chosen["fixed"]), seed=0)
        for one in tries
        for number in folds
    ]
    histories: dict[int, list[Score]] = defaultdict(list)
    best = fit(tasks, engine(device, tasks, cores), lambda number, scores: histories[number].extend(scores))
    runs = []
    for place, one in enumerate(tries):
        mine = best[place * len(folds) : (place + 1) * len(folds)]
        runs.append(
            {
                **one,
                "validation_f1": round(float(np.mean([snapshot.score.crs_f1 for snapshot in mine])), 5),
                "mllp_f1": round(float(np.mean([snapshot.score.mllp_f1 for snapshot in mine])), 5),
                "epochs": [snapshot.score.epoch for snapshot in mine],
                "edges": [snapshot.score.edges for snapshot in mine],
            }
        )
    return {
        "data": name,
        "protocol": "fold",
        "folds": folds,
        "fixed": chosen["fixed"],
        "seconds": round(perf_counter() - start, 1),
        "device": device,
        "versions": versions(),
        "machine": machine(),
        "runs": sorted(runs, key=lambda run: -run["validation_f1"]),
    }


def keep(record: dict[str, Any]) -> None:
    """One line a configuration, the best first; and the best as settings."""
    head = {key: value for key, value in record.items() if key != "runs"}
    lines = ",\n".join(json.dumps(run) for run in record["runs"])
    folder = RESULTS / record["data"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "search.json").write_text(json.dumps(head)[:-1] + f', "runs": [\n{lines}\n]}}\n', encoding="utf-8")
    best, chosen = record["runs"][0], SETTINGS / record["data"]
    chosen.mkdir(parents=True, exist_ok=True)
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in best.items() if key in space()["choices"])
    count = len(record["runs"])
    (chosen / "crs.toml").write_text(
        f"# The best of {count} configurations by validation score ({best['validation_f1']:.4f}), see "
        f"results/{record['data']}/search.json.\n{lines}\n",
        encoding="utf-8",
    )


def main() -> None:
    parser = ArgumentParser("python -m benchmarks.paper.search", None, __doc__)
    parser.add_argument("data", help="names, separated by commas")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--cores", type=int, default=2)
    given = parser.parse_args()
    for name in given.data.split(","):
        record = search(name, given.device, given.cores)
        keep(record)
        best = record["runs"][0]
        print(f"{name}: {record['seconds']} s, best: {best}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
