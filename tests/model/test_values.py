"""What one value is."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from conceptrules.model.predicate import KINDS, Column
from conceptrules.model.values import (
    brief,
    family_of,
    int_if_whole,
    is_missing,
    label_text,
    read_value,
    readable,
)


@pytest.mark.parametrize(
    "value", [None, np.nan, np.float32("nan"), np.datetime64("NaT"), pd.NA, pd.NaT, Decimal("NaN"), Decimal("sNaN")]
)
def test_what_is_missing(value: object) -> None:
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, "", "nan", False, np.inf, [], np.array([np.nan, 1.0])])
def test_what_is_not(value: object) -> None:
    assert not is_missing(value)


NUMBER, FLAG = Column("x"), Column("x", "boolean")
WORDS, CODES, ANY = (Column("x", "category", some) for some in (("a", "b"), (1, 2), ()))
DAY, LAST = Column("x", "date"), Column("x", "duration")


@pytest.mark.parametrize(
    ("value", "column", "found"),
    [
        (3, NUMBER, 3.0),
        (np.float32(0.5), NUMBER, 0.5),
        (2**53, NUMBER, 2.0**53),
        (True, NUMBER, True),
        (True, FLAG, True),
        ("a", WORDS, "a"),
        (1, CODES, 1.0),
        (2**53 - 1, CODES, 2.0**53 - 1),
        (1 - 2**53, ANY, 1.0 - 2**53),
        (None, WORDS, None),
        (np.nan, NUMBER, None),
    ],
)
def test_one_value_as_its_column_reads_it(value: object, column: Column, found: object) -> None:
    read = read_value(value, column)
    assert read == found
    assert type(read) is type(found)


@pytest.mark.parametrize(
    ("value", "column"),
    [("a", NUMBER), (1, FLAG), ("a", CODES), (1, WORDS), (2**53, CODES), (-(2**53), ANY), (dt.date(2020, 1, 1), DAY),
     (dt.timedelta(1), LAST), ([], ANY)],
)  # fmt: skip
def test_what_takes_a_whole_column_to_tell(value: object, column: Column) -> None:
    with pytest.raises(TypeError):
        read_value(value, column)


@pytest.mark.parametrize(
    ("column", "families"),
    [
        (NUMBER, {"number", "boolean"}),
        (FLAG, {"boolean"}),
        (WORDS, {"category"}),
        (CODES, {"number", "boolean"}),
        (ANY, {"category", "number", "boolean"}),
        (Column("x", "ordinal", ("a", "b")), {"category"}),
        (Column("x", "boolean", (False, True)), {"boolean"}),
        (DAY, {"date", "datetime"}),
        (Column("x", "datetime"), {"date", "datetime"}),
        (LAST, {"duration"}),
    ],
)
def test_what_a_column_can_be_read_from(column: Column, families: set[str]) -> None:
    assert {family for family in KINDS if readable(family, column)} == families


@pytest.mark.parametrize(
    ("value", "family"),
    [(True, "boolean"), (np.bool_(True), "boolean"), ("a", "category"), (np.timedelta64(1, "s"), "duration"),
     (3, "number"), (np.int8(3), "number"), (Decimal(3), "number"), (dt.datetime(2020, 1, 1), "datetime"),
     (dt.date(2020, 1, 1), "date"), (b"a", None), ([], None)],
)  # fmt: skip
def test_the_family_of_a_value(value: object, family: str | None) -> None:
    assert family_of(type(value)) == family


def test_labels_are_written_alike_in_text_and_in_numbers() -> None:
    assert [label_text(label) for label in (1, 1.0, np.float64(1.0), "1", np.int8(1))] == ["1"] * 5
    assert [label_text(label) for label in (1.5, np.str_("a"), True, np.inf)] == ["1.5", "a", "True", "inf"]


def test_whole_numbers_are_integers_again() -> None:
    assert [repr(int_if_whole(value)) for value in (1.0, 1.5, 2, "1.0", True)] == ["1", "1.5", "2", "'1.0'", "True"]


def test_values_in_messages_are_short_and_printable() -> None:
    assert brief(np.int64(3)) == "3"
    assert brief("a\x1b") == r"'a\x1b'"
    assert brief("x" * 58) == repr("x" * 58)
    assert brief("x" * 59) == "'" + "x" * 59 + "..."
    assert brief("abcdef", 3) == "'ab..."
