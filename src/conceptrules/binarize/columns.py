"""What training makes of one column: its kind, its categories or cut points, its predicates."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.mdlp import cut_points
from conceptrules.binarize.shorten import short_moment, short_number
from conceptrules.rules.cells import Cells, check_readable, codes_of, numbers_of
from conceptrules.rules.predicate import Column, Equals, Interval, Kind, Missing, Predicate, Value

_IDENTIFIER = 10  # from so many rows on, text that is different on every one of them looks like an identifier


@dataclass(frozen=True, slots=True)
class Target:
    """What the cut points are to tell apart: class codes, and the weights of the rows."""

    codes: NDArray[np.intp]
    weight: NDArray[np.float64]
    n_classes: int

    def take(self, rows: NDArray[np.intp]) -> Target:
        return Target(self.codes[rows], self.weight[rows], self.n_classes)


@dataclass(frozen=True, slots=True)
class LearnedColumn:
    column: Column
    predicates: tuple[Predicate, ...]
    constant: bool
    warning: str | None = None
    dropped: int = 0
    """Categories that are not kept."""


def learn_column(cells: Cells, kind: Kind | None, target: Target, max_categories: int) -> LearnedColumn:
    """The column as it will be read from now on; `kind` overrides what the cells look like."""
    column = Column(cells.name, kind or cells.kind, missing=bool(cells.gaps.any()))
    check_readable(cells, column)
    learn = _learn_ordered if column.ordered else _learn_categories
    return learn(column, cells, target, max_categories)


def _learn_ordered(column: Column, cells: Cells, target: Target, _: int) -> LearnedColumn:
    x = cells.by_row(numbers_of(cells))
    shorten = short_number if column.kind == "number" else short_moment
    cuts = cut_points(x, target.codes, target.weight, n_classes=target.n_classes, shorten=shorten)
    intervals = () if cells.missing.all() else tuple(pairwise((-inf, *cuts, inf)))
    predicates = tuple(Interval(column.name, low, high) for low, high in intervals)
    alike = bool((x == x[0]).all()) or bool(cells.missing.all())
    return LearnedColumn(column, predicates + _missing(column), alike)


def _learn_categories(column: Column, cells: Cells, target: Target, max_categories: int) -> LearnedColumn:
    distinct = sorted({_whole(value) for value in cells.values[~cells.missing].tolist()})
    kept = distinct
    warning = None
    if cells.family == "category" and len(distinct) == len(cells) >= _IDENTIFIER:
        warning = f"column {column.name!r} is different on every row (an identifier?); drop it if it is"
    elif len(distinct) > max_categories:
        warning = (
            f"column {column.name!r} has {len(distinct)} categories; the {max_categories} most frequent are kept, "
            "the others read as unseen (raise max_categories to keep more)"
        )
    if len(distinct) > max_categories:
        kept = _most_frequent(distinct, cells, target.weight, max_categories)
    learned = Column(column.name, column.kind, tuple(kept), column.missing)
    predicates = tuple(Equals(column.name, category) for category in kept)
    constant, dropped = len(distinct) + column.missing == 1, len(distinct) - len(kept)
    return LearnedColumn(learned, predicates + _missing(column), constant, warning, dropped)


def _missing(column: Column) -> tuple[Predicate, ...]:
    return (Missing(column.name),) if column.missing else ()


def _whole(value: Any) -> Value:
    """1 for 1.0: whole numbers are floats only because their column has gaps."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _most_frequent(distinct: list[Value], cells: Cells, weight: NDArray[np.float64], most: int) -> list[Value]:
    """Those with the largest weights, of equal ones the first; in their order."""
    codes = cells.by_row(codes_of(cells, distinct))
    order = np.lexsort((weight, codes))  # floats are added in an order that depends on the rows as a set only
    order = order[codes[order] >= 0]
    totals = np.bincount(codes[order], weight[order])
    return [distinct[code] for code in np.sort(np.argsort(-totals, kind="stable")[:most])]
