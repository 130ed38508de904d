"""Names for the columns in use, where the names of columns cannot be any text."""

from __future__ import annotations

from collections.abc import Iterable

from conceptrules.export.layout import inputs
from conceptrules.model.network import RuleNetwork

OWN = "/"
"""What the names of our own nodes begin with; no field does."""


def field_names(network: RuleNetwork, taken: Iterable[str]) -> dict[str, str]:
    """By column: its own name, or column_3 for the third column if that is empty, not printable, or begins as ours do.

    Names that are taken get a `_` at the end.
    """
    used, result = set(taken), {}
    wanted = {each.column.name for each in inputs(network)}
    for position, column in enumerate(network.columns, start=1):
        if column.name in wanted:
            fits = column.name and column.name.isprintable() and not column.name.startswith(OWN)
            result[column.name] = free_name(column.name if fits else f"column_{position}", used)
            used.add(result[column.name])
    return result


def free_name(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name += "_"
    return name
