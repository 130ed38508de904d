"""What an edit does: to given rows, and to all rows that there can be."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from conceptrules.logic.equivalence import Row, find_difference
from conceptrules.logic.solver import Undecided
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.text import plural, word
from conceptrules.model.values import label_text
from conceptrules.tables.hashes import hash_rows
from conceptrules.tables.prediction import predict
from conceptrules.tables.table import open_table

_WORK = 1_000_000  # parts of formulas that the test of equivalence may look at: about two seconds


@dataclass(frozen=True, slots=True)
class ClassChange:
    """The given rows that go from one class to another."""

    before: Value
    """Their class before."""
    after: Value
    """Their class after."""
    rows: int
    """How many there are."""
    right_before: int | None
    """How many of them had the right class; None without labels."""
    right_after: int | None
    """How many of them have the right class now; None without labels."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What an edit does. `print` shows it as text."""

    rows: int | None
    """The number of given rows; None if none were given."""
    fingerprint: str | None
    """A hash of the given rows, by which they are known again."""
    changes: tuple[ClassChange, ...]
    """The rows that get another class, by both classes."""
    first: tuple[int, ...]
    """The numbers of the first few of them, counted from 0."""
    equivalent: bool | None
    """Whether every row that there can be gets the same class as before; None if that is not decided."""
    witness: Row | None
    """A made-up row that gets another class."""
    decisions: tuple[Value, Value] | None
    """The class of the witness before and after."""

    def __str__(self) -> str:
        lines = []
        if self.rows is not None:
            moved = sum(change.rows for change in self.changes)
            lines.append(f"{moved:,} of {plural(self.rows, 'row')} get another class")
            for change in self.changes:
                right = f", {change.right_before:,} right before, {change.right_after:,} right after"
                right = "" if change.right_before is None else right
                lines.append(f"  {word(change.before)} -> {word(change.after)}: {plural(change.rows, 'row')}{right}")
            if self.first:
                lines.append(f"  the first: row {', '.join(str(row + 1) for row in self.first)}")
        return "\n".join([*lines, *self.equivalence])

    @property
    def equivalence(self) -> tuple[str, ...]:
        """Whether every row that there can be gets the same class as before, in words, with a row that does not."""
        if self.equivalent:
            return ("every row that there can be gets the same class as before",)
        if self.witness is None or self.decisions is None:
            return ("whether every row that there can be gets the same class as before is not decided: too large",)
        old, new = map(word, self.decisions)
        cells = [f"{word(name)} = {word(value)}" for name, value in self.witness.items() if value is not None]
        return (
            f"not every row gets the same class as before; this one is {old} -> {new}:",
            f"  {', '.join(cells) or 'every value missing'}",
        )

    def plain(self) -> dict[str, Any]:
        """Return what the trail keeps: counts and a made-up row, never a real one."""
        witness = self.witness and {name: _plain_value(value) for name, value in self.witness.items()}
        return {
            "rows": self.rows,
            "fingerprint": self.fingerprint,
            "changes": [list(astuple(change)) for change in self.changes],
            "equivalent": self.equivalent,
            "witness": witness,
            "decisions": None if self.decisions is None else list(self.decisions),
        }


def compute_effect(
    before: RuleNetwork, after: RuleNetwork, data: Any = None, labels: Iterable[object] | None = None
) -> Effect:
    """Compare two networks on given rows, and on all rows that there can be."""
    equivalent: bool | None = None
    witness = None
    with suppress(Undecided):
        witness = find_difference(before, after, work=_WORK)
        equivalent = witness is None
        witness = witness and _round_witness(before, after, witness)
    decisions = None if witness is None else _decide_both(before, after, witness)
    if data is None:
        return Effect(None, None, (), (), equivalent, witness, decisions)
    table = open_table(data)
    texts = None if labels is None else list(map(label_text, labels))
    if texts is not None and len(texts) != table.rows:
        raise InputError(f"the data have {table.rows} rows, but there are {len(texts)} labels; give one for each row")
    old, new = predict(before, table).tolist(), predict(after, table).tolist()
    moved = [row for row, (label, other) in enumerate(zip(old, new, strict=True)) if label != other]
    hashes = np.sort(hash_rows(before.columns, table, texts or [""] * table.rows))
    fingerprint = f"sha256:{hashlib.sha256(hashes.tobytes()).hexdigest()}"
    changes = tuple(_count_changes(old, new, moved, texts))
    return Effect(table.rows, fingerprint, changes, tuple(moved[:5]), equivalent, witness, decisions)


def _count_changes(
    old: list[Value], new: list[Value], moved: list[int], labels: list[str] | None
) -> Iterator[ClassChange]:
    rows_by_classes: dict[tuple[Value, Value], list[int]] = {}
    for row in moved:
        rows_by_classes.setdefault((old[row], new[row]), []).append(row)
    for classes, rows in sorted(rows_by_classes.items(), key=lambda item: str((item[0], len(item[1])))):
        right = [None if labels is None else sum(labels[row] == label_text(c) for row in rows) for c in classes]
        yield ClassChange(*classes, len(rows), *right)


def _round_witness(before: RuleNetwork, after: RuleNetwork, row: Row) -> Row:
    """Return a row with as few digits as give it the same two classes: 2.22 reads better than 2.2199999999999998."""
    classes = _decide_both(before, after, row)
    for name, value in row.items():
        if isinstance(value, float) and np.isfinite(value):
            for digits in range(7):
                shorter = {**row, name: round(value, digits)}
                if _decide_both(before, after, shorter) == classes:
                    row = shorter
                    break
    return row


def _decide_both(before: RuleNetwork, after: RuleNetwork, row: Row) -> tuple[Value, Value]:
    old, new = (
        predict(network, [{column.name: row[column.name] for column in network.columns}]).tolist()[0]
        for network in (before, after)
    )
    return old, new


def _plain_value(value: Any) -> Any:
    known = value is None or isinstance(value, str | bool | int)
    return value if known or (isinstance(value, float) and np.isfinite(value)) else str(value)
