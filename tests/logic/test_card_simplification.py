"""Scorecards made smaller, and compared: against brute force over all rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from conceptrules.cli.commands.diff import as_text, exit_code
from conceptrules.logic.difference import diff
from conceptrules.logic.equivalence import equivalent, find_difference
from conceptrules.logic.minimisation import minimise
from conceptrules.logic.simplification import simplify
from conceptrules.logic.solver import Undecided
from conceptrules.model import Column, Concept, InputError, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.evaluation import pack
from conceptrules.model.scoring import network_scores
from conceptrules.tables.prediction import find_scores
from tests.logic.policies.brute_force import all_rows, cards


@settings(max_examples=40, deadline=None)
@given(cards())
def test_smaller_cards_keep_every_score(card):
    rows = all_rows(card)
    for reduce in (simplify, minimise):
        smaller = reduce(card)
        assert smaller.edges <= card.edges
        assert (find_scores(smaller, rows) == find_scores(card, rows)).all()
        assert reduce(smaller) == smaller
        assert equivalent(card, smaller)


@settings(max_examples=40, deadline=None)
@given(cards(), cards())
def test_cards_are_equivalent_if_they_give_all_rows_the_same_scores(first, second):
    """The second is often the first with other points: two drawn ones have hardly ever the same scores."""
    for other in (second, replace(first, head=replace(first.head, points=[first.head.base] * len(first.head.points)))):
        if first.classes != other.classes:
            with pytest.raises(InputError, match=r"different classes|needs two of a kind"):
                find_difference(first, other)
            continue
        columns = {column.name: column for network in (first, other) for column in network.columns}
        rows = all_rows(replace(first, columns=tuple(columns.values())))
        same = bool((find_scores(first, rows) == find_scores(other, rows)).all())
        if first.head != replace(other.head, points=first.head.points, base=first.head.base) and same:
            with pytest.raises(Undecided, match="what scores mean differs"):
                find_difference(first, other)
            continue
        row = find_difference(first, other)
        assert same == (row is None)
        assert same or (find_scores(first, [row]) != find_scores(other, [row])).any()


def test_rows_that_never_come_take_rules_along():
    card = make_card([[3], [2]])
    bits = pack(np.array([[True, False], [False, False]]))
    smaller = simplify(card, bits)
    assert len(smaller.levels[0].rules) == 1
    assert (network_scores(smaller, bits) == network_scores(card, bits)).all()


def make_card(points, classes=("no", "yes"), **changes):
    """Points for `age > 41` and for `age > 60`."""
    level = Level([Rule([Literal(0)]), Rule([Literal(1)])], ())
    head = Points(points, [0], cutoff=1, probabilities=[(0, 0.1), (3, 0.7)])
    if not classes:
        head = Points(points, [0], step=0.5)
    tests = [Interval("age", 41), Interval("age", 60)]
    return RuleNetwork([Column("age")], tests, [level], classes, head=replace(head, **changes))


def test_the_difference_of_cards_is_told_rule_by_rule():
    old, rows = make_card([[3], [2]]), [{"age": 50}, {"age": 70}]
    new = replace(make_card([[4], [2]], cutoff=2), predicates=(Interval("age", 41), Interval("age", 65)))
    difference = diff(old, new, table=rows)
    assert as_text(difference).splitlines() == [
        "rules",
        "  ~ age > 41: +3",
        "    age > 41: +4",
        "  ~ age > 60: +2",
        "    age > 65: +2",
        "the cut-off: 1 -> 2",
        "cut points of 'age': 41, 60 -> 41, 65",
        "2 of 2 rows get another score",
        "  row 1: 3 -> 4",
        "  row 2: 5 -> 6",
        "0 of 2 rows get another class",
        "not every row gets the same scores from both; this one is 3 (yes) -> 4 (yes):",
        "  age = 60.0",
    ]
    assert exit_code(difference) == 1
    same = diff(old, minimise(old))
    assert as_text(same).splitlines()[-1] == "every row gets the same scores from both"
    assert exit_code(same) == 0


def test_numbers_and_other_meanings_are_compared():
    old = make_card([[3], [2]], ())
    assert as_text(diff(old, make_card([[3], [1]], ()), table=[{"age": 70}])).splitlines() == [
        "rules",
        "  ~ age > 60: +1.0",
        "    age > 60: +0.5",
        "1 of 1 rows get another number",
        "  row 1: 2.5 -> 2.0",
        "not every row gets the same number from both; this one is 2.5 -> 2.0:",
        "  age = 61.0",
    ]
    difference = diff(old, make_card([[3], [2]], (), step=0.25))
    assert (difference.same, exit_code(difference)) == (None, 3)
    assert as_text(difference).endswith("but what scores mean differs")


def test_a_card_is_compared_with_a_card():
    level = Level([Rule([Literal(0)])], [Concept(), Concept([0])])
    network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["no", "yes"])
    for call in (diff, equivalent):
        with pytest.raises(InputError, match="needs two scorecards, or two networks that decide by the priority"):
            call(network, make_card([[3], [2]]))
