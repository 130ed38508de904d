"""The columns CRS, MLLP(P=0) and CRS(P=0): the paper's method, with settings chosen by validation score.

The first class that fires wins, and the epoch is the one that is best on the validation rows of the fold: for the CRS
by the score of the rules, for the MLLP by its own. CRS(P=0) is read off the MLLP of its column. All folds and seeds of
a data set that are asked for at once are trained side by side.

`python -m benchmarks.paper.crs rates|gap|case` makes what the figures need besides.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.paper.records import QUICK, RECORDS, Run, missing, write_entry, write_fold
from benchmarks.paper.records import Fold as Result
from benchmarks.paper.scores import macro_f1, scores
from benchmarks.paper.settings import table_of
from benchmarks.paper.training_data import Fold, divided, fold_of, network_of, recipe_of, task_of
from conceptrules.io.model_file import save
from conceptrules.kernels.mllp import cpu
from conceptrules.kernels.mllp.cohort import Cohort
from conceptrules.learn.examples import Examples, with_negations
from conceptrules.learn.mllp.cpu_engine import CallingThread
from conceptrules.learn.mllp.device import engine
from conceptrules.learn.mllp.fit import FitJob, Score, Snapshot
from conceptrules.logic.simplification import drop_dead, drop_redundant, simplify
from conceptrules.model.evaluation import PackedBits, class_words, decide, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.statistics import edges, with_statistics

CORES = os.cpu_count() or 1
FIGURE = "connect-4"
STRUCTURES = [(32,), (128,), (512,), (32, 32, 32), (64, 64, 64), (128, 128, 128)]
RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
Key = Callable[[Score], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where to train."""

    device: str = "auto"
    cores: int = CORES


def settings_of(data: str, model: str, fold: int) -> dict[str, Any]:
    """What was chosen for the CRS of this fold; for the others with what their own file says."""
    chosen = table_of(data, "crs")
    if "folds" not in chosen:
        raise ValueError(
            f"settings/crs.toml has no choice for the folds of {data}: python -m benchmarks.paper.search {data}"
        )
    own = {} if model == "crs" else table_of(data, model)
    return {**chosen["fixed"], **chosen["folds"][str(fold)], **own}


@dataclass(frozen=True, slots=True)
class Wanted:
    """One training: of the MLLP without random binarization, or of a CRS."""

    zero: bool
    protocol: str
    seed: int
    fold: int

    @property
    def models(self) -> tuple[str, ...]:
        """Both columns without random binarization come from one training."""
        return ("mllp0", "crs0") if self.zero else ("crs",)


def run(data: str, runs: Sequence[Run], place: Place, quick: bool = False, root: Path | None = None) -> None:
    """What is missing of these runs of a data set.

    Trained below the estimator: it leaves the least number of steps of an epoch, which the space varies, to itself; the
    answers of an MLLP need its weights, which it does not keep; and cut points from all rows, as the authors have them,
    are what it is there to prevent.
    """
    root = root or (QUICK if quick else RECORDS)
    wanted = sorted(
        {Wanted(one.model != "crs", one.protocol, one.seed, fold) for one in runs for fold in _missing(one, root)},
        key=str,
    )
    if not wanted:
        return
    settings = [settings_of(data, one.models[0], one.fold) for one in wanted]
    tasks = [
        task_of(data, one.fold, one.protocol, recipe_of(given), one.seed)
        for one, given in zip(wanted, settings, strict=True)
    ]
    start = perf_counter()
    best = best_of(tasks, [by_mllp if one.zero else by_rules for one in wanted], place)
    seconds = (perf_counter() - start) / len(tasks)
    for one, given, snapshot in zip(wanted, settings, best, strict=True):
        part = fold_of(data, one.fold, one.protocol)
        for model in one.models:
            target = Run(data, model, one.protocol, one.seed)
            if target in runs and one.fold in _missing(target, root):
                all_settings = {**table_of(data, "crs"), **table_of(data, model)}
                write_fold(target, judged(model, one.fold, part, snapshot, given, seconds), all_settings, root=root)


def by_rules(score: Score) -> tuple[float, ...]:
    return score.rank


def by_mllp(score: Score) -> tuple[float, ...]:
    return (score.mllp_f1,)


def best_of(tasks: Sequence[FitJob], keys: Sequence[Key], place: Place) -> list[Snapshot]:
    best: dict[int, Snapshot] = {}
    for number, snapshots in watched(tasks, place, best):
        key, rivals = keys[number], [*([best[number]] if number in best else []), *snapshots]
        best[number] = max(rivals, key=lambda one: key(one.score))
    return [best[number] for number in range(len(tasks))]


def watched(tasks: Sequence[FitJob], place: Place, best: dict[int, Snapshot]) -> Iterator[tuple[int, list[Snapshot]]]:
    """All snapshots; a task ends when it has not become better for as long as its recipe is patient."""
    active = set(range(len(tasks)))
    for number, snapshots in engine(place.device, tasks, place.cores).snapshots(tasks, active):
        yield number, snapshots
        patience = tasks[number].hyperparameters.patience
        if patience is not None and snapshots[0].score.epoch - best[number].score.epoch >= patience:
            active.discard(number)


