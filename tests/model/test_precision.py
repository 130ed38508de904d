"""The interval of a precision."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from conceptrules.model.precision import interval_text, wilson_interval


@given(st.integers(1, 500), st.data())
def test_the_interval_is_that_of_scipy(rows, data):
    right = data.draw(st.integers(0, rows))
    wanted = binomtest(right, rows).proportion_ci(method="wilson")
    assert wilson_interval(right, rows) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


@given(st.floats(1e-6, 1e6), st.floats(0, 1))
def test_the_share_is_in_its_interval(rows, share):
    low, high = wilson_interval(rows * share, rows)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1


def test_without_rows_there_is_none():
    assert wilson_interval(0, 0) is None
    assert interval_text(None) == ""


def test_texts_are_rounded_outwards():
    assert interval_text((0.991, 0.999)) == "[99-100%]"
