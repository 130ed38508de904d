"""What there is to learn: rows as bins, and the folds that choose a network."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.learn.holdout import GIVEN, HELD_BACK, TRAINING
from conceptrules.learn.search.binned_table import MAX_BINS, binned_table
from conceptrules.learn.search.fit import SearchTask
from conceptrules.learn.search.merged_rows import Fold, folds, merged
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.training_data import TrainingData, open_validation_rows
from conceptrules.model.errors import warn

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

    They are those that the user gives, or folds of the table.
    """
    table = binned_table(data.binarizer, max_bins)
    class_weight = data.weights_of_classes(data.target, data.weight)
    rows = merged(table.codes(data.table), data.target, data.weight, class_weight)
    if X_val is not None or y_val is not None:
        given, target, weight = open_validation_rows(data, X_val, y_val)
        parts, source = [Fold(rows, merged(table.codes(given), target, weight, class_weight))], GIVEN
    else:
        count = max(2, round(1 / validation_fraction))
        most = count if len(rows.label) <= _ALL_FOLDS else 3 if len(rows.label) <= _THREE_FOLDS else 1
        parts = folds(rows, count, most, rng)
        source = TRAINING if parts[0].held is parts[0].training else HELD_BACK
        _warn_of_small(data, rows.mass.argmax(axis=1), source)
    classes, seed = tuple(data.classes.tolist()), int(rng.integers(2**31))
    return SearchTask(table, table.columns(rows.codes), classes, rows, parts, settings, seed), source


def _warn_of_small(data: TrainingData, main: NDArray[np.intp], source: str) -> None:
    """Warn of classes that no fold can hold out."""
    counts = np.bincount(main, minlength=len(data.classes))
    small = data.classes[counts < 2] if source == HELD_BACK else data.classes
    if len(small):
        names = ", ".join(map(repr, small.tolist()))
        noun, has = ("class", "has") if len(small) == 1 else ("classes", "have")
        warn(f"{noun} {names} {has} too few different rows to hold some out for validation; all are learned from")
