"""What clauses come down to: claims about rows, and about pairs of rows."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.policies.claims import (
    ALWAYS,
    AND,
    BOTH,
    FALLS,
    NEVER,
    NOT,
    UNKNOWN,
    Claim,
    FailingBox,
    Splitting,
    Tree,
    claims_of,
    list_conflicts,
)
from conceptrules.logic.policies.possible_rows import network_space, space_of
from conceptrules.logic.solver import Undecided
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, Rule, RuleNetwork
from conceptrules.model.policy import Clause, Default, Domain, Forbidden, Implies, Independent, Locked, Monotone, Policy
from conceptrules.model.predicate import Predicate, holds
from conceptrules.model.rule_reader import Stated
from tests.strategies import levels

COLUMNS = (Column("age"), Column("job", "category", ("a", "b")))
TESTS: list[Predicate] = [Interval("age", 5, 9)]
CLASSES = ("no", "maybe", "yes")
RISING = (frozenset(["maybe", "yes"]), frozenset(["yes"]))
SINGLE = tuple(frozenset([label]) for label in CLASSES)


def claims(clause: Clause, domain: Domain | None = None) -> list[Claim] | None:
    policy = Policy((clause,), domain or Domain())
    return claims_of(clause, policy, space_of(COLUMNS, TESTS, policy, ["age", "job"]), COLUMNS, CLASSES)


def pairs(events: tuple[frozenset[str], ...], *cells: tuple[int, int], column: str = "age") -> list[Claim]:
    return [Claim(events, (), column, first, second) for first, second in cells]  # type: ignore[arg-type]


GAP = Domain(missing=False)
SKIP = Domain(impossible=("age > 9 and job = a",))
OTHER = Domain(impossible=("job = a",))


@pytest.mark.parametrize(
    ("clause", "domain", "found"),
    [
        (Monotone("age", "up", CLASSES), None, pairs(RISING, (0, 1), (1, 2))),
        (Monotone("age", "down", CLASSES), None, pairs(RISING, (1, 0), (2, 1))),
        (Monotone("age", "up", CLASSES, "lowest"), None, pairs(RISING, (3, 0), (0, 1), (1, 2))),
        (Monotone("age", "up", CLASSES, "lowest"), GAP, pairs(RISING, (0, 1), (1, 2))),
        (Monotone("age", "up", CLASSES), SKIP, pairs(RISING, (0, 1), (0, 2), (1, 2))),
        (Monotone("age", "up", CLASSES), OTHER, pairs(RISING, (0, 1), (1, 2))),
        (Independent("age"), None, pairs(SINGLE, (0, 1), (1, 2), (2, 3))),
        (Independent("age"), GAP, pairs(SINGLE, (0, 1), (1, 2))),
        (Independent("job"), None, pairs(SINGLE, (0, 1), column="job")),
        (Independent("gone"), None, []),
        (Implies("age > 5", "no"), None, [Claim((frozenset(["no"]),), (Stated(Interval("age", 5)),))]),
        (Locked("age > 5", "no", "decides"), None, [Claim((frozenset(["no"]),), (Stated(Interval("age", 5)),))]),
        (Locked("age > 5", "no"), None, None),
        (Default("no"), None, None),
        (Forbidden("age"), None, None),
    ],
)
def test_the_claims_of_a_clause(clause: Clause, domain: Domain | None, found: list[Claim] | None) -> None:
    assert claims(clause, domain) == found


def test_an_order_of_classes_is_that_of_the_clause() -> None:
    (first, _) = claims(Monotone("age", "up", ("yes", "maybe", "no"))) or []
    assert first.events == (frozenset(["maybe", "no"]), frozenset(["no"]))


def test_clauses_that_want_different_classes_are_to_exclude_each_other() -> None:
    clauses = (
        Implies("age > 5", "no"),
        Implies("age > 9", "yes"),
        Implies("job = a", "no"),
        Locked("job = b", "yes", "decides"),
        Locked("age <= 5", "maybe"),
    )
    policy = Policy(clauses)
    found = list(list_conflicts(policy, COLUMNS))
    rules = [(one.rule, other.rule) for one, other, _ in found]  # type: ignore[attr-defined]
    assert rules == [("age > 5", "age > 9"), ("age > 5", "job = b"), ("age > 9", "job = a"), ("job = a", "job = b")]
    assert found[0][2] == Claim((frozenset(),), (Stated(Interval("age", 5)), Stated(Interval("age", 9))))


PAIRS = list(itertools.product((0, 1), repeat=2))
SETS = [{pair for bit, pair in enumerate(PAIRS) if number >> bit & 1} for number in range(16)]


def number(pairs: set[tuple[int, int]]) -> int:
    return sum(1 << PAIRS.index(pair) for pair in pairs)


def test_and_and_not_go_through_all_pairs() -> None:
    for one, some in enumerate(SETS):
        assert NOT[one] == number({(1 - a, 1 - b) for a, b in some})
        for other, more in enumerate(SETS):
            assert AND[one][other] == number({(a & c, b & d) for a, b in some for c, d in more})


def test_the_pairs_that_have_names() -> None:
    assert (number({(0, 0)}), number({(1, 1)})) == (NEVER, ALWAYS)
    assert (number({(0, 0), (1, 1)}), number({(1, 0)}), number({(1, 1)})) == (UNKNOWN, FALLS, BOTH)


MIXED = (Column("age"), Column("job", "category"), Column("flag", "boolean"))
CUTS = (
    Interval("age", 1),
    Interval("age", high=2),
    Equals("job", "a"),
    Equals("job", "b"),
    Equals("flag", True),
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[RuleNetwork, list[list[Stated]], Claim]:
    """Draw a network of one or two levels, what is impossible, and a claim about a row or a pair of rows."""
    made = [draw(levels(len(CUTS), 3)), draw(levels(3, 3))] if draw(st.booleans()) else [draw(levels(len(CUTS), 3))]
    classes = ("x", "y", "z")
    priority = tuple(draw(st.permutations(classes)))
    network = RuleNetwork(MIXED, CUTS, tuple(made), classes, priority, draw(st.sampled_from(classes)))
    stated = st.builds(Stated, st.sampled_from(CUTS), st.booleans())
    impossible = draw(st.lists(st.lists(stated, min_size=1, max_size=2), max_size=2))
    events = tuple(draw(st.lists(st.frozensets(st.sampled_from(classes), min_size=1), min_size=1, max_size=2)))
    if draw(st.booleans()):
        return network, impossible, Claim(events, tuple(draw(st.lists(stated, max_size=2))))
    column = draw(st.sampled_from(MIXED))
    cells = network_space(network, Policy())[column.name].members()
    first, second = draw(st.permutations(cells))[:2]
    return network, impossible, Claim(events, (), column.name, first, second)


def answers(network: RuleNetwork, row: dict[str, object]) -> object:
    """Return the class of a row, one node after the other."""
    below = [holds(test, row[test.column]) for test in network.predicates]  # type: ignore[arg-type]
    for level in network.levels:
        rules = [all(below[one.index] != one.negated for one in rule.literals) for rule in level.rules]
        below = [any(rules[rule] for rule in concept.rules) for concept in level.concepts]
    fires = dict(zip(network.classes, below, strict=True))
    return next((label for label in network.priority if fires[label]), network.default)


def met(tests: object, row: dict[str, object]) -> bool:
    return all(holds(one.predicate, row[one.predicate.column]) != one.negated for one in tests)  # type: ignore[attr-defined, arg-type]


@given(cases())
def test_a_claim_is_proved_just_where_it_holds_on_all_rows(
    case: tuple[RuleNetwork, list[list[Stated]], Claim],
) -> None:
    network, impossible, claim = case
    space = network_space(network, Policy())
    splitting = Splitting(network, space, impossible, 1_000_000)
    names = list(space)
    failing = []
    for cells in itertools.product(*(space[name].members() for name in names)):
        chosen = dict(zip(names, cells, strict=True))
        both = [chosen, chosen]
        if claim.column is not None:
            both = [{**chosen, claim.column: cell} for cell in (claim.first, claim.second)]
        rows = [{name: space[name].values[cell] for name, cell in some.items()} for some in both]
        labels = [answers(network, row) for row in rows]  # type: ignore[arg-type]
        possible = not any(met(rule, row) for rule in impossible for row in rows)  # type: ignore[arg-type]
        if claim.column is None:
            fails = met(claim.premise, rows[0]) and any(labels[0] not in event for event in claim.events)  # type: ignore[arg-type]
        else:
            fails = any(labels[0] in event and labels[1] not in event for event in claim.events)
        if possible and fails:
            failing.append(chosen)
        assert splitting.fails(claim, chosen) == (possible and fails)
    found = splitting.prove(claim)
    assert isinstance(found, FailingBox) == bool(failing)
    if isinstance(found, FailingBox):
        for chosen in itertools.product(
            *([c for c in space[n].members() if mask >> c & 1] for n, mask in found.cells.items())
        ):
            row = dict(zip(found.cells, chosen, strict=True))
            assert any(row.items() <= one.items() for one in failing)


FLAGS = tuple(Column(f"f{place}", "boolean") for place in range(4))


def chain() -> RuleNetwork:
    """Return a network whose only class fires where all flags are the same."""
    tests = [Equals(column.name, value) for value in (True, False) for column in FLAGS]
    rules = [Rule(tuple(map(Literal, some))) for some in (range(4), range(4, 8))]
    return RuleNetwork(FLAGS, tests, (Level(rules, (Concept((0, 1)), Concept())),), ("yes", "no"), default="no")


def splits(tree: Tree) -> list[tuple[str, int]]:
    return [] if tree is None else [tree[:2], *splits(tree[2]), *splits(tree[3])]


def test_a_proof_is_a_tree_of_splits() -> None:
    network = chain()
    space = network_space(network, Policy())
    different = (Stated(Equals("f0", True)), Stated(Equals("f1", False)))
    claim = Claim((frozenset(["no"]),), different)
    tree = Splitting(network, space, (), 1_000).prove(claim)
    assert not isinstance(tree, FailingBox)
    assert {name for name, _ in splits(tree)} <= {"f0", "f1"}
    assert len(splits(tree)) <= 3
    always = Splitting(network, space, (), 1_000).prove(Claim((frozenset(["yes", "no"]),)))
    assert always is None


def test_too_little_work_is_undecided_and_one_row_takes_none() -> None:
    network = chain()
    space = network_space(network, Policy())
    claim = Claim((frozenset(["no"]),))
    # Two rules of four literals and the premise, which has none: each counts one more.
    with pytest.raises(Undecided, match="not decided: too large"):
        Splitting(network, space, (), 10).prove(claim)
    splitting = Splitting(network, space, (), 11)
    for _ in range(3):
        assert splitting.fails(claim, dict.fromkeys(space, 1))
    assert splitting.work == 11
    with pytest.raises(Undecided, match="not decided: too large"):
        splitting.prove(claim)


def test_splits_in_one_another_have_a_limit() -> None:
    columns = tuple(Column(f"f{place}", "boolean") for place in range(320))
    tests = tuple(Equals(column.name, True) for column in columns)
    rules = tuple(Rule((Literal(place),)) for place in range(320))
    level = Level(rules, (Concept(tuple(range(320))), Concept()))
    network = RuleNetwork(columns, tests, (level,), ("yes", "no"), default="no")
    splitting = Splitting(network, network_space(network, Policy()), (), 10**9)
    with pytest.raises(Undecided, match="not decided: too many splits in one another"):
        splitting.prove(Claim((frozenset(["yes"]),)))
