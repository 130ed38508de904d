"""Policies drawn at random, and what they mean, decided by trying all rows."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from conceptrules.model import Level, Literal, Points, RuleNetwork
from conceptrules.model.policy import Banned, Bounds, Domain, Implies, Independent, Locked, Monotone, Policy
from conceptrules.model.predicate import holds
from conceptrules.model.rule_reader import Stated, network_of_tests, read_rule
from conceptrules.model.scoring import answer_scores, score_numbers
from conceptrules.model.text import rule_text
from tests.logic.test_equivalence import COLUMNS, DAY, VALUES, bottoms
from tests.strategies import heads, levels, networks

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


# Scorecards


@st.composite
def cards(draw) -> RuleNetwork:
    """A scorecard for two classes, several, or a number, on two of the columns."""
    used, tests = draw(bottoms())
    rules = draw(levels(len(tests), 0)).rules
    kind = draw(st.sampled_from(["ab", "abc", ""]))
    head = draw(heads(len(rules), len(kind) or 2))
    if not kind:
        head = Points(head.points, head.base, step=draw(st.sampled_from([0.1, 1.0, 1000.0])))
    return RuleNetwork(used, tests, (Level(rules, ()),), tuple(kind), head=head)


@st.composite
def card_cases(draw) -> tuple[RuleNetwork, Policy]:
    network = draw(cards())
    classes, head = network.classes, network.head
    names = [column.name for column in network.columns]
    ordered = [column.name for column in network.columns if column.kind != "category"]
    rules = st.lists(st.sampled_from([text for name in names for text in TEXTS[name]]), min_size=1, max_size=2)
    texts = rules.map(lambda some: " and ".join(dict.fromkeys(some)))
    label = st.sampled_from(classes) if classes else st.none()
    clauses = [Banned(draw(texts), draw(st.none() | label)), Independent(draw(st.sampled_from(names)))]
    locked = network_of_tests(read_rule(draw(texts), network.columns), network.columns)
    clauses.append(Locked(rule_text(locked, 0, 0), draw(st.none() | label)))
    if ordered:
        order = tuple(draw(st.permutations(classes)))
        gaps = draw(st.sampled_from(["incomparable", "lowest"]))
        clauses.append(Monotone(draw(st.sampled_from(ordered)), draw(st.sampled_from(["up", "down"])), order, gaps))
    if classes:
        clauses.append(Implies(draw(texts), draw(label)))
    if len(classes) < 3:
        ends = sorted(draw(st.tuples(*[st.integers(*head.bounds[0])] * 2)))
        least, most = (end * (head.step or 1) for end in ends)
        clauses.append(Bounds(draw(texts | st.just("always")), draw(st.sampled_from([least, -np.inf])), most))
    impossible = draw(st.lists(texts, max_size=1))
    missing = draw(st.sampled_from([True, False, tuple(names[:1])]))
    return network, Policy(tuple(clauses), Domain((), missing, draw(st.booleans()), tuple(impossible)))


def card_fails(clause, network, rows, scores) -> bool:
    """Whether a clause fails on these rows with these scores."""
    head, classes = network.head, network.classes
    if isinstance(clause, Banned | Locked):
        return fails_by_rules(clause, network)
    if isinstance(clause, Implies):
        answers = [classes[number] for number in answer_scores(head, scores)] if rows else []
        pairs = zip(answers, rows, strict=True)
        return any(answer != clause.label for answer, row in pairs if satisfies(clause.rule, row))
    if isinstance(clause, Bounds):
        numbers = scores[:, 0] if head.step is None else score_numbers(head, scores)
        inside = [clause.rule == "always" or satisfies(clause.rule, row) for row in rows]
        return any(not clause.least <= value <= clause.most for value, use in zip(numbers, inside, strict=True) if use)
    sums = compared_sums(clause, classes, scores)
    if isinstance(clause, Independent):
        pairs = differing_rows(clause, rows)
        return any((sums[first] != sums[second]).any() for first, second in pairs)
    sign = 1 if clause.direction == "up" else -1
    return any((sign * (sums[second] - sums[first]) < 0).any() for first, second in ordered_pairs(clause, rows))


def compared_sums(clause, classes, scores):
    """What must not fall, or change: the score, or that of each class less that of every worse one."""
    if not classes:
        return scores
    ranks = [classes.index(label) for label in clause.order] if isinstance(clause, Monotone) else range(len(classes))
    whole = np.hstack([np.zeros_like(scores), scores]) if len(classes) == 2 else scores
    return np.stack([whole[:, b] - whole[:, a] for a, b in itertools.combinations(ranks, 2)], axis=1)


def differing_rows(clause, rows):
    """The numbers of rows that differ in the column of a clause only."""
    groups: dict = {}
    for number, row in enumerate(rows):
        key = tuple((name, repr(value)) for name, value in row.items() if name != clause.column)
        groups.setdefault(key, []).append(number)
    return (pair for group in groups.values() for pair in itertools.permutations(group, 2))


def ordered_pairs(clause: Monotone, rows):
    """The same, the lower row first; rows that are not compared are left out."""
    for first, second in differing_rows(clause, rows):
        low, high = (height(clause, rows[number][clause.column]) for number in (first, second))
        if low is not None and high is not None and low < high:
            yield first, second


def fails_by_rules(clause, network) -> bool:
    """Whether a card lacks a locked rule, or has one that is banned."""
    region, points = read_rule(clause.rule, COLUMNS), []
    for rule, own_points in zip(network.levels[0].rules, network.head.points, strict=True):
        own = [Stated(network.predicates[one.index], one.negated) for one in rule.literals]
        names = {test.predicate.column for test in (*own, *region)}
        inside = [where(own, name) <= where(region, name) for name in names]
        around = [where(region, name) <= where(own, name) for name in names]
        if all(inside if isinstance(clause, Banned) else inside + around):
            points.append(own_points)
    points = points if isinstance(clause, Banned) else [[sum(column) for column in zip(*points, strict=True)]]
    if clause.label is None:
        present = any(map(any, points))
    else:
        number = network.classes.index(clause.label)
        favour = [-each[0] if number == 0 else each[0] for each in points if each]
        if len(network.classes) > 2:
            favour = [each[number] for each in points if each]
        present = any(value > 0 for value in favour)
    return present == isinstance(clause, Banned)


__all__ = ["DAY", "card_cases", "card_fails", "cases", "fails", "is_possible", "policies", "really_fails"]
