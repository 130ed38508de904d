"""How far the choice of the settings is chance: the best five of a search once more, with three seeds each.

`python -m benchmarks.paper.finalists adult,wine --device cuda` trains the best five of each fold as long as the column
is trained, takes the one with the best mean of validation scores, and keeps all in records/finalists.jsonl.
This came after the column and is no part of Table 1: it says how much of a difference is the noise of the choice.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

from benchmarks import jsonl
from benchmarks.paper import crs
from benchmarks.paper.progress import say
from benchmarks.paper.records import FOLDS, RECORDS, this_place, write_entry
from benchmarks.paper.scores import macro_f1
from benchmarks.paper.search import NAME
from benchmarks.paper.settings import table_of
from benchmarks.paper.training_data import fold_of, network_of, recipe_of, task_of
from conceptrules.learn.mllp.fit import Snapshot
from conceptrules.logic.simplification import simplify
from conceptrules.model.evaluation import decide

SEEDS = range(3)
FIVE = 5


def look_again(data: str, place: crs.Place, root: Path = RECORDS) -> None:
    record = jsonl.find(root / NAME, {"data": data})
    if record is None:
        raise ValueError(f"{data} has not been searched: python -m benchmarks.paper.search {data}")
    fixed = table_of(data, "crs")["fixed"]
    places = [
        (fold, number, seed) for fold in range(FOLDS) for number in best_five(record["folds"][fold]) for seed in SEEDS
    ]
    start = perf_counter()
    tasks = [
        task_of(data, fold, "fold", recipe_of({**fixed, **record["tries"][number]}), seed)
        for fold, number, seed in places
    ]
    best = dict(zip(places, crs.best_of(tasks, [crs.by_rules] * len(tasks), place), strict=True))
    folds = [_judged(data, fold, best) for fold in range(FOLDS)]
    seconds = round(perf_counter() - start, 1)
    write_entry("finalists", {"data": data, "seconds": seconds, "place": this_place(), "folds": folds}, root=root)
    found = mean(fold["test_f1"][0] for fold in folds)
    say(f"{data}: {100 * found:.2f} on test rows, {seconds} s")


def best_five(fold: Mapping[str, Any]) -> list[int]:
    """Those of the last stage with the best validation scores; ties: the chosen one, then as in the record."""
    last = fold["rungs"][-1]
    scores = dict(zip(last["tries"], last["validation_f1"], strict=True))
    return sorted(scores, key=lambda number: (-scores[number], number != fold["chosen"]))[:FIVE]


def _judged(data: str, fold: int, best: dict[tuple[int, int, int], Snapshot]) -> dict[str, Any]:
    """Scores by finalist and seed; of the one that is best on average, those on the test rows, too."""
    numbers = list(dict.fromkeys(number for where, number, _ in best if where == fold))
    validation = {number: [best[fold, number, seed].score.crs_f1 for seed in SEEDS] for number in numbers}
    chosen = max(numbers, key=lambda number: mean(validation[number]))
    part = fold_of(data, fold, "fold")
    test = []
    for seed in SEEDS:
        network = simplify(network_of(part, best[fold, chosen, seed]), part.training_words)
        test.append(macro_f1(part.y_test, part.classes[decide(network, part.test.to_packed_bits())]))
    scores = {"tries": numbers, "validation_f1": list(validation.values())}
    return {"fold": fold, "chosen": chosen, "test_f1": test, **scores}


def main() -> None:
    parser = ArgumentParser("python -m benchmarks.paper.finalists", None, __doc__)
    parser.add_argument("data", help="names, separated by commas")
    parser.add_argument("--device", default="auto")
    given = parser.parse_args()
    for name in given.data.split(","):
        look_again(name, crs.Place(given.device))


if __name__ == "__main__":
    main()
