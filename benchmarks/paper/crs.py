"""The columns CRS, MLLP(P=0) and CRS(P=0): the paper's method, with settings chosen by validation score.

The first class that fires wins, and the epoch is the one that is best on the validation rows of the fold: for the CRS
by the score of the rules, for the MLLP by its own. CRS(P=0) is read off the MLLP of its column.

`python -m benchmarks.paper.crs rates|gap|case` makes what the figures need besides.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.paper.lessons import Fold, fold_of, network_of, recipe_of, task_of
from benchmarks.paper.records import QUICK, RESULTS, Run, missing, write_fold, write_json
from benchmarks.paper.records import Fold as Result
from benchmarks.paper.scores import scores
from conceptrules.learn.device import engine
from conceptrules.learn.examples import Examples, with_negations
from conceptrules.learn.fit import Score, Snapshot, Task, negated
from conceptrules.rules.evaluate import Words, class_words, decide, unpack
from conceptrules.rules.file import save
from conceptrules.rules.measure import edges, with_statistics
from conceptrules.rules.network import RuleNetwork
from conceptrules.rules.simplify import drop_dead, drop_redundant, simplify

SETTINGS = Path(__file__).parent / "settings"
EPOCHS, QUICK_EPOCHS, CORES = 400, 100, 2
FIGURE = "connect-4"
STRUCTURES = [(32,), (128,), (512,), (32, 32, 32), (64, 64, 64), (128, 128, 128)]
RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
Key = Callable[[Score], tuple[float, ...]]


def settings_of(data: str) -> dict[str, Any]:
    return tomllib.loads((SETTINGS / data / "crs.toml").read_text(encoding="utf-8"))


def run(data: str, model: str, protocol: str, seed: int, folds: Sequence[int], device: str, quick: bool) -> None:
    """Trains the folds of a run side by side and keeps what comes out."""
    settings = settings_of(data) | ({} if model == "crs" else {"binarization_rate": 0.0})
    recipe = recipe_of(settings, priority="first", max_epochs=QUICK_EPOCHS if quick else EPOCHS)
    parts = [fold_of(data, number, protocol) for number in folds]
    tasks = [task_of(part, recipe, seed) for part in parts]
    start = perf_counter()
    best = best_of(tasks, device, by_rules if model == "crs" else by_mllp)
    seconds = (perf_counter() - start) / len(folds)
    root = QUICK if quick else RESULTS
    for number, part, snapshot in zip(folds, parts, best, strict=True):
        # Both columns without random binarization come from one training.
        for name in ("crs",) if model == "crs" else ("mllp0", "crs0"):
            if number in missing(data, name, protocol, seed, root=root):
                result = judged(name, number, part, snapshot, seconds)
                write_fold(Run(data, name, protocol, seed), result, settings, root=root)


def by_rules(score: Score) -> tuple[float, ...]:
    return score.rank


def by_mllp(score: Score) -> tuple[float, ...]:
    return (score.mllp_f1,)


def best_of(tasks: Sequence[Task], device: str, key: Key) -> list[Snapshot]:
    best: dict[int, Snapshot] = {}
    for number, snapshots in watched(tasks, device, key, best):
        best[number] = max([*([best[number]] if number in best else []), *snapshots], key=lambda one: key(one.score))
    return [best[number] for number in range(len(tasks))]


def watched(
    tasks: Sequence[Task], device: str, key: Key, best: dict[int, Snapshot]
) -> Iterator[tuple[int, list[Snapshot]]]:
    """All snapshots; a task ends when it has not become better for as long as its recipe is patient."""
    todo = [negated(task) if task.recipe.negation else task for task in tasks]
    active = set(range(len(todo)))
    for number, snapshots in engine(device, todo, CORES).snapshots(todo, active):
        yield number, snapshots
        patience = todo[number].recipe.patience
        if patience is not None and snapshots[0].score.epoch - best[number].score.epoch >= patience:
            active.discard(number)


def judged(model: str, number: int, part: Fold, snapshot: Snapshot, seconds: float) -> Result:
    score, network = snapshot.score, network_of(part, snapshot)
    answers = continuous(snapshot, part) if model == "mllp0" else decide(network, part.test.words)
    return Result(
        number,
        scores=scores(part.y_test, part.classes[answers], part.y_train),
        seconds={"fit": seconds},
        chosen={"rate": score.rate, "epoch": score.epoch},
        validation=score.mllp_f1 if model == "mllp0" else score.crs_f1,
        edges={} if model == "mllp0" else stages(network, part.training_words),
        extra={"mllp_f1": score.mllp_f1, "crs_f1": score.crs_f1, "training_f1": score.training_f1},
    )


def stages(network: RuleNetwork, words: Words) -> dict[str, int]:
    """Edges as extracted, without dead nodes, without redundant rules, without both."""
    alive = drop_dead(network, words)
    found = {"CRS_O": network, "CRS_DN": alive, "CRS_RR": drop_redundant(network), "CRS_DN_RR": drop_redundant(alive)}
    return {name: edges(one) for name, one in found.items()}


def continuous(snapshot: Snapshot, part: Fold) -> NDArray[np.intp]:
    """The answers of the MLLP on the test rows."""
    from conceptrules.kernels import cpu
    from conceptrules.kernels.cohort import Cohort
    from conceptrules.learn.on_cpu import Here

    rows = inputs_of(part.test, snapshot)
    found = cpu.forward(Cohort(snapshot.sizes, snapshot.weights[None].copy()), rows.packed, Here())[0].argmax(axis=1)
    return np.asarray(found, np.intp)


def inputs_of(rows: Examples, snapshot: Snapshot) -> Examples:
    return with_negations(rows) if snapshot.sizes[0] == 2 * rows.inputs else rows


def rates(device: str) -> None:
    """F1 of the rules on the test rows of a fold, by structure and rate: the paper's figure."""
    part, found = fold_of(FIGURE, 0, "fold"), []
    recipe = recipe_of({"layers": [128]}, priority="first", max_epochs=200, snapshot_every=10)
    todo = list(product(STRUCTURES, RATES))
    tasks = [task_of(part, replace(recipe, layers=one, binarization_rate=(rate,)), 0) for one, rate in todo]
    for (layers, rate), snapshot in zip(todo, best_of(tasks, device, by_rules), strict=True):
        answers = decide(network_of(part, snapshot), part.test.words)
        f1 = scores(part.y_test, part.classes[answers], part.y_train)["f1"]
        found.append({"layers": layers, "rate": rate, "fold": 0, "f1": f1, "epoch": snapshot.score.epoch})
    write_json(RESULTS / FIGURE / "rate-f0.json", found)


