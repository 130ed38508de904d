"""Rows in canonical form, and their split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.learn.examples import Examples, canonical, joined, split, with_negations
from conceptrules.model.evaluation import pack


def examples(seed: int, count: int = 40, fractions: bool = False) -> Examples:
    """Few different rows, so that many are equal; weights from 0 to 3."""
    rng = np.random.default_rng(seed)
    weight = rng.random(count) * 3 if fractions else rng.integers(0, 4, count)
    weight[0] = 1
    return Examples.of(rng.random((count, 3)) < 0.5, rng.integers(0, 2, count), weight.astype(float))


def equal(first: Examples, second: Examples) -> bool:
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in ("bits", "target", "weight"))


def taken(rows: Examples, order: np.ndarray, weight: np.ndarray | None = None) -> Examples:
    return Examples.of(rows.bits[order], rows.target[order], rows.weight[order] if weight is None else weight)


@given(st.integers(0, 999), st.booleans())
def test_the_order_of_rows_leaves_no_trace(seed: int, fractions: bool) -> None:
    rows = examples(seed, fractions=fractions)
    shuffled = taken(rows, np.random.default_rng(seed + 1).permutation(len(rows)))
    assert equal(canonical(rows), canonical(shuffled))


@given(st.integers(0, 999))
def test_whole_weights_are_repeats(seed: int) -> None:
    rows = examples(seed)
    order = np.repeat(np.arange(len(rows)), rows.weight.astype(int))
    assert equal(canonical(rows), canonical(taken(rows, order, np.ones(len(order)))))


@given(st.integers(0, 999), st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.booleans())
def test_a_split_loses_no_row_and_takes_its_share_of_each_class(seed: int, fraction: float, fractions: bool) -> None:
    rows = canonical(examples(seed, fractions=fractions))
    training, validation = split(rows, fraction, np.random.default_rng(seed))
    merged = joined(training, validation)
    assert np.array_equal(merged.bits, rows.bits)
    np.testing.assert_allclose(merged.weight, rows.weight)
    for label in (0, 1):
        sizes = [
            part.weight[part.target == label].sum() if not fractions else np.sum(part.target == label)
            for part in (rows, validation)
        ]
        assert sizes[1] == np.floor(sizes[0] * fraction + 1e-9)


def test_equal_rows_go_to_both_sides() -> None:
    """Two kinds of rows, 50 of each: were equal rows kept together, training would never see one kind."""
    rows = Examples.of(np.array([[True], [False]]), np.array([0, 1]), np.array([50.0, 50.0]))
    training, validation = split(rows, 0.2, np.random.default_rng(0))
    assert training.weight.tolist() == [40, 40]
    assert validation.weight.tolist() == [10, 10]


@pytest.mark.parametrize("seed", range(5))
def test_a_class_too_small_stays_in_training(seed: int) -> None:
    rows = Examples.of(np.eye(9, dtype=bool), np.array([0] * 5 + [1] * 4), np.ones(9))
    training, validation = split(rows, 0.2, np.random.default_rng(seed))
    assert np.bincount(training.target).tolist() == [4, 4]
    assert validation.target.tolist() == [0]


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1023, 1024, 1025, 2100])
@pytest.mark.parametrize("inputs", [1, 8, 13])
def test_rows_and_words_hold_the_same_bits(count: int, inputs: int) -> None:
    bits = np.random.default_rng(count).random((count, inputs)) < 0.5
    target, weight = np.zeros(count, dtype=np.int64), np.ones(count)
    rows = Examples.from_packed_bits(pack(bits), target, weight)
    assert np.array_equal(rows.packed, Examples.of(bits, target, weight).packed)
    assert np.array_equal(rows.bits, bits)
    assert np.array_equal(rows.to_packed_bits().words, pack(bits).words)
    assert np.array_equal(with_negations(rows).bits, np.hstack([bits, ~bits]))
