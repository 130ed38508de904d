"""One row, however it is given, and its values as the columns of a network read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Column, Value
from conceptrules.tables.column_values import ColumnValues, check_readable, to_numbers
from conceptrules.tables.table import Table, locate_columns, open_table


def one_row(row: Any) -> Table:
    """Return a table with one row, from a dictionary, a list of values, a row of a pandas table, or such a table."""
    table = open_table(_as_table(row))
    if table.rows != 1:
        raise InputError(f"one row is explained at a time, this table has {table.rows}; give one of them, X[i : i + 1]")
    return table


def read_row(columns: Sequence[Column], table: Table) -> tuple[Value | None, ...]:
    """Return the values of a table's only row, one for each column; None is missing."""
    return tuple(
        _value(column, table.cells(position))
        for column, position in zip(columns, locate_columns(columns, table), strict=True)
    )


def _as_table(row: Any) -> Any:
    native = nw.from_native(row, pass_through=True, allow_series=True)
    if isinstance(native, nw.Series):
        return row.to_dict() if native.implementation.is_pandas() else [native.to_list()]
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return [row.tolist()]
    whole = (Mapping, list, tuple, np.ndarray)
    if isinstance(row, list | tuple) and not any(isinstance(value, whole) for value in row):
        return [row]
    return row


def _value(column: Column, cells: ColumnValues) -> Value | None:
    check_readable(cells, column)
    place = 0 if cells.codes is None else cells.codes[0]
    if cells.missing[place]:
        return None
    value: Value = (to_numbers(cells) if column.ordered else cells.values).tolist()[place]
    return value
