"""The groups of people that a column names: the values of few different texts, numbers or booleans."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.tables.table import Table

MAX_GROUPS, _MAX_NUMBERS = 255, 20  # of one column, in general (codes of a byte) and where all are numbers


def read_groups(table: Table, column: str) -> NDArray[Any]:
    """Return the group of each row as text; None where it is missing."""
    values = table.cells(table.names.index(column)).to_list()
    return np.array([None if value is None else str(value) for value in values], dtype=object)


def check_groups(column: str, names: Set[str], asked_by: str) -> None:
    """Raise an `InputError` if the values of a column are no groups of people: too many, or a number that was measured.

    A few numbers can be codes of groups.
    """
    most = _MAX_NUMBERS if all(re.fullmatch(r"-?\d+(\.\d*)?(e[+-]?\d+)?", name) for name in names) else MAX_GROUPS
    if len(names) > most:
        raise InputError(
            f"{asked_by}: the column {column!r} has {len(names):,} different values, too many for groups of people; "
            f"put them into a column of ranges first, such as pandas.cut(X[{column!r}], 5), and name that"
        )
