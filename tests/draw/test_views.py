"""A notebook shows proofs and edits: each verdict with its reason, what an edit changes, and hostile names as text."""

from __future__ import annotations

from dataclasses import replace

from conceptrules import Policy
from conceptrules.edit import AddRule, Edited, MoveCut, replay, undo
from conceptrules.explain import audit, importance
from conceptrules.explain.scores import evaluate
from conceptrules.logic.policies.proof import record_proof
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, Rule, RuleNetwork
from conceptrules.model.provenance import Training
from tests.draw.html_reader import Reader

HOSTILE = "<script>alert('x')</script>"
LABEL = "<b onmouseover=y>\x1b[2J"


def network(name: str = "income", label: str = "yes") -> RuleNetwork:
    columns = [Column(name), Column("job", "category", ("cook", "student"))]
    tests = [Interval(name, 50_000), Equals("job", "student")]
    level = Level([Rule([Literal(0), Literal(1, negated=True)])], [Concept([0]), Concept()])
    return RuleNetwork(columns, tests, [level], [label, "no"], default="no")


def policy(name: str = "income", label: str = "yes") -> Policy:
    fair = {"column": name, "positive": label, "bound": 0.1}
    return Policy.of(order=["no", label], monotone={name: "up"}, independent=["job"], fair=[fair])


def test_scores_weights_and_audits_are_shown_as_their_text() -> None:
    rows, labels = [{"income": 60_000, "job": "cook"}, {"income": 0, "job": None}], ["yes", "no"]
    values = (evaluate(network(), rows, labels), importance(network(), rows), audit(network(), rows, labels))
    for value in values:
        assert Reader(value._repr_html_()).text.split() == str(value).split()
    scores, weights, audited = map(str, values)
    assert "accuracy  1.0000" in scores
    assert "income        1" in weights
    assert "R1.1: income > 50000 and job != student" in weights
    assert scores in audited
    assert "<script" not in importance(network(HOSTILE), [{HOSTILE: 60_000, "job": "cook"}])._repr_html_()


def test_hashes_of_rows_are_not_part_of_what_a_prompt_shows() -> None:
    assert "123456789" not in repr(Training("1", 0, (), 10, None, None, fingerprint=(123456789,)))


def test_every_verdict_is_shown_with_its_reason_and_its_rows() -> None:
    proof = network().prove(policy())
    shown = Reader(proof._repr_html_())
    assert "3 clauses: 1 proved, 1 refuted, 1 undecided" in shown.text
    for verdict in proof.verdicts:
        assert f"{verdict.outcome}: {verdict.text} ({verdict.reason})" in shown.text
    (refuted,) = (verdict.counterexample for verdict in proof.verdicts if verdict.counterexample)
    for decision in refuted.decisions:
        assert f"{decision.text} is {decision.label}: " in shown.text
    assert "because income > 50000 and job != student" in shown.text
    assert "no rule holds" in shown.text


def test_what_a_network_keeps_of_a_proof_looks_the_same_without_its_rows() -> None:
    proof = network().prove(Policy.of(forbidden=["age"]))
    assert record_proof(proof)._repr_html_() == proof._repr_html_()
    refuted = Reader(record_proof(network().prove(policy()))._repr_html_())
    assert "refuted: the decision does not depend on job" in refuted.text
    assert "made-up row" not in refuted.text


def test_a_policy_without_clauses_says_so() -> None:
    assert "The policy asks for nothing." in network().prove(Policy())._repr_html_()


def test_hostile_names_in_a_proof_are_text_and_nothing_runs_or_loads() -> None:
    shown = Reader(network(HOSTILE, LABEL).prove(policy(HOSTILE, LABEL))._repr_html_())
    assert shown.tags <= {"div", "p", "strong", "em", "ul", "li", "code"}
    assert shown.attributes <= {"class", "style"}
    assert HOSTILE in shown.text
    assert "\x1b" not in shown.text


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


def test_hostile_names_in_an_edit_are_text_and_nothing_runs_or_loads() -> None:
    before = replace(network(HOSTILE, LABEL), policy=policy(HOSTILE, LABEL))
    rows = [{HOSTILE: 1, "job": "student"}]
    edited = before.edit(AddRule("job = student", LABEL), who=HOSTILE, why=HOSTILE, data=rows)
    for value in (edited, replay(edited.network.trail, before)):
        shown = Reader(value._repr_html_())
        assert shown.tags <= {"div", "p", "strong", "em", "ul", "li", "code", "br", "table", "tr", "th", "td"}
        assert shown.attributes <= {"class", "style"}
        assert "\x1b" not in shown.text
    assert HOSTILE in Reader(edited._repr_html_()).text
