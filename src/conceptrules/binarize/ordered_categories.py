"""The order of a column of ordered categories: as given, as the table has it, or as numbers have it."""

from __future__ import annotations

import numpy as np

from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Value
from conceptrules.model.values import brief, whole
from conceptrules.tables.column_values import ColumnValues, codes_of


def order_in(cells: ColumnValues, given: tuple[Value, ...] | None) -> tuple[Value, ...]:
    """Return the categories from the lowest to the highest; raise an error where nothing says which is which."""
    if given is not None:
        check_all_listed(cells, given)
        return given
    if cells.order is not None:
        return tuple(map(whole, cells.order))
    found = {whole(value) for value in cells.values[~cells.missing].tolist()}
    if any(isinstance(value, str) for value in found):
        some = ", ".join(brief(value) for value in sorted(found)[:3])
        raise InputError(
            f"column {cells.name!r} is to be ordinal, but nothing says in which order {some}, ... come; "
            f"give it, from the lowest to the highest: kinds={{{cells.name!r}: [{some}, ...]}}"
        )
    return tuple(sorted(found))


def check_all_listed(cells: ColumnValues, given: tuple[Value, ...], first: int = 0) -> None:
    """Raise an `InputError` if a value is not in the order that the user gives; its first row is `first`."""
    unlisted = cells.by_row(~cells.missing & (codes_of(cells, given) < 0))
    if not unlisted.any():
        return
    row = int(np.argmax(unlisted))
    value = cells.values[row if cells.codes is None else cells.codes[row]]
    listed = ", ".join(map(brief, given[:10])) + (", ..." if len(given) > 10 else "")
    raise InputError(
        f"column {cells.name!r} holds {brief(value)} in row {first + row}, which is not in the order that kinds gives: "
        f"{listed}; add it where it belongs, or mend the row"
    )
