"""What there is to learn: rows as bins, and the folds that choose a network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.learn.binned_search.binned_table import binned_table
from conceptrules.learn.binned_search.fit import SearchTask
from conceptrules.learn.binned_search.merged_rows import folds, merged
from conceptrules.learn.binned_search.settings import SearchSettings
from conceptrules.model.predicate import Value
from conceptrules.tables.table import Table

# Rows up to which all folds, or three of them, are held out in turn; of larger tables one part is.
_ALL_FOLDS, _THREE_FOLDS = 5_000, 200_000


def search_task(
    table: Table,
    target: NDArray[np.int64],
    *,
    binarizer: Binarizer,
    classes: tuple[Value, ...],
    weight: NDArray[np.float64],
    class_weight: NDArray[np.float64],
    settings: SearchSettings,
    validation_fraction: float = 0.2,
    rng: np.random.Generator,
) -> SearchTask:
    """Return the task of learning from a table that a binarizer was fitted to; `target` counts the classes."""
    bins = binned_table(binarizer)
    rows = merged(bins.codes(table), target, weight, class_weight)
    count = max(2, round(1 / validation_fraction))
    most = count if len(rows.label) <= _ALL_FOLDS else 3 if len(rows.label) <= _THREE_FOLDS else 1
    parts = folds(rows, count, most, rng)
    seed = int(rng.integers(2**31))
    return SearchTask(bins, bins.columns(rows.codes), classes, rows, parts, settings, seed)
