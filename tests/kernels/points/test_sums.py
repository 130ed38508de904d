"""The compiled sums and the best conditions are those of the plain reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.kernels.points import reference, sums

TINY = 1e-9


def make_rows(seed: int, rows: int, bins: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, count + 1, rows) for count in bins], axis=1).astype(np.uint8)
    figures = np.stack([rng.normal(size=rows), rng.uniform(0.1, 1, rows), rng.integers(0, 3, rows)], axis=1)
    return codes, figures, np.concatenate([[0], np.cumsum(np.array(bins) + 1)]).astype(np.int64)


@given(st.integers(0, 999), st.integers(1, 60), st.lists(st.integers(1, 7), min_size=1, max_size=4))
@settings(deadline=None)
def test_sums_in_bins_are_those_of_numpy(seed: int, rows: int, bins: list[int]) -> None:
    codes, figures, start = make_rows(seed, rows, bins)
    chosen = np.flatnonzero(figures[:, 2] > 0).astype(np.int32)
    found = np.full((start[-1], 3), 9.0)
    sums.add_to_bins(codes, chosen, figures, start, found)
    expected = np.zeros_like(found)
    for row in chosen:
        expected[start[:-1] + codes[row]] += figures[row]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(
    st.integers(0, 999), st.integers(2, 50), st.integers(1, 7), st.integers(0, 2), st.booleans(), st.booleans(),
    st.sampled_from([0.0, 0.05]), st.integers(1, 4), st.sampled_from([TINY, 4.0]),
    st.sampled_from([0.0, 4.0]), st.integers(-1, 1),
    st.sampled_from([(0, 0, 0), (0, 0, 0), (-1, 1, 0), (1, -1, 0), (2, 1, -1), (2, -1, 1), (2, 2, 2)]),
)  # fmt: skip
@settings(deadline=None, max_examples=300)
def test_the_best_condition_is_the_best_of_all(
    seed: int,
    rows: int,
    bins: int,
    ordered: int,
    askable: bool,
    between: bool,
    price: float,
    largest: int,
    least: float,
    left: float,
    sign: int,
    required: tuple[int, int, int],
) -> None:
    codes, figures, start = make_rows(seed, rows, [bins])
    inside = np.arange(rows // 2, dtype=np.int32)  # the rest of the rule holds on half of the rows
    table = np.zeros((start[-1], 3))
    sums.add_to_bins(codes, inside, figures, start, table)
    slope, curvature = figures[:, 0].sum(), figures[:, 1].sum()
    gains, forms = np.zeros(1), np.zeros((1, 4), np.int64)
    columns = (np.array([bins]), np.array([ordered]), np.array([askable], np.uint8))
    sums.find_conditions(
        table, start, *columns, np.array([required]), sign, slope, curvature, 0.5, price, least, left, between, largest,
        gains, forms,
    )  # fmt: skip
    best = -np.inf
    for form in reference.list_conditions(table, ordered, askable, 0.5, between, largest, required):
        own = reference.find_sign(form, required)
        if own == reference.NEVER or own * sign < 0:
            continue
        allowed = reference.write_condition(table, form, 0.5)
        weight = table[allowed[: len(table)] != 0, 2].sum()
        if weight >= least and table[:, 2].sum() - weight >= left - 1e-9:
            gain = reference.measure_gain(table, allowed, slope, curvature, 0.5, own or sign)
            best = max(best, gain - price * form[3])
    assert gains[0] == pytest.approx(best, abs=1e-9)
    if forms[0, 0] != reference.NOTHING:
        allowed = reference.write_condition(table, tuple(forms[0].tolist()), 0.5)
        gain = reference.measure_gain(table, allowed, slope, curvature, 0.5)
        assert gains[0] == pytest.approx(gain - price * forms[0, 3], abs=1e-9)


def test_a_condition_and_its_opposite_gain_the_same() -> None:
    """Because the base takes up its part."""
    codes, figures, start = make_rows(0, 40, [5])
    table = np.zeros((start[-1], 3))
    sums.add_to_bins(codes, np.arange(40, dtype=np.int32), figures, start, table)
    known, missing = (reference.write_condition(table, (form, 0, 0, 1), 0.5) for form in (5, 4))
    totals = figures[:, 0].sum(), figures[:, 1].sum()
    assert reference.measure_gain(table, known, *totals, 0.5) == pytest.approx(
        reference.measure_gain(table, missing, *totals, 0.5)
    )


@given(st.integers(0, 999), st.integers(1, 40), st.integers(0, 5))
@settings(deadline=None)
def test_normal_equations_and_weights_are_matrix_products(seed: int, rows: int, rules: int) -> None:
    rng = np.random.default_rng(seed)
    holds = rng.integers(0, 2, (rows, rules + 2)).astype(np.uint8)
    chosen = rng.permutation(rules + 2)[:rules].astype(np.int64)
    design = np.column_stack([np.ones(rows), holds[:, chosen]])
    slope, curvature, weights = rng.normal(size=rows), rng.uniform(size=rows), rng.normal(size=rules + 1)
    vector, matrix, margins = np.ones(rules + 1), np.ones((rules + 1, rules + 1)), np.ones(rows)
    sums.add_normal_equations(holds, chosen, slope, curvature, vector, matrix)
    sums.add_weights(holds, chosen, weights, margins)
    np.testing.assert_allclose(vector, design.T @ slope, atol=1e-12)
    np.testing.assert_allclose(matrix, np.tril(design.T @ (curvature[:, None] * design)), atol=1e-12)
    np.testing.assert_allclose(margins, 1 + design @ weights, atol=1e-12)
