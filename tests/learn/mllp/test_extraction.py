"""Levels and priorities: from weights, and from rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.mllp import cpu
from conceptrules.kernels.mllp.cohort import Cohort
from conceptrules.learn.mllp.examples import Examples
from conceptrules.learn.mllp.extraction import extract_levels, rank_by_position, rank_by_precision
from conceptrules.model.evaluation import layers_plain, pack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Equals

RNG = np.random.default_rng


@given(st.integers(0, 999), st.sampled_from([(3, 4, 2), (3, 4, 3, 5, 3)]), st.booleans())
def test_the_extracted_network_equals_the_rounded_weights(seed: int, sizes: tuple[int, ...], negation: bool) -> None:
    """Law 3, negations included."""
    sizes = (6, *sizes[1:]) if negation else sizes
    weights = RNG(seed).random(Cohort.count(sizes), np.float32) ** 0.5 * 0.8
    columns = tuple(Column(f"x{j}", "boolean") for j in range(3))
    levels = extract_levels(sizes, weights, 3)
    classes = tuple(range(sizes[-1]))
    network = RuleNetwork(columns, tuple(Equals(column.name, True) for column in columns), levels, classes)
    rows = RNG(seed).random((20, 3)) < 0.5
    inputs = np.hstack([rows, ~rows]) if negation else rows
    fired = cpu.fire(sizes, weights, pack(inputs).words)
    assert np.array_equal(pack(layers_plain(network, rows)[-1]).words, fired & pack(np.ones((20, 1), bool)).words)


def test_the_most_precise_class_wins() -> None:
    """Class 0 fires on everything, class 1 on half of its own rows and nothing else: class 1 goes first."""
    rows = Examples.of(np.zeros((6, 1), bool), np.array([0, 0, 0, 0, 1, 1]), np.ones(6))
    fired = np.array([[1, 0], [1, 0], [1, 0], [1, 0], [1, 0], [1, 1]], dtype=bool)
    assert rank_by_precision(fired, rows, np.ones(2)) == ((1, 0), 0)
    assert rank_by_position(fired, rows, np.ones(2)) == ((0, 1), 0)


def test_class_weight_decides_who_wins() -> None:
    rows = Examples.of(np.zeros((6, 1), bool), np.array([0, 0, 0, 1, 1, 1]), np.ones(6))
    fired = np.array([[1, 1], [1, 1], [0, 0], [1, 1], [0, 0], [0, 0]], dtype=bool)
    assert rank_by_precision(fired, rows, np.ones(2)) == ((0, 1), 1)
    assert rank_by_precision(fired, rows, np.array([1.0, 9])) == ((1, 0), 1)
    assert rank_by_precision(fired, rows, np.array([9.0, 1])) == ((0, 1), 0)


def test_the_smallest_weights_do_not_overflow() -> None:
    rows = Examples.of(np.zeros((2, 1), bool), np.array([0, 1]), np.array([1e-300, 1.0]))
    assert rank_by_precision(np.eye(2, dtype=bool), rows, np.array([1e9, 1.0]))[0] in ((0, 1), (1, 0))
