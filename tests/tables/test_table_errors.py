"""Tables that cannot be read: the error names the column, the value and the fix."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.model.predicate import Column, Equals, Interval
from conceptrules.tables.table import open_table, read_bits

AGE = (Column("age"), Interval("age", 41))
JOB = (Column("job", "category", ("nurse",)), Equals("job", "nurse"))
ZIP = (Column("zip", "category", (12, 34)), Equals("zip", 12))
FLAG = (Column("flag", "boolean", (False, True)), Equals("flag", True))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "duplicate column names.*'a'"),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), "duplicate column names.*'a'"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "duplicate column names: '1'"),
        (pl.LazyFrame({"a": [1]}), "collect"),
        (sparse.csr_array(np.eye(2)), "Sparse.*toarray"),
        ([[1, 2], [3]], "row 1 has 1 values, row 0 has 2"),
        ([1, 2], "Reshape your data"),
        (pd.Series([1, 2]), "Reshape your data"),
        (np.arange(3), "Reshape your data"),
        ("table.csv", "0D array.*str"),
    ],
)
def test_what_is_not_a_table(table: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"(?s){message}"):
        open_table(table)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, None, "two"], r"column 'c': row 2 holds 'two' \(str\) among numbers.*astype\(str\)"),
        (["a", 1.5], r"column 'c': row 1 holds 1.5 \(float\) among text"),
        ([{"foo": "bar"}, 1], "column 'c': row 0 holds {'foo': 'bar'}"),
        ([[1, 2], [3, 4]], r"column 'c': row 0 holds \[1, 2\]"),
        ([np.arange(2)], "column 'c': row 0 holds array"),
        ([b"x"], r"column 'c': row 0 holds b'x' \(bytes\)"),
        ([1j], r"column 'c': row 0 holds 1j \(complex\)"),
        (["x" * 1000, 1, True], "column 'c': row 1 holds 1 "),
    ],
)
def test_a_column_of_mixed_or_unknown_types(values: list[Any], message: str) -> None:
    for table in (pd.DataFrame({"c": pd.Series(values, dtype=object)}), [{"c": value} for value in values]):
        with pytest.raises(ColumnTypeError, match=message) as caught:
            open_table(table).cells(0)
        assert "argument must be a string or a number" in str(caught.value)


def test_a_time_of_day_in_a_zone_is_refused() -> None:
    with pytest.raises(ColumnTypeError, match=r"column 'c': row 1 holds .*, a time of day with a time zone; drop the"):
        open_table([{"c": dt.time(12)}, {"c": dt.time(12, tzinfo=dt.UTC)}]).cells(0)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("c", [{"a": 1}, {"a": 2}]),
        pl.Series("c", [[1], [2]]),
        pl.Series("c", [[1, 2]], dtype=pl.Array(pl.Int64, 2)),
    ],
)
def test_nested_columns(column: pl.Series) -> None:
    for table in (pl.DataFrame([column]), pl.DataFrame([column]).to_arrow()):
        with pytest.raises(ColumnTypeError, match="column 'c': row 0 holds"):
            open_table(table).cells(0)


def test_numbers_that_float64_cannot_hold() -> None:
    with pytest.raises(InputError, match="Complex data not supported: column 'x0'"):
        open_table(np.ones((2, 1)) * 1j).cells(0)
    with pytest.raises(InputError, match=r"column 'x0' .*too large"):
        open_table([[10**400]]).cells(0)


@pytest.mark.parametrize(
    ("trained", "table", "message"),
    [
        (
            AGE,
            {"age": "forty"},
            r"'age' is of the kind number, but row 0 holds 'forty' \(text\).*kinds={'age': 'category'}",
        ),
        (AGE, {"age": dt.date(2020, 1, 1)}, "'age' is of the kind number.*dates"),
        (JOB, {"job": 3}, r"'job' has categories such as 'nurse' \(str\), but row 0 holds 3.0 \(numbers\)"),
        (ZIP, {"zip": "12"}, r"'zip' has categories such as 12 \(int\), but row 0 holds '12' \(text\)"),
        (JOB, {"job": dt.date(2020, 1, 1)}, "'job' is of the kind category.*dates"),
        (FLAG, {"flag": "yes"}, "'flag' is of the kind boolean, but row 0 holds 'yes'"),
        (FLAG, {"flag": 1}, "'flag' is of the kind boolean, but row 0 holds 1"),
    ],
)
def test_a_column_of_another_type_than_in_training(trained: Any, table: Any, message: str) -> None:
    column, predicate = trained
    with pytest.raises(ColumnTypeError, match=message):
        read_bits([column], [predicate], table)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"agee": 1}, "column 'age' is missing from the table; did you mean 'agee'?"),
        ({"b": 1, "c": 2}, "column 'age' is missing from the table; there are 'b', 'c'"),
        ([[1, 2]], "X has 2 features, but conceptrules is expecting 1 features as input: age"),
    ],
)
def test_a_column_that_is_not_there(table: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_bits([AGE[0]], [AGE[1]], table)
