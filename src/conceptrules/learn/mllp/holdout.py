"""The split of a table for one fit: rows to train on, and rows held out to choose the rate and the epoch by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conceptrules.learn.folds import GIVEN, HELD_BACK, TRAINING, split_once, warn_of_small_classes
from conceptrules.learn.mllp.examples import Examples, canonical, joined, parted
from conceptrules.learn.mllp.training_data import TrainingData, open_validation_rows


@dataclass(frozen=True, slots=True, eq=False)
class Holdout:
    """One split of the rows."""

    training: Examples
    validation: Examples
    """The same object as `training` where no row can be held out."""
    source: str
    """Where the validation rows come from: HELD_BACK, GIVEN or TRAINING."""
    seen: Examples
    """All rows that may decide what simplification leaves out of the rules."""


def hold_out(data: TrainingData, X_val: Any, y_val: Any, *, fraction: float, rng: np.random.Generator) -> Holdout:
    """Take the user's validation rows, or else hold back a fraction of the rows.

    A class that is too small to spare a row stays in training, with a warning.
    """
    if X_val is not None or y_val is not None:
        table, target, weight = open_validation_rows(data, X_val, y_val)
        validation = canonical(Examples.from_packed_bits(data.binarizer.transform_packed(table), target, weight))
        return Holdout(data.rows, validation, GIVEN, joined(data.rows, validation))
    if data.groups is not None:
        part = data.groups.assign_parts(data.target, data.weight, fraction, rng)
        return Holdout(*parted(data.in_order(), part == 0), HELD_BACK, data.rows)
    # Equal rows are held out together. Hashes of the raw cells tell which rows are equal: rows that differ may well
    # have the same bits.
    _, first, number = np.unique(data.hashes, return_index=True, return_inverse=True)
    order = np.lexsort((data.weight, number))
    size = np.bincount(number[order], data.weight[order]).astype(np.float64)
    training, validation = parted(data.in_order(), split_once(data.target[first], size, fraction, rng)[number])
    warn_of_small_classes(data.classes[np.setdiff1d(training.target, validation.target)])
    if not len(validation):  # no class has a row to spare, so the training rows have to judge as well
        return Holdout(training, training, TRAINING, data.rows)
    return Holdout(training, validation, HELD_BACK, data.rows)
