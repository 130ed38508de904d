import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model.evaluation import layers_plain, pack
from conceptrules.model.heads import MAX_UNIT, Points
from conceptrules.model.scoring import (
    answer_scores,
    network_scores,
    score_bits,
    score_numbers,
    score_probabilities,
    score_words,
)
from conceptrules.model.statistics import with_statistics
from tests.strategies import number_cards, rows, scorecards

TWO = Points([[3], [-2]], [1], cutoff=2, probabilities=[(0, 0.1), (2, 0.4), (5, 0.9)])


def test_scores_by_hand() -> None:
    rules = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=bool)
    scores = score_bits(TWO, rules)
    assert scores.tolist() == [[1], [4], [-1], [2]]
    assert answer_scores(TWO, scores).tolist() == [0, 1, 0, 1]
    np.testing.assert_allclose(score_probabilities(TWO, scores)[:, 1], [0.1, 0.4, 0.1, 0.4])
    np.testing.assert_allclose(score_probabilities(TWO, np.array([[5], [99], [-99]]))[:, 1], [0.9, 0.9, 0.1])


def test_several_classes_by_hand() -> None:
    head = Points([[1, 0, 2]], [0, 1, 0], unit=0.5, offsets=[1, 0, 0])
    scores = score_bits(head, np.array([[False], [True]]))
    assert scores.tolist() == [[0, 1, 0], [1, 1, 2]]
    assert answer_scores(head, scores).tolist() == [0, 0]  # the first of equal ones
    powers = np.exp(0.5 * np.array([[0, 1, 0], [1, 1, 2]]))
    np.testing.assert_allclose(score_probabilities(head, scores), powers / powers.sum(axis=1, keepdims=True))


def test_the_probabilities_of_huge_scores_are_finite() -> None:
    head = Points([[10**9, 0, -(10**9)]], [0, 0, 0], unit=MAX_UNIT, offsets=[0, 0, 0])
    assert score_probabilities(head, score_bits(head, np.array([[True]]))).tolist() == [[1, 0, 0]]


@given(st.data(), scorecards())
def test_packed_scores_equal_the_plain_ones(data, network) -> None:
    bits = data.draw(rows(network))
    plain = score_bits(network.head, layers_plain(network, bits)[-2])
    np.testing.assert_array_equal(network_scores(network, pack(bits)), plain)
    np.testing.assert_array_equal(score_words(network.head, pack(layers_plain(network, bits)[-2])), plain)
    shares = score_probabilities(network.head, plain)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares >= 0).all()


@given(st.data(), number_cards())
def test_numbers_are_the_sum_of_what_rules_add_or_the_product_of_their_factors(data, network) -> None:
    bits, head = data.draw(rows(network)), network.head
    numbers = score_numbers(head, network_scores(network, pack(bits)))
    assert numbers.dtype == np.float64
    for holds, number in zip(layers_plain(network, bits)[-2], numbers.tolist(), strict=True):
        score = head.base[0] + sum(points for hold, (points,) in zip(holds, head.points, strict=True) if hold)
        if head.link == "identity":
            assert number == score * head.step
        else:
            parts = [points for hold, (points,) in zip(holds, head.points, strict=True) if hold]
            product = math.prod(math.exp(head.step * points) for points in (head.base[0], *parts))
            assert math.isclose(number, product, rel_tol=1e-12)


@given(st.data(), scorecards())
def test_statistics_count_the_rows_of_each_score(data, network) -> None:
    bits = data.draw(rows(network, min_rows=1))
    y = np.arange(len(bits)) % len(network.classes)
    statistics = with_statistics(network, pack(bits), y).statistics
    hidden = layers_plain(network, bits)
    assert statistics.rows == tuple(np.bincount(y, minlength=len(network.classes)))
    assert [len(rules) for rules in statistics.covered] == [len(level.rules) for level in network.levels]
    assert [sum(rule) for rule in statistics.covered[-1]] == hidden[-2].sum(axis=0).tolist()
    if len(network.classes) > 2:
        assert statistics.scores == ()
        return
    scores = score_bits(network.head, hidden[-2])[:, 0]
    assert [score for score, _ in statistics.scores] == np.unique(scores).tolist()
    expected = [[((scores == score) & (y == kind)).sum() for kind in (0, 1)] for score, _ in statistics.scores]
    assert [list(counts) for _, counts in statistics.scores] == expected
