"""DMN in pyDMNrules and GoRules models in zen-engine decide as the network does."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from conceptrules.export import export
from conceptrules.export.verify.comparison import compare
from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf
from tests.edit.test_editing import NETWORK
from tests.explain.test_reasons import CARD
from tests.export.hostile import HOSTILE
from tests.export.test_derived import network_of
from tests.export.test_laws import need
from tests.strategies import BOOLEANS, networks, number_cards, scorecards

TO = ("dmn", "jdm")
REFUSED = ("GoRules", "infinite number", "double precision")


@pytest.mark.parametrize("to", TO)
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_a_table_decides_as_the_network_does(to, data):
    need(to)
    make = data.draw(st.sampled_from([networks, scorecards, number_cards]))
    network = data.draw(make(odd=data.draw(BOOLEANS), flat=True))
    try:
        text = export(network, to)
    except InputError as error:
        assume(not any(words in str(error) for words in REFUSED))
        raise
    outcome = compare(network, to, text, limit=15)
    assert not outcome.mismatches, str(outcome.mismatches[0])


@pytest.mark.parametrize("to", TO)
def test_hostile_names_decide_as_in_the_network(to):
    need(to)
    names = tuple(name for name in HOSTILE if to == "dmn" or "\0" not in name)
    names = names[::2] if to == "dmn" else names  # pyDMNrules takes seconds for all of them
    columns = [Column(name, "category", names, True) for name in names]
    tests = [
        *(Equals(name, names[place - 1]) for place, name in enumerate(names)),
        *(OneOf(n, names[:3]) for n in names),
    ]
    rules = [Rule([Literal(place), Literal(len(names) + place - 2, True)]) for place in range(len(names))]
    network = RuleNetwork(columns, tests, [Level(rules, [Concept([place]) for place in range(len(rules))])], names)
    outcome = compare(network, to, export(network, to), limit=60)
    assert outcome.rows > 50
    assert outcome.mismatches == ()


@pytest.mark.parametrize("to", TO)
@pytest.mark.parametrize("network", [NETWORK, CARD])
def test_missing_values_and_unknown_categories(to, network):
    need(to)
    rows = [
        {"age": None, "job": "pilot", "pay": 2000.0, "debt": None},
        {"age": 50.0, "job": None, "pay": None, "debt": 5e3},
    ]
    assert compare(network, to, export(network, to), data=rows).mismatches == ()


def test_jdm_has_a_first_table_or_an_expression_that_adds_up():
    nodes = {node["id"]: node for node in json.loads(export(NETWORK, "jdm"))["nodes"]}
    assert nodes["table"]["content"]["hitPolicy"] == "first"
    assert [rule["answer"] for rule in nodes["table"]["content"]["rules"]] == ['"yes"', '"no"', '"no"']
    nodes = {node["id"]: node for node in json.loads(export(CARD, "jdm"))["nodes"]}
    assert nodes["table"]["content"]["hitPolicy"] == "collect"
    assert nodes["sum"]["content"]["expressions"][0]["value"] == "sum(map(rows, #.score))"


def test_dmn_has_a_first_table_or_sums():
    text = export(NETWORK, "dmn")
    assert 'hitPolicy="FIRST"' in text
    assert 'hitPolicy="COLLECT" aggregation="SUM"' in export(CARD, "dmn")


@pytest.mark.parametrize("to", TO)
def test_what_a_table_cannot_say_is_refused(to):
    level = Level([Rule([Literal(0)])], [Concept([0])])
    deep = replace(NETWORK, levels=(level, level), classes=("yes",), priority=(), default="yes")
    with pytest.raises(InputError, match="a decision table has rules of one level, and this network has 2"):
        export(deep, to)
    column = Column("x", "category", (float("inf"),))
    flat = RuleNetwork([column], [Equals("x", float("inf"))], [level], ["a"])
    with pytest.raises(InputError, match="there is no infinite number in a decision table"):
        export(flat, to)


@pytest.mark.parametrize("to", TO)
def test_columns_that_are_worked_out_are_refused(to):
    with pytest.raises(
        InputError, match="a decision table in DMN or of GoRules does not know columns that are worked out"
    ):
        export(network_of([(Literal(1),)]), to)


def test_numbers_that_gorules_cannot_hold_are_refused():
    network = RuleNetwork(
        [Column("x")], [Interval("x", 1e-30), Missing("x")], [Level([Rule([Literal(0)])], [Concept([0])])], ["a"]
    )
    with pytest.raises(InputError, match="numbers of GoRules have 28 digits, and 1e-30 in column 'x' has more"):
        export(network, "jdm")
