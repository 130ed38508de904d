"""Statistics that are counted again."""

from __future__ import annotations

import pytest

from conceptrules.explain.measurement import measure
from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Interval

LEVEL = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
NETWORK = RuleNetwork([Column("age")], [Interval("age", 41)], [LEVEL], [1, 0], default=0)
ROWS = [{"age": 50}, {"age": 45}, {"age": 20}, {"age": 60}]


def test_counts_are_of_the_rows_given_and_unknown_classes_are_left_out():
    found = measure(NETWORK, ROWS, [1.0, 0, 0, "other"])
    assert found == NETWORK
    assert found.statistics.rows == (1, 2)
    assert found.statistics.covered == (((1, 1),),)
    assert found.statistics.decided == (((1, 1),), ())
    assert found.statistics.optimism == ()


def test_rows_that_cannot_be_counted_are_refused():
    with pytest.raises(InputError, match="4 rows, but there are 1 labels"):
        measure(NETWORK, ROWS, [1])
    with pytest.raises(InputError, match="no row is of a class"):
        measure(NETWORK, ROWS, "abcd")
