"""Warnings have a class of ours, and point at the user's line."""

from __future__ import annotations

import warnings

import pytest

from conceptrules.model.errors import (
    ColumnWarning,
    ConceptRulesWarning,
    DateWarning,
    InputError,
    short_errors,
    shortened,
    warn,
)


@pytest.mark.parametrize("message", ["something", ColumnWarning("column 'a' is odd", ["a"]), DateWarning(["a"])])
def test_every_warning_is_ours(message: str | Warning) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn(message)
    (one,) = caught
    assert issubclass(one.category, ConceptRulesWarning)
    assert one.filename == __file__


def test_the_option_names_the_first_columns_and_quotes_them() -> None:
    one, many = ColumnWarning("odd", ["a b"]), ColumnWarning("odd", list("abcdef"))
    assert str(one) == "odd; leave it out if it is no feature"
    assert one.option() == "--drop 'a b' leaves it out"
    assert many.option() == "--drop a --drop b --drop c --drop d --drop e leaves them out"
    assert ColumnWarning("odd", "ab").option() == "--drop a --drop b leaves them out"


def test_dates_have_an_advice_of_their_own() -> None:
    found = DateWarning(["a", "b"])
    assert str(found).startswith("a rule on a date tells old rows from new ones: 'a', 'b'; conceptrules.tables.")
    assert found.columns == ("a", "b")
    assert found.option() == "--date-parts learns from months, weekdays and days between dates instead"


def test_long_texts_are_cut() -> None:
    assert (shortened("abc", 3), shortened("abcd", 3)) == ("abc", "abc...")


def test_errors_are_cut_and_can_begin_with_a_place() -> None:
    for length, end in ((600, ""), (601, "...")):
        with pytest.raises(InputError) as error, short_errors("file: "):
            raise InputError("x" * length)
        assert str(error.value) == "file: " + "x" * 600 + end
