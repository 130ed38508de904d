"""Policies drawn at random, and what they mean, decided by trying all rows."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from conceptrules.model import Literal, RuleNetwork
from conceptrules.model.policy import Banned, Domain, Implies, Independent, Locked, Monotone, Policy
from conceptrules.model.predicate import holds
from conceptrules.model.rule_reader import Stated, read_rule
from tests.logic.test_equivalence import COLUMNS, DAY, VALUES, bottoms
from tests.strategies import networks

TEXTS = {
    "age": ["age <= 27", "not (age > 30)", "27 < age <= 41", "age is missing"],
    "job": ["job = nurse", "job not in {nurse, smith}", "job is present"],
    "code": ["code = 1", "code in {1, 2.5}"],
    "smokes": ["smokes = True", "smokes is missing"],
    "joined": ["joined > 1970-01-02", "not joined <= 1970-01-02"],
    "rank": ["rank <= mid", "rank = high", "not (low < rank <= high)"],
}
RANK = ("low", "mid", "high", "top")


@st.composite
def policies(draw, network: RuleNetwork) -> Policy:
    """Two or three clauses about decisions, and a domain."""
    names = [column.name for column in network.columns]
    ordered = [column.name for column in network.columns if column.kind != "category"]
    rules = st.lists(st.sampled_from([text for name in names for text in TEXTS[name]]), min_size=1, max_size=2)
    texts = rules.map(lambda some: " and ".join(dict.fromkeys(some)))
    label = st.sampled_from(network.classes)
    clauses = [Implies(draw(texts), draw(label))]
    if ordered:
        order = tuple(draw(st.permutations(network.classes)))
        gaps = draw(st.sampled_from(["incomparable", "lowest"]))
        clauses.append(Monotone(draw(st.sampled_from(ordered)), draw(st.sampled_from(["up", "down"])), order, gaps))
    clauses.append(Independent(draw(st.sampled_from(names))))
    clauses.append(Banned(draw(texts), draw(label)))
    span = [("age", 28, 41)] if "age" in names and draw(st.booleans()) else []
    impossible = draw(st.lists(texts, max_size=1))
    missing = draw(st.sampled_from([True, False, tuple(names[:1])]))
    return Policy(tuple(clauses), Domain(tuple(span), missing, draw(st.booleans()), tuple(impossible)))


@st.composite
def cases(draw) -> tuple[RuleNetwork, Policy]:
    network = draw(networks(bottom=bottoms()))
    return network, draw(policies(network))


def read(name, value):
    """A value as its column reads it."""
    return value if name != "joined" or value is None else float(value.astype("int64"))


def satisfies(text, row):
    tests = read_rule(text, COLUMNS)
    return all(holds(t.predicate, read(t.predicate.column, row[t.predicate.column])) != t.negated for t in tests)


def is_possible(domain: Domain, row) -> bool:
    for column in COLUMNS:
        if column.name not in row:
            continue
        value = row[column.name]
        if value is None:
            if not domain.can_miss(column.name):
                return False
        elif column.categories and column.kind != "boolean" and not domain.unseen and value not in column.categories:
            return False
    spans = {name: (low, high) for name, low, high in domain.ranges}
    if any(row[name] is not None and not low <= row[name] <= high for name, (low, high) in spans.items()):
        return False
    return not any(satisfies(text, row) for text in domain.impossible)


def all_rows(network: RuleNetwork):
    names = [column.name for column in network.columns]
    return [dict(zip(names, row, strict=True)) for row in itertools.product(*(VALUES[name] for name in names))]


def height(clause: Monotone, value):
    """Where a value stands in the order of its column; None if it is compared with no other."""
    if value is None:
        return -np.inf if clause.missing == "lowest" else None
    if clause.column == "rank":
        return RANK.index(value) if value in RANK else None
    return read(clause.column, value)


def fails(clause, first, second, labels) -> bool:
    """Whether a clause fails on two rows, of which the second may be the same, with these classes."""
    if isinstance(clause, Implies | Locked):
        return satisfies(clause.rule, first) and labels[0] != clause.label
    if any(first[name] is not second[name] and first[name] != second[name] for name in first if name != clause.column):
        return False
    if isinstance(clause, Independent):
        return labels[0] != labels[1]
    low, high = height(clause, first[clause.column]), height(clause, second[clause.column])
    if low is None or high is None or not low < high:
        return False
    ranks = [clause.order.index(label) for label in labels]
    return ranks[0] > ranks[1] if clause.direction == "up" else ranks[0] < ranks[1]


def holds_inside(clause: Banned, network: RuleNetwork) -> bool:
    """Whether a rule of the class holds only where the banned one does, column by column."""
    region = read_rule(clause.rule, COLUMNS)
    found, passed = set(), set()
    for number, rule in enumerate(network.levels[0].rules):
        own = [Stated(network.predicates[one.index], one.negated) for one in rule.literals]
        if all(where(own, name) <= where(region, name) for name in {test.predicate.column for test in region}):
            found.add(number)
    for depth, level in enumerate(network.levels):
        if depth:
            found = {i for i, rule in enumerate(level.rules) if len(rule.literals) == 1 and rule.literals[0] in passed}
        passed = {Literal(i) for i, concept in enumerate(level.concepts) if found & set(concept.rules)}
    return Literal(network.classes.index(clause.label)) in passed


def where(tests, name) -> set[int]:
    """The places of the values of a column on which all tests of it hold."""
    mine = [test for test in tests if test.predicate.column == name]
    values = [read(name, value) for value in VALUES[name]]
    return {i for i, value in enumerate(values) if all(holds(t.predicate, value) != t.negated for t in mine)}


def really_fails(clause, network, domain) -> bool:
    if isinstance(clause, Banned):
        return holds_inside(clause, network)
    rows = [row for row in all_rows(network) if is_possible(domain, row)]
    labels = network.predict(rows).tolist() if rows else []
    if isinstance(clause, Implies | Locked):
        return any(fails(clause, row, row, (label, label)) for row, label in zip(rows, labels, strict=True))
    pairs = list(zip(rows, labels, strict=True))
    return any(fails(clause, a, b, (one, two)) for a, one in pairs for b, two in pairs)


__all__ = ["DAY", "cases", "fails", "is_possible", "policies", "really_fails"]
