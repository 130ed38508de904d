"""The priority of a network: learned from rows, or as the paper has it."""

from __future__ import annotations

import numpy as np

from conceptrules.learn.examples import Examples
from conceptrules.learn.priority import by_position, by_precision


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


def test_the_smallest_weights_do_not_overflow() -> None:
    rows = Examples.of(np.zeros((2, 1), bool), np.array([0, 1]), np.array([1e-300, 1.0]))
    assert by_precision(np.eye(2, dtype=bool), rows, np.array([1e9, 1.0]))[0] in ((0, 1), (1, 0))
