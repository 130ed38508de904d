"""What is worth knowing about a table before learning from it: found while its columns are read, and reported."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from shlex import quote
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.columns import LearnedColumn
from conceptrules.binarize.known_values import Counts
from conceptrules.binarize.value_counts import ValueCounts
from conceptrules.model.errors import ColumnWarning, DateWarning, warn
from conceptrules.model.predicate import Column
from conceptrules.model.text import percent, plural, word
from conceptrules.tables.column_values import ColumnValues, encode_values, to_codes, to_numbers

Topic = Choice["leak", "identifier", "date", "constant", "categories", "duplicate", "class"]
_MANY_CATEGORIES = 100  # a rule that names one of so many categories says little about the others
_FEW_ROWS = 10  # fewer rows of a class are too few to learn it, or to tell whether it was learned
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


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about a table that is worth a look before learning from it."""

    topic: Topic
    """What it is about: a copy of the target ("leak"), "identifier", "date", "constant", "categories", "duplicate" or
    "class"."""
    columns: tuple[str, ...]
    """The columns that it is about; none if it is about classes."""
    text: str
    """What was found, in words."""

    def __str__(self) -> str:
        return f"{self.topic}: {self.text}"


def report_findings(
    columns: Sequence[tuple[LearnedColumn, Finding | None]],
    contents: Mapping[str, Hashable],
    class_rows: Mapping[Any, int],
) -> tuple[Finding, ...]:
    """Warn of what is worth a look, and return all findings.

    Each column comes with what makes it suspicious, if anything does. `contents` is what `find_duplicate_columns`
    compares, and `class_rows` has the number of rows of each class.
    """
    findings: list[Finding] = []
    for column, suspicion in columns:
        if suspicion is not None:
            findings.append(suspicion)
            warn(ColumnWarning(suspicion.text, suspicion.columns))
            continue
        if column.warning:
            warn(column.warning)
        findings += _report_many_categories(column)
    learned = [column for column, _ in columns]
    dates = [each.column.name for each in learned if each.column.kind in ("date", "datetime")]
    if dates:
        warning = DateWarning(dates)
        findings.append(Finding("date", warning.columns, warning.found))
        warn(warning)
    ordered = [each.column for each in learned if each.recognised]
    if ordered:
        _warn_of_recognised_orders(ordered)
    constant = [each.column.name for each in learned if each.constant]
    if constant and sum(class_rows.values()) > 1:
        text = f"constant columns tell no classes apart: {', '.join(map(repr, constant))}"
        findings.append(Finding("constant", tuple(constant), text))
        warn(ColumnWarning(text, constant))
    duplicates = find_duplicate_columns(contents)
    rare = [
        Finding("class", (), f"class {word(label)} has only {plural(rows, 'row')}")
        for label, rows in class_rows.items()
        if 0 < rows < _FEW_ROWS
    ]
    return (*findings, *duplicates, *rare)


def _report_many_categories(learned: LearnedColumn) -> Iterator[Finding]:
    column, count = learned.column, len(learned.column.categories) + learned.dropped
    if column.kind == "category" and count > _MANY_CATEGORIES:
        yield Finding("categories", (column.name,), f"column {column.name!r} has {count:,} categories")


def _warn_of_recognised_orders(columns: Sequence[Column]) -> None:
    orders = [f"{column.name!r} ({' < '.join(map(str, column.categories))})" for column in columns]
    first = columns[0].name
    warn(
        f"read as ordered, as their words say: {', '.join(orders)}; "
        f"where that is wrong, give kinds={{{first!r}: 'category'}} (--kind {quote(first)}=category)"
    )


def find_duplicate_columns(contents: Mapping[str, Hashable]) -> list[Finding]:
    """Warn of the columns that say on every row what an earlier one says: those of equal contents."""
    first: dict[Hashable, str] = {}
    pairs = [(first.setdefault(content, name), name) for name, content in contents.items()]
    pairs = [(earlier, later) for earlier, later in pairs if earlier != later]
    if pairs:
        listed = ", ".join(f"{later!r} as {earlier!r}" for earlier, later in pairs)
        warn(ColumnWarning(f"columns say the same on every row: {listed}", [later for _, later in pairs]))
    text = "columns {!r} and {!r} say the same on every row"
    return [Finding("duplicate", pair, text.format(*pair)) for pair in pairs]


def hash_content(cells: ColumnValues, column: Column) -> bytes | None:
    """Return a hash of the rows: of numbers as they are, and of categories numbered as they appear (f, m is as 0, 1).

    A few numbers on many rows are categories too, such as the years of school beside the school. Return None for a
    column whose categories are nearly all different: any two of these would look alike.
    """
    if not column.ordered and len(column.categories) * 2 > len(cells):
        return None
    rows = cells.by_row(to_numbers(cells) if column.ordered else to_codes(cells, column.categories)) + 0.0  # 0 of -0
    rows[np.isnan(rows)] = np.nan  # of all the ways to write NaN, one
    codes, distinct = encode_values(rows)
    numbers = column.ordered and (len(distinct) > _MANY_CATEGORIES or len(distinct) * 10 > len(rows))
    return blake2b((rows if numbers else codes.astype(np.float64)).tobytes(), digest_size=16).digest()


def find_suspicion(counts: ValueCounts, column: Column) -> Finding | None:
    """Return why a column is hardly a feature, an identifier or a copy of the target; None if it may be one."""
    values, sums = counts.distinct()
    return _find_identifier(counts, values, column) or _find_copy(values, sums, counts, column)


def _find_identifier(counts: ValueCounts, distinct: ColumnValues, column: Column) -> Finding | None:
    name, rows, in_memory = counts.name, counts.rows - counts.gaps, counts.cells is not None
    # Counts do not know the order of rows, nor more than about how many of very many values are different.
    cells = distinct if counts.cells is None else counts.cells

    def count_distinct() -> int:
        if in_memory and not counts.exact:
            return len(set(cells.values[~cells.missing].tolist()))
        return min(counts.n_distinct, rows)

    # An ordered column of text is read as dates or numbers.
    if counts.family == "category" and not column.ordered and rows >= _MIN_TEXT_ROWS:
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
