"""Covering rows: what they promise, on hand-made networks and on random ones."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.logic.probe_rows import _below, _places, _rising, covering_rows
from conceptrules.logic.probe_values import probe_values
from conceptrules.model.evaluation import layers_plain
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import ORDERED, Column, Equals, Interval, Missing, holds
from tests.strategies import all_inputs, networks


def bits_of(network: RuleNetwork, rows: list[dict]) -> np.ndarray:
    bits = [[holds(predicate, row[predicate.column]) for predicate in network.predicates] for row in rows]
    return np.array(bits, dtype=bool).reshape(len(rows), len(network.predicates))


def failures(network: RuleNetwork, hidden: list[np.ndarray]) -> set[tuple[int, int, int]]:
    """(level, rule, literal) where that literal alone made the rule fail on some row."""
    found = set()
    for number, level in enumerate(network.levels):
        for index, rule in enumerate(level.rules):
            met = np.array([hidden[2 * number][:, each.index] != each.negated for each in rule.literals])
            alone = (met.sum(axis=0) == len(rule.literals) - 1) if len(rule.literals) else np.zeros(0, dtype=bool)
            found |= {(number, index, place) for place in range(len(rule.literals)) if (alone & ~met[place]).any()}
    return found


@settings(max_examples=300)
@given(networks())
def test_each_rule_fires_and_just_fails_wherever_a_row_can_do_that(network):
    rows = covering_rows(network, limit=0)  # only what is needed
    seen = layers_plain(network, bits_of(network, rows))
    every = layers_plain(network, all_inputs(len(network.predicates)))  # each predicate has a column of its own
    for some, possible in zip(seen[1:], every[1:], strict=True):
        if len(rows):
            assert (some.any(axis=0) == possible.any(axis=0)).all()
    assert failures(network, seen) == failures(network, every)


@given(networks(odd=True))
def test_each_value_of_each_column_in_use_occurs_and_rows_are_the_same_each_time(network):
    rows = covering_rows(network, limit=50)
    assert list(map(repr, covering_rows(network, limit=50))) == list(map(repr, rows))
    assert len(set(map(repr, rows))) == len(rows)
    wanted = {literal.index for rule in network.levels[0].rules for literal in rule.literals}
    used = [network.predicates[index] for index in sorted(wanted)]
    for column in network.columns:
        tests = [predicate for predicate in used if predicate.column == column.name]
        values = probe_values(column, tests) if tests else [None] * bool(rows)
        assert {repr(row[column.name]) for row in rows} == set(map(repr, values))


BOUNDS = st.sampled_from([-math.inf, -1.0, -0.0, 0.0, 5e-324, 0.5, 1.0, 86_400e6, 1e300, math.inf])


@given(st.lists(st.tuples(BOUNDS, BOUNDS).filter(lambda pair: pair[0] < pair[1])), st.sampled_from(ORDERED))
def test_where_an_interval_holds_is_looked_up_as_it_is_defined(pairs, kind):
    intervals = [Interval("c", *pair) for pair in pairs]
    for tests in (intervals, [*intervals, Missing("c")]):
        values = probe_values(Column("c", kind), tests)
        assert len(_rising(values)) >= 3
        for test in tests:
            plain = sum(holds(test, value) << place for place, value in enumerate(values))
            assert _places(test, values, _rising(values)) == plain


def test_the_limit_holds_but_for_what_is_needed():
    predicates = [Interval("x", high=cut) for cut in range(100)]
    rules = [Rule([Literal(place)]) for place in range(100)]
    network = RuleNetwork([Column("x")], predicates, [Level(rules, [Concept([0]), Concept([1])])], ["a", "b"])
    rows = covering_rows(network, limit=10)
    assert len(rows) == len(probe_values(Column("x"), predicates))


def test_one_rule_makes_a_concept_hold_and_one_literal_makes_a_rule_fail():
    predicates = [Equals("a", True), Equals("b", True)]
    level = Level([Rule([Literal(0), Literal(1, True)]), Rule([Literal(1)])], [Concept([0, 1])])
    network = RuleNetwork([Column("a", "boolean"), Column("b", "boolean")], predicates, [level], ["x"])
    assert _below(network, 1, 0, True) == ([(0, 0, True), (0, 1, False)], True)
    assert _below(network, 1, 0, False) == ([(0, 0, False), (0, 1, True)], False)
    assert _below(network, 2, 0, True) == ([(1, 0, True), (1, 1, True)], False)
    assert _below(network, 2, 0, False) == ([(1, 0, False), (1, 1, False)], True)


def test_a_deep_search_ends():
    """A class that asks for the impossible, with more combinations than anyone can try."""
    columns = [Column(f"x{place}", "boolean") for place in range(40)]
    predicates = [Equals(column.name, True) for column in columns]
    pairs = [Rule([Literal(place), Literal(place + 1, True)]) for place in range(39)]
    bottom = Level(
        [*pairs, Rule([Literal(0)])], [*(Concept([place, (place + 7) % 39]) for place in range(39)), Concept([39])]
    )
    top = Level([Rule([Literal(place) for place in range(40)])], [Concept([0])])
    assert covering_rows(RuleNetwork(columns, predicates, [bottom, top], ["a"]), limit=200)
