"""Rows that stay on one side of a split: by groups, by time, and one by one where nothing is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules import InputError
from conceptrules.learn.folds import RowGroups, assign_folds, group_equal_rows, read_row_groups, split_once
from tests.strategies_search import seeded

ALL = np.arange(6)


@pytest.mark.parametrize("groups", [list("bbaacc"), [2, 2, 1, 1, 7, 7], np.array([2.5, 2.5, 0, 0, 9, 9])])
@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series, pa.array, pd.Categorical])
def test_any_column_says_which_rows_go_together(groups: Any, kind: Any) -> None:
    found = read_row_groups(kind(list(groups)), None, 6)
    assert found is not None
    assert found.number.tolist() == [1, 1, 0, 0, 2, 2]
    assert not found.in_time


@pytest.mark.parametrize(
    "time",
    [
        [3, 1, 2],
        [0.3, -0.1, 0.2],
        pd.to_datetime(["2024-03-01", "2023-03-01", "2024-02-01"]),
        pa.array([30, 10, 20], pa.date32()),
    ],
)
def test_moments_are_numbered_from_the_oldest(time: Any) -> None:
    found = read_row_groups(None, time, 3)
    assert found is not None
    assert found.number.tolist() == [2, 0, 1]
    assert found.in_time


@pytest.mark.parametrize(
    ("given_to_fit", "message"),
    [
        ({"groups": ["a"] * 5}, r"groups has the shape \(5,\); it needs one value for each of the 6 rows"),
        ({"groups": np.ones((6, 2))}, r"groups has the shape \(6, 2\)"),
        ({"groups": ["a", "b", None, "a", "b", "b"]}, "groups has no value in row 2; fill it in, or leave the row out"),
        ({"time": [1, 2, 3, np.nan, 5, 6]}, "time has no value in row 3"),
        ({"groups": ["a"] * 6}, "groups has the same group for all rows, so that none can be held out"),
        ({"time": [7] * 6}, "time has the same moment for all rows"),
        ({"time": list("abcdef")}, "time holds 'a', which has no order in time; give dates or numbers"),
        ({"groups": list("ababab"), "time": [1, 2, 3, 4, 5, 6]}, "groups and time both say which rows are held out"),
    ],
)
def test_what_cannot_be_groups(given_to_fit: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_row_groups(given_to_fit.get("groups"), given_to_fit.get("time"), 6).take(ALL)  # type: ignore[union-attr]


def test_groups_of_rows_that_are_left_out_do_not_count() -> None:
    groups = read_row_groups(["a", "a", "b", "b", "c", "c"], None, 6)
    assert groups is not None
    assert groups.take(np.array([0, 5])).number.tolist() == [0, 1]
    with pytest.raises(InputError, match="same group"):
        groups.take(np.array([0, 1]))


@given(seeded(), st.integers(2, 30), st.sampled_from([0.05, 0.2, 0.34, 0.5, 0.9]))
def test_groups_are_held_out_whole_and_each_once(rng: np.random.Generator, groups: int, fraction: float) -> None:
    number = np.concatenate([np.arange(groups), rng.integers(0, groups, 60)])
    target, weight = rng.integers(0, 3, len(number)), rng.random(len(number)) + 0.1
    part = RowGroups(number, False).assign_parts(target, weight, fraction, rng)
    assert all(len(set(part[number == group])) == 1 for group in range(groups))
    assert set(part) == set(range(min(max(2, round(1 / fraction)), groups)))


@given(seeded(), st.integers(2, 30), st.sampled_from([0.05, 0.2, 0.5, 0.9]))
def test_the_newest_rows_are_held_out(rng: np.random.Generator, moments: int, fraction: float) -> None:
    number = np.concatenate([np.arange(moments), rng.integers(0, moments, 60)])
    weight = rng.integers(1, 4, len(number)) * 1.0
    held = RowGroups(number, True).assign_parts(np.zeros(len(number), np.int64), weight, fraction, rng) == 0
    assert held.any()
    assert not held.all()
    assert number[held].min() > number[~held].max()
    # No other moment to begin with gives a share that is nearer.
    shares = [weight[number >= first].sum() / weight.sum() for first in range(1, moments)]
    assert abs(weight[held].sum() / weight.sum() - fraction) == pytest.approx(min(abs(s - fraction) for s in shares))


@given(seeded(), st.integers(2, 6), st.integers(1, 3))
def test_classes_are_dealt_evenly(rng: np.random.Generator, count: int, least: int) -> None:
    main = rng.integers(0, 4, 50)
    part = assign_folds(main, count, rng, least)
    for c in np.unique(main):
        found = part[main == c]
        if len(found) < least:
            assert (found == -1).all()
        else:
            assert np.ptp(np.bincount(found, minlength=count)) <= 1


@given(seeded(), st.sampled_from([0.1, 0.2, 0.5, 0.9]))
def test_no_class_gives_more_than_its_share_or_all_it_has(rng: np.random.Generator, fraction: float) -> None:
    main = np.concatenate([[0], [1, 1], rng.integers(2, 5, 40)])
    weight = rng.integers(1, 5, len(main)) * 1.0
    held = split_once(main, weight, fraction, rng)
    assert not held[0]
    for c in np.flatnonzero(np.bincount(main) > 1):
        here, size = main == c, weight[main == c].sum()
        assert 1 <= held[here].sum() < here.sum()
        assert weight[here & held].sum() <= max(fraction * size + 1e-6, weight[here].min())
        left = here & ~held  # none that is left would still have had room
        assert weight[here & held].sum() + weight[left].min() > fraction * size
    equal = split_once(main, np.ones(len(main)), fraction, rng)
    for c, size in enumerate(np.bincount(main).tolist()):
        assert equal[main == c].sum() == (max(1, int(size * fraction + 1e-6)) if size > 1 else 0)


@st.composite
def codes_of_rows(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes of rows, many of which are equal, their classes and weights."""
    rng, rows = draw(seeded()), draw(st.integers(1, 40))
    codes = rng.integers(0, 3, (rows, draw(st.integers(1, 3)))).astype(np.uint8)
    return codes, rng.integers(draw(st.integers(1, 4)), size=rows), rng.random(rows) + 0.01


