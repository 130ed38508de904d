"""Repeats of a row are its weight, equal rows stay on one side of a fold, and the order of rows leaves no trace."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.search.values import Rows
from conceptrules.learn.search.merged_rows import folds, merged, repeats_of
from tests.strategies_search import seeded

Table = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Codes, classes, weights (fractions or whole) and weights of the classes; many rows are equal."""
    rng, rows, classes = draw(seeded()), draw(st.integers(1, 40)), draw(st.integers(2, 4))
    codes = rng.integers(0, 3, (rows, draw(st.integers(1, 3)))).astype(np.uint8)
    weight = rng.integers(1, 4, rows) * 1.0 if draw(st.booleans()) else rng.random(rows) + 0.01
    return codes, rng.integers(classes, size=rows), weight, rng.choice([1.0, 2.5], classes)


def same(one: Rows, two: Rows) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def keys(rows: Rows) -> list[bytes]:
    return [row.tobytes() for row in rows.codes]


@given(tables())
def test_every_different_row_is_there_once_with_all_of_its_weight(table: Table) -> None:
    codes, target, weight, class_weight = table
    rows = merged(*table)
    assert len(set(keys(rows))) == len(keys(rows)) == len({row.tobytes() for row in codes})
    for row, mass, label in zip(*rows, strict=True):
        equal = (codes == row).all(axis=1)
        wanted = np.bincount(target[equal], weight[equal], len(class_weight)) * class_weight
        np.testing.assert_allclose(mass, wanted)
        assert label == (mass.argmax() if np.count_nonzero(wanted) == 1 else -1)


@given(tables(), seeded())
def test_neither_order_nor_repeats_leave_a_trace(table: Table, rng: np.random.Generator) -> None:
    codes, target, weight, class_weight = table
    order = rng.permutation(len(codes))
    assert same(merged(*table), merged(codes[order], target[order], weight[order], class_weight))
    whole = np.ceil(weight)
    repeats = np.repeat(np.arange(len(codes)), whole.astype(int))
    assert same(
        merged(codes, target, whole, class_weight),
        merged(codes[repeats], target[repeats], np.ones(len(repeats)), class_weight),
    )


@given(tables())
def test_rows_without_weight_are_not_there(table: Table) -> None:
    codes, target, weight, class_weight = table
    light = weight.copy()
    light[::2] = 0
    assert same(
        merged(codes, target, light, class_weight), merged(codes[1::2], target[1::2], weight[1::2], class_weight)
    )
    nothing = np.zeros_like(class_weight)
    nothing[0] = 1
    rows = merged(codes, target, weight, nothing)
    assert rows.mass[:, 1:].sum() == 0
    assert (rows.label == 0).all()


@given(tables(), st.integers(2, 6), st.integers(1, 6), seeded())
def test_folds_divide_the_rows(table: Table, count: int, most: int, rng: np.random.Generator) -> None:
    rows = merged(*table)
    parts = folds(rows, count, most, rng)
    assert 1 <= len(parts) <= min(count, most)
    single = np.bincount(rows.mass.argmax(axis=1), minlength=len(table[3])) == 1
    held: list[bytes] = []
    for fold in parts:
        if fold.held is fold.training:
            assert same(fold.held, rows)
            return
        assert sorted(keys(fold.training) + keys(fold.held)) == sorted(keys(rows))
        assert not set(keys(fold.training)) & set(keys(fold.held))  # also where equal rows are of several classes
        assert fold.training.mass.sum() + fold.held.mass.sum() == pytest.approx(rows.mass.sum())
        assert not single[fold.held.mass.argmax(axis=1)].any()
        held += keys(fold.held)
    assert len(set(held)) == len(held)


@given(seeded(), st.integers(2, 5))
def test_every_fold_has_its_share_of_every_class(rng: np.random.Generator, count: int) -> None:
    codes = np.arange(200, dtype=np.uint8)[:, None]
    rows = merged(codes, rng.integers(0, 3, 200), np.ones(200), np.ones(3))
    shares = np.stack([fold.held.mass.sum(axis=0) for fold in folds(rows, count, count, rng)])
    assert (np.ptp(shares, axis=0) <= 1).all()
    assert shares.sum() == 200


@pytest.mark.parametrize("target", [[0, 1], [0, 1, 2]])
def test_where_no_row_can_be_held_out_all_judge(target: Any) -> None:
    codes = np.arange(len(target), dtype=np.uint8)[:, None]
    rows = merged(codes, np.array(target), np.ones(len(target)), np.ones(3))
    (fold,) = folds(rows, 5, 5, np.random.default_rng(0))
    assert fold.held is fold.training is rows


@given(tables(), st.integers(1, 4))
def test_a_table_several_times_over_is_the_table(table: Table, repeats: int) -> None:
    """Whether its rows are repeated, or weigh so much more."""
    codes, target, weight, class_weight = table
    order = np.tile(np.arange(len(codes)), repeats)
    whole = np.ceil(weight)
    hashes = np.array([hash((row.tobytes(), c)) for row, c in zip(codes, target.tolist(), strict=True)]).view(np.uint64)
    once = repeats_of(hashes, whole)
    assert repeats_of(hashes[order], whole[order]) == repeats_of(hashes, repeats * whole) == repeats * once
    assert same(
        merged(codes, target, whole, class_weight, once),
        merged(codes[order], target[order], whole[order], class_weight, repeats * once),
    )
    assert repeats_of(hashes, whole + 0.5) == 1
