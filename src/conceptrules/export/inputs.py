"""The columns that a network uses, as every export reads them: what they hold, and what they are called."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Value, categories_of

Family = Choice["ordered", "flag", "text", "figure", "whole"]
"""What a column holds, as code sees it: numbers to compare, true or false, text, and numbers that are categories.
"whole" ones are all whole numbers, some of them too large for float64 to distinguish from their neighbours."""
Storage = Choice["number", "boolean", "text", "date", "datetime", "duration"]
OWN = "/"
"""The beginning of the names of our own nodes and fields, which no column gets."""


@dataclass(frozen=True, slots=True)
class Input:
    """A column in use, with the predicates in use on it."""

    column: Column
    family: Family
    predicates: tuple[int, ...]
    known: tuple[Value, ...] = ()
    """The categories of the column, and those that predicates name."""
    storage: Storage | None = None
    """What the column is in a table of a database; None means what its kind suggests."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns that a derived one is worked out from."""
        return self.column.derivation.columns if self.column.derivation else ()

    @property
    def holds_flags(self) -> bool:
        """Whether a table has true and false in the column; categories can be that too."""
        if self.storage is not None:
            return self.storage == "boolean"
        return self.family == "flag" or self.lists_flags

    @property
    def lists_flags(self) -> bool:
        """Whether all categories of the column are true or false."""
        return bool(self.column.categories) and all(isinstance(value, bool) for value in self.column.categories)


def inputs(network: RuleNetwork) -> tuple[Input, ...]:
    """Return the columns of the table that rules use, themselves or in derived columns, in the order of the network."""
    asked = network.used_columns
    return tuple(_make_input(network, column, asked.get(column.name, ())) for column in network.asked_columns)


def derived_inputs(network: RuleNetwork) -> tuple[Input, ...]:
    """Return the derived columns that rules use, in the order of the network."""
    asked = network.used_columns
    return tuple(
        _make_input(network, column, asked[column.name])
        for column in network.columns
        if column.derivation is not None and column.name in asked
    )


def _make_input(network: RuleNetwork, column: Column, predicates: tuple[int, ...]) -> Input:
    values = (value for index in predicates for value in categories_of(network.predicates[index]))
    known = (*column.categories, *values)
    return Input(column, _family(column, known), predicates, known)


def _family(column: Column, known: Sequence[Value]) -> Family:
    if column.ordered:
        return "ordered"
    if column.kind == "boolean":
        return "flag"
    # The first category says what the cells may be, as it does when a table is read.
    if not known or isinstance(known[0], str):
        return "text"
    whole = all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in known)
    return "whole" if whole and any(abs(int(value)) >= 2**53 for value in known) else "figure"


def can_hold(family: Family, value: Value) -> bool:
    """Return whether a cell of a column of this family can equal a category."""
    return value in (0, 1) if family == "flag" else isinstance(value, str) == (family == "text")


def is_utf8(text: str) -> bool:
    """Return whether text can be written as UTF-8; half of a surrogate pair cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_double(value: Value) -> bool:
    """Return whether float64 holds the number exactly."""
    try:
        return float(value) == value
    except OverflowError:
        return False


def exact_double(value: float, column: Column) -> float:
    """Return a category as a double; raise for a number so large that doubles round others to it."""
    if math.isfinite(value) and abs(value) >= 2**53:
        raise InputError(
            f"column {column.name!r} has the category {value!r}, which double precision cannot tell from its "
            "neighbours; for this export, train with that column as text"
        )
    return float(value)


def field_names(network: RuleNetwork, used: Iterable[Input], taken: Iterable[str]) -> dict[str, str]:
    """Return a name for each of these columns, for formats in which not every text can be a name.

    A column keeps its own name, unless that is empty, not printable, or begins as ours do: then it is column_3. Names
    that are taken get a `_` at the end.
    """
    positions = {column.name: position for position, column in enumerate(network.columns, start=1)}
    names: dict[str, str] = {}
    for column in (each.column.name for each in used):
        fits = column and column.isprintable() and not column.startswith(OWN)
        names[column] = free_name(column if fits else f"column_{positions[column]}", {*taken, *names.values()})
    return names


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name with as many `_` at its end as it takes to be free."""
    while name in taken:
        name += "_"
    return name
