"""Rows in canonical form, and parts of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.learn.mllp.examples import Examples, canonical, split_examples, with_negations
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


@given(st.integers(0, 999), st.booleans())
def test_parts_are_the_rows_that_are_held_back_and_the_others(seed: int, fractions: bool) -> None:
    rows = examples(seed, fractions=fractions)
    held = np.random.default_rng(seed + 1).random(len(rows)) < 0.5
    training, validation = split_examples(rows, held)
    assert equal(training, canonical(taken(rows, np.flatnonzero(~held))))
    assert equal(validation, canonical(taken(rows, np.flatnonzero(held))))


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
