"""Histograms of gains are plain sums, the best condition is the best of all there are, and climbing never goes down."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conceptrules.kernels.search.histograms import best_condition, climb, scan, write_condition
from conceptrules.kernels.search.values import ANYTHING, CODES, LONGEST, Columns, Rows
from tests.strategies_search import (
    SEEDS,
    columns_of,
    holds_plain,
    limits,
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
    inside, beside = np.full((2, columns.start[-1]), np.nan)
    total = scan(rows, columns, active, listed, gain, column, allowed, length, inside, beside)
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


def sets_of(bins: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(bins), size) for size in range(1, bins + 1)))


def conditions(bins: int, gaps: bool, askable: bool, ordered: int, negation: bool) -> list[tuple[set[int], int]]:
    """Every condition on a column: the codes where it holds, and its edges."""
    found: list[tuple[set[int], int]] = []
    if ordered:
        runs = [(low, high) for low in range(bins) for high in range(low, bins) if high - low + 1 < bins]
        found += [(set(range(low, high + 1)), (low > 0) + (high < bins - 1)) for low, high in runs]
    if ordered != 1:
        every = sets_of(bins)
        found += [(set(some), len(some)) for some in every if len(some) < bins]
        if negation:
            found += [(set(range(bins + 1)) - set(some), len(some)) for some in every if len(some) < bins + gaps]
    if askable:
        found.append(({bins}, 1))
        if negation:
            found.append((set(range(bins)), 1))
    return found


@given(SEEDS, st.integers(1, 6), st.booleans(), st.booleans(), st.integers(0, 2), st.booleans(), st.integers(-1, 6))
@example(0, 1, True, True, 0, True, -1)
@example(0, 2, False, False, 0, False, 0)
def test_the_best_condition_is_the_best_of_all(
    seed: int, bins: int, gaps: bool, askable: bool, ordered: int, negation: bool, place: int
) -> None:
    """Where no condition at all is better, it need not be the best: it is dropped then.

    Around a row without a value only `is missing` is tried.
    """
    rng, askable, place = np.random.default_rng(seed), askable and gaps, min(place, bins if gaps else bins - 1)
    gains = np.append(rng.normal(size=bins), rng.normal() if gaps else 0.0).round(1)
    penalty, found = float(rng.choice([0.0, 0.1, 0.5])), np.zeros(4, np.int64)
    best = best_condition(gains, bins, gaps, askable, ordered, penalty, place, bins, negation, ANYTHING, found)
    every = [
        (sum(gains[b] for b in held) - penalty * edges, held, edges)
        for held, edges in conditions(bins, gaps, askable, ordered, negation)
        if place < 0 or (askable and held == {bins} if place == bins else place in held)
    ]
    nothing = gains.sum()
    wanted = max((worth for worth, *_ in every), default=-np.inf)
    assert max(best, nothing) == pytest.approx(max(wanted, nothing))
    if np.isfinite(best):
        allowed = np.full(CODES, 9, np.uint8)
        write_condition(gains, bins, penalty, place, found, allowed)
        held = set(np.flatnonzero(allowed[: bins + gaps]).tolist())
        assert set(allowed.tolist()) <= {0, 1}
        assert place < 0 or place in held
        assert sum(gains[b] for b in held) - penalty * found[3] == pytest.approx(best)
        assert (held, found[3]) in [(some & set(range(bins + gaps)), edges) for _, some, edges in every]


@given(seeded(), st.integers(2, 8), st.integers(1, 7), st.booleans())
def test_no_more_categories_are_named_than_wanted(
    rng: np.random.Generator, bins: int, most: int, negation: bool
) -> None:
    gains, found = np.append(rng.normal(size=bins), 0), np.zeros(4, np.int64)
    if np.isfinite(best_condition(gains, bins, False, False, False, 0.0, -1, most, negation, ANYTHING, found)):
        assert 1 <= found[3] <= most


def test_a_cut_goes_to_the_middle_of_bins_that_tell_nothing() -> None:
    gains, found, allowed = np.array([1.0, 0, 0, 0, 0, -1, 0]), np.zeros(4, np.int64), np.zeros(CODES, np.uint8)
    assert best_condition(gains, 6, False, False, True, 0.1, -1, 9, True, ANYTHING, found) == 0.9
    write_condition(gains, 6, 0.1, -1, found, allowed)
    assert allowed[:7].tolist() == [1, 1, 1, 0, 0, 0, 0]


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
    active = np.flatnonzero(gain)
    length, value = climb(
        rows, columns, limits(**other), 0, active, len(active), gain, seed_row, column, allowed, size, length,
        np.zeros(columns.start[-1]), np.zeros(columns.start[-1]), np.zeros(len(columns.bins), np.int64),
    )  # fmt: skip
    return length, value, column, allowed, size


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
