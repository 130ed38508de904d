"""What there is to learn: rows as bins, and the folds that choose a network."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Rows
from conceptrules.learn.holdout import GIVEN, HELD_BACK, TRAINING, warn_of_small
from conceptrules.learn.row_groups import parts_of
from conceptrules.learn.search.binned_table import MAX_BINS, binned_table
from conceptrules.learn.search.fit import SearchTask
from conceptrules.learn.search.merged_rows import Fold, folds, merged, repeats_of
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.training_data import TrainingData, open_validation_rows

# Rows up to which all folds, or three of them, are held out in turn; of larger tables one part is.
_ALL_FOLDS, _THREE_FOLDS = 5_000, 200_000


def search_task(
    data: TrainingData,
    X_val: Any = None,
    y_val: Any = None,
    *,
    settings: SearchSettings,
    max_bins: int = MAX_BINS,
    validation_fraction: float = 0.2,
    rng: np.random.Generator,
) -> tuple[SearchTask, str]:
    """Return the task of learning from a table, and where the rows that choose the network are from.

    They are those that the user gives, or folds of the table. Where every row is there several times, one of them is
    learned from: a table twice over says no more than it does once.
    """
    table = binned_table(data.binarizer, max_bins)
    codes, class_weight = table.codes(data.table), data.weights_of_classes(data.target, data.weight)
    repeats = repeats_of(data.hashes, data.weight)

    def some(chosen: NDArray[np.bool_] | slice) -> Rows:
        return merged(codes[chosen], data.target[chosen], data.weight[chosen], class_weight, repeats)

    rows = some(slice(None))
    count = parts_of(validation_fraction)
    most = count if len(rows.label) <= _ALL_FOLDS else 3 if len(rows.label) <= _THREE_FOLDS else 1
    given_rows = X_val is not None or y_val is not None
    if given_rows:
        given, target, weight = open_validation_rows(data, X_val, y_val)
        parts = [Fold(rows, merged(table.codes(given), target, weight, class_weight, repeats))]
    elif data.groups is not None:
        part = data.groups.parts(data.target, data.weight, validation_fraction, rng)
        sides = [Fold(some(part != number), some(part == number)) for number in range(min(part.max() + 1, most))]
        # A class may weigh nothing, and a side may have no other.
        parts = [fold for fold in sides if len(fold.training.label) and len(fold.held.label)] or [Fold(rows, rows)]
    else:
        parts = folds(rows, count, most, rng)
        counts = np.bincount(rows.mass.argmax(axis=1), minlength=len(data.classes))
        warn_of_small(data.classes if parts[0].held is rows else data.classes[counts < 2])
    classes, seed = tuple(data.classes.tolist()), int(rng.integers(2**31))
    source = GIVEN if given_rows else TRAINING if parts[0].held is rows else HELD_BACK
    return SearchTask(table, table.columns(rows.codes), classes, rows, parts, settings, seed, repeats), source
