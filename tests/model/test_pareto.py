"""The Pareto front, and which of its networks is chosen."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, RuleNetwork
from conceptrules.model.pareto import Choice, Point, choose_by_score, choose_by_size, pareto_front

NETWORK = RuleNetwork((), (), (Level((), (Concept(),)),), ("no",))
CHOICES = [Choice(edges, score, NETWORK, NETWORK) for edges, score in ((0, 0.5), (4, 0.75), (9, 0.875))]
POINTS = st.lists(st.builds(Point, st.integers(0, 6), st.integers(0, 6).map(float)), max_size=12)


@given(POINTS)
def test_the_front_is_what_nothing_else_beats(points: list[Point]) -> None:
    front = pareto_front(points)
    assert {(one.edges, one.score) for one in front} == {
        (one.edges, one.score)
        for one in points
        if not any(
            (other.edges, -other.score) != (one.edges, -one.score)
            and other.edges <= one.edges
            and other.score >= one.score
            for other in points
        )
    }
    assert all(small.edges < large.edges and small.score < large.score for small, large in pairwise(front))


@pytest.mark.parametrize(("edges", "found"), [(0, 0), (3, 0), (4, 4), (8, 4), (9, 9), (100, 9), (np.int64(4), 4)])
def test_the_best_network_with_so_many_edges(edges: Any, found: int) -> None:
    assert choose_by_size(CHOICES, edges).edges == found


def test_the_best_network_need_not_be_the_largest() -> None:
    assert choose_by_size([*CHOICES, Choice(10, 0.25, NETWORK, NETWORK)], 10).edges == 9


@pytest.mark.parametrize("edges", [-1, True, 4.0, "4", None])
def test_what_is_no_number_of_edges_is_refused(edges: Any) -> None:
    with pytest.raises(InputError, match="needs a whole number of at least 0"):
        choose_by_size(CHOICES, edges)


def test_too_few_edges_are_told_with_those_that_there_are() -> None:
    with pytest.raises(InputError, match="at most 3 edges; they have 4, 9"):
        choose_by_size(CHOICES[1:], 3)


@pytest.mark.parametrize(("within", "found"), [(0, 9), (0.1, 9), (0.125, 4), (0.25, 4), (0.375, 0), (1, 0)])
def test_the_smallest_network_that_is_good_enough(within: float, found: int) -> None:
    assert choose_by_score(CHOICES, within).edges == found


@pytest.mark.parametrize("within", [-0.1, True, float("nan"), "0.1", None])
def test_what_is_no_difference_of_scores_is_refused(within: Any) -> None:
    with pytest.raises(InputError, match="needs a number of at least 0"):
        choose_by_score(CHOICES, within)
