"""A fold of a data set as something to learn: bits, and the predicates behind them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.paper.folds import paper_folds
from benchmarks.paper.splits import split
from conceptrules import Binarizer, RuleNetwork, datasets
from conceptrules.learn.mllp.examples import Examples, canonical, with_negations
from conceptrules.learn.mllp.extraction import extract_levels
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import FitJob, TrainingSnapshot
from conceptrules.model.evaluation import PackedBits

VALIDATION = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """The rows of a fold as bits."""

    binarizer: Binarizer
    classes: NDArray[Any]
    training: Examples
    """In canonical form."""
    test: Examples
    training_words: PackedBits
    y_train: NDArray[Any]
    y_test: NDArray[Any]


@lru_cache(maxsize=12)
def fold_of(name: str, number: int, protocol: str = "fold") -> Fold:
    """Return the rows of a fold; its cut points are from the training rows, or from all rows as published."""
    data = datasets.load(name)
    train, test = list(paper_folds(len(data.y)))[number]
    seen = train if protocol == "fold" else np.arange(len(data.y))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constant columns")  # mushroom has one, veil-type, and that is known
        warnings.filterwarnings("ignore", "read as ordered")  # of no consequence: every category is a bit here
        binarizer = Binarizer(keep=data.X.column_names).fit(data.X.take(seen), data.y[seen])
    classes, codes = np.unique(data.y[train], return_inverse=True)
    training = canonical(
        Examples.from_packed_bits(binarizer.transform_packed(data.X.take(train)), codes, np.ones(len(train)))
    )
    # A class that the training rows lack gets the number past the last: no network ever answers it.
    known = np.searchsorted(classes, data.y[test])
    known = np.where(classes[np.minimum(known, len(classes) - 1)] == data.y[test], known, len(classes))
    tested = Examples.from_packed_bits(binarizer.transform_packed(data.X.take(test)), known, np.ones(len(test)))
    return Fold(binarizer, classes, training, tested, training.to_packed_bits(), data.y[train], data.y[test])


@dataclass(frozen=True, slots=True, eq=False)
class Divided:
    """Four fifths of the training rows to learn from, the others to choose by; and where chance goes on from there."""

    training: Examples
    validation: Examples
    rng: np.random.Generator


@lru_cache(maxsize=64)
def divided(name: str, number: int, seed: int, negation: bool = False) -> Divided:
    if negation:
        plain = divided(name, number, seed)
        return Divided(with_negations(plain.training), with_negations(plain.validation), plain.rng)
    rng = np.random.default_rng(seed)
    training, validation = split(fold_of(name, number).training, VALIDATION, rng)
    return Divided(training, validation if len(validation) else training, rng)


def task_of(name: str, number: int, recipe: Hyperparameters, seed: int) -> FitJob:
    """Ready for an engine, with the negations that its recipe asks for. Tasks of the same rows share them."""
    rows = divided(name, number, seed, recipe.negation)
    classes = len(fold_of(name, number).classes)
    return FitJob(recipe, rows.training, rows.validation, np.ones(classes), deepcopy(rows.rng))


def network_of(fold: Fold, snapshot: TrainingSnapshot) -> RuleNetwork:
    names = tuple(fold.classes.tolist())
    return RuleNetwork(
        columns=fold.binarizer.columns_,
        predicates=fold.binarizer.predicates_,
        levels=extract_levels(snapshot.sizes, snapshot.weights, len(fold.binarizer.predicates_)),
        classes=names,
        priority=tuple(names[c] for c in snapshot.priority),
        default=names[snapshot.default],
    )


def recipe_of(settings: Mapping[str, Any], **changes: Any) -> Hyperparameters:
    """From settings, whose lists are tuples here; what is not for a recipe is left out."""
    known = {key: value for key, value in settings.items() if key in Hyperparameters.__dataclass_fields__}
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in known.items()}
    return replace(Hyperparameters(**given), **changes)
