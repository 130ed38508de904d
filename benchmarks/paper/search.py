"""The search for settings of the CRS column: for each fold from its training rows alone, by validation score.

`python -m benchmarks.paper.search adult,wine --device cuda` halves the space that space.toml describes, all folds side
by side, keeps all that was tried in records/search.jsonl, and writes what was chosen for each fold into
settings/crs.toml. Only scores are needed of the networks, so this asks an engine, not the estimator.
"""

from __future__ import annotations

import json
import tomllib
import zlib
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import jsonl
from benchmarks.paper.progress import say
from benchmarks.paper.records import FOLDS, RECORDS, this_place
from benchmarks.paper.settings import FOLDER
from benchmarks.paper.training_data import recipe_of, task_of, whole_passes
from conceptrules.learn.mllp.device import engine
from conceptrules.learn.mllp.fit import Score, Snapshot
from conceptrules.learn.mllp.hyperparameters import Hyperparameters

HERE = Path(__file__).parent
NAME = "search.jsonl"


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One configuration on one split of the training rows of a fold."""

    data: str
    fold: int
    split: int
    settings: Mapping[str, Any]
    epochs: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a configuration reached, the mean over splits."""

    number: int
    f1: float
    training_f1: float
    edges: float
    epochs: tuple[int, ...]

    @property
    def rank(self) -> tuple[float, float, float]:
        """As in `Score`: validation rows first, then training rows, then brevity."""
        return (self.f1, self.training_f1, -self.edges)


Judge = Callable[[Sequence[Trial]], list[Score]]


@cache
def space() -> dict[str, Any]:
    return tomllib.loads((HERE / "space.toml").read_text(encoding="utf-8"))


def configurations(name: str, space: Mapping[str, Any]) -> list[dict[str, Any]]:
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


def splits_of(name: str, space: Mapping[str, Any]) -> int:
    return int(space["splits of small tables"] if name in space["small tables"] else space["splits"])


def judge(trials: Sequence[Trial], device: str, cores: int) -> list[Score]:
    """The best score of each, all trained side by side."""
    tasks = [task_of(one.data, one.fold, "fold", _recipe(one), one.split) for one in trials]
    best: dict[int, Score] = {}
    for number, snapshots in engine(device, tasks, cores).snapshots(tasks, set(range(len(tasks)))):
        found: list[Snapshot] = snapshots
        rivals = [*([best[number]] if number in best else []), *(one.score for one in found)]
        best[number] = max(rivals, key=lambda score: score.rank)
    return [best[number] for number in range(len(tasks))]


def search(name: str, judge: Judge, device: str) -> dict[str, Any]:
    """Rung by rung, all folds together; what is kept is chosen by each fold for itself."""
    plan = space()["per_fold"]
    tries, splits = configurations(name, plan), splits_of(name, plan)
    alive = {fold: list(range(len(tries))) for fold in range(FOLDS)}
    heads, rungs = [], []
    for rung in plan["rungs"]:
        alive = {fold: numbers[: rung["keep"]] for fold, numbers in alive.items()}
        start = perf_counter()
        found = climb(name, rung, tries, alive, splits, judge)
        heads.append({**rung, "seconds": round(perf_counter() - start, 1)})
        rungs.append(found)
        alive = {fold: [one.number for one in ranked(found[fold])] for fold in found}
        say(f"{name}: {rung['keep']} configurations a fold, {heads[-1]['seconds']} s")
    return {
        "data": name,
        "protocol": "fold",
        "splits": splits,
        "rungs": heads,
        "device": device,
        "place": this_place(),
        "tries": tries,
        "folds": [_fold(fold, [found[fold] for found in rungs]) for fold in range(FOLDS)],
    }


