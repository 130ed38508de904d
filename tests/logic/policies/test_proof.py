"""Verdicts against brute force over all rows, and the clauses that are read off rules and counted on rows."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from conceptrules import check
from conceptrules.io.encode import dumps
from conceptrules.logic.policies.counterexamples import Counterexample, Decision
from conceptrules.logic.policies.proof import (
    DECIDING_KEYS,
    Proof,
    Verdict,
    check_contradictions,
    hash_plain,
    prove,
    record_proof,
    write_certificate,
)
from conceptrules.model import Column, Concept, Equals, InputError, Interval, Level, Literal, Rule, RuleNetwork
from conceptrules.model.content_hash import content_hash
from conceptrules.model.network import Statistics
from conceptrules.model.policy import Default, Implies, Independent, Locked, Monotone, Policy
from conceptrules.model.policy.plain import to_plain
from tests.io.test_versions import WHOLE
from tests.logic.policies.brute_force import all_rows, cases, fails, is_possible, really_fails


def proved(network, policy, **options):
    """The verdicts; None if the domain has no row in some column."""
    try:
        return prove(network, policy, **options).verdicts
    except InputError:
        return None


@settings(max_examples=300, deadline=None)
@given(cases())
def test_the_verdicts_are_those_of_brute_force(case):
    network, policy = case
    rows = all_rows(network)[::7]
    for data in (None, rows):
        found = proved(network, policy, data=data)
        if found is None:
            assert not any(is_possible(policy.domain, row) for row in all_rows(network))
            return
        for clause, verdict in zip(policy.clauses, found, strict=True):
            assert verdict.outcome == ("refuted" if really_fails(clause, network, policy.domain) else "proved")
            if verdict.counterexample is not None:
                check_counterexample(network, policy, clause, verdict.counterexample, data)


def check_counterexample(network, policy, clause, found, data):
    shown = [one.row for one in found.decisions]
    labels = [one.label for one in found.decisions]
    assert network.predict(shown).tolist() == labels
    assert all(is_possible(policy.domain, row) for row in shown)
    ways = [(shown[0], shown[-1], labels[0], labels[-1]), (shown[-1], shown[0], labels[-1], labels[0])]
    assert any(fails(clause, a, b, (one, two)) for a, b, one, two in ways)
    assert (found.row is None) == (found.origin == "made up")
    if found.origin == "real":
        real = data[found.row]
        assert all(shown[0][name] == real[name] for name in real if name != found.column)


AGE, JOB, PAY = Column("age"), Column("job", "category", ("nurse", "cook")), Column("pay")
A, J, P = Literal(0), Literal(1), Literal(2)


def people(*rules, other=(), **changes):
    level = Level((*rules, *other), (Concept(range(len(rules))), Concept(range(len(rules), len(rules) + len(other)))))
    tests = (Interval("age", 41), Equals("job", "nurse"), Interval("pay", 1000))
    made = RuleNetwork((AGE, JOB, PAY), tests, (level,), ("yes", "no"), default="no")
    return replace(made, **changes)


def outcome(network, data=None, labels=None, **keys):
    (verdict,) = prove(network, Policy.of(**keys), data=data, labels=labels).verdicts
    return verdict.outcome, verdict.reason


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"forbidden": ["pay"]}, ("proved", "read off the rules")),
        ({"forbidden": ["job"]}, ("refuted", "this rule does: age > 41 and job = nurse")),
        ({"apart": [["pay", "job"]]}, ("proved", "read off the rules")),
        ({"apart": [["age", "job"]]}, ("refuted", "this rule does: age > 41 and job = nurse")),
        ({"only_for": {"age": ["yes"]}}, ("proved", "read off the rules")),
        ({"only_for": {"age": ["no"]}}, ("refuted", "this rule of yes does too: age > 41 and job = nurse")),
        ({"default": "no"}, ("proved", "read off the rules")),
        ({"default": "yes"}, ("refuted", "the default is no")),
        ({"priority": ["no", "yes"]}, ("refuted", "the priority is yes, no")),
        ({"max_edges": 3}, ("proved", "read off the rules")),
        ({"max_edges": 2}, ("refuted", "the network has 3 edges")),
        ({"max_rules": 0}, ("refuted", "the network has 1 rule")),
        ({"max_literals": 1}, ("refuted", "this rule has 2: age > 41 and job = nurse")),
        ({"locked": [{"rule": "job = nurse and age > 41", "class": "yes"}]}, ("proved", "read off the rules")),
        ({"locked": [{"rule": "job = nurse", "class": "yes"}]}, ("refuted", "yes has no such rule")),
        ({"locked": [{"rule": "job = nurse and age > 41", "class": "no"}]}, ("refuted", "no has no such rule")),
        (
            {"locked": [{"rule": "job = nurse and age > 41", "class": "yes", "mode": "decides"}]},
            ("proved", "of the decision only, on all possible rows"),
        ),
        ({"min_rows": 1}, ("undecided", "needs rows and their classes; there are no rows")),
        ({"fair": [{"column": "sex", "positive": "yes", "bound": 0.1}]},
         ("undecided", "needs rows; give some with the column of the groups")),
    ],
)  # fmt: skip
def test_clauses_that_the_rules_tell(keys, expected):
    assert outcome(people(Rule((A, J))), **keys) == expected


ROWS = [
    {"age": age, "job": "nurse", "pay": 0, "sex": sex}
    for age, sex in [(50, "f"), (60, "f"), (20, "f"), (45, "m"), (30, "m"), (20, None)]
]
LABELS = ["yes", "no", "no", "yes", "yes", "odd"]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"min_rows": 3}, ("proved", "on 6 rows")),
        ({"min_rows": 4}, ("refuted", "this rule covers 3 rows: age > 41, on 6 rows")),
        ({"min_precision": 0.6}, ("proved", "on 6 rows")),
        ({"min_precision": 0.7}, ("refuted", "this rule of yes reaches 0.6667: age > 41, on 6 rows")),
        ({"min_precision": 0.6, "confidence": 0.9},
         ("refuted", "this rule of yes reaches 0.3212: age > 41, on 6 rows")),
        ({"fair": [{"column": "sex", "positive": "yes", "bound": 0.2}]},
         ("proved", "f 67%, m 50%: a difference of 0.1667, on 6 rows")),
        ({"fair": [{"column": "sex", "positive": "yes", "bound": 0.1}]},
         ("refuted", "f 67%, m 50%: a difference of 0.1667, on 6 rows")),
        ({"fair": [{"column": "sex", "positive": "yes", "bound": 0.4, "measure": "true_positive_rate"}]},
         ("refuted", "f 100%, m 50%: a difference of 0.5000, on 6 rows")),
        ({"fair": [{"column": "sex", "positive": "yes", "bound": 0.75, "measure": "selection_ratio"}]},
         ("proved", "f 67%, m 50%: a ratio of 0.7500, on 6 rows")),
    ],
)  # fmt: skip
def test_clauses_that_rows_tell(keys, expected):
    assert outcome(people(Rule((A,))), ROWS, LABELS, **keys) == expected


def test_counterexamples_say_where_they_are_from_and_why():
    network = people(Rule((A, J)), other=(Rule((P,)),))
    policy = Policy.of(independent=["age"])
    near = [{"age": 20, "job": "cook", "pay": 5}]
    texts = [str(prove(network, policy, data=data).verdicts[0]) for data in (None, near, [{**near[0], "job": "nurse"}])]
    assert texts[0] == (
        "refuted: the decision does not depend on age (by a possible row)\n"
        "  a made-up row:\n"
        "    age = 41, job = nurse, pay = 1001\n"
        "      is no: because pay > 1000\n"
        "    age = 42, job = nurse, pay = 1001\n"
        "      is yes: because age > 41 and job = nurse"
    )
    assert "  row 1 of the data with 1 column changed (job):\n    age = 20, job = nurse, pay = 5" in texts[1]
    assert "  row 1 of the data, with only age varied:\n    age = 20, job = nurse, pay = 5" in texts[2]
    assert "(by a given row)" in texts[2]


def test_a_monotone_clause_says_which_class_is_better():
    """Alphabetical order would prove of `approve if income <= 230` that more income is never worse."""
    column, level = Column("income"), Level((Rule((A,)),), (Concept((0,)), Concept()))
    network = RuleNetwork((column,), (Interval("income", high=230),), (level,), ("approve", "reject"), default="reject")
    with pytest.raises(InputError) as error:
        network.prove(Policy.of(monotone={"income": "up"}))
    assert str(error.value) == (
        "monotone.income: the order must list each class once, from the worst to the best: write "
        'order = ["approve", "reject"], or better = "reject", if that is how they stand'
    )
    for keys in ({"better": "approve"}, {"order": ["reject", "approve"]}):
        (verdict,) = network.prove(Policy.of(monotone={"income": "up"}, **keys)).verdicts
        assert verdict.outcome == "refuted"
        assert verdict.text == "as income rises, the decision never gets worse (reject < approve)"


def test_a_proof_says_that_it_is_of_the_decision_only():
    """Two rules of which the second is more often right: the share of its class falls while the decision stays."""
    tests = (Interval("debt", high=100), Interval("debt", 100))
    level = Level((Rule((A,)), Rule((J,))), (Concept((0, 1)), Concept((1,))))
    patterns = (((True, False), (6.0, 4.0)), ((True, True), (9.0, 1.0)))
    network = RuleNetwork((Column("debt"),), tests, (level,), ("good", "bad"), default="bad")
    network = replace(network, statistics=Statistics((15.0, 5.0), (((6.0, 4.0), (9.0, 1.0)),), patterns))
    assert network.predict_proba([{"debt": 0}])[0, 0] < network.predict_proba([{"debt": 5000}])[0, 0]
    (verdict,) = network.prove(Policy.of(better="good", monotone={"debt": "down"})).verdicts
    assert (verdict.outcome, verdict.reason) == ("proved", "of the decision only, on all possible rows")


def test_too_little_work_is_undecided_and_never_proved():
    policy = Policy.of(independent=["age"])
    proof = WHOLE.prove(policy, work=3)
    assert (proof.outcome, proof.proved, proof.verdicts[0].reason) == ("undecided", False, "not decided: too large")


def test_a_rule_is_kept_through_the_levels():
    level = Level((Rule((A, J)), Rule((P,))), (Concept((0, 1)), Concept((1,))))
    above = Level((Rule((A,)), Rule((A, J))), (Concept((0,)), Concept((1,))))
    network = people(levels=(level, above))
    policy = Policy((Locked("age > 41 and job = nurse", "yes"), Locked("pay > 1000", "no")))
    assert [verdict.outcome for verdict in prove(network, policy).verdicts] == ["proved", "refuted"]


def test_what_no_network_can_satisfy_is_told_with_a_row():
    policy = Policy((Implies("age > 41", "yes"), Implies("job = nurse", "no")))
    with pytest.raises(InputError, match=r"nurse contradicts implies.age > 41: both hold where age = 42, job = nurse"):
        check_contradictions(policy, (AGE, JOB), ("yes", "no"))
    apart = Policy(policy.clauses, replace(policy.domain, impossible=("age > 30 and job = nurse",)))
    check_contradictions(apart, (AGE, JOB), ("yes", "no"))


def test_a_domain_without_rows():
    level = Level((), (Concept(), Concept()))
    network = RuleNetwork((Column("when", "date"),), (), (level,), ("yes", "no"))
    policy = Policy.of(domain={"ranges": {"when": [0.2, 0.7]}, "missing": False})
    nothing = Policy.of(domain={"impossible": ["when is missing", "when is present"]})
    with pytest.raises(InputError, match=r"domain\.impossible leaves no row that is possible"):
        prove(network, nothing)
    with pytest.raises(InputError, match="domain: no row is possible, since column 'when' has no possible value"):
        prove(network, policy)


def test_the_worst_verdict_is_the_outcome():
    policy = Policy((Default("no"), Monotone("age", "up", ("no", "yes")), Independent("job")))
    proof = prove(people(Rule((A,))), policy)
    assert proof.proved
    assert str(prove(people(), Policy())) == "the policy asks for nothing"


def test_a_network_keeps_the_verdicts_without_their_counterexamples():
    network = people(Rule((A,)))
    proof = prove(network, Policy((Default("no"), Independent("age"))))
    kept = record_proof(proof)
    assert kept.hash == proof.hash == content_hash(network)
    told = [(one.name, one.text, one.outcome, one.reason) for one in proof.verdicts]
    assert [(one.name, one.text, one.outcome, one.reason) for one in kept.verdicts] == told
    assert [one.outcome for one in kept.verdicts] == ["refuted", "proved"]


def test_costs_have_no_verdict_and_locked_rules_that_decide_have_to_be_there():
    network = people(Rule((A,)), other=(Rule((P,)),))
    keys = {"cost": {"age": 2}, "locked": [{"rule": "job = nurse", "class": "yes", "mode": "decides"}]}
    (verdict,) = prove(network, Policy.of(**keys)).verdicts
    assert (verdict.outcome, verdict.reason, verdict.counterexample) == ("refuted", "yes has no such rule", None)
    kept = {"locked": [{"rule": "pay > 1000", "class": "no", "mode": "decides"}]}
    (verdict,) = prove(network, Policy.of(**kept)).verdicts
    assert (verdict.outcome, verdict.reason) == ("refuted", "by a possible row")


def test_the_trees_are_those_of_the_clauses_that_are_proved():
    network = people(Rule((A,)))
    proof = prove(network, Policy.of(independent=["age", "job", "pay"], default="no"))
    assert [one.outcome for one in proof.verdicts] == ["refuted", "proved", "proved", "proved"]
    assert [(name, len(trees)) for name, trees in proof.trees] == [("independent.job", 1), ("independent.pay", 1)]


def verdict_of(outcome, name="a"):
    return Verdict(name, f"text {name}", outcome, "why")


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [
        ([], "proved"),
        (["proved", "proved"], "proved"),
        (["proved", "undecided"], "undecided"),
        (["undecided", "refuted", "proved"], "refuted"),
    ],
)
def test_the_outcome_is_the_worst(outcomes, worst):
    proof = Proof("", tuple(map(verdict_of, outcomes)))
    assert (proof.outcome, proof.proved) == (worst, worst == "proved")


def test_verdicts_in_words():
    proof = Proof("", (verdict_of("proved"), verdict_of("undecided", "b")))
    assert str(proof) == "proved: text a (why)\nundecided: text b (why)"
    assert "text a" in proof._repr_html_()
    found = Counterexample("made up", None, (), None, (Decision({}, "x = 1", "no", ()),))
    assert str(Verdict("a", "text", "refuted", "why", found)) == (
        "refuted: text (why)\n  a made-up row:\n    x = 1\n      is no: no rule holds"
    )


def test_with_little_work_a_contradiction_is_not_seen_and_nothing_is_claimed():
    policy = Policy((Implies("age > 41", "yes"), Implies("job = nurse", "no")))
    check_contradictions(policy, (AGE, JOB), ("yes", "no"), work=0)
    nothing = Policy.of(domain={"impossible": ["age is missing", "age is present"]})
    check_contradictions(nothing, (AGE, JOB), ("yes", "no"), work=0)
    with pytest.raises(
        InputError, match=r"domain\.impossible leaves no row that is possible; take one of its rules out"
    ):
        check_contradictions(nothing, (AGE, JOB), ("yes", "no"))


def test_later_contradictions_are_seen_too():
    policy = Policy((Implies("age > 41", "yes"), Implies("age <= 41", "no"), Implies("age > 50", "no")))
    with pytest.raises(InputError) as error:
        check_contradictions(policy, (AGE, JOB), ("yes", "no"))
    assert str(error.value) == (
        "implies.age > 50 contradicts implies.age > 41: both hold where age = 51; if age > 41, then yes, "
        "but if age > 50, then no"
    )


def test_fairness_and_rows_are_counted_on_all_rows():
    network = people(Rule((A,)))
    many = ROWS * 200
    (verdict,) = prove(network, Policy.of(min_rows=600), data=many).verdicts
    assert (verdict.outcome, verdict.reason) == ("proved", "on 1,200 rows")
    fair = {"column": "sex", "positive": "yes", "bound": 0.2}
    (verdict,) = prove(network, Policy.of(fair=[fair]), data=many).verdicts
    assert verdict.reason == "f 67%, m 50%: a difference of 0.1667, on 1,200 rows"


def shown(network: RuleNetwork, policy: Policy) -> dict[str, Any]:
    plain = to_plain(policy)
    text = write_certificate(network, policy, prove(network, policy), plain)
    assert text.endswith("}\n")
    assert text.isascii()
    return json.loads(text)


def test_the_parts_of_a_certificate() -> None:
    network, policy = people(Rule((A, J))), Policy.of(order=["no", "yes"], monotone={"age": "up"})
    found = shown(network, policy)
    model = json.loads(dumps(network))
    assert (found["format"], found["version"]) == ("conceptrules certificate", 1)
    assert found["model"] == hash_plain({key: model[key] for key in DECIDING_KEYS})
    assert found["policy"] == hash_plain(to_plain(policy))
    assert found["cells"]["age"] == {"cuts": [41]}
    assert found["cells"]["job"] == {"values": ["nurse"]}
    assert list(found["clauses"]) == ["monotone.age"]


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    assert hash_plain({"a": 1, "b": [2, "é"]}) == hash_plain({"b": [2, "é"], "a": 1})
    assert hash_plain({"a": 1, "b": [2, "é"]}) != hash_plain({"a": 1, "b": ["é", 2]})
    assert len(hash_plain(None)) == 64


def test_categories_without_an_end_are_no_json_and_are_marked() -> None:
    level = Level((Rule((Literal(0),)), Rule((Literal(1),))), (Concept((0,)), Concept((1,))))
    column = Column("dose", "category", (float("inf"), float("-inf"), 2.5))
    tests = (Equals("dose", float("inf")), Equals("dose", float("-inf")))
    network = RuleNetwork((column,), tests, (level,), ("yes", "no"))
    values = shown(network, Policy.of(independent=["dose"]))["cells"]["dose"]["values"]
    assert {"infinity": True} in values
    assert {"infinity": False} in values


@given(cases())
def test_the_checker_confirms_what_was_proved(case: tuple[RuleNetwork, Policy]) -> None:
    network, policy = case
    try:
        found = shown(network, policy)
    except InputError:  # a domain without rows
        return
    confirmed = {name for name, why in check.check(json.loads(dumps(network)), to_plain(policy), found) if why is None}
    assert confirmed == {one.name for one in prove(network, policy).verdicts if one.outcome == "proved"}
