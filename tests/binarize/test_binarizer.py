"""The transformer: which predicates it makes, and that it is a scikit-learn citizen."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from conceptrules.binarize import Binarizer
from conceptrules.model.predicate import Column, Interval, holds
from tests.strategies_tables import BUILDS, as_read, raw_columns

pytestmark = pytest.mark.filterwarnings("ignore:constant columns", "ignore:column .* holds the same number in all rows")
HALVES = np.repeat([0, 1], 10)


def texts(column: Any, y: Any = HALVES, **options: Any) -> list[str]:
    binarizer = Binarizer(**options).fit(pd.DataFrame({"c": column}), y)
    return list(binarizer.get_feature_names_out())


def test_predicates_of_each_kind() -> None:
    day = dt.datetime(2021, 3, 5)
    assert texts(np.arange(20)) == ["c <= 9", "c > 9"]
    assert texts(np.repeat([0.25, 1.75, 3.5], 10), np.repeat([0, 1, 2], 10)) == ["c <= 1", "1 < c <= 2", "c > 2"]
    assert texts(["b", "a"] * 10) == ["c = a", "c = b"]
    assert texts([True, False] * 10) == ["c = False", "c = True"]
    assert texts([True] * 20) == ["c = True"]
    assert texts([0, 1] * 10, [0, 1] * 10) == ["c = 0", "c = 1"]
    assert texts([0.0, 1.0, None, 1.0] * 5, [0, 1, 1, 1] * 5) == ["c = 0", "c = 1", "c is missing"]
    assert texts([0, 2] * 10, [0, 1] * 10) == ["c <= 0", "c > 0"]
    assert texts([day + dt.timedelta(hours=10 * i) for i in range(20)]) == [
        "c <= 2021-03-09 00:00",
        "c > 2021-03-09 00:00",
    ]
    assert texts([day.date() + dt.timedelta(days=i) for i in range(20)]) == ["c <= 2021-03-14", "c > 2021-03-14"]
    assert texts([dt.timedelta(days=i) for i in range(20)]) == ["c <= 9 days 0:00:00", "c > 9 days 0:00:00"]


def test_gaps_are_a_predicate_of_their_own() -> None:
    assert texts([*range(19), None]) == ["c <= 9", "c > 9", "c is missing"]
    assert texts(["a", None] * 10) == ["c = a", "c is missing"]
    assert texts([None] * 20) == ["c is missing"]
    assert texts([np.nan] * 20) == ["c is missing"]


def test_a_numeric_column_without_a_cut_is_one_constant_predicate() -> None:
    assert texts([1, 2] * 10) == ["c is present"]
    assert texts([7] * 20) == ["c is present"]
    assert texts([1, 2, None, 1] * 5) == ["c is present", "c is missing"]


def test_kinds_can_be_told() -> None:
    assert texts([3, 1.0] * 10, kinds={"c": "category"}) == ["c = 1", "c = 3"]
    assert texts([1, None] * 10, kinds={"c": "category"}) == ["c = 1", "c is missing"]
    assert texts([False, True] * 10, kinds={"c": "number"}) == ["c is present"]
    table = pd.DataFrame({7: [1, 2] * 10})
    assert list(Binarizer(kinds={7: "category"}).fit(table, HALVES).get_feature_names_out()) == ["7 = 1", "7 = 2"]


@given(raw_columns(), st.data())
def test_every_kind_of_table_gives_the_same_predicates_one_for_each_value(column: Any, data: st.DataObject) -> None:
    raw, values = column
    y = data.draw(st.lists(st.integers(0, 1), min_size=len(values), max_size=len(values)))
    learned = []
    for build in BUILDS.values():
        table = build(raw, values)
        binarizer = Binarizer().fit(table, y)
        learned.append([replace(predicate, column="c") for predicate in binarizer.predicates_])
        expected = [[holds(predicate, as_read(value)) for predicate in learned[0]] for value in values]
        assert binarizer.transform(table).tolist() == expected
        assert np.sum(expected, axis=1).tolist() == [1] * len(values)
    assert all(predicates == learned[0] for predicates in learned)


def test_order_of_rows_and_rows_without_weight_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"n": rng.normal(size=60).round(1), "c": rng.choice(list("abc"), 60)})
    y = (table["n"] > 0.3).to_numpy() ^ (rng.random(60) < 0.1)
    weight = rng.integers(1, 4, 60)
    order = rng.permutation(60)
    fitted = Binarizer().fit(table, y, weight)
    repeated = Binarizer().fit(table.loc[table.index.repeat(weight)], y.repeat(weight))
    shuffled = Binarizer().fit(table.iloc[order], y[order], weight[order])
    ghosts = pd.DataFrame({"n": [None, 99.0], "c": [None, "ghost"]})
    haunted = Binarizer().fit(pd.concat([table, ghosts]), [*y, True, False], [*weight, 0, 0])
    for other in (repeated, shuffled, haunted):
        assert (other.columns_, other.predicates_) == (fitted.columns_, fitted.predicates_)


def test_names_in_and_out() -> None:
    named = Binarizer().fit(pl.DataFrame({"a": range(20), "b": ["x", "y"] * 10}), HALVES)
    assert named.feature_names_in_.tolist() == ["a", "b"]
    assert named.n_features_in_ == 2
    unnamed = named.fit(np.arange(20.0).reshape(-1, 1), HALVES)
    assert not hasattr(unnamed, "feature_names_in_")
    assert unnamed.get_feature_names_out().tolist() == ["x0 <= 9", "x0 > 9"]
    assert unnamed.columns_ == (Column("x0"),)
    assert unnamed.predicates_ == (Interval("x0", high=9), Interval("x0", low=9))
    numbered = Binarizer().fit(pd.DataFrame({0: range(20)}), HALVES)
    assert not hasattr(numbered, "feature_names_in_")


def test_unseen_values_are_counted_and_change_nothing() -> None:
    binarizer = Binarizer().fit(pd.DataFrame({"a": range(20), "b": ["x", "y"] * 10}), HALVES)
    before = dict(vars(binarizer))
    table = pd.DataFrame({"b": ["x", "z", None], "a": [1, None, 3]})
    assert binarizer.count_unseen(table) == {"a": 1, "b": 2}
    assert binarizer.transform(table).sum(axis=1).tolist() == [2, 0, 1]
    assert vars(binarizer) == before


def test_set_output_and_pipelines() -> None:
    table = pd.DataFrame({"a": range(20), "b": ["x", "y"] * 10}, index=range(100, 120))
    out = Binarizer().set_output(transform="pandas").fit_transform(table, HALVES)
    assert out.columns.tolist() == ["a <= 9", "a > 9", "b = x", "b = y"]
    assert out.index.equals(table.index)
    assert Binarizer().set_output(transform="polars").fit_transform(table, HALVES).columns == out.columns.tolist()
    pipeline = make_pipeline(Binarizer(), DecisionTreeClassifier(random_state=0))
    assert clone(pipeline).fit(table, HALVES).score(table, HALVES) == 1
