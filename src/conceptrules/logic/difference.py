"""What differs between two networks: their rules one by one, what surrounds them, and what follows for all rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from conceptrules.logic.equivalence import WORK, Row, Undecided, find_counterexample, find_difference
from conceptrules.logic.rule_matching import Section, sections
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value, finite_bounds
from conceptrules.model.text import number_text, word
from conceptrules.tables.prediction import predict


@dataclass(frozen=True, slots=True)
class Logic:
    """How the rules of one class that both networks have compare; None stands for not decided, since too large."""

    name: Value
    """The class."""
    old_implies_new: bool | None
    """Whether the class fires in the new network wherever it fires in the old one."""
    new_implies_old: bool | None
    """Whether the class fires in the old network wherever it fires in the new one."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What the two networks decide on the rows of a table."""

    rows: int
    """The number of rows."""
    different: int
    """The number of rows that get different classes."""
    first: tuple[tuple[int, Value, Value], ...]
    """The first few of these: the number of the row, its old and its new class."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two networks."""

    settings: tuple[tuple[str, str, str], ...]
    """What surrounds the rules and differs (classes, priority, default, columns, cut points): its name, old, new."""
    sections: tuple[Section, ...]
    """The rules that differ, for each class and concept."""
    logic: tuple[Logic, ...]
    """How the rules of each class that both have compare."""
    same: bool | None
    """Whether all rows get the same class; None if that is not decided."""
    reason: str | None
    """Why it is not decided."""
    row: Row | None
    """A row that gets different classes."""
    decisions: tuple[Value, Value] | None
    """The old and the new class of that row."""
    data: Rows | None = None
    """What the two decide on the rows of a table, if one was given."""


def diff(old: RuleNetwork, new: RuleNetwork, *, table: Any = None) -> Difference:
    """Compare two networks: rule by rule, what surrounds the rules, and what they decide.

    Parameters
    ----------
    old, new : RuleNetwork
        The networks to compare.
    table : table, optional
        Rows that both networks are to decide as well.

    Returns
    -------
    Difference
        What differs, and whether all rows get the same class: this is proved.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> def older(age):
    ...     level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    ...     return RuleNetwork([Column("age")], [Interval("age", age)], [level], ["old", "young"], default="young")
    >>> found = diff(older(27), older(41))
    >>> found.same, found.row, found.decisions
    (False, {'age': 41.0}, ('old', 'young'))
    """
    same: bool | None = None
    row, reason = None, None
    try:
        row = find_difference(old, new, work=WORK)
        same = row is None
    except (Undecided, InputError) as error:
        reason = str(error)
    decisions = None if row is None else (_decided(old, row), _decided(new, row))
    logic = tuple(Logic(name, *_implications(old, new, name)) for name in old.classes if name in new.classes)
    data = None if table is None else changed_rows(predict(old, table), predict(new, table))
    return Difference(_settings(old, new), sections(old, new), logic, same, reason, row, decisions, data)


def changed_rows(before: NDArray[Any], after: NDArray[Any], show: int = 5) -> Rows:
    """Compare what two networks predict for the rows of a table, and keep the first `show` that differ."""
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
        return find_counterexample(first, second, name, work=WORK) is None
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
    """Return the kind of each column; of ordinal columns the order too, which decides what `rank <= b` means."""
    orders = {column.name: " < ".join(map(word, column.categories)) for column in network.columns}
    return {
        column.name: f"ordinal ({orders[column.name]})" if column.kind == "ordinal" else column.kind
        for column in network.columns
    }


def _cuts(network: RuleNetwork) -> dict[str, str]:
    """Return the bounds that rules use, of the columns that have some."""
    bounds = {
        name: finite_bounds(network.predicates[index] for index in indices)
        for name, indices in network.used_columns.items()
    }
    return {name: _listed(map(number_text, some)) for name, some in bounds.items() if some}


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))
