"""What training makes of a column whose values were counted in batches: the same as of its rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conceptrules.binarize.columns import (
    LearnedColumn,
    PredicateSettings,
    learn_column,
    too_many_categories,
)
from conceptrules.binarize.doubtful_columns import doubt_counted
from conceptrules.binarize.target import Target
from conceptrules.binarize.told_findings import SeenColumn
from conceptrules.binarize.value_counts import ValueCounts


def learn_counted(counts: ValueCounts, settings: PredicateSettings) -> SeenColumn:
    """Return what a column is learned as. A weight counts as so many repeats of a row, so counts are weights."""
    cells, sums = counts.distinct()
    shown = sums.copy()
    shown[cells.missing, 0] = counts.unit  # a gap is there, but no cut or category depends on its weight
    value, label = np.nonzero(shown)
    rows = replace(cells, values=cells.values[value], missing=cells.missing[value])
    target = Target(label, shown[value, label] / counts.unit, counts.classes)
    learned = learn_column(rows, counts.given, target, settings)
    if not counts.exact and learned.dropped:
        learned = _estimated(learned, counts, settings)
    return SeenColumn(learned, None if learned.constant else doubt_counted(counts, cells, sums, learned.column))


def _estimated(learned: LearnedColumn, counts: ValueCounts, settings: PredicateSettings) -> LearnedColumn:
    """Return the column with how many categories it has in all, of which only the most frequent were counted."""
    dropped = max(counts.different - len(learned.column.categories), 1)
    warning = too_many_categories(learned.column.name, f"about {counts.different}", settings.max_categories)
    return replace(learned, dropped=dropped, warning=warning)
