"""Names for the columns in use, for formats in which not every text can be a name."""

from __future__ import annotations

from collections.abc import Iterable

from conceptrules.export.inputs import inputs
from conceptrules.model.network import RuleNetwork

OWN = "/"
"""What the names of our own nodes begin with; no field does."""


def field_names(network: RuleNetwork, taken: Iterable[str]) -> dict[str, str]:
    """Return a name for each column: its own, or column_3 if that is empty, not printable, or begins as ours do.

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
    """Return the name with as many `_` at its end as it takes to be free."""
    while name in taken:
        name += "_"
    return name