def gap(data: str, device: str) -> None:
    """The MLLP and its CRS over the epochs on validation rows, and how many classes fire."""
    part, found = fold_of(data, 0, "fold"), []
    recipe = recipe_of(settings_of(data), priority="first", max_epochs=EPOCHS, patience=None)
    task = task_of(part, recipe, 0)
    for _, (snapshot,) in watched([task], device, by_rules, {}):
        fired = unpack(class_words(network_of(part, snapshot).levels, task.validation.words)).sum(axis=1)
        shares = np.bincount(np.minimum(fired, 2), task.validation.weight, 3) / task.validation.weight.sum()
        score = snapshot.score
        entry = {"epoch": score.epoch, "mllp_f1": score.mllp_f1, "crs_f1": score.crs_f1}
        found.append(entry | dict(zip(("none", "one", "several"), shares.tolist(), strict=True)))
    write_json(RESULTS / data / "gap.json", found)


def case(device: str) -> None:
    """A small CRS of adult, for the case study: one level, so that its rules are readable."""
    part = fold_of("adult", 0, "fold")
    recipe = recipe_of({"layers": [32], "binarization_rate": 0.9, "l2": 1e-5}, priority="first", max_epochs=EPOCHS)
    (snapshot,) = best_of([task_of(part, recipe, 0)], device, by_rules)
    network = simplify(network_of(part, snapshot), part.training_words)
    rows = part.training
    save(with_statistics(network, part.training_words, rows.target, rows.weight), RESULTS / "adult" / "case.json")


if __name__ == "__main__":
    wanted, where = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "auto"
    if wanted == "gap":
        for name in ("adult", "connect-4"):
            gap(name, where)
    else:
        {"rates": rates, "case": case}[wanted](where)
