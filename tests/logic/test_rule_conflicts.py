"""Gaps, overlaps and idle rules against brute force over all rows, on small networks."""

import itertools
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.logic.rule_conflicts import find_deciding_rows, find_gap, find_overlaps
from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule, RuleNetwork
from conceptrules.model.evaluation import layers_plain
from conceptrules.model.policy import Policy
from conceptrules.model.text import rule_text
from conceptrules.tables.table import read_bits
from tests.logic.test_equivalence import VALUES, bottoms
from tests.strategies import networks, scorecards


def list_rows(network):
    names = [column.name for column in network.columns]
    return [dict(zip(names, row, strict=True)) for row in itertools.product(*(VALUES[name] for name in names))]


def holding(network, rows):
    """Where the rules of the last level hold, and which classes fire."""
    hidden = layers_plain(network, read_bits(network.columns, network.predicates, rows))
    return hidden[-2], hidden[-1]


def without_rule(network, label, text):
    last = network.levels[-1]
    index = network.classes.index(label)
    kept = [rule for rule in last.concepts[index].rules if rule_text(network, len(network.levels) - 1, rule) != text]
    concepts = (*last.concepts[:index], Concept(kept), *last.concepts[index + 1 :])
    return replace(network, levels=(*network.levels[:-1], replace(last, concepts=concepts)), statistics=None)


@settings(max_examples=40)
@given(networks(bottom=bottoms()))
def test_decisions_are_checked_as_brute_force_does(network):
    rows = list_rows(network)
    _, fires = holding(network, rows)
    members = {rule for concept in network.levels[-1].concepts for rule in concept.rules}
    gap = find_gap(network)
    if members == set(range(len(network.levels[-1].rules))):
        assert (gap.row is None) == bool(fires.any(axis=1).all())
    order = network.priority_indices
    for overlap, (first, second) in zip(find_overlaps(network), itertools.combinations(order, 2), strict=True):
        assert (overlap.row is None) == (not (fires[:, first] & fires[:, second]).any())
        if overlap.row is not None:
            assert holding(network, [overlap.row])[1][0, [first, second]].all()
    answers = network.predict(rows)
    findings = list(find_deciding_rows(network))
    assert all(finding.decided for finding in findings)
    texts = [(finding.label, finding.text) for finding in findings]
    for finding in findings:
        if texts.count((finding.label, finding.text)) > 1:
            continue  # rules that read alike
        other = without_rule(network, finding.label, finding.text)
        assert (finding.row is None) == bool((other.predict(rows) == answers).all())
        if finding.row is not None:
            assert other.predict([finding.row])[0] != network.predict([finding.row])[0]


@settings(max_examples=25)
@given(st.data())
def test_lines_of_a_card_that_never_hold_are_told(data):
    network = data.draw(scorecards(bottom=bottoms()))
    rules, _ = holding(network, list_rows(network))
    findings = list(find_deciding_rows(network))
    assert [finding.row is not None for finding in findings] == rules.any(axis=0).tolist()
    assert (find_gap(network).row is None) == bool(rules.any(axis=1).all())


def test_only_possible_rows_count():
    level = Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0]), Concept([1])])
    tests = [Interval("age", high=41), Interval("age", 60)]
    network = RuleNetwork([Column("age")], tests, [level], ["young", "old"], default="old")
    assert 41 < find_gap(network).row["age"] <= 60
    narrow = replace(network, policy=Policy.of(domain={"missing": False, "impossible": ["41 < age <= 60"]}))
    assert find_gap(narrow).row is None
    ranged = replace(network, policy=Policy.of(domain={"missing": False, "ranges": {"age": [0, 50]}}))
    assert [finding.row is None for finding in find_deciding_rows(ranged)] == [False, True]
