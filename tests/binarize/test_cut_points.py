"""Cut points against a plain version of the textbook, thresholds at quantiles, and short numbers."""

from __future__ import annotations

import datetime as dt
from math import ceil, log2
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.binarize import Binarizer
from conceptrules.binarize.cut_points import (
    QUANTILES,
    find_cuts,
    find_quantiles,
    short_moments,
    short_number,
    short_numbers,
)
from conceptrules.binarize.value_counts import count_column
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import EPOCH, Interval, holds
from conceptrules.tables.column_values import read_values, to_numbers
from tests.strategies_tables import as_read, raw_columns

pytestmark = pytest.mark.filterwarnings("ignore:constant columns", "ignore:column .* holds the same number in all rows")
MICROSECOND = dt.timedelta(microseconds=1)
HALVES = np.repeat([0, 1], 10)

Rows = list[tuple[float, int, int]]
ROWS = st.lists(st.tuples(st.integers(0, 12).map(float), st.integers(0, 2), st.integers(1, 3)), min_size=1, max_size=40)


def cut_points(x: Any, y: Any, weight: Any = None, *, n_classes: int, quantiles: Any = None) -> tuple[float, ...]:
    weight = np.ones(len(x)) if weight is None else weight
    counts = count_column(read_values("c", x[weight > 0]), y[weight > 0], weight[weight > 0], n_classes)
    values, sums = counts.distinct()
    return find_cuts(to_numbers(values), sums / counts.unit, quantiles)


def entropy(labels: list[int]) -> float:
    shares = [labels.count(label) / len(labels) for label in set(labels)]
    return -sum(share * log2(share) for share in shares)


def textbook(x: list[float], y: list[int]) -> list[float]:
    """Fayyad and Irani, as written: the best boundary, kept if it shortens the description."""
    n, k, ent = len(x), len(set(y)), entropy(y)
    best = None
    for cut in sorted(set(x))[:-1]:
        left = [label for value, label in zip(x, y, strict=True) if value <= cut]
        right = [label for value, label in zip(x, y, strict=True) if value > cut]
        rest = (len(left) * entropy(left) + len(right) * entropy(right)) / n
        if best is None or rest < best[0] - 1e-9:
            best = (rest, cut, left, right)
    if best is None:
        return []
    rest, cut, left, right = best
    delta = log2(3**k - 2) - (k * ent - len(set(left)) * entropy(left) - len(set(right)) * entropy(right))
    if k == 1 or ent - rest <= (log2(n - 1) + delta) / n:
        return []
    below = [(value, label) for value, label in zip(x, y, strict=True) if value <= cut]
    above = [(value, label) for value, label in zip(x, y, strict=True) if value > cut]
    return [*textbook(*map(list, zip(*below, strict=True))), cut, *textbook(*map(list, zip(*above, strict=True)))]


def fast(rows: Rows, weighted: bool = False) -> tuple[float, ...]:
    x, y, weight = (np.array(column) for column in zip(*rows, strict=True))
    return cut_points(x, y, weight.astype(float) if weighted else None, n_classes=3)


@given(ROWS)
def test_equals_the_textbook(rows: Rows) -> None:
    assert list(fast(rows)) == textbook([x for x, _, _ in rows], [y for _, y, _ in rows])


@given(ROWS)
def test_weights_are_repeats(rows: Rows) -> None:
    assert fast(rows, weighted=True) == fast([row for row in rows for _ in range(row[2])])


@given(ROWS, st.permutations(range(40)))
def test_the_order_of_rows_does_not_matter(rows: Rows, order: list[int]) -> None:
    x, y, weight = (np.array(column) for column in zip(*rows, strict=True))
    order = [row for row in order if row < len(rows)]
    cuts = cut_points(x, y, weight / 10, n_classes=3)  # tenths: sums of floats depend on their order
    assert cut_points(x[order], y[order], weight[order] / 10, n_classes=3) == cuts


