"""Test cases travel with the network, and say which answers are not the expected ones."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.edit import AddCase, AddRule, DropCase, MoveCut, edit, run_cases, undo
from conceptrules.edit.cases import case_text, make_case_row
from conceptrules.edit.operations import from_plain, to_plain
from conceptrules.edit.rules import Conflict
from conceptrules.io import dumps, loads
from conceptrules.model import Column, Concept, InputError, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.provenance import Case
from conceptrules.model.trail import find_break, state_of
from conceptrules.tables.table import open_table, read_row
from tests.edit.test_editing import NETWORK, WHO
from tests.explain.test_reasons import CARD
from tests.strategies import networks

CASE = AddCase({"age": 42.0, "job": "nurse", "pay": None}, "yes", "the oldest nurse")


def test_a_case_is_an_edit_and_travels_in_the_file():
    edited = edit(NETWORK, CASE, **WHO).network
    again = loads(dumps(edited))
    assert again.cases == (Case((("age", 42.0), ("job", "nurse"), ("pay", None)), "yes", "the oldest nurse"),)
    assert (state_of(again), find_break(again.trail)) == (again.trail[-1].after, None)
    assert [(each.answer, each.passed) for each in run_cases(again)] == [("yes", True)]
    later = edit(again, MoveCut("age", "41", "45"), **WHO).network
    assert [(each.answer, each.passed) for each in run_cases(later)] == [("no", False)]
    dropped = edit(later, DropCase(dict(CASE.row), "yes", CASE.note), **WHO).network
    assert (dropped.cases, undo(dropped, **WHO).network.cases) == ((), again.cases)
    assert from_plain(to_plain(CASE)) == CASE
    assert CASE.text == "add a test case: the oldest nurse -> yes"


@pytest.mark.parametrize(
    ("row", "answer", "message"),
    [
        ({"aeg": 1.0}, "yes", "the test case names column 'aeg', which the model does not know; did you mean age"),
        ({"age": "old"}, "yes", "the test case has 'old' in column 'age', which holds numbers"),
        ({"age": 1.0}, "maybe", "the answer of the test case is 'maybe', which is no class of the model"),
    ],
)
def test_cases_that_say_nothing_are_refused(row, answer, message):
    with pytest.raises(InputError, match=message):
        edit(NETWORK, AddCase(row, answer), **WHO)


def test_a_case_is_there_once():
    edited = edit(NETWORK, CASE, **WHO).network
    with pytest.raises(Conflict, match="there is this test case already"):
        edit(edited, CASE, **WHO)
    with pytest.raises(Conflict, match="there is no such test case"):
        edit(NETWORK, DropCase(dict(CASE.row), "yes"), **WHO)


def test_cases_of_numbers_and_of_dates():
    number = replace(CARD, classes=(), head=Points(CARD.head.points, [1], step=0.5), target="price")
    row = {"age": 50.0, "debt": 0.0, "job": "cook"}
    answer = number.predict([row]).tolist()[0]
    assert [each.passed for each in run_cases(edit(number, AddCase(row, answer), **WHO).network)] == [True]
    assert not run_cases(edit(number, AddCase(row, answer + 1), **WHO).network)[0].passed
    with pytest.raises(InputError, match="give the number that is expected"):
        edit(number, AddCase(row, "much"), **WHO)
    day = Column("day", "date")
    level = Level((Rule((Literal(0),)),), (Concept((0,)), Concept()))
    late = RuleNetwork((day,), (Interval("day", 1.6e15),), (level,), ("late", "early"), default="early")
    kept = make_case_row(late, {"day": 19_675 * 86_400e6})
    assert kept == {"day": "2023-11-14"}
    dated = edit(late, AddCase(kept, "late"), **WHO).network
    assert [each.passed for each in run_cases(loads(dumps(dated)))] == [True]
    assert case_text(dated, dated.cases[0]) == "day = 2023-11-14"


@settings(max_examples=30)
@given(st.data())
def test_the_answer_to_any_row_makes_a_case_that_passes(data):
    network = data.draw(networks())
    raw = {column.name: None for column in network.own_columns}
    row = dict(zip(raw, read_row(network.own_columns, open_table([raw])), strict=True))
    answer = network.predict([raw]).tolist()[0]
    edited = edit(network, AddCase(make_case_row(network, row), answer), **WHO).network
    assert all(result.passed for result in run_cases(loads(dumps(edited))))


def test_a_rule_can_break_a_case():
    edited = edit(edit(NETWORK, CASE, **WHO).network, AddRule("age > 40", "no"), **WHO).network
    assert len(run_cases(edited)) == 1