def judged(
    model: str, number: int, part: Fold, snapshot: Snapshot, settings: Mapping[str, Any], seconds: float
) -> Result:
    score, network = snapshot.score, network_of(part, snapshot)
    extra = {"mllp_f1": score.mllp_f1, "crs_f1": score.crs_f1, "training_f1": score.training_f1}
    if model == "mllp0":
        answers = continuous(snapshot, part)
    else:
        answers = decide(simplify(network, part.training_words), part.test.to_packed_bits())
        extra["unsimplified_f1"] = macro_f1(part.y_test, part.classes[decide(network, part.test.to_packed_bits())])
    return Result(
        number,
        scores=scores(part.y_test, part.classes[answers], part.y_train),
        seconds={"fit": seconds},
        chosen={**chosen_of(settings), "epoch": score.epoch},
        validation=score.mllp_f1 if model == "mllp0" else score.crs_f1,
        edges={} if model == "mllp0" else stages(network, part.training_words),
        extra=extra,
    )


def chosen_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What differs between the folds of a run, the weight decay aside, which a record would round to 0."""
    return {key: settings[key] for key in ("layers", "binarization_rate", "negation", "min_steps")}


def stages(network: RuleNetwork, words: PackedBits) -> dict[str, int]:
    """Edges as extracted, without dead nodes, without redundant rules, without both."""
    alive = drop_dead(network, words)
    found = {"CRS_O": network, "CRS_DN": alive, "CRS_RR": drop_redundant(network), "CRS_DN_RR": drop_redundant(alive)}
    return {name: edges(one) for name, one in found.items()}


def continuous(snapshot: Snapshot, part: Fold) -> NDArray[np.intp]:
    """The answers of the MLLP on the test rows."""
    rows = inputs_of(part.test, snapshot)
    found = cpu.forward(Cohort(snapshot.sizes, snapshot.weights[None].copy()), rows.packed, CallingThread())[0].argmax(
        axis=1
    )
    return np.asarray(found, np.intp)


def inputs_of(rows: Examples, snapshot: Snapshot) -> Examples:
    return with_negations(rows) if snapshot.sizes[0] == 2 * rows.inputs else rows


def rates(place: Place, data: str = FIGURE, epochs: int = 200, root: Path = RECORDS) -> None:
    """F1 of the rules on the test rows of a fold, by structure and rate: the paper's figure."""
    part, found = fold_of(data, 0, "fold"), []
    recipe = recipe_of({"layers": [128]}, priority="first", max_epochs=epochs, snapshot_every=10)
    todo = list(product(STRUCTURES, RATES))
    recipes = [replace(recipe, layers=layers, binarization_rate=(rate,)) for layers, rate in todo]
    best = best_of([task_of(data, 0, "fold", one, 0) for one in recipes], [by_rules] * len(todo), place)
    for (layers, rate), snapshot in zip(todo, best, strict=True):
        answers = decide(network_of(part, snapshot), part.test.to_packed_bits())
        f1 = scores(part.y_test, part.classes[answers], part.y_train)["f1"]
        found.append({"layers": layers, "rate": rate, "fold": 0, "f1": f1, "epoch": snapshot.score.epoch})
    for entry in found:
        write_entry("rates", {"data": data, **entry}, "data", "layers", "rate", "fold", root=root)


def gap(data: str, place: Place, epochs: int = 400, root: Path = RECORDS) -> None:
    """The MLLP and its CRS over the epochs on validation rows, and how many classes fire."""
    part, found = fold_of(data, 0, "fold"), []
    recipe = recipe_of(settings_of(data, "crs", 0), max_epochs=epochs, patience=None)
    rows = divided(data, 0, "fold", 0).validation
    words = rows.to_packed_bits()
    for _, (snapshot,) in watched([task_of(data, 0, "fold", recipe, 0)], place, {}):
        fired = unpack(class_words(network_of(part, snapshot).levels, words)).sum(axis=1)
        shares = np.bincount(np.minimum(fired, 2), rows.weight, 3) / rows.weight.sum()
        score = snapshot.score
        entry = {"epoch": score.epoch, "mllp_f1": score.mllp_f1, "crs_f1": score.crs_f1}
        found.append(entry | dict(zip(("none", "one", "several"), shares.tolist(), strict=True)))
    for entry in found:
        write_entry("gap", {"data": data, **entry}, "data", "epoch", root=root)


def case(place: Place) -> None:
    """A small CRS of adult, for the case study: one level, so that its rules are readable."""
    part = fold_of("adult", 0, "fold")
    recipe = recipe_of({"layers": [32], "binarization_rate": 0.9, "l2": 1e-5}, priority="first", max_epochs=400)
    (snapshot,) = best_of([task_of("adult", 0, "fold", recipe, 0)], [by_rules], place)
    network = simplify(network_of(part, snapshot), part.training_words)
    rows = part.training
    save(with_statistics(network, part.training_words, rows.target, rows.weight), RECORDS / "case_study.json")


def _missing(one: Run, root: Path) -> list[int]:
    return missing(one.data, one.model, one.protocol, one.seed, root=root)


if __name__ == "__main__":
    wanted, where = sys.argv[1], Place(sys.argv[2] if len(sys.argv) > 2 else "auto")
    if wanted == "gap":
        for name in ("adult", "connect-4"):
            gap(name, where)
    else:
        {"rates": rates, "case": case}[wanted](where)
