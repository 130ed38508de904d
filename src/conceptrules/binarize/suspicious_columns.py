"""Columns that are hardly features: identifiers, and copies of the target."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.inspection import Finding
from conceptrules.binarize.known_values import Counts
from conceptrules.binarize.value_counts import ValueCounts
from conceptrules.model.predicate import Column
from conceptrules.model.text import percent
from conceptrules.tables.column_values import ColumnValues, to_codes, to_numbers

_MIN_TEXT_ROWS = 10  # from so many rows on, text that is different on every one of them looks like an identifier
_MIN_NUMBER_ROWS = 20  # the same of whole numbers
_MIN_DISTINCT = 0.9  # of the values of an identifier, at least
_MIN_ROWS = 100  # rows enough to say that a column alone predicts the classes
_MAX_CLASSES = 10  # of a target that is searched for copies: more take long
_MIN_ROWS_PER_CATEGORY = 10  # on average, to say so of a column of categories
_MAX_ERRORS = 0.01  # of the rows, in a copy of the target
_IDENTIFIER_NAME = re.compile(
    r"(^|[^a-z])(id|ids|idx|index|key|uuid|guid|nr|no|num|number)[^a-z]*$|^id[^a-z]|[a-z](Id|ID|Key|Nr|No)$"
)
"""Names of identifiers; the ends of names in camel case are recognised by their capitals."""


def find_suspicion(counts: ValueCounts, column: Column, cells: ColumnValues | None = None) -> Finding | None:
    """Return why a column is hardly a feature; None if nothing speaks against it.

    `cells` are its rows in their order, where they are in memory; counts do not know the order, nor more than about how
    many of very many values are different.
    """
    values, sums = counts.distinct()
    finding = _find_identifier(counts, values if cells is None else cells, in_memory=cells is not None)
    return finding or _find_copy(values, sums, counts, column)


def _find_identifier(counts: ValueCounts, cells: ColumnValues, *, in_memory: bool) -> Finding | None:
    name, rows = counts.name, counts.rows - counts.gaps

    def count_distinct() -> int:
        if in_memory and not counts.exact:
            return len(set(cells.values[~cells.missing].tolist()))
        return min(counts.n_distinct, rows)

    if counts.family == "category" and rows >= _MIN_TEXT_ROWS:
        return _report_identifier(name, count_distinct(), rows, "is different on")
    if counts.family != "number" or rows < _MIN_NUMBER_ROWS or counts.gaps:  # measurements have gaps
        return None
    values = cells.by_row(to_numbers(cells))
    if not np.isfinite(values).all() or (values % 1 != 0).any():
        return None
    enough = rows if in_memory or counts.exact else _MIN_DISTINCT * rows
    if values.max() - rows + 1 == values.min() and count_distinct() >= enough:
        return _identifier(name, "numbers the rows")
    named = _IDENTIFIER_NAME.search(name) or _IDENTIFIER_NAME.search(name.lower())
    rises = in_memory and rows >= _MIN_ROWS and bool((values[1:] > values[:-1]).all())
    if not named and not rises:
        return None
    return _report_identifier(name, count_distinct(), rows, "is a different whole number on")


def _report_identifier(name: str, distinct: int, rows: int, words: str) -> Finding | None:
    """Return that nearly every row has a value of its own, if so; some rows of a table may be there twice."""
    if distinct < _MIN_DISTINCT * rows:
        return None
    return _identifier(name, f"{words} {'every row' if distinct == rows else 'nearly every row'}")


def _identifier(name: str, reason: str) -> Finding:
    return Finding("identifier", (name,), f"column {name!r} {reason} (an identifier?)")


def _find_copy(cells: ColumnValues, sums: Counts, counts: ValueCounts, column: Column) -> Finding | None:
    """Return that the column alone predicts the class of nearly all rows, if so."""
    if counts.rows < _MIN_ROWS or counts.classes > _MAX_CLASSES or column.missing:
        return None
    if column.ordered:
        right = _count_right_by_ranges(to_numbers(cells), sums)
    else:
        codes = to_codes(cells, column.categories)
        if (codes < 0).any() or len(column.categories) * _MIN_ROWS_PER_CATEGORY > counts.rows:
            return None
        by_category = np.zeros((len(column.categories), counts.classes), np.int64)
        np.add.at(by_category, codes, sums)
        right = int(by_category.max(axis=1).sum())
    total = int(sums.sum())
    wrong, wrong_without = total - right, total - int(sums.sum(axis=0).max())
    if wrong > _MAX_ERRORS * total or wrong > wrong_without / 10:
        return None
    share = percent(right / total)
    text = f"column {column.name!r} alone tells the classes apart on {share} of the rows (a copy of the target?)"
    return Finding("leak", (column.name,), text)


def _count_right_by_ranges(values: NDArray[np.float64], sums: Counts) -> int:
    """Return how many rows are right where each class has a range of its own, and the ranges are cut at their best."""
    order = np.argsort(values, kind="stable")
    values, sums = values[order], sums[order]
    up_to = np.cumsum(sums, axis=0)
    totals = up_to[-1]

    def find_median(code: int) -> float:
        middle = np.searchsorted(up_to[:, code], [(totals[code] - 1) // 2, totals[code] // 2], side="right")
        return float(values[middle].mean())

    def find_best_cut(low: int, high: int) -> float:
        """Return the largest value of the lower range, so that the fewest rows are on the wrong side."""
        wrong = totals[low] - up_to[:, low] + up_to[:, high]
        return float(values[np.argmin(np.where(sums[:, low] + sums[:, high] > 0, wrong, totals.sum() + 1))])

    by_median = sorted(np.flatnonzero(totals).tolist(), key=lambda code: (find_median(code), code))
    cuts = [find_best_cut(low, high) for low, high in pairwise(by_median)]
    answers = np.array(by_median)[np.searchsorted(np.sort(cuts), values, side="left")]
    return int(sums[np.arange(len(values)), answers].sum())
