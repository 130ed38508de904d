"""Parts of dates are what Python's calendar says, in every kind of table, and are found again by their names."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model.errors import InputError
from conceptrules.tables import with_date_parts
from conceptrules.tables.date_parts import DatePart, part_of, parts_of

MOMENTS = st.none() | st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1))
KINDS = {
    "pandas": lambda columns: pd.DataFrame(columns, dtype="datetime64[us]"),
    "polars": lambda columns: pl.DataFrame(columns, dict.fromkeys(columns, pl.Datetime)),
    "pyarrow": lambda columns: pa.table(columns, pa.schema(dict.fromkeys(columns, pa.timestamp("us")).items())),
}


def plain(table: Any) -> dict[str, list[Any]]:
    columns = nw.from_native(table)
    values = {name: columns[name].to_list() for name in columns.columns}
    return {name: [None if pd.isna(value) else value for value in found] for name, found in values.items()}


@pytest.mark.parametrize("kind", KINDS)
@given(st.lists(st.tuples(MOMENTS, MOMENTS), min_size=1, max_size=5))
def test_parts_are_those_of_the_calendar(kind: str, rows: list[tuple[dt.datetime | None, dt.datetime | None]]) -> None:
    first, second = ([row[place] for row in rows] for place in (0, 1))
    found = plain(with_date_parts(KINDS[kind]({"first": first, "second": second})))
    assert found["month of first"] == [moment and moment.month for moment in first]
    assert found["weekday of first"] == [moment and moment.strftime("%A") for moment in first]
    assert found["hour of second"] == [None if moment is None else moment.hour for moment in second]
    assert found["days from first to second"] == [
        (b.date() - a.date()).days if a and b else None for a, b in zip(first, second, strict=True)
    ]
    assert len(found) == 7


def test_dates_without_times_have_no_hours_and_other_columns_stay() -> None:
    table = pa.table({"size": [1], "day": [dt.date(2024, 3, 1)], "job": ["cook"]})
    assert with_date_parts(table).to_pylist() == [
        {"size": 1, "job": "cook", "month of day": 3, "weekday of day": "Friday"}
    ]
    assert with_date_parts(table.drop_columns(["day"])).column_names == ["size", "job"]


@given(st.lists(st.sampled_from(["a", "b to a", "to", "a of b", "month of a", "days from a to b"]), unique=True))
def test_a_part_is_found_by_its_name(names: list[str]) -> None:
    for part in parts_of(dict.fromkeys(names, True)):
        found = part_of(part.name, names)
        assert found is not None
        assert found.name == part.name
        assert part_of(part.name, []) is None


@pytest.mark.parametrize("name", ["month", "month of", "year of a", "days from a", "days from a to c", "days to a"])
def test_other_names_are_none(name: str) -> None:
    assert part_of(name, ["a", "b"]) is None
    assert part_of("days from a to b", ["a", "b"]) == DatePart("days", "b", "a")


def test_what_has_no_parts_is_told() -> None:
    with pytest.raises(InputError, match="need a table of pandas, polars or pyarrow, got list"):
        with_date_parts([[1]])
    table = pa.table({"day": [dt.date(2024, 3, 1)], "month of day": [3]})
    with pytest.raises(InputError, match="already has a column 'month of day'"):
        with_date_parts(table)


def test_the_view_in_the_documentation_makes_the_same_parts() -> None:
    page = (Path(__file__).parents[2] / "docs" / "exports.md").read_text(encoding="utf-8")
    query = re.search(r"CREATE VIEW parts AS\n(SELECT.*?)```", page, re.DOTALL)
    moments = [dt.datetime(1969, 12, 31, 23, 59), dt.datetime(2024, 3, 1, 13, 45), None]
    orders = pa.table({"signup": moments, "order": [*moments[1:], moments[0]]})
    database = duckdb.connect()
    database.register("orders", orders)
    view = database.sql(query[1]).to_arrow_table()
    made = with_date_parts(orders)
    for name in view.column_names[2:]:
        assert view[name].to_pylist() == made[name].to_pylist()
    assert len(view.column_names) == 6
