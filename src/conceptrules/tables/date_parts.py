"""Parts of dates as columns: the month, the weekday and the hour, and the days since another date.

They are ordinary columns, and everything that is done with a network takes them as such. Their names say what they
are, so that `part_of` can make those that a network asks for from the dates of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.tables.table import open_table

Moments = NDArray[np.datetime64]
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class DatePart:
    """A column that is made of one or two columns of dates."""

    part: str
    """What is made of the date: a key of `PARTS`, or "days"."""
    column: str
    since: str | None = None
    """The date that days count from."""

    @property
    def name(self) -> str:
        """The name of the column.

        >>> DatePart("month", "signup").name, DatePart("days", "order", "signup").name
        ('month of signup', 'days from signup to order')
        """
        return f"{self.part} of {self.column}" if self.since is None else f"days from {self.since} to {self.column}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of dates that it is made of."""
        return (self.column,) if self.since is None else (self.column, self.since)


def _days(moments: Moments) -> NDArray[np.int64]:
    return moments.astype("M8[D]").astype(np.int64)


def _weekday(moments: Moments) -> NDArray[Any]:
    return np.array(WEEKDAYS, dtype=object)[(_days(moments) + 3) % 7]  # day 0, 1970-01-01, was a Thursday


PARTS: dict[str, Callable[[Moments], NDArray[Any]]] = {
    "month": lambda moments: moments.astype("M8[M]").astype(np.int64) % 12 + 1,
    "weekday": _weekday,
    "hour": lambda moments: moments.astype("M8[h]").astype(np.int64) % 24,
}


def part_of(name: str, columns: Container[str]) -> DatePart | None:
    """Return the part that a name stands for, if the dates that it takes are among these columns.

    >>> part_of("month of signup", ["signup", "age"])
    DatePart(part='month', column='signup', since=None)
    """
    part, _, column = name.partition(" of ")
    if part in PARTS and column in columns:
        return DatePart(part, column)
    words = name.removeprefix("days from ").split(" to ")
    pairs = ((" to ".join(words[:split]), " to ".join(words[split:])) for split in range(1, len(words)))
    parts = (DatePart("days", to, since) for since, to in pairs if since in columns and to in columns)
    return next(parts, None) if name.startswith("days from ") else None


def part_values(part: DatePart, moments: Mapping[str, Moments]) -> list[Any]:
    """Return the values of a part, None where a date is missing; `moments` has the columns of dates."""
    dates = [moments[name] for name in part.columns]
    missing = np.any([np.isnat(each) for each in dates], axis=0)
    of, *since = (np.where(missing, np.datetime64(0, "us"), each) for each in dates)
    values = _days(of) - _days(since[0]) if since else PARTS[part.part](of)
    return [None if gap else value for gap, value in zip(missing.tolist(), values.tolist(), strict=True)]


def with_date_parts(table: Any) -> Any:
    """Return a table with parts of its dates as columns, instead of the dates.

    A rule on a date separates old rows from new ones. Rules on its parts hold for next year too. Each column of dates
    is replaced by its month (1 to 12), its weekday (Monday to Sunday) and, if it has times of day, its hour (0 to 23);
    each two columns of dates add the whole days from the first to the second. Dates with a zone count in UTC.

    The columns of the result are ordinary ones. A network that is learned from them asks for them, so give tables
    through this function to `predict` too. The command line does it by itself.

    Parameters
    ----------
    table : table of pandas, polars or pyarrow
        A table, with or without dates.

    Returns
    -------
    table
        A table of the same kind.

    Raises
    ------
    InputError
        If the table is of another kind, or has a column of the name of a part already.

    Examples
    --------
    >>> import pandas as pd
    >>> orders = pd.DataFrame({"order": pd.to_datetime(["2024-03-01 13:45", None]), "size": [3, 4]})
    >>> with_date_parts(orders).columns.tolist()
    ['size', 'month of order', 'weekday of order', 'hour of order']
    """
    native = nw.from_native(table, pass_through=True)
    if not isinstance(native, nw.DataFrame):
        raise InputError(f"date parts need a table of pandas, polars or pyarrow, got {type(table).__name__}")
    opened = open_table(table)
    dates = {name: opened.cells(position) for position, name in enumerate(opened.names)}
    dates = {name: cells for name, cells in dates.items() if cells.family in ("date", "datetime")}
    parts = list(parts_of({name: cells.family == "datetime" for name, cells in dates.items()}))
    taken = next((part.name for part in parts if part.name in opened.names), None)
    if taken is not None:
        raise InputError(f"the table already has a column {taken!r}; rename it, or the date that this is a part of")
    moments = {name: cells.by_row(cells.values) for name, cells in dates.items()}
    series = [
        nw.new_series(part.name, part_values(part, moments), _type(part), backend=native.implementation)
        for part in parts
    ]
    return native.drop(*dates).with_columns(*series).to_native() if dates else table


def parts_of(timed: Mapping[str, bool]) -> Iterator[DatePart]:
    """Yield the parts of these columns of dates, which say whether they have times of day."""
    for name, times in timed.items():
        yield from (DatePart(part, name) for part in PARTS if times or part != "hour")
    yield from (DatePart("days", later, earlier) for earlier, later in combinations(timed, 2))


def _type(part: DatePart) -> nw.dtypes.DType:
    return nw.String() if part.part == "weekday" else nw.Float64()  # pandas has no gaps in whole numbers