def test_hand_made_columns() -> None:
    x = np.array([1.0, 2, 3, 4, 5, 6, 7, 8])
    assert cut_points(x, np.array([0, 0, 0, 0, 1, 1, 1, 1]), n_classes=2) == (4,)
    assert cut_points(x, np.array([0, 1, 0, 1, 0, 1, 0, 1]), n_classes=2) == ()
    assert cut_points(x, np.zeros(8, dtype=int), n_classes=1) == ()
    assert cut_points(np.ones(8), np.array([0, 0, 0, 0, 1, 1, 1, 1]), n_classes=2) == ()
    assert cut_points(np.array([]), np.array([], dtype=int), n_classes=2) == ()
    # One description pays by a hair: with n in place of n - 1 it would not.
    assert cut_points(np.array([0.0, 1, 2, 4, 5, 6]), np.array([0, 1, 1, 1, 1, 1]), n_classes=2) == (0,)
    three = np.repeat([0, 1, 2], 10)
    assert cut_points(np.arange(30.0), three, n_classes=3) == (9, 19)


def test_of_equal_cuts_the_first_is_taken_whatever_the_rounding() -> None:
    # Its two best cuts mirror each other with the classes renamed; their entropies differ in the last bit only.
    half = [0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 2, 2, 2, 3]
    y = np.array(half + [[3, 2, 1, 0][label] for label in half[::-1]])
    assert cut_points(np.arange(28.0), y, n_classes=4) == (9,)


def test_gaps_and_rows_without_weight_do_not_exist() -> None:
    x = np.array([1.2, 2.3, 3.7, 4.1, np.nan, 2.5])
    y = np.array([0, 0, 1, 1, 1, 1])
    assert cut_points(x, y, np.array([1.0, 1, 1, 1, 1, 0]), n_classes=2) == (3,)


@pytest.mark.parametrize(
    ("low", "high", "cut"), [(1.5, np.inf, 2), (-np.inf, -2.5, -3), (-np.inf, np.inf, 0), (-np.inf, -1e300, None)]
)
def test_infinities_are_ordered_like_numbers_and_cuts_are_finite(low: float, high: float, cut: float | None) -> None:
    (found,) = cut_points(np.repeat([low, high], 5), np.repeat([0, 1], 5), n_classes=2)
    assert np.isfinite(found)
    assert low <= found < high
    assert cut is None or found == cut


def test_many_classes_do_not_overflow() -> None:
    y = np.repeat(np.arange(1000), 2)
    assert len(cut_points(y.astype(float), y, n_classes=1000)) <= 999


@pytest.mark.parametrize(
    ("x", "weight"),
    [
        ([0.0, 0.0, 1.0], [1e-30, 1e-41, 1e-259]),  # 1e-30 + 1e-259 is 1e-30
        ([0.0, 1.0, 2.0], [1e-310, 1e-310, 1e-310]),  # a number of bits divided by it is infinite
    ],
)
def test_weights_that_are_next_to_nothing_give_no_cut_and_no_warning(x: list[float], weight: list[float]) -> None:
    assert cut_points(np.array(x), np.array([0, 1, 0]), np.array(weight), n_classes=2) == ()
    assert find_cuts(np.array(x), np.array(weight)[:, None] * np.eye(2)[[0, 1, 0]]) == ()


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
        "c <= 0.5", "c > 0.5", "c <= 1", "c > 1"
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
    assert list(find_quantiles(np.arange(1.0, 101.0), 3)) == [24, 49, 74]
    heavy = np.cumsum([1.0, 1, 1, 97, 1, 1, 1])
    assert set(find_quantiles(heavy, 3)) == {3}


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
    cuts = cut_points(x, y, weight, n_classes=3, quantiles=quantiles)
    some = x[~np.isnan(x) & (weight > 0)]
    sides = {tuple((some <= cut).tolist()) for cut in cuts}
    assert len(sides) == len(cuts)
    assert all(any(side) and not all(side) for side in sides)
    mdlp = cut_points(x, y, weight, n_classes=3)
    assert set(mdlp) <= set(cuts)
    assert len(cuts) <= len(mdlp) + quantiles
    if len(set(some.tolist())) <= quantiles:
        assert len(cuts) == max(len(set(some.tolist())) - 1, 0)
    repeats = [np.repeat(each, weight.astype(int)) for each in (x, y)]
    assert cut_points(*repeats, np.ones(len(repeats[0])), n_classes=3, quantiles=quantiles) == cuts
    order = random.sample(range(len(x)), len(x))
    assert cut_points(x[order], y[order], weight[order], n_classes=3, quantiles=quantiles) == cuts


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


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2, unique=True).map(sorted))
def test_the_cut_splits_as_the_value_does(pair: list[float]) -> None:
    low, high = pair
    assert low <= short_number(low, high) < high


