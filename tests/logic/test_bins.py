"""Bins keep every score, and at most one of a column holds on a row."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from conceptrules.export.verify.engine import covering_trial, make_trial
from conceptrules.logic.bins import split_into_bins
from conceptrules.model import Column, Concept, Equals, InputError, Interval, Level, Literal, Missing, OneOf, Points
from conceptrules.model.network import Rule, RuleNetwork
from conceptrules.model.predicate import Predicate
from conceptrules.model.statistics import asked_columns
from tests.strategies import BOOLEANS, SEEDS, scorecards


def card(column: Column, tests: list[tuple[Predicate, int]], **head: object) -> RuleNetwork:
    rules = [Rule((Literal(index),)) for index in range(len(tests))]
    points = Points([[value] for _, value in tests], [1], cutoff=2, probabilities=[(0, 0.1)])
    predicates = [test for test, _ in tests]
    return RuleNetwork([column], predicates, [Level(rules, ())], ["no", "yes"], head=replace(points, **head))


def bins_of(network: RuleNetwork) -> list[tuple[Predicate, int]]:
    rules = zip(network.levels[0].rules, network.head.points, strict=True)
    return [(network.predicates[rule.literals[0].index], points[0]) for rule, points in rules]


def test_thresholds_become_intervals_and_equal_neighbours_one() -> None:
    column = Column("x")
    tests = [(Interval("x", 10), 3), (Interval("x", 20), 1), (Interval("x", high=5), -2)]
    split = split_into_bins(card(column, tests))
    assert bins_of(split) == [(Interval("x", high=5), -2), (Interval("x", 10, 20), 3), (Interval("x", 20), 4)]
    both = split_into_bins(card(column, [(Interval("x", high=9), 2), (Interval("x", 5), 2)]))
    assert bins_of(both) == [(Interval("x", 5, 9), 2), (Missing("x"), -2)]
    assert both.head.base == (3,)


def test_categories_with_the_same_points_become_a_set_and_others_keep_theirs() -> None:
    column = Column("job", "category", ("a", "b", "c", "d"))
    tests = [(OneOf("job", ("a", "b")), 2), (OneOf("job", ("b", "c")), 1), (Equals("job", "a"), -1)]
    split = split_into_bins(card(column, tests))
    assert sorted(bins_of(split), key=repr) == [(Equals("job", "b"), 3), (OneOf("job", ("a", "c")), 1)]
    assert split_into_bins(split) is split


def test_rules_that_are_apart_stay_and_nested_ones_become_more() -> None:
    column = Column("x")
    apart = card(column, [(Interval("x", 0, 10), 1), (Interval("x", 10, 15), 2), (Missing("x"), 3)])
    assert split_into_bins(apart) is apart
    nested = split_into_bins(card(column, [(Interval("x", 0, 10), 1), (Interval("x", 5, 15), 2)]))
    assert bins_of(nested) == [(Interval("x", 0, 5), 1), (Interval("x", 5, 10), 3), (Interval("x", 10, 15), 2)]


def test_only_scorecards_have_bins() -> None:
    network = RuleNetwork([Column("x")], [], [Level([], [Concept()])], ["a"])
    with pytest.raises(InputError, match="only the rules of a scorecard"):
        split_into_bins(network)


def flat(network: RuleNetwork, seed: int) -> RuleNetwork:
    """The card with rules of its predicates, most of them of one column, and no concepts."""
    random, count = np.random.default_rng(seed), len(network.predicates)
    rules = [
        Rule(tuple(Literal(index, random.random() < 0.2) for index in random.integers(count, size=size).tolist()))
        for size in random.choice([1, 1, 1, 2], len(network.levels[-1].rules)).tolist()
        if count
    ]
    head = replace(network.head, points=network.head.points[: len(rules)])
    return replace(network, levels=[Level(rules, ())], head=head)


@given(scorecards(odd=True), SEEDS, BOOLEANS)
def test_bins_keep_every_score_and_are_apart(network: RuleNetwork, seed: int, deep: bool) -> None:
    before = network if deep else flat(network, seed)
    after = split_into_bins(before)
    for network_to_cover in (before, after):
        trial = covering_trial(network_to_cover, 60)
        made = [make_trial(each, trial.values, len(trial)).expected for each in (before, after)]
        np.testing.assert_array_equal(made[0].scores, made[1].scores)
        if len(after.levels) == 1:
            for column in after.columns:
                own = [rule for rule, names in enumerate(asked_columns(after)[0]) if names == {column.name}]
                assert made[1].rules[:, own].sum(axis=1).max(initial=0) <= 1
    assert split_into_bins(after) is after
