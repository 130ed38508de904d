"""Parts of dates as columns: made for learning, and made again for a model that was learned from them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column
from conceptrules.tables.column_values import check_readable
from conceptrules.tables.date_parts import DatePart, part_of, part_values, with_date_parts
from conceptrules.tables.table import open_table


def parts_wanted(network: RuleNetwork, columns: Sequence[str]) -> list[DatePart]:
    """Return the columns of a network that are parts of dates in these columns, and not there themselves."""
    found = [part_of(column.name, columns) for column in network.columns if column.name not in columns]
    return [part for part in found if part is not None]


def with_parts_that_differ(table: pa.Table) -> pa.Table:
    """Return the table with parts of its dates instead of the dates, but those that are the same in every row."""
    found = with_date_parts(table)
    if found is table:
        raise InputError("--date-parts makes parts of dates, but no column to learn from holds dates; leave it out")
    made = [name for name in found.column_names if name not in table.column_names]
    return found.drop_columns([name for name in made if len(found[name].unique()) == 1])


def with_parts(table: pa.Table, parts: Sequence[DatePart]) -> pa.Table:
    """Return the table with these parts of its dates added."""
    opened = open_table(table)
    cells = {name: opened.cells(opened.names.index(name)) for part in parts for name in part.columns}
    for name, found in cells.items():
        check_readable(found, Column(name, "datetime"))
    moments = {name: found.by_row(found.values).astype("M8[us]") for name, found in cells.items()}
    for part in parts:
        table = table.append_column(part.name, pa.array(part_values(part, moments)))
    return table
