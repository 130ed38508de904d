"""A notebook shows an edit: what was done by whom, what it changes, and the policy proved again."""

from __future__ import annotations

from dataclasses import replace

from conceptrules import Policy
from conceptrules.edit import AddRule, Edited, MoveCut, replay, undo
from conceptrules.model import RuleNetwork
from tests.draw.html_reader import Reader
from tests.draw.test_proof_html import HOSTILE, LABEL, network, policy

ROWS = [{"income": 52_000, "job": "cook"}, {"income": 90_000, "job": "cook"}]


def moved(before: RuleNetwork, labels: list[str] | None = None) -> Edited:
    return before.edit(MoveCut("income", 50_000, 60_000), who="anna", why="new guideline", data=ROWS, labels=labels)


def test_an_edit_says_what_was_done_and_what_it_changes() -> None:
    edited = moved(replace(network(), policy=Policy.of(forbidden=["age"])), ["no", "yes"])
    shown = Reader(edited._repr_html_())
    assert "move the cut of income: 50000 -> 60000" in shown.text
    assert f"by anna, {edited.entry.when} UTC: new guideline" in shown.text
    assert "1 of 2 rows get another class" in shown.text
    assert "beforeafterrowsright beforeright afteryesno101" in shown.text
    assert "Not every row gets the same class as before; this one is yes -> no: income = 60000" in shown.text
    assert "1 clause: 1 proved" in shown.text


def test_without_labels_there_is_no_talk_of_right_and_without_rows_none_of_rows() -> None:
    assert "beforeafterrowsyesno1Not" in Reader(moved(network())._repr_html_()).text
    bare = network().edit(MoveCut("income", 50_000, 60_000), who="anna", why="")
    shown = Reader(bare._repr_html_()).text
    assert "another class" not in shown
    assert "UTCNot every row" in shown  # no colon without a reason
    back = undo(bare.network, who="anna", why="")
    assert "take back: move the cut of income" in Reader(back._repr_html_()).text


def test_edits_on_another_network_are_listed() -> None:
    edited = moved(network()).network
    listed = Reader(replay(edited.trail, network())._repr_html_())
    assert listed.text == "applied: move the cut of income: 50000 -> 60000"
    assert "there are no edits to replay" in replay((), network())._repr_html_()


def test_hostile_names_are_text_and_nothing_runs_or_loads() -> None:
    before = replace(network(HOSTILE, LABEL), policy=policy(HOSTILE, LABEL))
    rows = [{HOSTILE: 1, "job": "student"}]
    edited = before.edit(AddRule("job = student", LABEL), who=HOSTILE, why=HOSTILE, data=rows)
    for value in (edited, replay(edited.network.trail, before)):
        shown = Reader(value._repr_html_())
        assert shown.tags <= {"div", "p", "strong", "em", "ul", "li", "code", "br", "table", "tr", "th", "td"}
        assert shown.attributes <= {"class", "style"}
        assert "\x1b" not in shown.text
    assert HOSTILE in Reader(edited._repr_html_()).text
