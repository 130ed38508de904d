"""Columns that are hardly features: identifiers, and copies of the target."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.cut_points import Target
from conceptrules.binarize.inspection import Finding
from conceptrules.binarize.value_counts import ValueCounts
from conceptrules.model.predicate import Column, Kind
from conceptrules.model.text import percent
from conceptrules.tables.column_values import ColumnValues, to_codes, to_numbers

_MIN_TEXT_ROWS = 10  # from so many rows on, text that is different on every one of them looks like an identifier
_MIN_NUMBER_ROWS = 20  # the same of whole numbers
_MIN_DISTINCT = 0.9  # of the values of an identifier, at least
_MIN_ROWS = 100  # rows enough to say that a column alone predicts the classes
_MAX_CLASSES = 10  # of a target that is searched for copies: more take long
_MIN_ROWS_PER_CATEGORY = 10  # on average, to say so of a column of categories
_MAX_ERRORS = 0.01  # of the rows, in a copy of the target
_SAMPLED_ROWS = 20_000  # evenly spread
_IDENTIFIER_NAME = re.compile(
    r"(^|[^a-z])(id|ids|idx|index|key|uuid|guid|nr|no|num|number)[^a-z]*$|^id[^a-z]|[a-z](Id|ID|Key|Nr|No)$"
)
"""Names of identifiers; the ends of names in camel case are recognised by their capitals."""


def find_suspicion(cells: ColumnValues, column: Column, target: Target) -> Finding | None:
    """Return why a column is hardly a feature; None if nothing speaks against it."""

    def count_distinct(values: NDArray[np.float64] | None) -> int:
        return len(set(cells.values[~cells.missing].tolist()) if values is None else np.unique(values))

    present = len(cells) - int(np.count_nonzero(cells.gaps))
    summary = _Summary(column.name, cells.family, len(cells), present, count_distinct)
    return _find_identifier(summary, cells) or _find_copy(cells, column, target)


def find_counted_suspicion(counts: ValueCounts, column: Column) -> Finding | None:
    """Return the same for a column that was counted in batches, of which the order of the rows is not known."""
    cells, sums = counts.distinct()
    present = counts.rows - counts.gaps
    distinct = min(counts.n_distinct, present)
    summary = _Summary(column.name, cells.family, counts.rows, present, lambda _: distinct, exact=False)
    if (finding := _find_identifier(summary, cells)) or column.missing:
        return finding
    rows = min(_SAMPLED_ROWS, counts.rows)
    ends = np.cumsum(sums.ravel())
    places = np.searchsorted(ends, (np.arange(rows) + 0.5) * (ends[-1] / rows), side="right")
    sample = replace(cells, values=cells.values[places // counts.classes], missing=np.zeros(rows, np.bool_))
    return _find_copy(sample, column, Target(places % counts.classes, np.ones(rows), counts.classes))


@dataclass(frozen=True, slots=True)
class _Summary:
    """What is known of the values of a column that may be an identifier."""

    name: str
    family: Kind | None
    rows: int
    present: int
    """Rows with a value."""
    count_distinct: Callable[[NDArray[np.float64] | None], int]
    """Counts these numbers, or else the texts; it is only called where the answer matters, since it may take long."""
    exact: bool = True
    """Whether the values are those of all rows in their order, and the number of distinct ones is no estimate."""


def _find_identifier(summary: _Summary, cells: ColumnValues) -> Finding | None:
    rows = summary.present
    if summary.family == "category" and rows >= _MIN_TEXT_ROWS:
        return _report_identifier(summary.name, summary.count_distinct(None), rows, "is different on")
    if summary.family != "number" or rows < max(_MIN_NUMBER_ROWS, summary.rows):  # measurements have gaps
        return None
    values = cells.by_row(cells.values).astype(np.float64)
    if not np.isfinite(values).all() or (values % 1 != 0).any():
        return None
    enough = rows if summary.exact else _MIN_DISTINCT * rows
    if values.max() - rows + 1 == values.min() and summary.count_distinct(values) >= enough:
        return _identifier(summary.name, "numbers the rows")
    named = _IDENTIFIER_NAME.search(summary.name) or _IDENTIFIER_NAME.search(summary.name.lower())
    rises = summary.exact and rows >= _MIN_ROWS and bool((values[1:] > values[:-1]).all())
    if not named and not rises:
        return None
    return _report_identifier(summary.name, summary.count_distinct(values), rows, "is a different whole number on")


def _report_identifier(name: str, distinct: int, rows: int, words: str) -> Finding | None:
    """Return that nearly every row has a value of its own, if so; some rows of a table may be there twice."""
    if distinct < _MIN_DISTINCT * rows:
        return None
    return _identifier(name, f"{words} {'every row' if distinct == rows else 'nearly every row'}")


def _identifier(name: str, reason: str) -> Finding:
    return Finding("identifier", (name,), f"column {name!r} {reason} (an identifier?)")


def _find_copy(cells: ColumnValues, column: Column, target: Target) -> Finding | None:
    """Return that the column alone predicts the class of nearly all rows, if so."""
    if len(cells) < _MIN_ROWS or target.n_classes > _MAX_CLASSES or column.missing:
        return None
    rows = np.arange(0, len(cells), -(-len(cells) // _SAMPLED_ROWS))
    classes = target.codes[rows]
    counts = np.bincount(classes, minlength=target.n_classes)
    if column.ordered:
        right = _count_right_by_ranges(cells.by_row(to_numbers(cells))[rows], classes, counts)
    else:
        codes = cells.by_row(to_codes(cells, column.categories))[rows]
        if (codes < 0).any() or len(column.categories) * _MIN_ROWS_PER_CATEGORY > len(rows):
            return None
        pairs = np.bincount(codes * target.n_classes + classes, minlength=len(column.categories) * target.n_classes)
        right = int(pairs.reshape(-1, target.n_classes).max(axis=1).sum())
    wrong, wrong_without = len(rows) - right, len(rows) - counts.max()
    if wrong > _MAX_ERRORS * len(rows) or wrong > wrong_without / 10:
        return None
    share = percent(right / len(rows))
    text = f"column {column.name!r} alone tells the classes apart on {share} of the rows (a copy of the target?)"
    return Finding("leak", (column.name,), text)


def _count_right_by_ranges(x: NDArray[np.float64], classes: NDArray[np.intp], counts: NDArray[np.intp]) -> int:
    """Return how many rows are right where each class has a range of its own, and the ranges are cut at their best."""
    present = np.flatnonzero(counts)
    by_median = sorted(present, key=lambda code: (float(np.median(x[classes == code])), code))
    cuts = [_find_best_cut(x[classes == low], x[classes == high]) for low, high in pairwise(by_median)]
    answers = np.array(by_median)[np.searchsorted(np.sort(cuts), x, side="left")]
    return int(np.count_nonzero(answers == classes))


def _find_best_cut(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """Return the largest value of the lower range, so that the fewest values are on the wrong side."""
    values = np.unique(np.concatenate([low, high]))
    above = len(low) - np.searchsorted(np.sort(low), values, side="right")
    below = np.searchsorted(np.sort(high), values, side="right")
    return float(values[np.argmin(above + below)])
