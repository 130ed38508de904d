"""The priority of a network: learned from rows, as the paper has it, and improved for a score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.learn.examples import Examples
from conceptrules.learn.priority import by_position, by_precision, improved, rarest_first
from conceptrules.model.evaluation import first_firing


def test_the_most_precise_class_wins() -> None:
    """Class 0 fires on everything, class 1 on half of its own rows and nothing else: class 1 goes first."""
    rows = Examples.of(np.zeros((6, 1), bool), np.array([0, 0, 0, 0, 1, 1]), np.ones(6))
    fired = np.array([[1, 0], [1, 0], [1, 0], [1, 0], [1, 0], [1, 1]], dtype=bool)
    assert by_precision(fired, rows, np.ones(2)) == ((1, 0), 0)
    assert by_position(fired, rows, np.ones(2)) == ((0, 1), 0)


def test_class_weight_decides_who_wins() -> None:
    rows = Examples.of(np.zeros((6, 1), bool), np.array([0, 0, 0, 1, 1, 1]), np.ones(6))
    fired = np.array([[1, 1], [1, 1], [0, 0], [1, 1], [0, 0], [0, 0]], dtype=bool)
    assert by_precision(fired, rows, np.ones(2)) == ((0, 1), 1)
    assert by_precision(fired, rows, np.array([1.0, 9])) == ((1, 0), 1)
    assert by_precision(fired, rows, np.array([9.0, 1])) == ((0, 1), 0)


def test_the_rarest_class_comes_first_and_the_commonest_is_the_default() -> None:
    assert rarest_first(np.array([0, 0, 1, 2, 2, 2]), np.ones(6), 4) == ((3, 1, 0, 2), 2)
    assert rarest_first(np.array([0, 0, 1]), np.array([1.0, 1, 9]), 2) == ((0, 1), 1)


@given(st.integers(0, 999), st.integers(2, 4))
def test_no_neighbour_of_an_improved_priority_is_better(seed: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    fired, target = rng.random((30, classes)) < 0.5, rng.integers(classes, size=30)

    def score(order: Sequence[int], default: int) -> float:
        return float(np.mean(first_firing(fired, list(order), default) == target))

    start = rng.permutation(classes).tolist()
    order, default = improved(start, 0, score)
    assert sorted(order) == list(range(classes))
    assert score(order, default) >= score(start, 0)
    assert all(score(order, c) <= score(order, default) for c in range(classes))
    for place in range(classes - 1):
        swapped = [*order[:place], order[place + 1], order[place], *order[place + 2 :]]
        assert score(swapped, default) <= score(order, default)
