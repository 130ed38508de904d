"""A notebook shows a proof: every verdict with its reason and its rows, and hostile names as text."""

from __future__ import annotations

from conceptrules import Policy
from conceptrules.logic.policies.proof import recorded
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, Rule, RuleNetwork
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
    assert recorded(proof)._repr_html_() == proof._repr_html_()
    refuted = Reader(recorded(network().prove(policy()))._repr_html_())
    assert "refuted: the decision does not depend on job" in refuted.text
    assert "made-up row" not in refuted.text


def test_a_policy_without_clauses_says_so() -> None:
    assert "The policy asks for nothing." in network().prove(Policy())._repr_html_()


def test_hostile_names_are_text_and_nothing_runs_or_loads() -> None:
    shown = Reader(network(HOSTILE, LABEL).prove(policy(HOSTILE, LABEL))._repr_html_())
    assert shown.tags <= {"div", "p", "strong", "em", "ul", "li", "code"}
    assert shown.attributes <= {"class", "style"}
    assert HOSTILE in shown.text
    assert "\x1b" not in shown.text
