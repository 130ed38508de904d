"""What is worth knowing about a table before learning from it: found while its columns are read, and reported."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from shlex import quote
from typing import Any
from typing import Literal as Choice

import numpy as np

from conceptrules.binarize.columns import LearnedColumn
from conceptrules.model.errors import ColumnWarning, DateWarning, warn
from conceptrules.model.predicate import Column
from conceptrules.model.text import plural, word
from conceptrules.tables.column_values import ColumnValues, encode_values, to_codes, to_numbers

Topic = Choice["leak", "identifier", "date", "constant", "categories", "duplicate", "class"]
_MANY_CATEGORIES = 100  # a rule that names one of so many categories says little about the others
_FEW_ROWS = 10  # fewer rows of a class are too few to learn it, or to tell whether it was learned


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
