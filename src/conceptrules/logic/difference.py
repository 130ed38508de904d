"""What differs between two networks: their rules one by one, what surrounds them, and what follows for all rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from conceptrules.logic.equivalence import WORK, Row, Undecided, find_firing, find_row
from conceptrules.logic.rule_matching import Section, sections
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value, finite_bounds
from conceptrules.model.text import number_text, word
from conceptrules.tables.prediction import predict


@dataclass(frozen=True, slots=True)
class Logic:
    """About one class that both networks have. None: not decided, too large."""

    name: Value
    old_implies_new: bool | None
    new_implies_old: bool | None


@dataclass(frozen=True, slots=True)
class Rows:
    """What the two decide on the rows of a table."""

    rows: int
    different: int
    first: tuple[tuple[int, Value, Value], ...]
    """(row, old class, new class), of the first few."""


@dataclass(frozen=True, slots=True)
class Difference:
    settings: tuple[tuple[str, str, str], ...]
    """(what, old, new): classes, priority, default, columns, cut points."""
    sections: tuple[Section, ...]
    logic: tuple[Logic, ...]
    same: bool | None
    """Whether all rows get the same class; None: not decided."""
    reason: str | None
    """Why it is not decided."""
    row: Row | None
    """A row that gets different classes, with what it gets."""
    decisions: tuple[Value, Value] | None
    data: Rows | None = None


def compare(old: RuleNetwork, new: RuleNetwork, table: Any = None) -> Difference:
    """With a table, its rows are decided by both."""
    same: bool | None = None
    row, reason = None, None
    try:
        row = find_row(old, new, WORK)
        same = row is None
    except (Undecided, InputError) as error:
        reason = str(error)
    decisions = None if row is None else (_decided(old, row), _decided(new, row))
    logic = tuple(Logic(name, *_implications(old, new, name)) for name in old.classes if name in new.classes)
    data = None if table is None else changed_rows(predict(old, table), predict(new, table))
    return Difference(_settings(old, new), sections(old, new), logic, same, reason, row, decisions, data)


def changed_rows(before: NDArray[Any], after: NDArray[Any], show: int = 5) -> Rows:
    """From what two networks predict for the rows of a table."""
    pairs = list(zip(before.tolist(), after.tolist(), strict=True))
    changed = [i for i, (one, other) in enumerate(pairs) if one != other]
    return Rows(len(pairs), len(changed), tuple((i, *pairs[i]) for i in changed[:show]))


def _decided(network: RuleNetwork, row: Row) -> Value:
    value: Value = predict(network, [{column.name: row[column.name] for column in network.columns}]).tolist()[0]
    return value


def _implications(old: RuleNetwork, new: RuleNetwork, name: Value) -> tuple[bool | None, bool | None]:
    return _implied(old, new, name), _implied(new, old, name)


def _implied(first: RuleNetwork, second: RuleNetwork, name: Value) -> bool | None:
    try:
        return find_firing(first, second, name, WORK) is None
    except (Undecided, InputError):
        return None


# What surrounds the rules


def _settings(old: RuleNetwork, new: RuleNetwork) -> tuple[tuple[str, str, str], ...]:
    pairs = [
        ("classes", _listed(old.classes), _listed(new.classes)),
        ("priority", _listed(old.priority), _listed(new.priority)),
        ("default", str(old.default), str(new.default)),
        *_both("column", _columns(old), _columns(new)),
        *_both("cut points of", _cuts(old), _cuts(new)),
    ]
    return tuple(pair for pair in pairs if pair[1] != pair[2])


def _both(what: str, old: Mapping[str, str], new: Mapping[str, str]) -> list[tuple[str, str, str]]:
    names = dict.fromkeys([*old, *new])
    return [(f"{what} {name!r}", old.get(name, "none"), new.get(name, "none")) for name in names]


def _columns(network: RuleNetwork) -> dict[str, str]:
    """Of ordinal columns the order too, which decides what `rank <= b` means."""
    orders = {column.name: " < ".join(map(word, column.categories)) for column in network.columns}
    return {
        column.name: f"ordinal ({orders[column.name]})" if column.kind == "ordinal" else column.kind
        for column in network.columns
    }


def _cuts(network: RuleNetwork) -> dict[str, str]:
    """The bounds that rules use, of the columns that have some."""
    bounds = {
        name: finite_bounds(network.predicates[index] for index in indices)
        for name, indices in network.used_columns.items()
    }
    return {name: _listed(map(number_text, some)) for name, some in bounds.items() if some}


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))
