"""The page on relations and words: they are worked out as one types, and the words of a text are marked."""

from __future__ import annotations

from typing import Any

import pytest

from conceptrules.logic.column_cells import raw_value
from conceptrules.logic.probe_rows import covering_rows
from conceptrules.model import Column, Concept, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.derived import Length, Mention, Relation, list_sources, make_derived
from conceptrules.model.predicate import Equals
from conceptrules.report import report

OWN = (Column("debt", missing=True), Column("income"), Column("unused"), Column("paid", "date"), Column("due", "date"),
       Column("note", "text"))  # fmt: skip
DERIVATIONS = (
    Relation("debt", "/", "income"),
    Relation("paid", "<", "due"),
    Mention("note", ("refund", "not good")),
    Length("note"),
)
COLUMNS = (*OWN, *(make_derived(each, list_sources(each, OWN)) for each in DERIVATIONS))
TESTS = (Interval(COLUMNS[6].name, low=0.4), Equals(COLUMNS[7].name, False), Equals(COLUMNS[8].name, True),
         Interval(COLUMNS[9].name, high=40.0))  # fmt: skip
RULES = tuple(Rule(tuple(Literal(test) for test in tests)) for tests in ((0, 1), (2, 3)))
ENTER = """(rows) => rows.map((values) => {
  setRow(values);
  const note = document.querySelector("textarea");
  note.value = values[4] ?? "";
  if (values[4] !== null) note.dispatchEvent(new Event("input"));
  return document.querySelector("#decision-class").textContent;
})"""


def make_network(card: bool) -> RuleNetwork:
    if card:
        head = Points([[3], [2]], [-1], cutoff=1, probabilities=[(-1, 0.2), (1, 0.8)])
        return RuleNetwork(COLUMNS, TESTS, (Level(RULES, ()),), ("fine", "call"), head=head)
    return RuleNetwork(COLUMNS, TESTS, (Level(RULES, (Concept((0, 1)), Concept())),), ("call", "fine"), default="fine")


@pytest.mark.parametrize("card", [False, True])
def test_the_page_decides_as_python_does(open_page: Any, card: bool) -> None:
    network = make_network(card)
    page = open_page(report(network)).page
    fields = [column for column in OWN if column.name != "unused"]
    rows = covering_rows(network, 150)
    # JSON has no infinity: it comes as text.
    values = [[str(v).replace("inf", "Infinity") if v in (float("inf"), -float("inf")) else v for v in
               (row[column.name] for column in fields)] for row in rows]  # fmt: skip
    raw = [{column.name: raw_value(column, row[column.name]) for column in OWN} for row in rows]
    assert page.evaluate(ENTER, values) == network.predict(raw).tolist()


def test_relations_are_shown_and_words_marked(open_page: Any) -> None:
    page = open_page(report(make_network(card=False))).page
    page.evaluate("setRow([2, 4, 0, 86400e6, 'So NOT good... I want a REFUND now'])")
    shown = page.locator("#derived dd").all_inner_texts()
    assert shown == ["0.5", "yes", "yes", "34"]
    assert page.locator(".marked mark").all_inner_texts() == ["NOT good", "REFUND"]
    assert "network.explain" in page.locator("#counterfactual").inner_text()
    page.evaluate("setRow([null, 4, 0, 86400e6, null])")
    assert page.locator("#derived dd").all_inner_texts() == ["missing", "yes", "no", "missing"]
