"""Reading tables: law 4 on every kind of table, columns by name and position, answers, unseen values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, holds
from conceptrules.tables.column_values import encode_values
from conceptrules.tables.prediction import decide, predict
from conceptrules.tables.sources import open_source, read_whole, resolve_source
from conceptrules.tables.table import count_unseen, open_table, read_bits
from tests.strategies_tables import BUILDS, TEXT_BUILDS, as_read, predicates_on, raw_columns

AGE, JOB = Column("age", missing=True), Column("job", "category", ("nurse", "smith"))
OLD, NURSE = Interval("age", 41), Equals("job", "nurse")
NETWORK = RuleNetwork(
    (AGE, JOB),
    (OLD, NURSE, Missing("age")),
    (Level((Rule((Literal(0), Literal(1))),), (Concept(), Concept((0,)))),),
    ("no", "yes"),
)
ROWS = [{"age": 50, "job": "nurse"}, {"age": 50, "job": "smith"}, {"age": 20, "job": "nurse"}]


@given(st.data())
def test_law_4_bits_are_what_predicates_say_of_raw_values(data: st.DataObject) -> None:
    raw, values = data.draw(raw_columns())
    column, predicates = data.draw(predicates_on(raw, values))
    expected = [[holds(predicate, as_read(value)) for predicate in predicates] for value in values]
    for build in (BUILDS | TEXT_BUILDS if raw == "text" else BUILDS).values():
        bits = read_bits([column], predicates, build(raw, values))
        assert bits.tolist() == expected


@pytest.mark.parametrize("build", (BUILDS | TEXT_BUILDS).values(), ids=(BUILDS | TEXT_BUILDS).keys())
def test_unseen_categories_and_new_gaps_make_all_predicates_false(build: Any) -> None:
    table = build("text", ["nurse", "pilot", None])
    column = Column("c", "category", ("nurse", "smith"))
    assert read_bits([column], [Equals("c", "nurse"), Equals("c", "smith")], table).sum(axis=1).tolist() == [1, 0, 0]
    assert count_unseen([column], table) == {"c": 2}


def test_gaps_and_categories_known_from_training_are_not_unseen() -> None:
    table = [{"age": None, "job": "nurse"}, {"age": 20, "job": "smith"}]
    assert count_unseen([AGE, JOB], table) == {}


def test_a_time_of_day_is_the_duration_since_midnight(tmp_path: Path) -> None:
    """From Parquet a TIME column is learned as a duration; the same rows from memory have to be read so, too."""
    times = [dt.time(14, 30), dt.time(8, 0, 0, 1), None]
    column, predicates = Column("c", "duration"), [Interval("c", high=8 * 3.6e9), Interval("c", low=8 * 3.6e9)]
    table = pa.table({"c": times})
    parquet.write_table(table, tmp_path / "times.parquet")
    from_file = read_whole(open_source(resolve_source(tmp_path / "times.parquet"), lambda: tmp_path), ["c"])
    for each in (table, from_file, table.to_pandas(), pl.from_arrow(table), [{"c": time} for time in times]):
        assert read_bits([column], predicates, each).tolist() == [[False, True], [False, True], [False, False]]


def test_infinities_are_ordered_like_numbers() -> None:
    predicates = [Interval("age", high=41), Interval("age", low=41), Interval("age")]
    bits = read_bits([AGE], predicates, np.array([[-np.inf], [np.inf], [np.nan]]))
    assert bits.tolist() == [[True, False, True], [False, True, True], [False, False, False]]


def test_only_used_predicates_are_read() -> None:
    table = [{"age": "not a number", "job": "nurse"}]
    assert read_bits([AGE, JOB], [OLD, NURSE], table, used=[1]).tolist() == [[False, True]]


def test_whole_numbers_match_floats_of_a_column_with_gaps() -> None:
    column = Column("c", "category", (1, 2))
    assert read_bits([column], [Equals("c", 1)], pd.DataFrame({"c": [1.0, None, 2.0]})).tolist() == [
        [True],
        [False],
        [False],
    ]
    assert count_unseen([column], pl.DataFrame({"c": [1, 2, 3]})) == {"c": 1}


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS)[["job", "age"]],
        pd.DataFrame(ROWS).assign(extra=[[1], {}, "x"], target="yes"),
        pl.DataFrame(ROWS),
        pa.Table.from_pylist(ROWS),
        ROWS,
        [[50, "nurse"], [50, "smith"], [20, "nurse"]],
        np.array([[50, "nurse"], [50, "smith"], [20, "nurse"]], dtype=object),
        pd.DataFrame({"age": [50, 50, 20], "job": pd.Categorical(["nurse", "smith", "nurse"])}),
    ],
    ids=["pandas", "reordered", "extra columns", "polars", "pyarrow", "dicts", "lists", "array", "categorical"],
)
def test_predict_reads_every_kind_of_table(table: Any) -> None:
    assert NETWORK.predict(table).tolist() == ["yes", "no", "no"]


def test_predict_one_row_and_no_rows() -> None:
    assert predict(NETWORK, ROWS[0]).tolist() == ["yes"]
    assert predict(NETWORK, pd.DataFrame(ROWS)[:0]).tolist() == []
    assert predict(NETWORK, np.empty((0, 2))).tolist() == []
    assert predict(NETWORK, []).tolist() == []


def test_predict_answers_classes_of_their_own_type() -> None:
    level = Level((), (Concept(), Concept()))
    assert predict(RuleNetwork((AGE,), (OLD,), (level,), (3, 5)), [[1]]).dtype.kind == "i"
    assert predict(RuleNetwork((AGE,), (OLD,), (level,), ("a", 5)), [[1]]).tolist() == ["a"]


def test_whole_columns_without_values_are_read_as_any_kind() -> None:
    columns = [AGE, JOB, Column("day", "date")]
    predicates = [Missing("age"), Missing("job"), Missing("day")]
    empty: dict[str, list[None]] = {"age": [None], "job": [None], "day": [None]}
    for table in (pd.DataFrame(empty), pl.DataFrame(empty), pa.table(empty), pd.DataFrame(empty, dtype=float)):
        assert read_bits(columns, predicates, table).all()


def test_integer_names_are_names() -> None:
    table = pd.DataFrame([["smith", 50], ["nurse", 50]], columns=[7, 3])
    columns = [Column("3"), Column("7", "category", ("nurse",))]
    assert read_bits(columns, [Interval("3", 41), Equals("7", "nurse")], table).tolist() == [
        [True, False],
        [True, True],
    ]


def test_columns_of_an_array_go_by_position_in_a_table_with_names() -> None:
    with pytest.warns(UserWarning, match="training had none"):
        bits = read_bits([Column("x0")], [Interval("x0", 41)], pd.DataFrame({"age": [50, 20]}))
    assert bits.tolist() == [[True], [False]]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2.5, None, np.float32(3), Decimal(4)], "number"),
        ([True, None, np.False_], "boolean"),
        (["a", None, float("nan"), pd.NA], "category"),
        ([dt.date(2020, 1, 1), pd.NaT], "date"),
        ([dt.datetime(2020, 1, 1), pd.Timestamp("2020"), np.datetime64("2021-01-01T10")], "datetime"),
        ([dt.timedelta(1), np.timedelta64(1, "h"), pd.Timedelta("3h")], "duration"),
        ([None, None], "category"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "date"),
        (np.array(["2020-01-01"], dtype="datetime64[ns]"), "datetime"),
        (np.array([1], dtype="timedelta64[h]"), "duration"),
        (np.array(["a"]), "category"),
        (pd.Categorical([1, 2]), "category"),
        (pd.Categorical([dt.date(2020, 1, 1)]), "date"),
        (pd.array([1, None], dtype="Int64"), "number"),
        (pd.array([True, None], dtype="boolean"), "boolean"),
    ],
)
def test_kinds_are_inferred(values: Any, kind: str) -> None:
    values = np.fromiter(values, dtype=object) if isinstance(values, list) else values
    table = values.reshape(-1, 1) if isinstance(values, np.ndarray) else pd.DataFrame({"x0": values})
    assert open_table(table).cells(0).kind == kind


def test_kinds_of_polars_columns_are_inferred() -> None:
    table = pl.DataFrame({"e": ["a"], "i": [2**70]}, schema={"e": pl.Enum(["a"]), "i": pl.Int128})
    assert [open_table(table).cells(position).kind for position in range(2)] == ["ordinal", "number"]
    assert open_table(table).cells(0).order == ("a",)


def test_masked_values_are_missing() -> None:
    masked = np.ma.MaskedArray([[1.0], [2.0]], mask=[[True], [False]])
    assert read_bits([AGE], [Missing("age")], masked).tolist() == [[True], [False]]


@pytest.mark.parametrize("library", ["pandas", "polars", "rows"])
def test_a_row_taken_out_of_a_table_is_that_row(library: str) -> None:
    """A single row is decided on its own way, which reads the first row only."""
    levels = [Level([Rule([Literal(0)])], [Concept([0]), Concept()])]
    network = RuleNetwork([Column("age")], [Interval("age", 27)], levels, ["old", "young"], default="young")
    table = {
        "pandas": lambda: pd.DataFrame({"age": [20.0, 30.0, 25.0]}),
        "polars": lambda: pl.DataFrame({"age": [20.0, 30.0, 25.0]}),
        "rows": lambda: [[20.0], [30.0], [25.0]],
    }[library]()
    assert [decide(network, open_table(table).take(np.array([row]))).tolist() for row in range(3)] == [[1], [0], [1]]


@pytest.mark.parametrize("kind", ["?", "i1", ">i4", "u8", "f2", ">f4", "f8", "g", "M8[us]", ">m8[us]"])
def test_an_array_is_its_different_values_and_their_codes(kind: str) -> None:
    values = np.array([1, 0, 1, 7, 0]).astype(np.int64).astype(kind)
    if values.dtype.kind in "fMm":
        values[3] = np.array("NaT" if values.dtype.kind in "Mm" else "nan").astype(kind)
    codes, different = encode_values(values)
    assert len(different) == (2 if kind == "?" else 3)
    assert [str(one) for one in different[codes].tolist()] == [
        str(one) for one in values.astype(different.dtype).tolist()
    ]
