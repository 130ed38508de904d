"""Histograms of gains are plain sums, and climbing never goes down."""

from __future__ import annotations

import numpy as np
import pytest
from conceptrules.kernels.search.histograms import GainedRows, climb, scan
from conceptrules.kernels.search.views import ColumnsView, LimitsView, RowsView, Rule
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.search.values import CODES, LONGEST, Columns, Rows
from tests.strategies_search import (
    columns_of,
    holds_plain,
    limits,
    rule_of,
    seeded,
    some_columns,
    some_rows,
    some_rules,
)


@given(seeded())
def test_scan_sums_gains(rng: np.random.Generator) -> None:
    columns = some_columns(rng)
    rows = some_rows(rng, columns, 2, 30)
    size, rule = len(rows.codes), some_rules(rng, columns, 2, 1)
    column, allowed, length = rule.column[0], rule.allowed[0], rule.length[0]
    gain, active = rng.normal(size=size), rng.permutation(size)
    listed = rng.integers(1, size + 1)
    gained = GainedRows(RowsView(rows), ColumnsView(columns), LimitsView(limits()), gain, active[:listed])
    total = scan(gained, rule_of(rule, 0))
    inside, beside = gained.histograms()
    there = np.isin(np.arange(size), active[:listed])
    passed = np.stack([allowed[k, rows.codes[:, column[k]]] > 0 for k in range(length)] or [np.ones(size, bool)])
    assert total == pytest.approx(gain[there & passed.all(axis=0)].sum())
    for j, at in enumerate(columns.start[:-1]):
        others = np.delete(passed, np.flatnonzero(column[:length] == j), axis=0).all(axis=0)
        fails = there & others & ~passed.all(axis=0)
        for code in range(columns.bins[j] + 1):
            here = rows.codes[:, j] == code
            assert inside[at + code] == pytest.approx(gain[there & passed.all(axis=0) & here].sum())
            assert beside[at + code] == pytest.approx(gain[fails & here].sum())


def climbed(
    rows: Rows,
    columns: Columns,
    gain: np.ndarray,
    seed_row: int,
    rule: tuple[np.ndarray, np.ndarray, int],
    **other: object,
) -> tuple[int, float, np.ndarray, np.ndarray, np.ndarray]:
    column, allowed, length = rule
    size = np.ones(LONGEST, np.int64)
    gained = GainedRows(RowsView(rows), ColumnsView(columns), LimitsView(limits(**other)), gain, np.flatnonzero(gain))
    at_hand = Rule(length, column, allowed, size)
    value = climb(gained, 0, seed_row, at_hand)
    return at_hand.length, value, column, allowed, size


def nothing() -> tuple[np.ndarray, np.ndarray, int]:
    return np.zeros(LONGEST, np.int64), np.zeros((LONGEST, CODES), np.uint8), 0


@given(seeded(), st.sampled_from([0.0, 0.3, 2.0]), st.integers(1, 5), st.booleans())
def test_climbing_never_lowers_the_value(rng: np.random.Generator, penalty: float, most: int, seeds: bool) -> None:
    """It begins with nothing; all conditions hold on the seed row, and the edges keep the limit."""
    columns = some_columns(rng)
    rows = some_rows(rng, columns, 2, 40)
    gain = rng.normal(size=len(rows.codes))
    seed_row = int(gain.argmax()) if seeds else -1
    given = {"penalty": penalty, "conditions": most}
    length, value, column, allowed, size = climbed(rows, columns, gain, seed_row, nothing(), **given)
    held = holds_plain(rows, column, allowed, length)
    assert value == pytest.approx(gain[held].sum() - penalty * size[:length].sum())
    assert value >= gain.sum() - 1e-9
    assert size[:length].sum() <= most
    assert len(set(column[:length].tolist())) == length
    if seeds:
        assert held[seed_row]
    again, value_again, *_ = climbed(rows, columns, gain, seed_row, (column.copy(), allowed.copy(), length), **given)
    if (size[:length] == 1).all():  # a second climb begins with these sizes
        assert (again, value_again) == (length, pytest.approx(value))


@given(seeded(), st.sampled_from([0.0, 0.3]))
def test_climbing_improves_any_rule(rng: np.random.Generator, penalty: float) -> None:
    columns = some_columns(rng)
    rows = some_rows(rng, columns, 2, 40)
    gain, rule = rng.normal(size=len(rows.codes)), some_rules(rng, columns, 2, 1)
    column, allowed, length = rule.column[0], rule.allowed[0], int(rule.length[0])
    before = gain[holds_plain(rows, column, allowed, length)].sum() - penalty * length
    assert climbed(rows, columns, gain, -1, (column, allowed, length), penalty=penalty)[1] >= before - 1e-9


def test_a_costly_column_is_left_alone() -> None:
    """Both columns say the same."""
    codes = np.repeat(np.array([[0, 0], [1, 1]], np.uint8), 10, axis=0)
    rows = Rows(codes, np.eye(2)[codes[:, 0]], codes[:, 0].astype(np.int64))
    gain = np.where(codes[:, 0] == 1, 1.0, -1.0)
    for cheap in (0, 1):
        columns = columns_of([2, 2], True)
        columns.cost[1 - cheap] = 2
        length, value, column, *_ = climbed(rows, columns, gain, -1, nothing(), penalty=0.5)
        assert (length, value, column[0]) == (1, 9.5, cheap)
