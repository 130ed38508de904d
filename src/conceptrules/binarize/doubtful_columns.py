"""Columns that are hardly features: dates as such, identifiers, and copies of the target."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.target import Target
from conceptrules.model.predicate import Column
from conceptrules.model.text import percent
from conceptrules.tables.column_values import ColumnValues, codes_of, numbers_of

_TEXTS = 10  # from so many rows on, text that is different on every one of them looks like an identifier
_NUMBERS = 20  # the same of whole numbers
_ROWS = 100  # rows enough to say that a column tells the classes apart
_EACH = 10  # rows of a category, on average, that are enough to say so
_WRONG = 0.01  # of the rows, on which a copy of the target may err
_LOOKED_AT = 20_000  # rows, evenly spread
_NAMED = re.compile(
    r"(^|[^a-z])(id|ids|idx|index|key|uuid|guid|nr|no|num|number)[^a-z]*$|^id[^a-z]|[a-z](Id|ID|Key|Nr|No)$"
)
"""Names of identifiers; the ends of names in camel case are told by their capitals."""


def doubt(cells: ColumnValues, column: Column, target: Target) -> str | None:
    """Return why a column is hardly a feature; None if nothing speaks against it."""
    reason = _dates(column) or _identifies(cells, column) or _copies(cells, column, target)
    return f"column {column.name!r} {reason}" if reason else None


def _dates(column: Column) -> str | None:
    if column.kind not in ("date", "datetime"):
        return None
    return (
        "holds dates, and a rule on them tells old rows from new ones (--date-parts or with_date_parts: rules on parts)"
    )


def _copies(cells: ColumnValues, column: Column, target: Target) -> str | None:
    share = _told_apart(cells, column, target) if len(cells) >= _ROWS and not column.missing else None
    if share is None:
        return None
    return f"alone tells the classes apart on {percent(share)} of the rows (a copy of the target?)"


def _identifies(cells: ColumnValues, column: Column) -> str | None:
    values = cells.values[~cells.missing]
    if len(cells) < _TEXTS or len(values) < len(cells):
        return None
    if cells.family == "category" and len(set(values.tolist())) == len(cells):
        return "is different on every row (an identifier?)"
    if cells.family != "number" or len(cells) < _NUMBERS or cells.values.dtype.kind not in "iuf":
        return None
    low, high = float(values.min()), float(values.max())
    whole = values.dtype.kind in "iu" or bool((values % 1 == 0).all())
    if not whole or high - low < len(cells) - 1 or len(np.unique(values)) < len(cells):
        return None
    if high - low == len(cells) - 1:
        return "numbers the rows (an identifier?)"
    named = _NAMED.search(column.name) or _NAMED.search(column.name.lower())
    return "is a different whole number on every row (an identifier?)" if named or _sorted(values) else None


def _sorted(values: NDArray[np.number]) -> bool:
    return len(values) >= _ROWS and bool((values[1:] > values[:-1]).all())


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
