"""The order in which the report lists classes and their rules."""

from __future__ import annotations

from conceptrules import RuleNetwork
from conceptrules.model.network import Concept, Level, Literal, Rule
from conceptrules.model.predicate import Column, Missing
from conceptrules.report.rule_list import group_rules


def test_a_class_without_rules_comes_last_and_wins_over_none() -> None:
    level = Level((Rule((Literal(0),)), Rule((Literal(0, True),))), (Concept(()), Concept((0,)), Concept((1,))))
    network = RuleNetwork(
        (Column("x", "number", missing=True),), (Missing("x"),), (level,), ("a", "b", "c"), ("a", "c", "b"), "a"
    )
    first, second, last, *_ = group_rules(network, None)
    assert [first.title, second.title, last.title] == ["c", "b", "a"]
    assert "It wins over the classes below it." in first.lead
    assert "wins" not in second.lead
    assert last.lead == "No rule speaks for it. It is the answer for everything else."
