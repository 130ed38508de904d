"""The best condition on a column is the best of all there are, and holds where it says."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from conceptrules.kernels.search.conditions import best_condition, write_condition
from hypothesis import example, given
from hypothesis import strategies as st

from conceptrules.kernels.search.values import ANYTHING, CODES
from tests.strategies_search import SEEDS, seeded


def asking(penalty: float, seed: int, categories: int, negation: bool) -> dict[str, Any]:
    return {
        "penalty": penalty, "seed": seed, "categories": categories, "negation": negation, "may_ask": ANYTHING,
    }  # fmt: skip


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
    penalty = float(rng.choice([0.0, 0.1, 0.5]))
    best = best_condition(gains, bins, gaps, askable, ordered, asking(penalty, place, bins, negation))
    every = [
        (sum(gains[b] for b in held) - penalty * edges, held, edges)
        for held, edges in conditions(bins, gaps, askable, ordered, negation)
        if place < 0 or (askable and held == {bins} if place == bins else place in held)
    ]
    nothing = gains.sum()
    wanted = max((worth for worth, *_ in every), default=-np.inf)
    assert max(best["gain"], nothing) == pytest.approx(max(wanted, nothing))
    if np.isfinite(best["gain"]):
        allowed = np.full(CODES, 9, np.uint8)
        write_condition(gains, bins, penalty, place, best, allowed)
        held = set(np.flatnonzero(allowed[: bins + gaps]).tolist())
        assert set(allowed.tolist()) <= {0, 1}
        assert place < 0 or place in held
        assert sum(gains[b] for b in held) - penalty * best["edges"] == pytest.approx(best["gain"])
        assert (held, best["edges"]) in [(some & set(range(bins + gaps)), edges) for _, some, edges in every]


@given(seeded(), st.integers(2, 8), st.integers(1, 7), st.booleans())
def test_no_more_categories_are_named_than_wanted(
    rng: np.random.Generator, bins: int, most: int, negation: bool
) -> None:
    gains = np.append(rng.normal(size=bins), 0)
    best = best_condition(gains, bins, False, False, 0, asking(0.0, -1, most, negation))
    assert not np.isfinite(best["gain"]) or 1 <= best["edges"] <= most


def test_a_cut_goes_to_the_middle_of_bins_that_tell_nothing() -> None:
    gains, allowed = np.array([1.0, 0, 0, 0, 0, -1, 0]), np.zeros(CODES, np.uint8)
    best = best_condition(gains, 6, False, False, 1, asking(0.1, -1, 9, True))
    assert best["gain"] == 0.9
    write_condition(gains, 6, 0.1, -1, best, allowed)
    assert allowed[:7].tolist() == [1, 1, 1, 0, 0, 0, 0]
