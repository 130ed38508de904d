"""The header of exports says what columns have to hold."""

from __future__ import annotations

import pytest

from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval


@pytest.mark.parametrize("to", ["python", "sql", "c", "latex"])
def test_columns_that_text_may_stand_for_are_expected_as_what_they_are(to: str) -> None:
    columns = [Column("price"), Column("day", "date"), Column("age"), Column("job", "category", ("cook", "nurse"))]
    predicates = [Interval("price", high=9.5), Interval("day", high=19_000), Equals("job", "cook")]
    levels = [Level([Rule([Literal(0), Literal(1), Literal(2)])], [Concept([0]), Concept()])]
    network = RuleNetwork(columns, predicates, levels, ["no", "yes"], default="yes")
    assert "It expects numbers in price; dates in day: not text that is written so." in network.export(to)
