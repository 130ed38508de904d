"""Proofs about columns that are worked out from others: what is proved holds, and what is refuted has a row for it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.logic.policies.proof import write_certificate
from conceptrules.model import Column, Concept, InputError, Interval, Level, Literal, Points, Rule, RuleNetwork
from conceptrules.model.derived import Relation, list_sources, make_derived
from conceptrules.model.policy import Policy
from conceptrules.model.predicate import Equals, Missing
from conceptrules.tables.prediction import find_scores

OWN = (Column("a", missing=True), Column("b", missing=True))
RELATIONS = [Relation("a", "-", "b"), Relation("a", "/", "b"), Relation("b", "/", "a"), Relation("a", "<", "b")]
COLUMNS = (*OWN, *(make_derived(each, list_sources(each, OWN)) for each in RELATIONS))
TESTS = [
    *(Interval(name, low=cut) for name in ("a", "b", "a - b", "a / b", "b / a") for cut in (0.0, 1.0)),
    *(Missing(column.name) for column in COLUMNS),
    Equals("a < b", True),
]
VALUES = [None, -math.inf, -2.0, -0.5, -0.0, 0.5, 1.0, 2.0, 3.0, math.inf]
RULES = st.lists(
    st.lists(st.builds(Literal, st.integers(0, len(TESTS) - 1), st.booleans()), min_size=1, max_size=2, unique=True),
    min_size=1,
    max_size=3,
)
POLICIES = [
    {"monotone": {"a": "up"}, "better": "yes"},
    {"monotone": {"b": "down"}, "better": "yes"},
    {"monotone": {"a": {"direction": "up", "missing": "lowest"}}, "better": "yes"},
    {"monotone": {"b": "down"}, "better": "yes", "domain": {"ranges": {"a": [0.0, 3.0], "b": [0.5, 3.0]}}},
    {"independent": ["a"]},
    {"implies": [{"if": "a > 1 and b > 1", "then": "yes"}]},
    {"implies": [{"if": "a / b > 1", "then": "yes"}], "domain": {"missing": False}},
]


def make_network(rules: list[list[Literal]], card: bool) -> RuleNetwork:
    level = Level(tuple(Rule(tuple(rule)) for rule in rules), ())
    if card:
        head = Points([[2]] * len(rules), [-1], cutoff=1, probabilities=[(-1, 0.2), (1, 0.8)])
        return RuleNetwork(COLUMNS, TESTS, (level,), ("no", "yes"), head=head)
    level = Level(level.rules, (Concept(tuple(range(len(rules)))), Concept()))
    return RuleNetwork(COLUMNS, TESTS, (level,), ("yes", "no"), default="no")


def list_rows(policy: Policy) -> list[dict[str, Any]]:
    ranges = {name: (low, high) for name, low, high in policy.domain.ranges}

    def is_possible(name: str, value: float | None) -> bool:
        low, high = ranges.get(name, (-math.inf, math.inf))
        return policy.domain.can_miss(name) if value is None else low <= value <= high

    values = [[value for value in VALUES if is_possible(name, value)] for name in ("a", "b")]
    return [{"a": a, "b": b} for a, b in itertools.product(*values)]


def violates(network: RuleNetwork, keys: dict[str, Any], rows: list[dict[str, Any]]) -> bool:
    """Return whether the answers on rows, or on two rows that differ in one column, break the policy."""
    # Of a card, the scores count as well.
    said = network.predict(rows) == "yes" if network.head is None else find_scores(network, rows)[:, 0]
    good = dict(zip([(row["a"], row["b"]) for row in rows], said.astype(float).tolist(), strict=True))
    if "implies" in keys:
        rule = keys["implies"][0]["if"]
        asked = [(a, b) for a, b in good if a is not None and b is not None]
        if rule.startswith("a >"):
            return not all(good[a, b] >= 1 for a, b in asked if a > 1 and b > 1)
        return not all(good[a, b] >= 1 for a, b in asked if b and a / b > 1)
    for first, second in itertools.permutations(good, 2):
        column = "b" if "b" in keys.get("monotone", {}) else "a"
        place = ("a", "b").index(column)
        if first[1 - place] != second[1 - place] or good[first] == good[second]:
            continue
        low, high = first[place], second[place]
        if "independent" in keys:
            return True
        lowest = isinstance(keys["monotone"][column], dict)
        rises = high is not None and (lowest if low is None else low < high)
        if rises and (good[first] > good[second]) == (column == "a"):
            return True
    return False


@settings(max_examples=60)
@given(RULES, st.sampled_from(POLICIES), st.booleans())
def test_what_is_proved_holds_and_what_is_refuted_does_not(
    rules: list[list[Literal]], keys: dict[str, Any], card: bool
) -> None:
    network, policy = make_network(rules, card), Policy.of(**keys)
    rows = list_rows(policy)
    (verdict,) = network.prove(policy).verdicts
    if violates(network, keys, rows):
        assert verdict.outcome != "proved"
    if verdict.outcome == "refuted":
        assert verdict.counterexample is not None
        shown = [{name: decision.row[name] for name in ("a", "b")} for decision in verdict.counterexample.decisions]
        answers = network.predict(shown).tolist()
        assert answers == [decision.label for decision in verdict.counterexample.decisions]
        assert violates(network, keys, shown)


RATIO = make_network([[Literal(6)]], card=False)  # yes if a / b > 0


@pytest.mark.parametrize(
    ("keys", "outcome", "reason"),
    [
        (POLICIES[3], "proved", "on all possible rows"),
        (POLICIES[1], "undecided", "no row was found"),  # b may come from below 0 to above
        ({"forbidden": ["a"]}, "refuted", "this rule does: a / b > 0"),
        ({"implies": [{"if": "a > 5", "then": "yes"}]}, "refuted", "by a possible row"),
    ],
)
def test_verdicts_on_a_ratio(keys: dict[str, Any], outcome: str, reason: str) -> None:
    (verdict,) = RATIO.prove(Policy.of(**keys)).verdicts
    assert (verdict.outcome, reason in verdict.reason) == (outcome, True), verdict


def test_a_certificate_says_that_it_does_not_know_relations() -> None:
    policy = Policy.of(**POLICIES[3])
    with pytest.raises(InputError, match="a certificate does not know columns that are worked out"):
        write_certificate(RATIO, policy, RATIO.prove(policy), POLICIES[3])
