"""Columns that are hardly features are told, and others are not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from conceptrules.binarize import Binarizer
from conceptrules.model.errors import ColumnWarning, LeftOutWarning

ROWS = 200
RNG = np.random.default_rng(0)
CLASSES = RNG.choice(["no", "yes", "perhaps"], ROWS, p=[0.5, 0.3, 0.2])
OTHERS = RNG.permutation(10**6)[:ROWS]


def told(name: str, values: Any, classes: Any = CLASSES) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Binarizer().fit(pd.DataFrame({name: values}), classes)
    assert all(issubclass(warning.category, ColumnWarning) for warning in caught)
    assert all(warning.message.columns == (name,) for warning in caught)
    return [warning.message.found for warning in caught]


@pytest.mark.parametrize(
    "name", ["id", "customer_id", "PassengerId", "orderNo", "Order No.", "key", "row number", "ID"]
)
def test_whole_numbers_that_are_all_different_are_an_identifier_by_their_name(name: str) -> None:
    assert told(name, OTHERS) == [f"column {name!r} is a different whole number on every row (an identifier?)"]
    assert told(name, OTHERS.astype(float)) == told(name, OTHERS)


@pytest.mark.parametrize("name", ["price", "valid", "idea", "number_of_rooms"])
def test_other_whole_numbers_that_are_all_different_are_not(name: str) -> None:
    assert told(name, OTHERS) == []


def test_numbers_that_count_or_rise_are_an_identifier_by_whatever_name() -> None:
    assert told("a", RNG.permutation(ROWS) + 7) == ["column 'a' numbers the rows (an identifier?)"]
    assert told("a", np.sort(OTHERS)) == ["column 'a' is a different whole number on every row (an identifier?)"]


@pytest.mark.parametrize("ends", [(-np.inf, np.inf), (-1e308, 1e308)])
def test_numbers_without_end_are_no_identifier(ends: tuple[float, float]) -> None:
    """Neither are they told, nor does NumPy warn of an overflow."""
    assert told("a", [*ends, *OTHERS[2:]]) == []


def test_some_rows_may_be_there_twice() -> None:
    assert told("id", [*OTHERS[:-9], *OTHERS[:9]]) == [
        "column 'id' is a different whole number on nearly every row (an identifier?)"
    ]
    assert told("a", [f"p{number % 190}" for number in range(ROWS)]) == [
        "column 'a' is different on nearly every row (an identifier?)"
    ]
    assert told("a", [f"p{number % 170}" for number in range(ROWS)]) == []


def test_a_measurement_that_is_different_on_every_row_is_none() -> None:
    assert told("id", RNG.normal(size=ROWS)) == []
    assert told("id", OTHERS // 2 * 2 % 1000) == []  # not all different
    assert told("id", np.where(np.arange(ROWS) == 3, np.nan, OTHERS)) == []  # a gap


@pytest.mark.parametrize(
    "copy",
    [
        pd.Series(CLASSES).map({"no": "n", "yes": "y", "perhaps": "p"}),
        pd.Series(CLASSES).map({"no": 3, "yes": 1, "perhaps": 2}),
        pd.Series(CLASSES).map({"no": 30.5, "yes": 10.0, "perhaps": 20.0}) + RNG.random(ROWS),
    ],
)
def test_copies_of_the_target_are_told(copy: Any) -> None:
    assert told("a", copy) == ["column 'a' alone tells the classes apart on 100% of the rows (a copy of the target?)"]
    spoiled = copy.copy()
    spoiled.iloc[:1] = copy[CLASSES[0] != CLASSES].iloc[:1].to_numpy()
    assert told("a", spoiled) == [
        "column 'a' alone tells the classes apart on over 99% of the rows (a copy of the target?)"
    ]


def test_a_good_column_is_no_copy() -> None:
    blurred = pd.Series(CLASSES).map({"no": 3.0, "yes": 1.0, "perhaps": 2.0}) + RNG.normal(size=ROWS) / 2
    assert told("a", blurred) == []
    rare = np.where(np.arange(ROWS) < 3, "rare", "common")
    assert told("a", RNG.choice(["x", "y"], ROWS), rare) == []  # 99 % are right without any column
    assert told("a", [f"v{number // 4}" for number in range(ROWS)], np.repeat(CLASSES[: ROWS // 4], 4)) == []


@pytest.mark.parametrize(
    "days", [pd.date_range("2024-01-01", periods=ROWS), list(pd.date_range("2024-01-01", periods=ROWS).date)]
)
def test_dates_are_told(days: Any) -> None:
    (found,) = told("signup", days)
    assert found == "a rule on a date tells old rows from new ones: 'signup'"


def test_python_says_what_to_do() -> None:
    with pytest.warns(ColumnWarning, match=r"numbers the rows \(an identifier\?\); leave it out if it is no feature"):
        Binarizer().fit(pd.DataFrame({"a": np.arange(ROWS)}), CLASSES)


def test_sentences_are_offered_as_text() -> None:
    notes = [f"The flight {number} to Rome was late again" for number in range(40)]
    with pytest.warns(LeftOutWarning, match=r"free text\? kinds=\{'note': 'text'\} lets rules ask for its words"):
        binarizer = Binarizer().fit([{"note": note, "n": n % 3} for n, note in enumerate(notes)], ["a", "b"] * 20)
    assert [finding.topic for finding in binarizer.inspection_] == ["identifier"]
