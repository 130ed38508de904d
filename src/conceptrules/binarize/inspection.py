"""What is worth knowing about a table before learning from it: found while its columns are read, and reported."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from shlex import quote
from typing import Any, NamedTuple
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.columns import LearnedColumn, suggest_kind
from conceptrules.binarize.known_values import Counts
from conceptrules.binarize.value_counts import ValueCounts
from conceptrules.model.errors import ColumnWarning, DateWarning, LeftOutWarning, warn
from conceptrules.model.predicate import Column
from conceptrules.model.text import percent, plural, word
from conceptrules.tables.column_values import ColumnValues, to_codes, to_numbers
from conceptrules.tables.table import Table

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
CompareColumns = Callable[[Sequence[LearnedColumn]], NDArray[np.int64]]
"""Returns what `sum_keys` says of all rows."""


class Signature(NamedTuple):
    """What columns that say the same on every row have in common."""

    ranked: bool
    """Whether the order of the values counts."""
    gaps: int
    sums: bytes
    """A hash of the weight of each class at each value."""


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
    duplicates: Sequence[tuple[str, str]],
    left_out: Sequence[str],
    class_rows: Mapping[Any, int],
) -> tuple[Finding, ...]:
    """Warn of what is worth a look, and return all findings.

    Each column comes with what makes it suspicious, if anything does. `duplicates` are pairs of columns that say the
    same, `left_out` the columns that are not learned from, and `class_rows` has the number of rows of each class.
    """
    findings: list[Finding] = []
    for column, suspicion in columns:
        if suspicion is not None:
            findings.append(suspicion)
            if column.column.name not in left_out:
                warn(ColumnWarning(suspicion.text, suspicion.columns))
            continue
        if column.warning and column.column.name not in left_out:
            warn(column.warning)
        findings += _report_many_categories(column)
    if left_out:
        reasons = {finding.columns[0]: finding.text.removeprefix("column ") for finding in findings}
        reasons |= {later: f"{later!r} says the same as {earlier!r}" for earlier, later in duplicates}
        warn(LeftOutWarning([reasons[name] for name in left_out], left_out))
    kept = [pair for pair in duplicates if pair[1] not in left_out]
    if kept:
        listed = ", ".join(f"{later!r} as {earlier!r}" for earlier, later in kept)
        warn(ColumnWarning(f"columns say the same on every row: {listed}", [later for _, later in kept]))
    learned = [column for column, _ in columns if column.column.name not in left_out]
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
    text = "columns {!r} and {!r} say the same on every row"
    findings += [Finding("duplicate", pair, text.format(*pair)) for pair in duplicates]
    rare = [
        Finding("class", (), f"class {word(label)} has only {plural(rows, 'row')}")
        for label, rows in class_rows.items()
        if 0 < rows < _FEW_ROWS
    ]
    return (*findings, *rare)


def list_left_out(
    columns: Sequence[tuple[LearnedColumn, Finding | None]], duplicates: Sequence[tuple[str, str]], rows: int
) -> list[str]:
    """Return the columns that are hardly features: identifiers, and copies of other columns.

    Numbers of few rows may be all different, or rank the rows alike, by chance; they are only warned about.
    """
    copies, enough = {later for _, later in duplicates}, rows >= _MIN_ROWS
    return [
        column.column.name
        for column, suspicion in columns
        if (suspicion is not None and suspicion.topic == "identifier" and (enough or not column.column.ordered))
        or (enough and column.column.name in copies)
    ]


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


def sign_values(counts: ValueCounts, column: LearnedColumn) -> tuple[LearnedColumn, Signature | None]:
    """Return how often the classes have each value of a column, hashed: columns that say the same have it in common.

    Numbers are compared in their order. A few numbers on many rows are categories too, such as the years of school
    beside the school; the column is returned with a cut at each of them. The hash is None for a column that is compared
    with none: on a few rows, or of categories that are nearly all different, any two would look alike.
    """
    values, sums = counts.distinct()
    rows, distinct = counts.rows, len(sums) - (counts.gaps > 0)
    ordered = column.column.ordered
    if column.constant or column.dropped or rows < _MIN_NUMBER_ROWS or (not ordered and distinct * 2 > rows):
        return column, None
    ranked = ordered and (distinct > _MANY_CATEGORIES or distinct * 10 > rows)
    sums = sums[np.argsort(to_numbers(values), kind="stable") if ranked else np.lexsort(sums.T)]
    if ordered and not ranked:
        numbers = to_numbers(values)
        column = replace(column, cuts=tuple(np.unique(numbers[~np.isnan(numbers)]).tolist()))
    digest = blake2b(np.ascontiguousarray(sums).tobytes(), digest_size=16).digest()
    return column, Signature(ranked, counts.gaps, digest)


def sum_keys(columns: Sequence[LearnedColumn], table: Table) -> NDArray[np.int64]:
    """Return [column, value]: the sum of the keys of the rows that have the value; equal rows have equal keys.

    The sums of parts of a table add up, in any order, and two columns that split the rows alike have the same sums.
    """
    codes = [column.encode(table.cells(table.names.index(column.column.name))) for column in columns]
    key = np.zeros(table.rows, np.uint64)
    for code in codes:
        key = (key ^ code.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    lowest = (key & np.uint64((1 << 26) - 1)).astype(np.float64)  # sums of these are exact on 100 million rows
    width = 2 + max(max(len(column.cuts), len(column.column.categories)) for column in columns)
    return np.array([np.bincount(code, lowest, width) for code in codes]).astype(np.int64)


def find_duplicate_columns(
    columns: Sequence[tuple[LearnedColumn, Signature | None]], compare: CompareColumns
) -> list[tuple[str, str]]:
    """Return the columns that say on every row what an earlier one says, after that one."""
    repeats = Counter(signature for _, signature in columns)
    signed = [(column, signature) for column, signature in columns if signature and repeats[signature] > 1]
    if not signed:
        return []
    first: dict[Hashable, str] = {}
    pairs = []
    for (column, signature), sums in zip(signed, compare([column for column, _ in signed]), strict=True):
        assert signature is not None
        content = sums[sums != 0] if signature.ranked else np.sort(sums[sums != 0])
        pairs.append((first.setdefault((signature, content.tobytes()), column.column.name), column.column.name))
    return [(earlier, later) for earlier, later in pairs if earlier != later]


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
        finding = _report_identifier(name, count_distinct(), rows, "is different on")
        offer = suggest_kind(name, [value for value in distinct.values.tolist() if value is not None])
        return finding and replace(finding, text=finding.text.replace("(an identifier?)", offer or "(an identifier?)"))
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
    # So many numbers in so small a range would repeat: the chance that none does is below one in 20,000.
    crowded = counts.exact and rows >= _MIN_ROWS and values.max() < values.min() + rows**2 / 20
    if not (named or rises or (crowded and count_distinct() == rows)):
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
