"""Repeats of a row are its weight, and the order of rows leaves no trace."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.search.values import Rows
from conceptrules.learn.search.merged_rows import merged
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
    return all(np.array_equal(a, b) for a, b in zip(one[:4], two[:4], strict=True))


def keys(rows: Rows) -> list[bytes]:
    return [row.tobytes() for row in rows.codes]


@given(tables())
def test_every_different_row_is_there_once_with_all_of_its_weight(table: Table) -> None:
    codes, target, weight, class_weight = table
    rows = merged(*table, raw=True)
    assert len(set(keys(rows))) == len(keys(rows)) == len({row.tobytes() for row in codes})
    for row, mass, label, raw in zip(*rows[:4], strict=True):
        equal = (codes == row).all(axis=1)
        wanted = np.bincount(target[equal], weight[equal], len(class_weight)) * class_weight
        np.testing.assert_allclose(mass, wanted)
        np.testing.assert_allclose(raw * class_weight, wanted)
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
