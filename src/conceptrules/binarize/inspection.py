"""What is worth knowing about a table before learning from it: found while its columns are read, and reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.columns import LearnedColumn
from conceptrules.model.errors import ColumnWarning, DateWarning, warn
from conceptrules.model.predicate import Column
from conceptrules.model.text import plural, word
from conceptrules.tables.column_values import ColumnValues, to_codes, to_numbers
from conceptrules.tables.table import Table

Topic = Choice["leak", "identifier", "date", "constant", "categories", "duplicate", "class"]
_MANY_CATEGORIES = 100  # a rule that names one of so many categories says little about the others
_FEW_ROWS = 10  # fewer rows of a class are too few to learn it, or to tell whether it was learned
_SAMPLED_ROWS = 1_000  # evenly spread rows in which two columns must agree before all rows are compared


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


@dataclass(frozen=True, slots=True)
class InspectedColumn:
    """What training makes of a column, and why the column is suspicious, if it is."""

    learned: LearnedColumn
    suspicion: Finding | None


def report_findings(
    columns: Sequence[InspectedColumn], duplicates: Sequence[Finding], class_rows: Mapping[Any, int]
) -> tuple[Finding, ...]:
    """Warn of what is worth a look, and return all findings; `class_rows` has the number of rows of each class."""
    findings: list[Finding] = []
    for inspected in columns:
        if inspected.suspicion is not None:
            findings.append(inspected.suspicion)
            warn(ColumnWarning(inspected.suspicion.text, inspected.suspicion.columns))
            continue
        if inspected.learned.warning:
            warn(inspected.learned.warning)
        findings += _report_many_categories(inspected.learned)
    learned = [inspected.learned for inspected in columns]
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
    if duplicates:
        warn_of_duplicates(duplicates)
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


def warn_of_duplicates(duplicates: Sequence[Finding]) -> None:
    """Warn of columns that say the same as earlier ones."""
    pairs = [finding.columns for finding in duplicates]
    listed = ", ".join(f"{later!r} as {earlier!r}" for earlier, later in pairs)
    warn(ColumnWarning(f"columns say the same on every row: {listed}", [later for _, later in pairs]))


def sample_rows(cells: ColumnValues, column: Column) -> bytes | None:
    """Return the values of evenly spread rows of a column, so that equal columns have equal samples.

    Return None for a column whose categories are nearly all different: any two of these would look alike.
    """
    if not column.ordered and len(column.categories) * 2 > len(cells):
        return None
    rows = slice(None, None, max(1, len(cells) // _SAMPLED_ROWS))
    if cells.codes is None:
        sample = replace(cells, values=cells.values[rows], missing=cells.missing[rows])
    else:
        sample = replace(cells, codes=cells.codes[rows])
    return _comparable_rows(sample, column).tobytes()


def find_duplicate_columns(table: Table, samples: Mapping[Column, bytes | None]) -> Iterator[Finding]:
    """Yield the columns that say on every row what an earlier one says; the names of categories may differ."""

    def read(column: Column) -> NDArray[np.float64]:
        return _comparable_rows(table.cells(table.names.index(column.name)), column)

    by_sample: dict[bytes, list[Column]] = {}
    for column, sample in samples.items():
        if sample is None:
            continue
        candidates = by_sample.setdefault(sample, [])
        first = next((other for other in candidates if np.array_equal(read(other), read(column), True)), None)
        if first is None:
            candidates.append(column)
        else:
            names = first.name, column.name
            yield Finding("duplicate", names, f"columns {names[0]!r} and {names[1]!r} say the same on every row")


def _comparable_rows(cells: ColumnValues, column: Column) -> NDArray[np.float64]:
    """Return numbers as they are, and categories numbered as they appear, so that f, m and 0, 1 are alike.

    A few numbers on many rows are categories too, such as the years of school beside the school.
    """
    rows = cells.by_row(to_numbers(cells) if column.ordered else to_codes(cells, column.categories))
    distinct, first, codes = np.unique(rows, return_index=True, return_inverse=True)
    if column.ordered and (len(distinct) > _MANY_CATEGORIES or len(distinct) * 10 > len(rows)):
        return rows + 0.0  # -0.0 is 0.0
    return np.argsort(np.argsort(first))[codes].astype(np.float64)