@given(st.lists(st.floats(-1e6, 1e6, width=32) | st.decimals(-99, 99, places=2), min_size=2, max_size=2, unique=True))
def test_the_cut_splits_rows_of_32_bits_as_those_of_64(pair: Any) -> None:
    low, high = sorted(map(float, pair))
    with np.errstate(under="ignore"):
        narrow_low, narrow_high = float(np.float32(low)), float(np.float32(high))
    cut = short_number(low, high)
    assert low <= cut < high
    assert narrow_low == narrow_high or narrow_low <= cut < narrow_high


@given(st.integers(-10000, 10000), st.integers(1, 500), st.integers(0, 3))
def test_no_number_with_fewer_decimals_lies_between(low: int, width: int, decimals: int) -> None:
    unit = 10**decimals
    bottom, top = low / unit, (low + width) / unit
    cut = short_number(bottom, top)
    bottom, top = max(bottom, float(np.float32(bottom))), min(top, float(np.float32(top)))
    fewest = next(d for d in range(9) if ceil(bottom * 10**d) / 10**d < top)
    assert cut == round(cut, fewest)


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_whole_numbers_are_rounded_to_the_digits_that_they_need(low: int, width: int) -> None:
    cut, places = short_number(low, low + width), len(str(low)) - 1
    if low < 2**24:  # beyond that, 32 bits round it
        grids = [10**place for place in range(places, -1, -1)]
        assert cut % next(grid for grid in grids if -(-low // grid) * grid < low + width) == 0


def decimals() -> st.SearchStrategy[float]:
    return st.builds(lambda digits, places: digits / 10**places, st.integers(-(10**17), 10**17), st.integers(0, 20))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | decimals(), min_size=2, unique=True).map(sorted))
def test_all_at_once_is_one_by_one(values: list[float]) -> None:
    lows, highs = np.array(values[:-1]), np.array(values[1:])
    assert list(map(repr, short_numbers(lows, highs))) == list(map(repr, map(short_number, values, values[1:])))


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        *((27, 41, 30), (27, 28, 27), (26.5, 41, 30), (0, 1, 0), (0, 3, 0), (5, 15, 5), (95, 105, 100)),
        *((5, 1e6, 5), (12_000, 17_000, 15_000), (161_838_076, 161_941_726, 161_900_000), (2**60, 2**61, 2e18)),
        *((-1234, -3, -1000), (1.9, 3, 2), (0.07, 0.0701, 0.07005), (1.1, 1.11, 1.105), (4.9, 5, 4.95)),
        *((4.5, 4.6, 4.5), (1e-7, 2e-7, 1.5e-7)),
    ],
)
def test_numbers(low: float, high: float, cut: float) -> None:
    assert short_number(low, high) == cut


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        ("2021-03-05T00:00", "2021-03-09T00:00", "2021-03-05T00:00"),
        ("2021-03-05T14:30:12", "2021-03-06T00:01", "2021-03-06T00:00"),
        ("2021-03-05T14:30:12", "2021-03-05T19:00", "2021-03-05T14:31"),
        ("2021-03-05T14:30:12.5", "2021-03-05T14:30:50", "2021-03-05T14:30:13"),
        ("1969-03-05T14:30:12.5", "1969-03-05T14:30:12.6", "1969-03-05T14:30:12.5"),
    ],
)
def test_moments(low: str, high: str, cut: str) -> None:
    since = [(dt.datetime.fromisoformat(text) - EPOCH) / MICROSECOND for text in (low, high, cut)]
    assert short_moments(np.array([since[0]]), np.array([since[1]])) == (since[2],)
