"""A rule that is grown holds on its seed row, is worth what it says, and is found where nearly all rows lose."""

from __future__ import annotations

import numpy as np
import pytest
from conceptrules.kernels.search.histograms import GainedRows
from conceptrules.kernels.search.views import ColumnsView, LimitsView, RowsView, Rule
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.search.growth import edges_of, grow
from conceptrules.kernels.search.values import CODES, LONGEST, Columns, Rows
from tests.strategies_search import columns_of, holds_plain, limits, seeded, some_columns, some_rows


def grown(
    rows: Rows, columns: Columns, gain: np.ndarray, seed_row: int = -1, **other: object
) -> tuple[int, float, np.ndarray, np.ndarray, np.ndarray]:
    column, size, allowed = (
        np.zeros(LONGEST, np.int64),
        np.zeros(LONGEST, np.int64),
        np.zeros((LONGEST, CODES), np.uint8),
    )
    gained = GainedRows(RowsView(rows), ColumnsView(columns), LimitsView(limits(**other)), gain, np.flatnonzero(gain))
    rule = Rule(0, column, allowed, size)
    worth = grow(gained, 0, seed_row, rule)
    return rule.length, worth, column, allowed, size


@given(seeded(), st.sampled_from([0.0, 0.3, 1.0]), st.integers(1, 6), st.booleans(), st.booleans())
def test_a_grown_rule_is_worth_what_it_gains(
    rng: np.random.Generator, penalty: float, most: int, negation: bool, seeds: bool
) -> None:
    columns = some_columns(rng)
    rows = some_rows(rng, columns, 2, 40)
    gain = rng.normal(-0.3, 1, len(rows.codes))
    seed_row = int(gain.argmax()) if seeds and gain.max() > 0 else -1
    given = {"penalty": penalty, "conditions": most, "negation": negation}
    length, worth, column, allowed, size = grown(rows, columns, gain, seed_row, **given)
    if not length:
        assert worth == 0
        return
    held = holds_plain(rows, column, allowed, length)
    assert worth == pytest.approx(gain[held].sum() - penalty * size[:length].sum())
    assert worth > 0
    assert size[:length].sum() <= most
    assert len(set(column[:length].tolist())) == length
    assert seed_row < 0 or held[seed_row]
    for k in range(length):
        j = column[k]
        some = allowed[k, : columns.bins[j] + columns.gaps[j]]
        assert 0 < some.sum() < len(some)
        assert size[k] == edges_of(allowed[k], columns.bins[j], columns.ordered[j]) > 0


def conjunction(rows: int = 4000) -> tuple[Rows, Columns, np.ndarray]:
    """One row in fifty gains, where two of eight columns are as wanted; the sum of gains asks for no rule at all."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 7, (rows, 8)).astype(np.uint8)
    wins = (codes[:, 2] == 3) & (codes[:, 5] >= 6)
    gain = np.where(wins, 1.0, -1.0)
    ordered = [False] * 4 + [True] * 4
    return Rows(codes, np.eye(2)[wins.astype(int)], wins.astype(np.int64)), columns_of([7] * 8, ordered), gain


def test_two_literals_are_found_among_many_rows_that_lose() -> None:
    rows, columns, gain = conjunction()
    length, worth, column, allowed, size = grown(rows, columns, gain)
    assert worth == (gain > 0).sum()
    assert sorted(column[:length].tolist()) == [2, 5]
    assert np.array_equal(holds_plain(rows, column, allowed, length), gain > 0)
    assert size[:length].sum() == 2


def test_around_a_row_too() -> None:
    rows, columns, gain = conjunction()
    for row in np.flatnonzero(gain > 0)[:5]:
        length, worth, *_ = grown(rows, columns, gain, int(row))
        assert (length, worth) == (2, (gain > 0).sum())


def test_a_rule_that_is_not_worth_its_edges_is_none() -> None:
    rows, columns, gain = conjunction()
    assert grown(rows, columns, gain, penalty=float(len(gain)))[:2] == (0, 0.0)
    assert grown(rows, columns, -np.abs(gain))[:2] == (0, 0.0)


@pytest.mark.parametrize(
    ("held", "bins", "ordered", "edges"),
    [
        ([1, 1, 0, 0], 3, True, 1),  # x <= b
        ([0, 1, 1, 0], 3, True, 1),  # x > a
        ([0, 1, 0, 0], 3, True, 2),  # a < x <= b
        ([1, 1, 1, 0], 3, True, 1),  # x is not missing
        ([1, 0, 0, 0], 3, False, 1),  # x = a
        ([1, 1, 0, 0], 3, False, 2),  # x in {a, b}
        ([0, 1, 1, 1], 3, False, 1),  # not x = a
        ([0, 0, 1, 1], 3, False, 2),  # not x in {a, b}
        ([0, 1, 1, 0], 3, 2, 1),  # x > a
        ([1, 0, 1, 0], 3, 2, 2),  # x in {a, c}
        ([1, 0, 1, 1], 3, 2, 1),  # not x = b
    ],
)
def test_edges_of_a_condition(held: list[int], bins: int, ordered: int, edges: int) -> None:
    assert edges_of(np.array(held, np.uint8), bins, ordered) == edges
