"""The clauses that are read off the rules, on networks of several levels."""

from __future__ import annotations

import pytest

from conceptrules.logic.policies.structure import checks_structure, columns_below, failure, not_kept
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, Rule, RuleNetwork
from conceptrules.model.policy import (
    Apart,
    Banned,
    Clause,
    Cost,
    Default,
    Fair,
    Forbidden,
    Implies,
    Independent,
    LeastPrecision,
    LeastRows,
    Limit,
    Locked,
    Monotone,
    OnlyFor,
    Priority,
)

COLUMNS = (Column("age"), Column("job", "category", ("nurse", "cook")), Column("pay"), Column("zip", "category"))
TESTS = (Interval("age", 41), Equals("job", "nurse"), Interval("pay", 1000), Equals("zip", "9"))
A, J, P, Z = (Literal(index) for index in range(4))
FLAT = RuleNetwork(
    COLUMNS,
    TESTS,
    (Level((Rule((A, J)), Rule((P,)), Rule((~A,))), (Concept((0, 1)), Concept((2,)))),),
    ("yes", "no"),
    ("no", "yes"),
    "no",
)
DEEP = RuleNetwork(
    COLUMNS,
    TESTS,
    (
        Level((Rule((A,)), Rule((J,)), Rule((P,))), (Concept((0,)), Concept((1, 2)), Concept((2,)))),
        Level((Rule((A, J)), Rule((P,)), Rule((~P,))), (Concept((0,)), Concept((1, 2)))),
    ),
    ("yes", "no"),
)


@pytest.mark.parametrize(
    ("clause", "network", "found"),
    [
        (Forbidden("zip"), FLAT, None),
        (Forbidden("pay"), FLAT, "this rule does: pay > 1000"),
        (Forbidden("zip"), DEEP, None),
        (Forbidden("job"), DEEP, "this rule does: job = nurse"),
        (Apart("age", "pay"), FLAT, None),
        (Apart("job", "age"), FLAT, "this rule does: age > 41 and job = nurse"),
        # Two columns meet in a rule where the concepts of it ask about them.
        (Apart("age", "pay"), DEEP, "this rule does: C1.1 and C1.2"),
        (Apart("age", "zip"), DEEP, None),
        (OnlyFor("pay", ("yes",)), FLAT, None),
        (OnlyFor("pay", ("no",)), FLAT, "this rule of yes does too: pay > 1000"),
        (OnlyFor("age", ("yes",)), FLAT, "this rule of no does too: not (age > 41)"),
        (OnlyFor("age", ("yes", "no")), FLAT, None),
        (OnlyFor("job", ("yes",)), DEEP, None),
        (OnlyFor("pay", ("yes",)), DEEP, "this rule of no does too: C1.3"),
        (Default("no"), FLAT, None),
        (Default("yes"), FLAT, "the default is no"),
        (Priority(("no", "yes")), FLAT, None),
        (Priority(("yes", "no")), FLAT, "the priority is no, yes"),
        (Limit("literals", 2), FLAT, None),
        (Limit("literals", 1), FLAT, "this rule has 2: age > 41 and job = nurse"),
        (Limit("literals", 1), DEEP, "this rule has 2: C1.1 and C1.2"),
        (Limit("edges", 7), FLAT, None),
        (Limit("edges", 6), FLAT, "the network has 7 edges"),
        (Limit("rules", 3), FLAT, None),
        (Limit("rules", 2), FLAT, "the network has 3 rules"),
        (Limit("rules", 5), DEEP, "the network has 6 rules"),
        (Locked("job = nurse and age > 41", "yes"), FLAT, None),
        (Locked("job = nurse and age > 41", "no"), FLAT, "no has no such rule"),
        (Locked("age > 41", "yes"), FLAT, "yes has no such rule"),
        # Concepts pass a rule on where a rule of the class has only them.
        (Locked("pay > 1000", "no"), DEEP, None),
        (Locked("pay > 1000", "yes"), DEEP, "yes has no such rule"),
        (Locked("age > 41", "yes"), DEEP, "yes has no such rule"),
        (Banned("pay > 500", "no"), FLAT, None),
        (Banned("pay > 500", "yes"), FLAT, "this rule does: pay > 1000"),
        (Banned("pay > 2000", "yes"), FLAT, None),
        (Banned("age > 30", "yes"), FLAT, "this rule does: age > 41 and job = nurse"),
        (Banned("pay > 500", "no"), DEEP, "this rule does: pay > 1000"),
        (Banned("pay > 500", "yes"), DEEP, None),
    ],
)
def test_why_rules_fail_a_clause(clause: Clause, network: RuleNetwork, found: str | None) -> None:
    assert checks_structure(clause)
    assert failure(clause, network) == found


def test_a_negated_concept_passes_no_rule_on() -> None:
    top = Level((Rule((~P,)),), (Concept(()), Concept((0,))))
    network = RuleNetwork(COLUMNS, TESTS, (DEEP.levels[0], top), ("yes", "no"))
    assert not_kept(Locked("pay > 1000", "no"), network) == "no has no such rule"


@pytest.mark.parametrize(
    "clause",
    [
        Monotone("age", "up"),
        Independent("age"),
        Implies("age > 3", "no"),
        Locked("age > 3", "no", "decides"),
        LeastRows(1),
        LeastPrecision(0.5),
        Fair("job", "no", 0.1),
        Cost("age", 2),
    ],
)
def test_what_rules_alone_do_not_tell(clause: Clause) -> None:
    assert not checks_structure(clause)


def test_the_columns_of_rules_and_concepts_with_those_below() -> None:
    age, job, pay = frozenset(["age"]), frozenset(["job"]), frozenset(["pay"])
    assert columns_below(DEEP) == [
        ([age, job, pay], [age, job | pay, pay]),
        ([age | job | pay, pay, pay], [age | job | pay, pay]),
    ]