def climb(
    name: str,
    rung: Mapping[str, int],
    tries: Sequence[Mapping[str, Any]],
    alive: Mapping[int, Sequence[int]],
    splits: int,
    judge: Judge,
) -> dict[int, list[Found]]:
    """One rung."""
    places = [(fold, number) for fold, numbers in alive.items() for number in numbers for _ in range(splits)]
    trials = [
        Trial(name, fold, place % splits, tries[number], rung["epochs"]) for place, (fold, number) in enumerate(places)
    ]
    gathered: dict[tuple[int, int], list[Score]] = defaultdict(list)
    for place, score in zip(places, judge(trials), strict=True):
        gathered[place].append(score)
    return {fold: [_found(number, gathered[fold, number]) for number in numbers] for fold, numbers in alive.items()}


def ranked(found: Sequence[Found]) -> list[Found]:
    return sorted(found, key=lambda one: one.rank, reverse=True)


def chosen(record: Mapping[str, Any], fold: int) -> dict[str, Any]:
    number = record["folds"][fold]["chosen"]
    settings: dict[str, Any] = record["tries"][number]
    return settings


def keep(record: Mapping[str, Any], root: Path = RECORDS, folder: Path = FOLDER) -> None:
    """Put the record of a search among the others, and write the settings that all of them have chosen."""
    path = jsonl.put(root / NAME, [record], ("data",))
    folder.mkdir(parents=True, exist_ok=True)
    with jsonl.locked(folder):
        jsonl.replace_text(folder / "crs.toml", settings_text(jsonl.read(path)))


def settings_text(records: Sequence[Mapping[str, Any]]) -> str:
    """Return settings/crs.toml: what is the same for all, and the choice of each fold of each data set."""
    fixed = ", ".join(f"{key} = {json.dumps(value)}" for key, value in space()["column"]["fixed"].items())
    lines = [
        "# CRS: for each fold the best configuration of a search, by the macro-F1 on validation rows, a part of its",
        "# training rows. Written by search.py from records/search.jsonl and space.toml.",
        "[default]",
        f"fixed = {{ {fixed} }}",
    ]
    for record in records:
        lines += ["", f"[{record['data']}.folds]"]
        for fold in record["folds"]:
            best = ", ".join(f"{key} = {json.dumps(value)}" for key, value in chosen(record, fold["fold"]).items())
            lines.append(f"{fold['fold']} = {{ {best} }}  # validation score {fold['validation_f1']:.4f}")
    return "\n".join(lines) + "\n"


def _recipe(trial: Trial) -> Hyperparameters:
    """As the column has it, for as long as the trial is."""
    given = {**space()["column"]["fixed"], **trial.settings}
    recipe = recipe_of(given, max_epochs=trial.epochs, patience=trial.epochs)
    return whole_passes(recipe, trial.data, trial.fold)


def _found(number: int, scores: Sequence[Score]) -> Found:
    return Found(
        number,
        mean(score.crs_f1 for score in scores),
        mean(score.training_f1 for score in scores),
        mean(score.edges for score in scores),
        tuple(score.epoch for score in scores),
    )


def _fold(fold: int, rungs: Sequence[Sequence[Found]]) -> dict[str, Any]:
    best = ranked(rungs[-1])[0]
    return {
        "fold": fold,
        "chosen": best.number,
        "validation_f1": round(best.f1, 5),
        "rungs": [
            {
                "tries": [one.number for one in found],
                "validation_f1": [round(one.f1, 4) for one in found],
                "epochs": [one.epochs[0] if len(one.epochs) == 1 else one.epochs for one in found],
                "edges": [round(one.edges) for one in found],
            }
            for found in rungs
        ],
    }


def main() -> None:
    parser = ArgumentParser("python -m benchmarks.paper.search", None, __doc__)
    parser.add_argument("data", help="names, separated by commas")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--cores", type=int, default=2)
    given = parser.parse_args()
    for name in given.data.split(","):
        keep(search(name, lambda trials: judge(trials, given.device, given.cores), given.device))


if __name__ == "__main__":
    main()
