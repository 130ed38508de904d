"""A cut is the shortest number between its neighbours."""

from __future__ import annotations

import datetime as dt
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.binarize.rounded_cuts import short_moment, short_number, short_numbers
from conceptrules.model.predicate import EPOCH

MICROSECOND = dt.timedelta(microseconds=1)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2, unique=True).map(sorted))
def test_the_cut_splits_as_the_value_does(pair: list[float]) -> None:
    low, high = pair
    assert low <= short_number(low, high) < high


@given(st.integers(-10000, 10000), st.integers(1, 500), st.integers(0, 3))
def test_no_number_with_fewer_decimals_lies_between(low: int, width: int, decimals: int) -> None:
    unit = 10**decimals
    cut = short_number(low / unit, (low + width) / unit)
    fewest = next(d for d in range(decimals + 1) if ceil(low * 10**d / unit) / 10**d < (low + width) / unit)
    assert cut == round(cut, fewest)


def decimals() -> st.SearchStrategy[float]:
    return st.builds(lambda digits, places: digits / 10**places, st.integers(-(10**17), 10**17), st.integers(0, 20))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | decimals(), min_size=2, unique=True).map(sorted))
def test_all_at_once_is_one_by_one(values: list[float]) -> None:
    lows, highs = np.array(values[:-1]), np.array(values[1:])
    assert list(map(repr, short_numbers(lows, highs))) == list(map(repr, map(short_number, values, values[1:])))


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [(27, 41, 27), (26.5, 41, 27), (0.07, 0.0701, 0.07), (1.1, 1.11, 1.1), (1e-7, 2e-7, 1e-7), (2**60, 2**61, 2**60)],
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
    assert short_moment(since[0], since[1]) == since[2]
