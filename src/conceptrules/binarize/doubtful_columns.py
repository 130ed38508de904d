"""Columns that are hardly features: identifiers, and copies of the target."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.inspection import Finding
from conceptrules.binarize.target import Target
from conceptrules.binarize.value_counts import Counts, ValueCounts
from conceptrules.model.predicate import Column
from conceptrules.model.text import percent
from conceptrules.tables.column_values import ColumnValues, codes_of, numbers_of

_TEXTS = 10  # from so many rows on, text that is different on every one of them looks like an identifier
_FEWEST = 20  # the same of whole numbers
_DIFFERENT = 0.9  # of the values of an identifier are different, at least
_ROWS = 100  # rows enough to say that a column tells the classes apart
_CLASSES = 10  # at most, of a target that is looked for copies: more take long
_EACH = 10  # rows of a category, on average, that are enough to say so
_WRONG = 0.01  # of the rows, on which a copy of the target may err
_LOOKED_AT = 20_000  # rows, evenly spread
_TEXT, _NUMBER = "is different on", "is a different whole number on"
_NAMED = re.compile(
    r"(^|[^a-z])(id|ids|idx|index|key|uuid|guid|nr|no|num|number)[^a-z]*$|^id[^a-z]|[a-z](Id|ID|Key|Nr|No)$"
)
"""Names of identifiers; the ends of names in camel case are told by their capitals."""


def doubt(cells: ColumnValues, column: Column, target: Target) -> Finding | None:
    """Return why a column is hardly a feature; None if nothing speaks against it."""
    if reason := _identifies(cells, column):
        return Finding("identifier", (column.name,), f"column {column.name!r} {reason}")
    if reason := _copies(cells, column, target):
        return Finding("leak", (column.name,), f"column {column.name!r} {reason}")
    return None


def doubt_counted(counts: ValueCounts, cells: ColumnValues, sums: Counts, column: Column) -> Finding | None:
    """Return the same of a column that was counted in batches; `cells` and `sums` are its different values.

    That numbers rise from row to row is not known of it.
    """
    if reason := _identifies_counted(counts, cells, column):
        return Finding("identifier", (column.name,), f"column {column.name!r} {reason}")
    rows = min(_LOOKED_AT, counts.rows)
    ends = np.cumsum(sums.ravel())
    places = np.searchsorted(ends, (np.arange(rows) + 0.5) * (ends[-1] / rows), side="right")
    some = replace(cells, values=cells.values[places // counts.classes], missing=np.zeros(rows, np.bool_))
    target = Target(places % counts.classes, np.ones(rows), counts.classes)
    if reason := None if column.missing else _copies(some, column, target):
        return Finding("leak", (column.name,), f"column {column.name!r} {reason}")
    return None


def _identifies_counted(counts: ValueCounts, cells: ColumnValues, column: Column) -> str | None:
    rows = counts.rows - counts.gaps
    if cells.family == "category" and rows >= _TEXTS:
        return _different(min(counts.different, rows), rows, _TEXT)
    if cells.family != "number" or rows < max(_FEWEST, counts.rows):
        return None
    values = cells.values.astype(np.float64)
    if not np.isfinite(values).all() or (values % 1 != 0).any():
        return None
    different = min(counts.different, rows)
    if values.max() - rows + 1 == values.min() and different >= _DIFFERENT * rows:
        return "numbers the rows (an identifier?)"
    named = _NAMED.search(column.name) or _NAMED.search(column.name.lower())
    return _different(different, rows, _NUMBER) if named else None


def _copies(cells: ColumnValues, column: Column, target: Target) -> str | None:
    enough = len(cells) >= _ROWS and target.n_classes <= _CLASSES and not column.missing
    share = _told_apart(cells, column, target) if enough else None
    if share is None:
        return None
    return f"alone tells the classes apart on {percent(share)} of the rows (a copy of the target?)"


def _identifies(cells: ColumnValues, column: Column) -> str | None:
    rows = len(cells) - int(np.count_nonzero(cells.gaps))
    if cells.family == "category" and rows >= _TEXTS:
        return _different(len(set(cells.values[~cells.missing].tolist())), rows, _TEXT)
    if cells.family != "number" or rows < max(_FEWEST, len(cells)):  # measurements have gaps
        return None
    values = cells.by_row(cells.values).astype(np.float64)
    if not np.isfinite(values).all() or (values % 1 != 0).any():
        return None
    if values.max() - rows + 1 == values.min() and len(np.unique(values)) == rows:
        return "numbers the rows (an identifier?)"
    named = _NAMED.search(column.name) or _NAMED.search(column.name.lower())
    rises = rows >= _ROWS and bool((values[1:] > values[:-1]).all())
    return _different(len(set(values.tolist())), rows, _NUMBER) if named or rises else None


def _different(different: int, rows: int, found: str) -> str | None:
    """Return that nearly every row has a value of its own, if so; some rows of a table may be there twice."""
    if different < _DIFFERENT * rows:
        return None
    return f"{found} {'every row' if different == rows else 'nearly every row'} (an identifier?)"


def _told_apart(cells: ColumnValues, column: Column, target: Target) -> float | None:
    """Return the share of the rows whose class the column tells alone; None unless that is nearly all of them."""
    rows = np.arange(0, len(cells), -(-len(cells) // _LOOKED_AT))
    classes = target.codes[rows]
    counts = np.bincount(classes, minlength=target.n_classes)
    if column.ordered:
        right = _right_by_order(cells.by_row(numbers_of(cells))[rows], classes, counts)
    else:
        codes = cells.by_row(codes_of(cells, column.categories))[rows]
        if (codes < 0).any() or len(column.categories) * _EACH > len(rows):
            return None
        pairs = np.bincount(codes * target.n_classes + classes, minlength=len(column.categories) * target.n_classes)
        right = int(pairs.reshape(-1, target.n_classes).max(axis=1).sum())
    wrong, base = len(rows) - right, len(rows) - counts.max()
    return right / len(rows) if wrong <= _WRONG * len(rows) and wrong <= base / 10 else None


def _right_by_order(x: NDArray[np.float64], classes: NDArray[np.intp], counts: NDArray[np.intp]) -> int:
    """Return on how many rows each class has a range of its own, where the ranges are cut as well as can be."""
    present = np.flatnonzero(counts)
    by_median = sorted(present, key=lambda code: (float(np.median(x[classes == code])), code))
    cuts = [_cut(x[classes == low], x[classes == high]) for low, high in pairwise(by_median)]
    answers = np.array(by_median)[np.searchsorted(np.sort(cuts), x, side="left")]
    return int(np.count_nonzero(answers == classes))


def _cut(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """Return the largest value of the lower range, so that the fewest values are on the wrong side."""
    values = np.unique(np.concatenate([low, high]))
    above = len(low) - np.searchsorted(np.sort(low), values, side="right")
    below = np.searchsorted(np.sort(high), values, side="right")
    return float(values[np.argmin(above + below)])
