"""Derived columns of a table hold on every row what they mean, in every kind of table."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model import Column, ColumnTypeError, InputError, Interval
from conceptrules.model.derived import Length, Mention, Relation, derive, list_sources, make_derived
from conceptrules.model.predicate import Equals, Missing, holds
from conceptrules.tables.table import match_columns, open_table, read_bits, read_columns

OWN = (Column("a"), Column("b"), Column("from", "date"), Column("to", "date"), Column("note", "text"))
DERIVATIONS = (
    Relation("a", "-", "b"),
    Relation("a", "/", "b"),
    Relation("a", "<", "b"),
    Relation("to", "-", "from"),
    Relation("from", "<", "to"),
    Mention("note", ("refund",)),
    Mention("note", ("no", "not good")),
    Length("note"),
)
COLUMNS = (*OWN, *(make_derived(each, list_sources(each, OWN)) for each in DERIVATIONS))
NUMBERS = st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0, None])
DAYS = st.dates(dt.date(1990, 1, 1), dt.date(2030, 1, 1)) | st.none()
NOTES = st.lists(st.sampled_from(["No", "not", " ", "GOOD", "refund", "!", "é", "😀"])).map(" ".join) | st.none()
ROWS = st.lists(
    st.fixed_dictionaries({"a": NUMBERS, "b": NUMBERS, "from": DAYS, "to": DAYS, "note": NOTES}), min_size=1, max_size=8
)
TESTS = [
    test
    for column in COLUMNS[5:]
    for test in ([Interval(column.name, low=1.0)] if column.ordered else [Equals(column.name, True)])
    + [Missing(column.name)]
]


@given(ROWS)
def test_bits_of_derived_columns_are_what_they_mean(rows):
    values = {}
    for column, cells in read_columns(OWN, open_table(rows)):
        values[column.name] = cells.to_list(ordered=column.ordered)
    bits = read_bits(COLUMNS, TESTS, rows)
    by_name = {column.name: column for column in COLUMNS}
    for number, test in enumerate(TESTS):
        derivation = by_name[test.column].derivation
        for row in range(len(rows)):
            value = derive(derivation, [values[name][row] for name in derivation.columns])
            assert bits[row, number] == holds(test, value), (test, rows[row])


def test_frames_and_arrays_agree():
    rows = {"a": [1.0, 2.0, None, 4.0], "b": [2.0, 0.0, 1.0, 4.0]}
    columns = (Column("a"), Column("b"), make_derived(Relation("a", "/", "b"), [Column("a"), Column("b")]))
    tests = [Interval("a / b", high=0.5), Missing("a / b")]
    expected = [[True, False], [False, True], [False, True], [False, False]]
    for table in (pd.DataFrame(rows), pl.DataFrame(rows), pd.DataFrame({"more": 1, **rows, "a / b": 9.0})):
        assert read_bits(columns, tests, table).tolist() == expected
    unnamed = (Column("x0"), Column("x1"), make_derived(Relation("x0", "/", "x1"), [Column("x0"), Column("x1")]))
    array = np.array([rows["a"], rows["b"]], dtype=float).T
    assert read_bits(unnamed, [Interval("x0 / x1", high=0.5)], array)[:, 0].tolist() == [True, False, False, False]


def test_a_text_is_read_once_for_all_its_words():
    reads = []
    table = open_table([{"note": "no refund"}, {"note": None}])
    counted = table.__class__(
        table.names, lambda position: reads.append(position) or table.column(position), table.first, 2
    )
    matched, positions = match_columns([Column("note", "text"), *COLUMNS[10:12]], counted)
    assert [matched.cells(position).values.tolist() for position in positions[1:]] == [[True, False], [True, False]]
    assert len(reads) == 1


def test_what_the_columns_hold_is_checked():
    with pytest.raises(InputError, match="column 'b' is missing"):
        read_bits(COLUMNS[:2] + COLUMNS[5:6], [], [{"a": 1}])
    with pytest.raises(ColumnTypeError, match="column 'a' is of the kind number"):
        read_bits(COLUMNS[:2] + COLUMNS[5:6], [Missing("a - b")], [{"a": "x", "b": 1}])
