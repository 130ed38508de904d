"""Hypothesis strategies for columns of raw values, and the same column in every kind of table."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from conceptrules.model.predicate import EPOCH, Column, Equals, Interval, Kind, Missing, Predicate, Value, one_of

BERLIN_SUMMER = dt.timezone(dt.timedelta(hours=2))
# Far enough for any data, near enough for float64 to tell microseconds apart.
_MOMENTS = {"min_value": dt.datetime(1700, 1, 1), "max_value": dt.datetime(2200, 1, 1)}
_WORDS = st.sampled_from(["a", "b", "A", "", " ", "1", "nan", "None", "é", "x\ny"])

RAW: dict[str, st.SearchStrategy[Any]] = {
    "float": st.floats() | st.integers(-3, 3).map(float),
    "int": st.integers(-(2**53), 2**53) | st.integers(-3, 3),
    "decimal": st.decimals(-100, 100, places=2),
    "bool": st.booleans(),
    "text": _WORDS,
    "date": st.dates(_MOMENTS["min_value"].date(), _MOMENTS["max_value"].date()),
    "datetime": st.datetimes(**_MOMENTS),
    "zoned": st.datetimes(**_MOMENTS, timezones=st.just(BERLIN_SUMMER)),
    "duration": st.timedeltas(dt.timedelta(days=-10000), dt.timedelta(days=10000)),
}
KIND_OF: dict[str, Kind] = {
    "float": "number",
    "int": "number",
    "decimal": "number",
    "bool": "boolean",
    "text": "category",
    "date": "date",
    "datetime": "datetime",
    "zoned": "datetime",
    "duration": "duration",
}

_ARROW = {
    "float": pa.float64(),
    "int": pa.int64(),
    "decimal": pa.decimal128(10, 2),
    "bool": pa.bool_(),
    "text": pa.string(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "zoned": pa.timestamp("us", "Europe/Berlin"),
    "duration": pa.duration("us"),
}
_POLARS = {
    "float": pl.Float64,
    "int": pl.Int64,
    "decimal": pl.Decimal(10, 2),
    "bool": pl.Boolean,
    "text": pl.String,
    "date": pl.Date,
    "datetime": pl.Datetime("us"),
    "zoned": pl.Datetime("us", "UTC"),
    "duration": pl.Duration("us"),
}
_PANDAS = {"float": "float64", "int": "Int64", "bool": "boolean", "text": "str", "datetime": "datetime64[us]"}
_PANDAS |= {"zoned": "datetime64[us, Europe/Berlin]", "duration": "timedelta64[us]", "date": "object"}
_PANDAS |= {"decimal": "object"}

Build = Callable[[str, list[Any]], Any]


def _objects(values: list[Any]) -> np.ndarray:
    return np.fromiter(values, dtype=object, count=len(values))


def _arrow(raw: str, values: list[Any]) -> pa.Table:
    return pa.table({"c": pa.array(values, _ARROW[raw], from_pandas=False)})


BUILDS: dict[str, Build] = {
    "pandas": lambda raw, values: pd.DataFrame({"c": pd.Series(values, dtype=_PANDAS[raw])}),
    "pandas object": lambda raw, values: pd.DataFrame({"c": pd.Series(_objects(values), dtype=object)}),
    "pandas arrow": lambda raw, values: _arrow(raw, values).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda raw, values: pl.DataFrame({"c": pl.Series(values, dtype=_POLARS[raw])}),
    "pyarrow": _arrow,
    "array": lambda raw, values: _objects(values).reshape(-1, 1),
    "lists": lambda raw, values: [[value] for value in values],
    "dictionaries": lambda raw, values: [{"c": value} for value in values],
}
TEXT_BUILDS: dict[str, Build] = {
    "pandas categorical": lambda raw, values: pd.DataFrame({"c": pd.Categorical(values)}),
    "pandas string": lambda raw, values: pd.DataFrame({"c": pd.array(values, dtype="string")}),
    "polars categorical": lambda raw, values: pl.DataFrame({"c": pl.Series(values, dtype=pl.Categorical)}),
    "polars enum": lambda raw, values: pl.DataFrame(
        {"c": pl.Series(values, dtype=pl.Enum(sorted(set(values) - {None})))}
    ),
    "pyarrow dictionary": lambda raw, values: pa.table({"c": pa.array(values, pa.string()).dictionary_encode()}),
}


def as_read(value: Any) -> Value | None:
    """A raw value as `Column` reads it: the oracle for the readers of whole columns."""
    match value:
        case None:
            return None
        case Decimal():
            return float(value)
        case dt.datetime():
            naive = value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value
            return (naive - EPOCH) / dt.timedelta(microseconds=1)
        case dt.date():
            return as_read(dt.datetime.combine(value, dt.time()))
        case dt.timedelta():
            return value / dt.timedelta(microseconds=1)
    return value


@st.composite
def raw_columns(draw: st.DrawFn) -> tuple[str, list[Any]]:
    """The name of a raw type, and values of that type or None."""
    raw = draw(st.sampled_from(sorted(RAW)))
    return raw, draw(st.lists(st.none() | RAW[raw], min_size=1, max_size=8))


@st.composite
def predicates_on(draw: st.DrawFn, raw: str, values: list[Any]) -> tuple[Column, list[Predicate]]:
    """A column of that raw type, and predicates whose bounds and categories are among the values or not."""
    numeric = KIND_OF[raw] == "number" and draw(st.booleans())
    readings = st.sampled_from(values) | RAW[raw]
    known = readings.map(as_read).filter(lambda value: value is not None and value == value)  # noqa: PLR0124
    column = Column("c", "category" if numeric else KIND_OF[raw])
    if column.kind == "category" and draw(st.booleans()):
        column = Column("c", "ordinal", tuple(draw(st.lists(known, min_size=1, max_size=5, unique=True))))
        known = st.sampled_from(column.categories)
    test: st.SearchStrategy[Predicate] = known.map(lambda value: Equals("c", value))
    test |= st.lists(known, min_size=1, max_size=4).map(lambda values: one_of(column, values))
    if column.ordered:
        bounds = st.lists(known | st.just(math.inf) | st.just(-math.inf), min_size=2, max_size=2, unique=True)
        test = bounds.map(lambda pair: Interval("c", min(pair), max(pair)))
    return column, draw(st.lists(test | st.just(Missing("c")), min_size=1, max_size=5))
