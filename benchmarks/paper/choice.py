"""The search behind the columns CRS, CRS with a learned priority, MLLP(P=0) and CRS(P=0): what is tried and chosen.

PROTOCOL.md says it in words, protocol.toml in figures, and column.py trains. A choice is made by each fold for itself,
from trainings on splits of its own training rows. NumPy is all that this needs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
FOLDS = 5
COLUMNS = ("loss", "edges", "first", "learned", "held_first", "held_learned", "mllp", "held_mllp")
"""What a look holds of a network: macro-F1 of its rules with either priority, and its own, on its training rows and on
those held out of them."""
LOSS = 1e-6
"""What decides between looks of the same score: the lower loss."""
LOOK_EVERY = 10
"""Epochs between two looks."""
JUDGED = {"crs": "first", "crs-learned": "learned", "mllp0": "mllp", "crs0": "first"}
"""The score that counts for a model: of its rules with the first class winning, with a learned priority, or its own."""
MODELS = {"rules": ("crs", "crs-learned"), "zero": ("mllp0", "crs0")}
"""The models that are read off the same trainings: with random binarization, and without."""


@cache
def protocol() -> dict[str, Any]:
    return tomllib.loads((HERE / "protocol.toml").read_text(encoding="utf-8"))


def plan_of(kind: str, data: str) -> dict[str, Any]:
    """Return what protocol.toml says of a kind of network, for a data set."""
    found: dict[str, Any] = protocol()[kind]
    return {**found, **found["small"]} if data in protocol()["small"] else found


def least_steps(data: str) -> int:
    """Return how many steps an epoch has at least."""
    return int(protocol()["steps of small tables"]) if data in protocol()["small"] else 1


@dataclass(frozen=True, slots=True)
class Trial:
    """One training of the search: a configuration (its number) on a split of the training rows of a fold; a start."""

    fold: int
    number: int
    split: int
    start: int


@dataclass(frozen=True, slots=True)
class Choice:
    """What a fold has chosen for a model: a configuration, for how many epochs, and the score that it was chosen by."""

    number: int
    epochs: int
    score: float


Scores = Mapping[Trial, Mapping[str, Sequence[float]]]
"""For each trial and model, the score on the rows that were held out, by how many epochs it was trained for."""


def zero_configurations() -> list[dict[str, Any]]:
    """Return the configurations without random binarization."""
    plan = protocol()["zero"]
    return [
        {"layers": layers, "binarization_rate": 0.0, "negation": negation, "l2": l2}
        for layers, negation, l2 in product(plan["layers"], plan["negation"], plan["l2"])
    ]


def first_round(kind: str, data: str, numbers: Sequence[Sequence[int]]) -> list[Trial]:
    """Return all configurations of each fold, from one start on each split."""
    splits = plan_of(kind, data)["splits"]
    return [
        Trial(fold, number, split, 0)
        for fold in range(FOLDS)
        for number, split in product(numbers[fold], range(splits))
    ]


def second_round(kind: str, data: str, scores: Scores) -> list[Trial]:
    """Return what is still to train of the best of each fold, for each model."""
    plan = plan_of(kind, data)
    found = []
    for fold in range(FOLDS):
        kept = dict.fromkeys(
            choice.number for model in MODELS[kind] for choice in ranked(scores, fold, model)[: plan["keep"]]
        )
        places = product(kept, range(plan["splits of the kept"]), range(plan["starts of the kept"]))
        found += [Trial(fold, *place) for place in places]
    return [trial for trial in found if trial not in scores]


def ranked(scores: Scores, fold: int, model: str) -> list[Choice]:
    """Return the configurations of a fold, each at the number of epochs that is best for it, the best first."""
    runs: dict[int, list[Sequence[float]]] = {}
    for trial, found in scores.items():
        if trial.fold == fold:
            runs.setdefault(trial.number, []).append(found[model])
    choices = []
    for number, each in runs.items():
        means = [mean(values) for values in zip(*each, strict=True)]
        place = int(np.argmax(means))
        choices.append(Choice(number, protocol()["lengths"][place], means[place]))
    return sorted(choices, key=lambda choice: -choice.score)


def chosen(kind: str, data: str, scores: Scores, fold: int, model: str) -> Choice:
    """Return the best of those that had all splits and starts of the second round; of all, where there was none."""
    plan = plan_of(kind, data)
    whole = plan["splits of the kept"] * plan["starts of the kept"]
    counts: dict[int, int] = {}
    for trial in scores:
        if trial.fold == fold:
            counts[trial.number] = counts.get(trial.number, 0) + 1
    finalists = {number for number, count in counts.items() if count >= whole}
    choices = ranked(scores, fold, model)
    return next((choice for choice in choices if choice.number in finalists), choices[0])


def scores_of(looks: NDArray[np.floating[Any]], kind: str) -> dict[str, list[float]]:
    """Return the score of each model on the rows held out, by how many epochs it was trained for.

    That is the score at the look that is best on the training rows, in the second half of so many epochs: the same
    choice as in the column, where no rows are held out. `looks` is (looks, columns) of one network.
    """
    return {model: [_held(looks, JUDGED[model], length) for length in lengths(kind)] for model in MODELS[kind]}


def lengths(kind: str) -> list[int]:
    return [length for length in protocol()["lengths"] if length <= protocol()[kind]["most_epochs"]]


def _held(looks: NDArray[np.floating[Any]], name: str, length: int) -> float:
    rows = [place for place in range(len(looks)) if length / 2 < LOOK_EVERY * (place + 1) <= length]
    key = looks[rows, COLUMNS.index(name)] - LOSS * looks[rows, COLUMNS.index("loss")]
    return float(looks[rows[int(np.argmax(key))], COLUMNS.index(f"held_{name}")])
