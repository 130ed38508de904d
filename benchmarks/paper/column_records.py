"""What goes to the machine with the GPU, and what comes back from it: rows as bits there, networks as records here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import jsonl
from benchmarks.paper.choice import FOLDS, MODELS, Choice, Scores, Trial, chosen, plan_of
from benchmarks.paper.choice import protocol as protocol_of_columns
from benchmarks.paper.records import RECORDS, Run, write_fold
from benchmarks.paper.records import Fold as Result
from benchmarks.paper.reference import data_names
from benchmarks.paper.scores import macro_f1, scores
from benchmarks.paper.training_data import Fold, fold_of
from conceptrules.datasets.loading import catalogue
from conceptrules.learn.mllp.extraction import extract_levels
from conceptrules.logic.simplification import drop_dead, drop_redundant, simplify
from conceptrules.model.evaluation import PackedBits, decide
from conceptrules.model.network import RuleNetwork
from conceptrules.model.statistics import edges as edges_of

CANDIDATES = "candidates.jsonl"


def write_inputs(folder: Path, protocol: str = "fold", root: Path = RECORDS) -> None:
    """Write the training rows of all folds as bits with their classes, and the test rows as bits without."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CANDIDATES).write_bytes((root / CANDIDATES).read_bytes())
    for name in names_of(protocol):
        arrays: dict[str, Any] = {}
        for number in range(FOLDS):
            fold = fold_of(name, number, protocol)
            rows = fold.training
            arrays |= {f"{number}.{key}": getattr(rows, key) for key in ("packed", "target", "weight")}
            arrays |= {
                f"{number}.sizes": np.array([rows.inputs, len(fold.classes)]),
                f"{number}.test": fold.test.packed,
            }
        np.savez_compressed(folder / f"{name}.npz", **arrays)


def names_of(protocol: str) -> list[str]:
    """Return the data sets that a protocol trains on: without cut points, "published" is the same as "fold"."""
    return [name for name in data_names() if protocol == "fold" or catalogue()[name].continuous]


def take(state: Path, protocol: str = "fold", root: Path = RECORDS) -> None:
    """Judge all networks that came back on the test rows of their folds, and keep what the search has tried.

    What was tried as published is no record of its own: its runs say what each fold has chosen.
    """
    place = json.loads((state / "place.json").read_text(encoding="utf-8"))
    for entry in jsonl.read(root / CANDIDATES):
        kind, data = entry["kind"], entry["data"]
        if data not in names_of(protocol):
            continue
        search = searched(state, entry)
        if protocol == "fold":
            jsonl.put(root / "search.jsonl", [jsonl.rounded({**search, "place": place})], ("data", "kind"))
        path = state / f"column-{kind}-{data}.npz"
        if path.exists():
            with np.load(path) as arrays:
                take_column(dict(arrays), entry["configurations"], search, place, protocol, root)


def trials_of(state: Path, kind: str, data: str) -> tuple[Scores, float]:
    """Return all that the search has tried, and the seconds that it took."""
    found: dict[Trial, dict[str, list[float]]] = {}
    seconds = 0.0
    for phase in ("first", "second"):
        path = state / f"{phase}-{kind}-{data}.json"
        if path.exists():
            record = json.loads(path.read_text(encoding="utf-8"))
            found |= {Trial(*place): scores for place, scores in record["trials"]}
            seconds += record["seconds"]
    return found, seconds


def searched(state: Path, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a search: each configuration of each fold by its number, with the mean scores of its runs
    after so many epochs, and what was chosen."""
    kind, data = entry["kind"], entry["data"]
    trials, seconds = trials_of(state, kind, data)
    folds = []
    for number in range(FOLDS):
        numbers = entry["folds"][number]
        runs = {
            one: [found for trial, found in trials.items() if (trial.fold, trial.number) == (number, one)]
            for one in numbers
        }
        tries = {"number": numbers, "runs": [len(runs[one]) for one in numbers]}
        for model in MODELS[kind]:
            means = (np.mean([run[model] for run in runs[one]], axis=0) for one in numbers)
            tries[model] = [mean.round(4).tolist() for mean in means]
        best = {model: asdict(chosen(kind, data, trials, number, model)) for model in MODELS[kind]}
        folds.append({"fold": number, "chosen": best, "tries": tries})
    return {
        "data": data,
        "kind": kind,
        "seconds": seconds,
        "trials": len(trials),
        "folds": folds,
    }


def take_column(
    arrays: Mapping[str, Any],
    configurations: Sequence[Mapping[str, Any]],
    search: Mapping[str, Any],
    place: Mapping[str, Any],
    protocol: str,
    root: Path,
) -> None:
    kind, data = search["kind"], search["data"]
    plan = {key: value for key, value in plan_of(kind, data).items() if key != "small"}
    seeds = protocol_of_columns()["seeds"]
    each = float(arrays["seconds"]) / (FOLDS * seeds * len(MODELS[kind]))
    for model in MODELS[kind]:
        for seed in range(seeds):
            for number in range(FOLDS):
                choice = Choice(**search["folds"][number]["chosen"][model])
                own = {
                    key.rpartition(".")[2]: value
                    for key, value in arrays.items()
                    if key.startswith(f"{model}.{number}.{seed}.")
                }
                result = judged(data, number, protocol, configurations[choice.number], choice, own)
                result = replace(result, seconds={"fit": each})
                write_fold(Run(data, model, protocol, seed), result, plan, root=root, place=place)


def judged(
    data: str, number: int, protocol: str, given: Mapping[str, Any], choice: Choice, own: Mapping[str, Any]
) -> Result:
    """Return the scores of a network on the test rows of its fold; of an MLLP, from its answers."""
    part = fold_of(data, number, protocol)
    _, start, epoch, default = own["of"].tolist()
    training = {"training_f1": float(own["score"]), "start": start, "epoch": epoch}
    told = {key: given[key] for key in ("layers", "binarization_rate", "negation")}
    edges: dict[str, int] = {}
    if "answers" in own:
        answers = own["answers"]
    else:
        network = network_of(part, given, own["edges"], own["priority"].tolist(), default)
        answers = decide(simplify(network, part.training_words), part.test.to_packed_bits())
        edges = stages(network, part.training_words)
        plain = decide(network, part.test.to_packed_bits())
        training["unsimplified_f1"] = macro_f1(part.y_test, part.classes[plain])
    return Result(
        number,
        scores=scores(part.y_test, part.classes[answers], part.y_train),
        chosen={**told, "epochs": choice.epochs},
        validation=choice.score,
        edges=edges,
        extra=training,
    )


def stages(network: RuleNetwork, words: PackedBits) -> dict[str, int]:
    """Return the edges as extracted, without dead nodes, without redundant rules, without both."""
    alive = drop_dead(network, words)
    found = {"CRS_O": network, "CRS_DN": alive, "CRS_RR": drop_redundant(network), "CRS_DN_RR": drop_redundant(alive)}
    return {name: edges_of(one) for name, one in found.items()}


def network_of(
    part: Fold, given: Mapping[str, Any], edges: np.ndarray, priority: list[int], default: int
) -> RuleNetwork:
    predicates, names = part.binarizer.predicates_, tuple(part.classes.tolist())
    sizes = ((1 + given["negation"]) * len(predicates), *given["layers"], len(names))
    weights = np.zeros(sum(a * b for a, b in pairwise(sizes)), np.float32)
    weights[edges] = 1
    return RuleNetwork(
        columns=part.binarizer.columns_,
        predicates=predicates,
        levels=extract_levels(sizes, weights, len(predicates)),
        classes=names,
        priority=tuple(names[c] for c in priority),
        default=names[default],
    )
