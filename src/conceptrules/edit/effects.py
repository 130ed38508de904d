"""What an edit does: to given rows, and to all rows that there can be."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from conceptrules.logic.equivalence import Row, Undecided, find_difference
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.text import plural, word
from conceptrules.model.values import label_text
from conceptrules.tables.hashes import hash_rows
from conceptrules.tables.prediction import predict
from conceptrules.tables.table import open_table

_WORK = 1_000_000  # parts of formulas that the question of equivalence may look at: about two seconds


@dataclass(frozen=True, slots=True)
class Change:
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
    changes: tuple[Change, ...]
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
        return "\n".join(_lines(self))

    @property
    def equivalence(self) -> tuple[str, ...]:
        """Whether every row that there can be gets the same class as before, in words, with a row that does not."""
        return tuple(_equivalence(self))

    def plain(self) -> dict[str, Any]:
        """Return what the trail keeps: counts and a made-up row, never a real one."""
        changes = [[one.before, one.after, one.rows, one.right_before, one.right_after] for one in self.changes]
        return {
            "rows": self.rows,
            "fingerprint": self.fingerprint,
            "changes": changes,
            "equivalent": self.equivalent,
            "witness": None if self.witness is None else {name: _plain(value) for name, value in self.witness.items()},
            "decisions": None if self.decisions is None else list(self.decisions),
        }


def effect_of(
    before: RuleNetwork, after: RuleNetwork, data: Any = None, labels: Iterable[object] | None = None
) -> Effect:
    """Compare two networks on given rows, and on all rows that there can be."""
    equivalent: bool | None = None
    witness = None
    try:
        witness = find_difference(before, after, work=_WORK)
        equivalent = witness is None
        witness = witness and _tidied(before, after, witness)
    except Undecided:
        pass
    decisions = None if witness is None else (_one(before, witness), _one(after, witness))
    if data is None:
        return Effect(None, None, (), (), equivalent, witness, decisions)
    table = open_table(data)
    known = None if labels is None else list(map(label_text, labels))
    if known is not None and len(known) != table.rows:
        raise InputError(f"the data have {table.rows} rows, but there are {len(known)} labels; give one for each row")
    old, new = predict(before, table).tolist(), predict(after, table).tolist()
    moved = [row for row, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    changes = tuple(_changes(old, new, moved, known))
    hashes = np.sort(hash_rows(before.columns, table, known or [""] * table.rows))
    same = hashlib.sha256(hashes.tobytes()).hexdigest()
    return Effect(table.rows, f"sha256:{same}", changes, tuple(moved[:5]), equivalent, witness, decisions)


def _changes(old: list[Value], new: list[Value], moved: list[int], known: list[str] | None) -> Iterator[Change]:
    for (one, other), count in sorted(Counter((old[row], new[row]) for row in moved).items(), key=str):
        mine = [row for row in moved if (old[row], new[row]) == (one, other)]
        if known is None:
            yield Change(one, other, count, None, None)
        else:
            right = [sum(known[row] == label_text(label) for row in mine) for label in (one, other)]
            yield Change(one, other, count, *right)


def _tidied(before: RuleNetwork, after: RuleNetwork, row: Row) -> Row:
    """Return a row with as few digits as give it the same two classes: 2.22 reads better than 2.2199999999999998."""
    classes = _one(before, row), _one(after, row)
    for name, value in row.items():
        if isinstance(value, float) and np.isfinite(value):
            for digits in range(7):
                shorter = {**row, name: round(value, digits)}
                if (_one(before, shorter), _one(after, shorter)) == classes:
                    row = shorter
                    break
    return row


def _one(network: RuleNetwork, row: Row) -> Value:
    value: Value = predict(network, [{column.name: row[column.name] for column in network.columns}]).tolist()[0]
    return value


def _plain(value: Any) -> Any:
    known = value is None or isinstance(value, str | bool | int)
    return value if known or (isinstance(value, float) and np.isfinite(value)) else str(value)


def _lines(effect: Effect) -> Iterator[str]:
    if effect.rows is not None:
        moved = sum(change.rows for change in effect.changes)
        yield f"{moved:,} of {plural(effect.rows, 'row')} get another class"
        for change in effect.changes:
            right = f", {change.right_before:,} right before, {change.right_after:,} right after"
            right = "" if change.right_before is None else right
            yield f"  {word(change.before)} -> {word(change.after)}: {plural(change.rows, 'row')}{right}"
        if effect.first:
            yield f"  the first: row {', '.join(str(row + 1) for row in effect.first)}"
    yield from _equivalence(effect)


def _equivalence(effect: Effect) -> Iterator[str]:
    if effect.equivalent:
        yield "every row that there can be gets the same class as before"
    elif effect.witness is None or effect.decisions is None:
        yield "whether every row that there can be gets the same class as before is not decided: too large"
    else:
        old, new = effect.decisions
        cells = ", ".join(
            f"{word(name)} = {word(value)}" for name, value in effect.witness.items() if value is not None
        )
        yield f"not every row gets the same class as before; this one is {word(old)} -> {word(new)}:"
        yield f"  {cells or 'every value missing'}"
