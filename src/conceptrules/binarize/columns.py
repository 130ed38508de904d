"""What training makes of one column: its kind, its categories or cut points, its predicates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.category_order import find_order, find_word_order
from conceptrules.binarize.cut_points import QUANTILES, find_cuts, short_moments, short_numbers
from conceptrules.binarize.known_values import Counts, hash_value
from conceptrules.binarize.value_counts import GivenKind, ValueCounts
from conceptrules.model.derived import Relation
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Column, Equals, Interval, Kind, Missing, OneOf, Predicate, Value
from conceptrules.model.text import number_text
from conceptrules.model.values import int_if_whole
from conceptrules.tables.column_values import ColumnValues, to_codes, to_numbers, written_kind
from conceptrules.tables.files.written_values import is_date
from conceptrules.tables.text_values import read_written

_MAX_TERMS = 300
"""Terms of a text that rules may ask for."""
_MIN_TERM_ROWS, _DEVIATIONS = 5, 2.33
"""The rows that mention a term, at least, and how far beyond chance its classes are: one chance in a hundred."""
_MAX_SEARCHED = 255  # categories that the search can keep
_MIN_WORDS = 6  # of a value, on average, in free text
_LOOKED_AT = 1000  # texts that are enough to say that a column has dates
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

    def encode(self, cells: ColumnValues) -> NDArray[np.intp]:
        """Return which of its values each row has, as far as predicates can tell them apart; 0 is a gap."""
        if self.column.ordered:
            numbers = to_numbers(cells)
            codes = np.where(np.isnan(numbers), 0, np.searchsorted(self.cuts, numbers) + 1)
        else:
            codes = to_codes(cells, self.column.categories) + 1
        return cells.by_row(codes)

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
        elif column.kind == "text":
            return  # only the columns that are worked out from it are tested
        elif column.kind == "ordinal":
            yield from (Equals(name, order[rank]) for rank in self.seen)
        else:
            yield from (Equals(name, category) for category in order)
        if column.missing:
            yield Missing(name)


@dataclass(frozen=True, slots=True)
class PredicateSettings:
    """Which predicates to make."""

    max_categories: int
    literals: Literals = "intervals"
    quantiles: int = QUANTILES


def learn_column(counts: ValueCounts, settings: PredicateSettings) -> LearnedColumn:
    """Return the column as it will be read from now on; what the user says overrides what its values look like."""
    cells, sums = counts.distinct()
    if counts.derived:
        return _learn_derived(replace(counts.derived[-1], missing=counts.gaps > 0), cells, sums, counts, settings)
    if counts.holds_text:
        return LearnedColumn(Column(cells.name, "text", missing=counts.gaps > 0), constant=False)
    stated, kind = counts.given, _infer_kind(cells, counts, settings) if counts.given is None else counts.given.kind
    words = find_word_order(_list_categories(cells)) if kind == "category" and stated is None else None
    words = None if words is None or len(words) > settings.max_categories else words
    if words is not None:
        kind, stated = "ordinal", GivenKind("ordinal", words)
    column = Column(cells.name, kind, missing=counts.gaps > 0)
    if column.ordered:
        return _learn_ordered(column, to_numbers(cells), sums, counts, settings)
    if kind == "ordinal":
        learned = _learn_ordinal(column, cells, stated.order if stated else None, settings)
        return replace(learned, recognised=words is not None)
    return _learn_categories(column, cells, sums, counts, settings)


def _learn_derived(
    column: Column, cells: ColumnValues, sums: Counts, counts: ValueCounts, settings: PredicateSettings
) -> LearnedColumn:
    if not column.ordered:
        return LearnedColumn(column, counts.needs_rows and int((~cells.missing).sum()) + column.missing < 2)
    learned = _learn_ordered(column, to_numbers(cells), sums, counts, settings)
    numbers = to_numbers(cells)[~cells.missing]
    even = 1.0 if isinstance(column.derivation, Relation) and column.derivation.operator == "/" else 0.0
    # Where both sides are equal is where people look first.
    if numbers.min(initial=even) < even < numbers.max(initial=even) and even not in learned.cuts:
        learned = replace(learned, cuts=tuple(sorted((*learned.cuts, even))))
    return learned


def choose_terms(counts: ValueCounts) -> list[str]:
    """Return the terms of a text that tell most about the classes, by a test of each against chance."""
    cells, sums = counts.distinct()
    terms = cells.values.tolist()
    if "" not in terms:
        return []
    present = sums / counts.unit
    rows, mentioned = present[terms.index("")], present.sum(axis=1, keepdims=True)
    expected = mentioned * rows / rows.sum()
    variance = expected * (1 - mentioned / rows.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        chi_squared = np.where(variance > 0, (present - expected) ** 2 / variance, 0.0).sum(axis=1)
    frequent = mentioned[:, 0] >= _MIN_TERM_ROWS
    freedom = max(int(np.count_nonzero(rows)) - 1, 1)
    # Of chi-squared, by the cube root that is nearly normal (Wilson and Hilferty).
    telling = chi_squared > freedom * (1 - 2 / (9 * freedom) + _DEVIATIONS * (2 / (9 * freedom)) ** 0.5) ** 3
    tells = dict(zip(terms, chi_squared.tolist(), strict=True))
    # Two words together have to tell more than either of them.
    ranked = sorted(
        (
            number
            for number, term in enumerate(terms)
            if term
            and frequent[number]
            and telling[number]
            and (" " not in term or all(tells.get(word, 0.0) < tells[term] for word in term.split(" ")))
        ),
        key=lambda number: (-chi_squared[number], terms[number]),
    )
    return [terms[number] for number in ranked[:_MAX_TERMS]]


def _infer_kind(cells: ColumnValues, counts: ValueCounts, settings: PredicateSettings) -> Kind:
    """Return the kind of a column; an order that its type only happens to have is ignored where it is too long."""
    if counts.exact and (written := written_kind(cells)):
        return written
    long = cells.order is not None and len(cells.order) > settings.max_categories
    return "category" if cells.kind == "ordinal" and long else cells.kind


def _learn_ordered(
    column: Column, numbers: NDArray[np.float64], sums: Counts, counts: ValueCounts, settings: PredicateSettings
) -> LearnedColumn:
    shorten = short_numbers if column.kind == "number" else short_moments
    quantiles = settings.quantiles if settings.literals == "thresholds" else None
    cuts = find_cuts(numbers, sums / counts.unit, quantiles, shorten)
    if column.kind == "number" and counts.exact and np.unique(numbers[~np.isnan(numbers)]).tolist() == [0, 1]:
        column = replace(column, categories=(0, 1))
    alike = counts.gaps == counts.rows or bool((numbers == numbers[0]).all())
    if alike and counts.rows > 1 and abs(numbers[0]) >= 2**53:
        warning = (
            f"column {column.name!r} holds the same number in all rows, as far as its first 15 digits tell, which are "
            "all that is read of a number; if they are names, give them as text"
        )
        return LearnedColumn(column, constant=False, cuts=cuts, warning=warning)
    return LearnedColumn(column, alike, cuts, warning=_say_reading(column, counts))


def _say_reading(column: Column, counts: ValueCounts) -> str | None:
    """Return a notice that text is read as numbers; None of other columns."""
    if counts.family != "category" or column.kind != "number":
        return None
    cells, _ = counts.distinct()
    text = next(value for value in cells.values.tolist() if value is not None)
    return (
        f"column {column.name!r} is text that is read as numbers, {text!r} as {number_text(read_written(text))}; if it "
        f"is not meant so, say kinds={{{column.name!r}: 'category'}}. What is exported expects numbers"
    )


def _learn_ordinal(
    column: Column, cells: ColumnValues, given_order: tuple[Value, ...] | None, settings: PredicateSettings
) -> LearnedColumn:
    order = given_order or find_order(cells)
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
    column: Column, cells: ColumnValues, sums: Counts, counts: ValueCounts, settings: PredicateSettings
) -> LearnedColumn:
    distinct, most, warning = _list_categories(cells), settings.max_categories, None
    kept, count = distinct, len(distinct)
    if count > most:
        weights, codes = np.zeros(count, np.int64), to_codes(cells, distinct)
        np.add.at(weights, codes[codes >= 0], sums.sum(axis=1)[codes >= 0])
        # Those with the largest weights, in their order; which of equal ones are taken says nothing of their names.
        by_chance = np.array([hash_value(value) for value in distinct], np.uint64)
        kept = [distinct[code] for code in np.sort(np.lexsort((by_chance, -weights))[:most])]
        # Of very many categories only the most frequent were counted; how many there are in all is an estimate.
        count = count if counts.exact else max(counts.n_distinct, most + 1)
        more = " (raise max_categories to keep more)" if most < _MAX_SEARCHED else ""
        warning = (
            f"column {column.name!r} has {'' if counts.exact else 'about '}{count} categories; the {most} most "
            f"frequent are kept, the others read as unseen{more} {suggest_kind(column.name, distinct)}".rstrip()
        )
    learned = Column(column.name, column.kind, tuple(kept), column.missing)
    return LearnedColumn(learned, len(distinct) + column.missing == 1, warning=warning, dropped=count - len(kept))


def suggest_kind(name: str, categories: Sequence[Value]) -> str:
    """Return what a column of very many categories may be instead; empty where nothing says so."""
    texts = [value for value in categories if isinstance(value, str)]
    if texts and all(map(is_date, texts[:_LOOKED_AT])):
        return f"(dates? {texts[0]!r} is one in a column of dates, such as pandas.to_datetime makes)"
    if texts and sum(len(text.split()) for text in texts) >= _MIN_WORDS * len(texts):
        return f"(free text? kinds={{{name!r}: 'text'}} lets rules ask for its words)"
    return ""
