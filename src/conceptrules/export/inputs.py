"""The columns that a network uses, as every export reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Value, named

Family = Choice["ordered", "flag", "text", "figure", "whole"]
"""What a column holds, as code sees it: numbers to compare, true or false, text, and numbers that are categories.
"whole" ones are all whole numbers, some of them too large for float64 to tell from their neighbours."""
Stored = Choice["number", "boolean", "text", "date", "datetime", "duration"]


@dataclass(frozen=True, slots=True)
class Input:
    """A column in use, with the predicates in use on it."""

    column: Column
    family: Family
    predicates: tuple[int, ...]
    known: tuple[Value, ...] = ()
    """The categories of the column, and those that predicates name."""
    stored: Stored | None = None
    """What the column is in a table of a database; None means what its kind suggests."""


def inputs(network: RuleNetwork) -> tuple[Input, ...]:
    """Return the columns that rules use, in the order of the network."""
    found, used_columns = [], network.used_columns
    for column in network.columns:
        used = used_columns.get(column.name)
        if used:
            known = (*column.categories, *(value for index in used for value in named(network.predicates[index])))
            found.append(Input(column, _family(column, known), used, known))
    return tuple(found)


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
