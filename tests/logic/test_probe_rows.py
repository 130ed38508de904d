"""Covering rows: what they promise, on hand-made networks and on random ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.logic.column_cells import ColumnCells
from conceptrules.logic.probe_rows import covering_rows, probe_values
from conceptrules.model.evaluation import layers_plain
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import ORDERED, Column, Equals, Interval, Missing, Predicate, holds
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
        cells = ColumnCells(Column("c", kind), tuple(probe_values(Column("c", kind), tests)))
        assert len(cells.rising) >= 3
        for test in tests:
            assert cells.where(test) == sum(holds(test, value) << cell for cell, value in enumerate(cells.values))


def test_the_limit_holds_but_for_what_is_needed():
    predicates = [Interval("x", high=cut) for cut in range(100)]
    rules = [Rule([Literal(place)]) for place in range(100)]
    network = RuleNetwork([Column("x")], predicates, [Level(rules, [Concept([0]), Concept([1])])], ["a", "b"])
    rows = covering_rows(network, limit=10)
    assert len(rows) == len(probe_values(Column("x"), predicates))


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


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_cut_point_is_seen_with_its_neighbours(cut):
    values = probe_values(Column("x"), [Interval("x", high=cut)])
    near = {cut, math.nextafter(cut, math.inf), math.nextafter(cut, -math.inf), math.inf, -math.inf}
    assert near <= {value for value in values if value is not None}
    assert values[-1] is None
    assert any(isinstance(value, float) and math.isnan(value) for value in values)


def test_times_are_whole_microseconds_on_both_sides_of_a_cut():
    values = probe_values(Column("t", "datetime"), [Interval("t", 0.5)])
    assert {0.0, 1.0} <= set(values)
    assert all(value is None or value == round(value) for value in values)


def test_categories_come_with_what_could_be_taken_for_them():
    values = probe_values(Column("job", "category", ("Cook", "nurse")), [Equals("job", "Cook")])
    assert values[:2] == ["Cook", "nurse"]
    assert {"Cook ", "COOK", "cook", "", None} <= set(values)
    assert probe_values(Column("n", "category", (2**63 - 1,)), [])[:-1] == [2**63 - 1, 2**63 - 2]


FIRST, LAST = -719_161 * 86_400e6, 2_932_895 * 86_400e6
FAR = 2.0**53


@pytest.mark.parametrize(
    ("column", "tests", "values"),
    [
        (Column("x"), [], [-math.inf, 0.0, 1.0, math.inf]),
        (Column("x", "date"), [Interval("x", 1.5)], [FIRST, 0.0, 1.0, 2.0, LAST]),
        (Column("x", "datetime"), [Interval("x", high=7)], [FIRST, 0.0, 6.0, 7.0, 8.0, LAST]),
        (Column("x", "datetime"), [Interval("x", high=FIRST), Interval("x", 2 * FIRST)],
         [FIRST, FIRST + 8, 0.0, LAST]),
        (Column("x", "date"), [Interval("x", LAST)], [FIRST, 0.0, LAST - 32, LAST]),
        (Column("x", "duration"), [Interval("x", FAR), Interval("x", 1e17)], [-FAR, 0.0, FAR - 1, FAR]),
        (Column("x", "duration"), [Interval("x", -FAR)], [-FAR, 1 - FAR, 0.0, FAR]),
        (Column("x", "boolean"), [Equals("x", True)], [True, False]),
        (Column("x", "category", ("Cook", "nurse")), [Equals("x", "Cook")],
         ["Cook", "nurse", "Cook ", "COOK", "cook", "never seen", ""]),
        (Column("x", "category"), [Equals("x", "a ")], ["a ", "a  ", "A ", "never seen", ""]),
        (Column("x", "category"), [Equals("x", "")], ["", " ", "never seen"]),
        (Column("x", "category"), [], ["never seen", ""]),
        (Column("x", "category", ("a",)), [Equals("x", 3), Equals("x", "b")], ["b", "a", "b ", "B", "never seen", ""]),
        (Column("x", "ordinal", ("a", "b")), [Equals("x", "b")], ["b", "a", "b ", "B", "never seen", ""]),
        (Column("x", "category", (1,)), [Equals("x", "a")], [1, 0, 2]),
        (Column("x", "category"), [Equals("x", 3)], [3, 2, 4]),
        (Column("x", "category", (1, 2.5)), [], [1, 2.5, 0, 2, 1.5, 3.5, 0.5]),
        (Column("x", "category", (0.5, math.inf)), [], [0.5, math.inf, -0.5, 1.5]),
        (Column("x", "category", (2**63 - 1, -(2**63))), [], [2**63 - 1, -(2**63), 2**63 - 2, 1 - 2**63]),
        (Column("x", "category", (2**63,)), [], [2**63, 2**63 - 1, 2**63 + 1]),
        (Column("x", "category", (-(2**63) - 1,)), [], [-(2**63) - 1, -(2**63) - 2, -(2**63)]),
    ],
)  # fmt: skip
def test_the_values_of_each_kind(column: Column, tests: list[Predicate], values: list[object]) -> None:
    found = probe_values(column, tests)
    assert found[-1] is None
    kept = found[:-3] if column.kind == "number" else found[:-1]  # -0, NaN and None come last
    assert list(map(repr, kept)) == list(map(repr, values))