@given(codes_of_rows(), st.sampled_from([0.2, 0.34, 0.5]), st.integers(0, 9))
def test_equal_rows_are_held_out_together(
    table: tuple[np.ndarray, np.ndarray, np.ndarray], fraction: float, seed: int
) -> None:
    """Also where they are of several classes. Neither order nor repeats of the rows matter."""
    codes, target, weight = table
    part = group_equal_rows(codes).assign_parts(target, weight, fraction, np.random.default_rng(seed))
    keys = [row.tobytes() for row in codes]
    assert len(set(zip(keys, part.tolist(), strict=True))) == len(set(keys))
    order = np.random.default_rng(seed).permutation(len(codes))
    again = group_equal_rows(codes[order]).assign_parts(
        target[order], weight[order], fraction, np.random.default_rng(seed)
    )
    assert np.array_equal(again, part[order])


@given(seeded(), st.sampled_from([0.2, 0.25, 0.34, 0.5]))
def test_every_part_has_its_share_of_every_class(rng: np.random.Generator, fraction: float) -> None:
    codes, target = np.arange(200, dtype=np.uint8)[:, None], rng.integers(0, 3, 200)
    part = group_equal_rows(codes).assign_parts(target, np.ones(200), fraction, rng)
    shares = [np.bincount(target[part == number], minlength=3) for number in range(part.max() + 1)]
    assert (np.ptp(shares, axis=0) <= 1).all()
    assert np.sum(shares) == 200


def test_the_only_row_of_a_class_is_never_held_out() -> None:
    codes, target = np.array([[0], [1], [2], [2]], np.uint8), np.array([0, 0, 1, 1])
    part = group_equal_rows(codes).assign_parts(target, np.ones(4), 0.5, np.random.default_rng(0))
    assert part[2:].tolist() == [-1, -1]
    assert sorted(part[:2].tolist()) == [0, 1]


def test_rows_of_no_columns_are_equal() -> None:
    assert group_equal_rows(np.zeros((3, 0), np.uint8)).number.tolist() == [0, 0, 0]
