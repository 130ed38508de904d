"""Rows to learn from, and rows held out of learning to judge by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.learn.examples import Examples, canonical, joined, parted
from conceptrules.learn.row_groups import held_once
from conceptrules.learn.training_data import TrainingData, open_validation_rows
from conceptrules.model.errors import warn

HELD_BACK, GIVEN, TRAINING = "held back", "given", "training"


@dataclass(frozen=True, slots=True, eq=False)
class Holdout:
    """One split of the rows."""

    training: Examples
    """Rows to learn from."""
    held: Examples
    """Rows to judge by: the same object where no row can be held out."""
    source: str
    """Where the rows to judge by are from: HELD_BACK, GIVEN or TRAINING."""
    seen: Examples
    """All rows that may decide what is left out of the rules."""


def hold_out(data: TrainingData, X_val: Any, y_val: Any, *, fraction: float, rng: np.random.Generator) -> Holdout:
    """Take the user's rows to judge by, or else hold back a fraction of the rows.

    A class that is too small to give a row stays in training, which is told in a warning.
    """
    if X_val is not None or y_val is not None:
        table, target, weight = open_validation_rows(data, X_val, y_val)
        given = canonical(Examples.from_packed_bits(data.binarizer.transform_packed(table), target, weight))
        return Holdout(data.rows, given, GIVEN, joined(data.rows, given))
    if data.groups is not None:
        part = data.groups.parts(data.target, data.weight, fraction, rng)
        return Holdout(*parted(data.in_order(), part == 0), HELD_BACK, data.rows)
    # Equal rows are held out together. Their hashes say which ones are, for many others have the same bits.
    _, first, number = np.unique(data.hashes, return_index=True, return_inverse=True)
    order = np.lexsort((data.weight, number))
    size = np.bincount(number[order], data.weight[order]).astype(np.float64)
    training, held = parted(data.in_order(), held_once(data.target[first], size, fraction, rng)[number])
    warn_of_small(data.classes[np.setdiff1d(training.target, held.target)])
    if not len(held):  # where no class has a row to spare, the rows to learn from have to judge as well
        return Holdout(training, training, TRAINING, data.rows)
    return Holdout(training, held, HELD_BACK, data.rows)


def warn_of_small(classes: NDArray[Any]) -> None:
    """Warn of classes that have no row to hold out."""
    if len(classes):
        named = ", ".join(map(repr, classes.tolist()))
        few = f"class {named} has" if len(classes) == 1 else f"classes {named} have"
        warn(f"{few} too few rows that differ to hold some out for validation; these rows stay in training")
