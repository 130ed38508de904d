"""What is told of a table before learning from it: warnings now, findings to look up later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from conceptrules.binarize.columns import LearnedColumn
from conceptrules.binarize.inspection import Finding, many_categories, rare_classes
from conceptrules.model.errors import ColumnWarning, DateWarning, warn
from conceptrules.model.predicate import Column


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """What training makes of a column, and why it is hardly a feature, if it is so."""

    learned: LearnedColumn
    doubt: Finding | None


def told(seen: Sequence[SeenColumn], again: Sequence[Finding], class_rows: Mapping[Any, int]) -> tuple[Finding, ...]:
    """Warn of what is worth a look, and return it; `again` are columns that say what others do."""
    findings: list[Finding] = []
    for one in seen:
        if one.doubt is not None:
            findings.append(one.doubt)
            warn(ColumnWarning(one.doubt.text, one.doubt.columns))
            continue
        if one.learned.warning:
            warn(one.learned.warning)
        if found := many_categories(one.learned.column, one.learned.dropped):
            findings.append(found)
    learned = [one.learned for one in seen]
    dates = [column.column.name for column in learned if column.column.kind in ("date", "datetime")]
    if dates:
        warned = DateWarning(dates)
        findings.append(Finding("date", warned.columns, warned.found))
        warn(warned)
    ordered = [column.column for column in learned if column.recognised]
    if ordered:
        warn(_told_order(ordered))
    constant = [column.column.name for column in learned if column.constant]
    if constant and sum(class_rows.values()) > 1:
        text = f"constant columns tell no classes apart: {', '.join(map(repr, constant))}"
        findings.append(Finding("constant", tuple(constant), text))
        warn(ColumnWarning(text, constant))
    if again:
        warn_of_duplicates(again)
    return (*findings, *again, *rare_classes(class_rows))


def warn_of_duplicates(again: Sequence[Finding]) -> None:
    """Warn of columns that say what others do."""
    pairs = ", ".join(f"{one.columns[1]!r} as {one.columns[0]!r}" for one in again)
    warn(ColumnWarning(f"columns say the same on every row: {pairs}", [one.columns[1] for one in again]))


def _told_order(columns: Sequence[Column]) -> str:
    """Return the message that columns are read as ordered, with the way out."""
    orders = [f"{column.name!r} ({' < '.join(map(str, column.categories))})" for column in columns]
    first = columns[0].name
    return (
        f"read as ordered, as their words say: {', '.join(orders)}; "
        f"where that is wrong, give kinds={{{first!r}: 'category'}} (--kind {quote(first)}=category)"
    )
