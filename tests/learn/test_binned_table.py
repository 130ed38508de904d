"""Bins of a column: every value has one, and the predicates of a condition hold exactly in the bins it allows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.binarize import Binarizer
from conceptrules.kernels.search.values import CODES
from conceptrules.learn.binned_table import MAX_BINS, BinnedTable, Bins, make_binned_table
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf, holds
from conceptrules.tables.table import open_table

LETTERS = "abcdef"


def binned(values: Any, *, most: int = 254, **options: Any) -> tuple[BinnedTable, np.ndarray]:
    """A table of one column, and its codes."""
    table = pd.DataFrame({"c": values})
    binarizer = Binarizer(literals="thresholds", quantiles=most, **options).fit(table, np.arange(len(table)) % 2)
    found = make_binned_table(binarizer)
    return found, found.encode(open_table(table))[:, 0]


@st.composite
def columns(draw: st.DrawFn) -> Bins:
    kind = draw(st.sampled_from(["number", "category", "ordinal"]))
    if kind == "number":
        cuts = draw(st.sets(st.floats(-5, 5, allow_nan=False).map(lambda x: x + 0.0), max_size=5))
        return Bins(Column("c", "number", missing=draw(st.booleans())), tuple(sorted(cuts)))
    names = tuple(LETTERS[: draw(st.integers(1, 6))])
    return Bins(Column("c", kind, names, missing=draw(st.booleans())), (), draw(st.booleans()))


@st.composite
def conditions(draw: st.DrawFn) -> tuple[Bins, np.ndarray]:
    """A column and a condition that the kernels can make on it: a run of an order, or any set, gaps in or out."""
    bins = draw(columns())
    allowed = np.zeros(CODES, np.uint8)
    if bins.order == 1 or (bins.order == 2 and draw(st.booleans())):
        low = draw(st.integers(0, bins.count - 1))
        allowed[low : draw(st.integers(low, bins.count - 1)) + 1] = 1
    else:
        allowed[draw(st.lists(st.integers(0, bins.count), min_size=1))] = 1
        allowed[bins.count + 1 :] = allowed[bins.count]
    if bins.column.missing and not bins.others and draw(st.booleans()):
        allowed[:] = np.arange(CODES) == bins.count
    return bins, allowed


@given(conditions())
def test_the_predicates_hold_exactly_where_the_condition_is_allowed(case: tuple[Bins, np.ndarray]) -> None:
    bins, allowed = case
    known = allowed[: bins.count]
    if known.all() and allowed[bins.count]:
        return  # no condition at all
    tests = bins.state_tests(allowed)
    for code, value in enumerate((*bins.list_examples(), None)):
        assert all(holds(test, value) != negated for test, negated in tests) == allowed[code]
    if bins.others:  # a category that has no bin
        assert all(holds(test, "other") != negated for test, negated in tests) == allowed[bins.count]


@given(columns(), st.lists(st.floats(-6, 6) | st.sampled_from([np.inf, -np.inf, np.nan]), min_size=1))
def test_values_are_in_the_bin_of_their_example(bins: Bins, numbers: list[float]) -> None:
    values: list[Any] = numbers
    if not bins.column.ordered:
        values = [(*LETTERS, None, "other")[int(abs(number) if np.isfinite(number) else 7) % 8] for number in numbers]
    found = BinnedTable((bins,)).encode(open_table(pd.DataFrame({"c": values})))[:, 0]
    tests = [Interval("c", high=cut) for cut in bins.cuts] or [Equals("c", name) for name in bins.column.categories]
    for value, code in zip(values, found, strict=True):
        example = (*bins.list_examples(), None)[code]
        if bins.column.ordered:
            assert (example is None) == np.isnan(value)
        else:
            assert example == (value if value in bins.list_examples() else None)
        assert [holds(test, value) for test in tests] == [holds(test, example) for test in tests]


def test_numbers_are_cut_between_all_values() -> None:
    found, codes = binned([3.0, 1.0, 2.0, np.nan, 2.0])
    (bins,) = found.bins
    assert codes.tolist() == [2, 0, 1, 3, 1]
    assert len(bins.cuts) == 2
    meant = found.make_columns(codes[:, None], 2)
    assert [part.tolist() for part in meant] == [[3], [True], [True], [True], [1.0], [[63], [63]], [], [0, 4]]


def test_a_column_without_gaps_is_never_asked_for_them() -> None:
    found, codes = binned([3.0, 1.0, np.nan])
    without = found.make_columns(codes[:2, None], 2)
    assert (without.gaps.tolist(), without.askable.tolist()) == ([False], [False])
    assert found.make_columns(codes[:0, None], 2).gaps.tolist() == [False]


def test_categories_and_unseen_ones() -> None:
    found, codes = binned(["b", "a", None, "b"])
    assert codes.tolist() == [1, 0, 2, 1]
    assert found.encode(open_table(pd.DataFrame({"c": ["a", "z", None]})))[:, 0].tolist() == [0, 2, 2]
    assert found.bins[0].state_tests(np.array([1, 0, 1] + [0] * 253, np.uint8)) == [(Equals("c", "b"), True)]


def test_an_order_is_kept() -> None:
    found, codes = binned(["mid", "low", "high", "low"], kinds={"c": ["low", "mid", "high"]})
    assert codes.tolist() == [1, 0, 2, 0]
    assert found.make_columns(codes[:, None], 2).ordered.tolist() == [2]
    assert found.bins[0].state_tests(np.array([1, 1] + [0] * 254, np.uint8)) == [(OneOf("c", ("low", "mid")), False)]


def test_missing_and_present() -> None:
    (bins,) = binned(["b", "a", None, "b"])[0].bins
    here = np.arange(CODES) == bins.count
    assert bins.state_tests(here.astype(np.uint8)) == [(Missing("c"), False)]
    assert bins.state_tests((np.arange(CODES) < bins.count).astype(np.uint8)) == [(Missing("c"), True)]


@pytest.mark.filterwarnings("ignore:column .* categories", "ignore:.*most frequent")
def test_rare_categories_share_the_code_of_gaps_and_are_not_called_missing() -> None:
    values = ["a"] * 5 + ["b"] * 4 + ["c", None]
    found, codes = binned(values, max_categories=2)
    assert codes.tolist() == [0] * 5 + [1] * 4 + [2, 2]
    meant = found.make_columns(codes[:, None], 2)
    assert (meant.gaps.tolist(), meant.askable.tolist()) == ([True], [False])


@pytest.mark.parametrize("rows", [255, 256, 1000])
def test_many_different_numbers(rows: int) -> None:
    """Bins are of about as many rows each."""
    found, codes = binned(np.random.default_rng(0).permutation(rows) * 1.0)
    assert found.bins[0].count <= MAX_BINS
    assert len(np.unique(codes)) == found.bins[0].count >= 250
    assert np.bincount(codes).max() <= -(-rows // 250) + 1


def test_more_cuts_than_bins_are_thinned_evenly() -> None:
    found, codes = binned(np.arange(3000.0), most=2000)
    assert found.bins[0].count == MAX_BINS
    assert np.bincount(codes)[1:-1].min() >= 10
    assert np.bincount(codes).max() == 12


def test_many_categories() -> None:
    values = [f"c{number:03}" for number in range(300)] * 2
    found, codes = binned(values, max_categories=300)
    assert found.bins[0].count == MAX_BINS
    assert (codes == MAX_BINS).sum() == 2 * (300 - MAX_BINS)
    assert not found.make_columns(codes[:, None], 2).askable[0]
