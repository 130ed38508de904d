"""Columns of ordered categories: where the order comes from, and what is made of it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from conceptrules.binarize import Binarizer
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Column, OneOf, holds

RANKS = ["low", "mid", "high", "top"]
VALUES = ["mid", "top", "low", "high"] * 3
Y = [0, 1, 0, 1] * 3
THRESHOLDS = ["c <= low", "c > low", "c <= mid", "c > mid", "c <= high", "c > high"]


def fitted(column: Any, y: Any = Y, **options: Any) -> Binarizer:
    table = column if isinstance(column, pl.DataFrame | pa.Table) else pd.DataFrame({"c": column})
    return Binarizer(**{"literals": "thresholds", **options}).fit(table, y)


def texts(column: Any, y: Any = Y, **options: Any) -> list[str]:
    return list(fitted(column, y, **options).get_feature_names_out())


@pytest.mark.parametrize("order", [RANKS, tuple(RANKS)])
def test_an_order_can_be_told(order: Any) -> None:
    binarizer = fitted(VALUES, kinds={"c": order})
    assert binarizer.columns_ == (Column("c", "ordinal", tuple(RANKS)),)
    assert list(binarizer.get_feature_names_out()) == THRESHOLDS
    assert all(isinstance(predicate, OneOf) for predicate in binarizer.predicates_)


def test_an_order_is_found_in_the_type_of_the_column() -> None:
    arrow = pa.DictionaryArray.from_arrays([RANKS.index(value) for value in VALUES], RANKS, ordered=True)
    assert texts(pd.Categorical(VALUES, RANKS, ordered=True)) == THRESHOLDS
    assert texts(pl.DataFrame({"c": pl.Series(VALUES, dtype=pl.Enum(RANKS))})) == THRESHOLDS
    assert texts(pa.table({"c": arrow})) == THRESHOLDS


def test_what_has_no_order_is_a_category() -> None:
    expected = ["c = high", "c = low", "c = mid", "c = top"]
    assert texts(pd.Categorical(VALUES, RANKS)) == expected
    assert texts(pl.DataFrame({"c": pl.Series(VALUES, dtype=pl.Categorical)})) == expected
    assert texts(pa.table({"c": pa.array(VALUES).dictionary_encode()})) == expected
    assert texts(pd.Categorical(VALUES, RANKS, ordered=True), kinds={"c": "category"}) == expected


def test_other_orders_come_first() -> None:
    turned = pd.Categorical(VALUES, RANKS[::-1], ordered=True)
    assert texts(turned, kinds={"c": "ordinal"})[0] == "c <= top"
    assert texts(turned, kinds={"c": RANKS}) == THRESHOLDS


def test_numbers_have_an_order() -> None:
    assert texts([10, 2.0, 1, 2] * 3, kinds={"c": "ordinal"}) == ["c <= 1", "c > 1", "c <= 2", "c > 2"]
    assert texts([10, None, 1, 2] * 3, kinds={"c": [2, 1, 10]})[:2] == ["c <= 2", "c > 2"]
    assert texts([True, False] * 6, kinds={"c": "ordinal"}) == ["c <= False", "c > False"]
    assert texts(pd.Categorical([2, 1] * 6, [2, 1], ordered=True)) == ["c <= 2", "c > 2"]


def test_ordered_dates_are_dates() -> None:
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]
    assert fitted(pd.Categorical(days * 6, days, ordered=True)).columns_[0].kind == "date"


def test_the_papers_literals_are_one_for_each_category() -> None:
    binarizer = fitted(VALUES, kinds={"c": RANKS}, literals="intervals")
    assert list(binarizer.get_feature_names_out()) == ["c = low", "c = mid", "c = high", "c = top"]
    assert binarizer.columns_[0].kind == "ordinal"


def test_what_training_never_showed_adds_no_threshold() -> None:
    binarizer = fitted(["low", "top", None] * 4, kinds={"c": ["none", *RANKS, "over"]})
    assert list(binarizer.get_feature_names_out()) == ["c <= low", "c > low", "c is missing"]
    assert binarizer.columns_[0].categories == ("none", *RANKS, "over")
    assert binarizer.transform(pd.DataFrame({"c": ["none", "mid", "over", "new", None]})).tolist() == [
        [True, False, False], [False, True, False], [False, True, False], [False, False, False], [False, False, True]
    ]  # fmt: skip
    assert binarizer.count_unseen(pd.DataFrame({"c": ["none", "new"]})) == {"c": 1}


def test_constant_and_empty_columns() -> None:
    with pytest.warns(UserWarning, match="constant columns"):
        assert texts(["low"] * 12, kinds={"c": RANKS}) == []
    with pytest.warns(UserWarning, match="constant columns"):
        assert texts([None] * 12, kinds={"c": RANKS}) == ["c is missing"]


def test_every_kind_of_table_is_read_alike() -> None:
    binarizer = fitted([*VALUES, None], [*Y, 1], kinds={"c": RANKS})
    values = [*RANKS, "new", None]
    expected = [[holds(predicate, value) for predicate in binarizer.predicates_] for value in values]
    coded = pd.Categorical(values, ["new", *RANKS[::-1]], ordered=True)
    tables = [
        pd.DataFrame({"c": values}),
        pd.DataFrame({"c": coded}),
        pl.DataFrame({"c": pl.Series(values, dtype=pl.Enum(["new", *RANKS]))}),
        pa.table({"c": values}),
        [{"c": value} for value in values],
    ]
    for table in tables:
        assert binarizer.transform(table).tolist() == expected


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        ("ordinal", VALUES, r"in which order 'high', 'low', 'mid', ... come; give it.* kinds=\{'c': \['high'"),
        (["low", "mid", "high"], VALUES, "column 'c' holds 'top' in row 1, which is not in the order that kinds gives"),
        ([1, 2], VALUES, "column 'c' holds 'mid' in row 0, which is not in the order"),
        (["low", "low"], VALUES, "lists a category twice"),
        (["low", 1], VALUES, "an order needs categories, all text or all numbers"),
        ([], VALUES, "an order needs categories"),
        ([None], VALUES, "text, a number, true or false"),
        ("ordinal", [dt.date(2020, 1, 1)] * 12, "is of the kind ordinal, but row 0 holds"),
        (3, VALUES, "kinds says 3 for column 'c'"),
    ],
)  # fmt: skip
def test_wrong_orders_are_told(kind: Any, values: Any, message: str) -> None:
    with pytest.raises((InputError, TypeError), match=message):
        fitted(values, kinds={"c": kind})


def test_an_order_that_is_too_long_is_told_or_let_go() -> None:
    many = [f"{number:03}" for number in range(20)]
    y = np.arange(60) % 2
    with pytest.raises(InputError, match="'c' has an order of 20 categories, more than max_categories=10"):
        texts(many * 3, y, kinds={"c": many}, max_categories=10)
    with pytest.warns(UserWarning, match="'c' has 20 categories; the 10 most frequent are kept"):
        assert len(texts(pd.Categorical(many * 3, many, ordered=True), y, max_categories=10)) == 10
