"""Rules about relations and words are edited, undone, replayed and drawn as all others are."""

from __future__ import annotations

import html
import re

import pytest

from conceptrules.edit import AddRule, DropRule, MoveCut, replay, undo
from conceptrules.logic.column_cells import raw_value
from conceptrules.logic.probe_rows import covering_rows
from conceptrules.model import Interval, Literal
from conceptrules.model.text import literals_text, rule_text
from tests.export.test_derived import OWN, RULES, TESTS, network_of

DECISION = network_of(RULES)
SAID = {"who": "anna", "why": "to try it"}


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("index", range(len(TESTS)), ids=[test.column for test in TESTS])
def test_a_rule_about_each_kind_of_column_is_added_undone_and_replayed(index: int, negated: bool) -> None:
    words = literals_text(DECISION, 0, [Literal(index, negated)])[0]
    edited = DECISION.edit(AddRule(words, "yes"), **SAID).network
    assert words in [rule_text(edited, 0, rule) for rule in range(len(edited.levels[0].rules))]
    rows = [{each.name: raw_value(each, row[each.name]) for each in OWN} for row in covering_rows(DECISION, 200)]
    alone = network_of([(Literal(index, negated),)])
    assert (
        (edited.predict(rows) == "yes") == ((DECISION.predict(rows) == "yes") | (alone.predict(rows) == "yes"))
    ).all()
    assert undo(edited, **SAID).network.predict(rows).tolist() == DECISION.predict(rows).tolist()
    again = replay(edited.trail, DECISION)
    assert not again.conflicts
    assert again.network.levels == edited.levels
    dropped = edited.edit(DropRule(words, "yes"), **SAID).network
    assert dropped.predict(rows).tolist() == DECISION.predict(rows).tolist()


@pytest.mark.parametrize(
    "test", [test for test in TESTS if isinstance(test, Interval) and test.column != "end - start"]
)
def test_a_cut_of_a_derived_column_is_moved(test: Interval) -> None:
    bound = test.low if test.low > -float("inf") else test.high
    moved = DECISION.edit(MoveCut(test.column, f"{bound:g}", f"{bound + 0.25:g}"), **SAID).network
    assert any(bound + 0.25 in (each.low, each.high) for each in moved.predicates if isinstance(each, Interval))


def test_a_picture_shows_every_relation_and_word() -> None:
    shown = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", DECISION.draw(fold=None).text)).split())
    for index in range(len(TESTS)):
        assert literals_text(DECISION, 0, [Literal(index)])[0] in shown
