"""Thresholds: at the paper's cuts and at quantiles, none twice and none for nothing."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.binarize import Binarizer
from conceptrules.binarize.entropy_cuts import cut_points
from conceptrules.binarize.quantile_cuts import QUANTILES, quantile_places, threshold_cuts
from conceptrules.binarize.rounded_cuts import short_numbers
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Interval, holds
from tests.strategies_tables import as_read, raw_columns

pytestmark = pytest.mark.filterwarnings("ignore:constant columns", "ignore:column .* holds the same number in all rows")
HALVES = np.repeat([0, 1], 10)


def texts(column: Any, y: Any = HALVES, **options: Any) -> list[str]:
    binarizer = Binarizer(literals="thresholds", **options).fit(pd.DataFrame({"c": column}), y)
    return list(binarizer.get_feature_names_out())


def test_both_sides_of_every_cut() -> None:
    assert texts(np.arange(20), quantiles=0) == ["c <= 9", "c > 9"]
    assert texts(np.arange(20), quantiles=3) == ["c <= 4", "c > 4", "c <= 9", "c > 9", "c <= 14", "c > 14"]
    assert len(texts(np.arange(20))) == 2 * 19
    assert len(texts(np.arange(200), np.repeat(HALVES, 10))) == 2 * (QUANTILES + 1)


def test_cuts_are_as_short_as_those_of_intervals() -> None:
    assert texts(np.repeat([0.123, 0.981, 7.25], 10), np.repeat([0, 1, 0], 10)) == [
        "c <= 0.2", "c > 0.2", "c <= 1", "c > 1"
    ]  # fmt: skip
    day = dt.datetime(2021, 3, 5)
    column = [day + dt.timedelta(hours=10 * i) for i in range(20)]
    assert texts(column, quantiles=0) == ["c <= 2021-03-09 00:00", "c > 2021-03-09 00:00"]


def test_a_column_with_few_values_is_cut_at_each() -> None:
    assert texts([1, 2, 3, 7] * 5) == ["c <= 1", "c > 1", "c <= 2", "c > 2", "c <= 3", "c > 3"]
    assert texts([1, 2] * 10, quantiles=0) == []
    assert texts([1, 2] * 10, quantiles=2) == ["c <= 1", "c > 1"]


def test_constant_columns_have_no_threshold() -> None:
    assert texts([7] * 20) == []
    assert texts([7, None] * 10) == ["c is missing"]
    assert texts([None] * 20) == ["c is missing"]


def test_categories_and_booleans_stay_as_they_are() -> None:
    assert texts(["b", "a"] * 10) == ["c = a", "c = b"]
    assert texts([True, False] * 10) == ["c = False", "c = True"]


def test_quantiles_have_equal_weights() -> None:
    assert list(quantile_places(np.arange(1.0, 101.0), 3)) == [24, 49, 74]
    heavy = np.cumsum([1.0, 1, 1, 97, 1, 1, 1])
    assert set(quantile_places(heavy, 3)) == {3}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"literals": "both"}, "literals must be 'intervals' or 'thresholds', got 'both'"),
        ({"literals": None}, "literals must be"),
        ({"quantiles": -1}, "quantiles must be a whole number from 0 on, got -1"),
        ({"quantiles": 2.5}, "quantiles must be a whole number from 0 on, got 2.5"),
        ({"quantiles": True}, "quantiles must be a whole number from 0 on, got True"),
    ],
)
def test_wrong_settings_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Binarizer(**options).fit([[1], [2]], [0, 1])


@st.composite
def weighted(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    numbers = st.floats(-20, 20) | st.integers(-5, 5).map(float) | st.just(np.nan) | st.just(np.inf)
    rows = draw(st.lists(st.tuples(numbers, st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=40))
    x, y, weight = zip(*rows, strict=True)
    return np.array(x), np.array(y, dtype=np.intp), np.array(weight, dtype=float)


@given(weighted(), st.integers(0, 8), st.randoms())
def test_thresholds_differ_hold_somewhere_and_fail_somewhere(rows: Any, quantiles: int, random: Any) -> None:
    x, y, weight = rows
    options: Any = {"n_classes": 3, "shorten": short_numbers}
    cuts = threshold_cuts(x, y, weight, quantiles=quantiles, **options)
    some = x[~np.isnan(x) & (weight > 0)]
    sides = {tuple((some <= cut).tolist()) for cut in cuts}
    assert len(sides) == len(cuts)
    assert all(any(side) and not all(side) for side in sides)
    mdlp = cut_points(x, y, weight, **options)
    assert set(mdlp) <= set(cuts)
    assert len(cuts) <= len(mdlp) + quantiles
    if len(set(some.tolist())) <= quantiles:
        assert len(cuts) == max(len(set(some.tolist())) - 1, 0)
    repeats = [np.repeat(each, weight.astype(int)) for each in (x, y)]
    assert threshold_cuts(*repeats, np.ones(len(repeats[0])), quantiles=quantiles, **options) == cuts
    order = random.sample(range(len(x)), len(x))
    assert threshold_cuts(x[order], y[order], weight[order], quantiles=quantiles, **options) == cuts


@given(raw_columns(), st.data())
def test_bits_are_the_meaning_of_the_predicates(column: Any, data: st.DataObject) -> None:
    _, values = column
    y = data.draw(st.lists(st.integers(0, 1), min_size=len(values), max_size=len(values)))
    table = [{"c": value} for value in values]
    binarizer = Binarizer(literals="thresholds").fit(table, y)
    expected = [[holds(each, as_read(value)) for each in binarizer.predicates_] for value in values]
    np.testing.assert_array_equal(binarizer.transform(table), np.array(expected).reshape(len(values), -1))
    tests = [each for each in binarizer.predicates_ if isinstance(each, Interval)]
    assert len(set(tests)) == len(tests)
