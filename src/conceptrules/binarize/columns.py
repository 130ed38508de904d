"""What training makes of one column: its kind, its categories or cut points, its predicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.category_order import find_order, find_word_order
from conceptrules.binarize.cut_points import QUANTILES, Target, find_cuts, short_moments, short_numbers
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Column, Equals, Interval, Kind, Missing, OneOf, Predicate, Value
from conceptrules.model.values import int_if_whole
from conceptrules.tables.column_values import ColumnValues, check_readable, to_codes, to_numbers

_MAX_SEARCHED = 255  # categories that the search can keep
Literals = Choice["intervals", "thresholds"]


@dataclass(frozen=True, slots=True)
class LearnedColumn:
    """What training makes of a column."""

    column: Column
    constant: bool
    cuts: tuple[float, ...] = ()
    """Where an ordered column is cut, ascending."""
    seen: tuple[int, ...] = ()
    """The ranks in the order of an ordinal column that training showed."""
    warning: str | None = None
    dropped: int = 0
    """How many categories are not kept."""
    recognised: bool = False
    """Whether the order of its categories was read from their words."""

    def predicates(self, literals: Literals) -> Iterator[Predicate]:
        """Yield the predicates of the column. A wide table has hundreds of thousands, of which few are ever used."""
        column, name, order = self.column, self.column.name, self.column.categories
        if column.ordered and literals == "thresholds":
            for cut in self.cuts:
                yield Interval(name, high=cut)
                yield Interval(name, low=cut)
        elif column.ordered and not (column.missing and self.constant):  # a column of gaps has no intervals
            yield from (Interval(name, low, high) for low, high in pairwise((-inf, *self.cuts, inf)))
        elif column.kind == "ordinal" and literals == "thresholds":
            # Behind a category that training never showed there would be the same threshold once more.
            for rank in self.seen[:-1]:
                yield OneOf(name, order[: rank + 1])
                yield OneOf(name, order[rank + 1 :])
        elif column.kind == "ordinal":
            yield from (Equals(name, order[rank]) for rank in self.seen)
        else:
            yield from (Equals(name, category) for category in order)
        if column.missing:
            yield Missing(name)


@dataclass(frozen=True, slots=True)
class GivenKind:
    """What the user says of a column."""

    kind: Kind
    order: tuple[Value, ...] | None = None


@dataclass(frozen=True, slots=True)
class PredicateSettings:
    """Which predicates to make."""

    max_categories: int
    literals: Literals = "intervals"
    quantiles: int = QUANTILES


def learn_column(
    cells: ColumnValues, given_kind: GivenKind | None, target: Target, settings: PredicateSettings
) -> LearnedColumn:
    """Return the column as it will be read from now on; `given_kind` overrides what its values look like."""
    kind = _infer_kind(cells, settings) if given_kind is None else given_kind.kind
    words = find_word_order(_list_categories(cells)) if kind == "category" and given_kind is None else None
    words = None if words is None or len(words) > settings.max_categories else words
    if words is not None:
        kind, given_kind = "ordinal", GivenKind("ordinal", words)
    column = Column(cells.name, kind, missing=bool(cells.gaps.any()))
    check_readable(cells, column)
    if column.ordered:
        return _learn_ordered(column, cells, target, settings)
    if kind == "ordinal":
        learned = _learn_ordinal(column, cells, given_kind.order if given_kind else None, settings)
        return replace(learned, recognised=words is not None)
    return _learn_categories(column, cells, target, settings)


def _infer_kind(cells: ColumnValues, settings: PredicateSettings) -> Kind:
    """Return the kind of a column; an order that its type only happens to have is ignored where it is too long."""
    long = cells.order is not None and len(cells.order) > settings.max_categories
    return "category" if cells.kind == "ordinal" and long else cells.kind


def _learn_ordered(column: Column, cells: ColumnValues, target: Target, settings: PredicateSettings) -> LearnedColumn:
    x = cells.by_row(to_numbers(cells))
    shorten = short_numbers if column.kind == "number" else short_moments
    cuts = find_cuts(x, target, settings.quantiles if settings.literals == "thresholds" else None, shorten)
    alike = bool((x == x[0]).all()) or bool(cells.missing.all())
    if alike and len(x) > 1 and abs(x[0]) >= 2**53:
        warning = (
            f"column {column.name!r} holds the same number in all rows, as far as its first 15 digits tell, which are "
            "all that is read of a number; if they are names, give them as text"
        )
        return LearnedColumn(column, constant=False, cuts=cuts, warning=warning)
    return LearnedColumn(column, alike, cuts)


def _learn_ordinal(
    column: Column, cells: ColumnValues, given_order: tuple[Value, ...] | None, settings: PredicateSettings
) -> LearnedColumn:
    order = find_order(cells, given_order)
    if len(order) > settings.max_categories:
        raise InputError(
            f"column {column.name!r} has an order of {len(order)} categories, more than max_categories="
            f"{settings.max_categories}; raise that, or say that the column is a number or a category"
        )
    learned = Column(column.name, "ordinal", order, column.missing)
    seen = sorted(set(to_codes(cells, order)[~cells.missing].tolist()))
    return LearnedColumn(learned, len(seen) + column.missing == 1, seen=tuple(seen))


def _list_categories(cells: ColumnValues) -> list[Value]:
    return sorted({int_if_whole(value) for value in cells.values[~cells.missing].tolist()})


def _learn_categories(
    column: Column, cells: ColumnValues, target: Target, settings: PredicateSettings
) -> LearnedColumn:
    max_categories = settings.max_categories
    distinct = _list_categories(cells)
    kept = distinct
    warning = None
    if len(distinct) > max_categories:
        warning = too_many_categories_message(column.name, str(len(distinct)), max_categories)
        kept = _take_frequent(distinct, cells, target.weight, max_categories)
    learned = Column(column.name, column.kind, tuple(kept), column.missing)
    constant, dropped = len(distinct) + column.missing == 1, len(distinct) - len(kept)
    return LearnedColumn(learned, constant, warning=warning, dropped=dropped)


def too_many_categories_message(name: str, count: str, most: int) -> str:
    """Return the message that not all categories are kept."""
    more = " (raise max_categories to keep more)" if most < _MAX_SEARCHED else ""
    return f"column {name!r} has {count} categories; the {most} most frequent are kept, the others read as unseen{more}"


def _take_frequent(distinct: list[Value], cells: ColumnValues, weight: NDArray[np.float64], most: int) -> list[Value]:
    """Return the values with the largest weights, of equal ones the first, in their order."""
    codes = cells.by_row(to_codes(cells, distinct))
    order = np.lexsort((weight, codes))  # floats are added in an order that depends on the rows as a set only
    order = order[codes[order] >= 0]
    totals = np.bincount(codes[order], weight[order])
    return [distinct[code] for code in np.sort(np.argsort(-totals, kind="stable")[:most])]
