"""Rows to learn from, and rows held out of learning to judge by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conceptrules.learn.examples import Examples, canonical, joined, split
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
    training, held = _held_back(data.rows, fraction, rng)
    _warn_of_small(data, fraction, training, held)
    return Holdout(training, held, TRAINING if held is training else HELD_BACK, data.rows)


def _held_back(rows: Examples, fraction: float, rng: np.random.Generator) -> tuple[Examples, Examples]:
    training, held = split(rows, fraction, rng)
    # Where no class has a row to spare, the rows to learn from have to judge as well.
    return training, held if len(held) else training


def _warn_of_small(data: TrainingData, fraction: float, training: Examples, held: Examples) -> None:
    judging = held.target if held is not training else np.zeros(0, np.int64)
    small = data.classes[np.setdiff1d(training.target, judging).astype(np.intp)]
    if len(small):
        named = ", ".join(map(repr, small.tolist()))
        few = f"class {named} has" if len(small) == 1 else f"classes {named} have"
        warn(f"{few} too few rows for a validation split of {fraction}; these rows stay in training")
