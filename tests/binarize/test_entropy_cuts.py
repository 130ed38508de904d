"""Cut points against a plain version of the textbook, and what weights, order and gaps must not change."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.binarize.entropy_cuts import _cumulated, cut_points

Rows = list[tuple[float, int, int]]
ROWS = st.lists(st.tuples(st.integers(0, 12).map(float), st.integers(0, 2), st.integers(1, 3)), min_size=1, max_size=40)


def entropy(labels: list[int]) -> float:
    shares = [labels.count(label) / len(labels) for label in set(labels)]
    return -sum(share * log2(share) for share in shares)


def textbook(x: list[float], y: list[int]) -> list[float]:
    """Fayyad and Irani, as written: the best boundary, kept if it shortens the description."""
    n, k, ent = len(x), len(set(y)), entropy(y)
    best = None
    for cut in sorted(set(x))[:-1]:
        left = [label for value, label in zip(x, y, strict=True) if value <= cut]
        right = [label for value, label in zip(x, y, strict=True) if value > cut]
        rest = (len(left) * entropy(left) + len(right) * entropy(right)) / n
        if best is None or rest < best[0] - 1e-9:
            best = (rest, cut, left, right)
    if best is None:
        return []
    rest, cut, left, right = best
    delta = log2(3**k - 2) - (k * ent - len(set(left)) * entropy(left) - len(set(right)) * entropy(right))
    if k == 1 or ent - rest <= (log2(n - 1) + delta) / n:
        return []
    below = [(value, label) for value, label in zip(x, y, strict=True) if value <= cut]
    above = [(value, label) for value, label in zip(x, y, strict=True) if value > cut]
    return [*textbook(*map(list, zip(*below, strict=True))), cut, *textbook(*map(list, zip(*above, strict=True)))]


def fast(rows: Rows, weighted: bool = False) -> tuple[float, ...]:
    x, y, weight = (np.array(column) for column in zip(*rows, strict=True))
    return cut_points(x, y, weight.astype(float) if weighted else None, n_classes=3)


@given(ROWS)
def test_equals_the_textbook(rows: Rows) -> None:
    assert list(fast(rows)) == textbook([x for x, _, _ in rows], [y for _, y, _ in rows])


@given(ROWS)
def test_weights_are_repeats(rows: Rows) -> None:
    assert fast(rows, weighted=True) == fast([row for row in rows for _ in range(row[2])])


@given(ROWS, st.permutations(range(40)))
def test_the_order_of_rows_does_not_matter(rows: Rows, order: list[int]) -> None:
    x, y, weight = (np.array(column) for column in zip(*rows, strict=True))
    order = [row for row in order if row < len(rows)]
    cuts = cut_points(x, y, weight / 10, n_classes=3)  # tenths: sums of floats depend on their order
    assert cut_points(x[order], y[order], weight[order] / 10, n_classes=3) == cuts


def test_hand_made_columns() -> None:
    x = np.array([1.0, 2, 3, 4, 5, 6, 7, 8])
    assert cut_points(x, np.array([0, 0, 0, 0, 1, 1, 1, 1]), n_classes=2) == (4,)
    assert cut_points(x, np.array([0, 1, 0, 1, 0, 1, 0, 1]), n_classes=2) == ()
    assert cut_points(x, np.zeros(8, dtype=int), n_classes=1) == ()
    assert cut_points(np.ones(8), np.array([0, 0, 0, 0, 1, 1, 1, 1]), n_classes=2) == ()
    assert cut_points(np.array([]), np.array([], dtype=int), n_classes=2) == ()
    # One description pays by a hair: with n in place of n - 1 it would not.
    assert cut_points(np.array([0.0, 1, 2, 4, 5, 6]), np.array([0, 1, 1, 1, 1, 1]), n_classes=2) == (0,)
    three = np.repeat([0, 1, 2], 10)
    assert cut_points(np.arange(30.0), three, n_classes=3) == (9, 19)


def test_of_equal_cuts_the_first_is_taken_whatever_the_rounding() -> None:
    # Its two best cuts mirror each other with the classes renamed; their entropies differ in the last bit only.
    half = [0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 2, 2, 2, 3]
    y = np.array(half + [[3, 2, 1, 0][label] for label in half[::-1]])
    assert cut_points(np.arange(28.0), y, n_classes=4) == (9,)


def test_sums_of_weights_do_not_depend_on_the_order_of_rows() -> None:
    x, y, weight = np.zeros(3), np.zeros(3, dtype=int), np.array([0.1, 0.2, 0.3])
    assert sum(weight) != sum(weight[::-1])
    forward, backward = (_cumulated(x, y, each, 1)[1] for each in (weight, weight[::-1]))
    assert (forward == backward).all()


def test_gaps_and_rows_without_weight_do_not_exist() -> None:
    x = np.array([1.2, 2.3, 3.7, 4.1, np.nan, 2.5])
    y = np.array([0, 0, 1, 1, 1, 1])
    assert cut_points(x, y, np.array([1.0, 1, 1, 1, 1, 0]), n_classes=2) == (3,)


@pytest.mark.parametrize(
    ("low", "high", "cut"), [(1.5, np.inf, 2), (-np.inf, -2.5, -3), (-np.inf, np.inf, 0), (-np.inf, -1e300, None)]
)
def test_infinities_are_ordered_like_numbers_and_cuts_are_finite(low: float, high: float, cut: float | None) -> None:
    (found,) = cut_points(np.repeat([low, high], 5), np.repeat([0, 1], 5), n_classes=2)
    assert np.isfinite(found)
    assert low <= found < high
    assert cut is None or found == cut


def test_many_classes_do_not_overflow() -> None:
    y = np.repeat(np.arange(1000), 2)
    assert len(cut_points(y.astype(float), y, n_classes=1000)) <= 999


@given(ROWS)
def test_counting_whole_numbers_equals_sorting_them(rows: Rows) -> None:
    x, y, weight = (np.array(column) for column in zip(*rows, strict=True))
    whole = _cumulated(x, y, weight.astype(float), 3)
    fractions = _cumulated(x, y, weight / 4, 3)  # sorted by value, class and weight
    halves = _cumulated(x + 0.5, y, weight.astype(float), 3)  # sorted by value
    assert whole[0].tolist() == fractions[0].tolist() == (halves[0] - 0.5).tolist()
    assert whole[1].tolist() == (4 * fractions[1]).tolist() == halves[1].tolist()


@pytest.mark.parametrize(
    ("x", "weight"),
    [
        ([0.0, 0.0, 1.0], [1e-30, 1e-41, 1e-259]),  # 1e-30 + 1e-259 is 1e-30
        ([0.0, 1.0, 2.0], [1e-310, 1e-310, 1e-310]),  # a number of bits divided by it is infinite
    ],
)
def test_weights_that_are_next_to_nothing_give_no_cut_and_no_warning(x: list[float], weight: list[float]) -> None:
    assert cut_points(np.array(x), np.array([0, 1, 0]), np.array(weight), n_classes=2) == ()
