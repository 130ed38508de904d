import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.logic.equivalence import equivalent
from conceptrules.logic.minimisation import minimise
from conceptrules.logic.minimisation.cubes import CubeBudget
from conceptrules.logic.minimisation.layers import Layer
from conceptrules.logic.minimisation.minimiser import _find_impossible
from conceptrules.logic.simplification import simplify
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, Missing, OneOf, Rule, RuleNetwork
from conceptrules.model.evaluation import decide_fired, layers_plain, pack
from conceptrules.model.predicate import holds
from conceptrules.model.statistics import edges, with_statistics
from tests.logic.minimisation.test_cubes import EVERY, SPACE, covers, points_of
from tests.strategies import levels, measured_networks, networks

AGE = Column("age")
JOB = Column("job", "category", ("nurse", "smith", "cook"))
SIZE = Column("size", "ordinal", ("S", "M", "L", "XL"))
OWNS = Column("owns", "boolean", (False, True))
DAY = Column("day", "date")
COLUMNS = (AGE, JOB, SIZE, OWNS, DAY)
# One value at least of every kind that a predicate below can tell.
VALUES = {
    "age": (0.0, 1.0, 1.5, 2.0, 3.0, 9.0, -math.inf, math.inf, None),
    "job": ("nurse", "smith", "cook", "priest", None),
    "size": ("S", "M", "L", "XL", "XXL", None),
    "owns": (True, False, None),
    "day": (-5.0, 0.0, 1.0, 2.0, None),
}
TESTS = (
    *(Interval("age", low, high) for low, high in itertools.combinations((-math.inf, 0, 1, 2, 3, math.inf), 2)),
    *(Equals("job", name) for name in JOB.categories),
    *(OneOf("job", names) for names in itertools.combinations(JOB.categories, 2)),
    *(OneOf("size", SIZE.categories[i:j]) for i, j in itertools.combinations(range(5), 2)),
    OneOf("size", ("S", "XL")),
    Equals("size", "M"),
    Equals("owns", True),
    Equals("owns", False),
    *(Interval("day", low, high) for low, high in ((-math.inf, 0.2), (0.2, 0.7), (0.7, 1), (1, math.inf))),
    *(Missing(column.name) for column in COLUMNS),
)


@st.composite
def mixed_networks(draw, columns=3):
    """One to three levels over predicates of a few columns, which imply and exclude each other."""
    chosen = draw(st.lists(st.sampled_from(COLUMNS), unique=True, min_size=1, max_size=columns))
    possible = [test for test in TESTS if test.column in {column.name for column in chosen}]
    tests = draw(st.lists(st.sampled_from(possible), min_size=1, max_size=7))
    classes = draw(st.lists(st.sampled_from("abcd"), unique=True, min_size=1, max_size=4))
    sizes = [*draw(st.lists(st.integers(1, 4), max_size=2)), len(classes)]
    made = [draw(levels(below, size)) for below, size in itertools.pairwise([len(tests), *sizes])]
    priority = tuple(draw(st.permutations(classes)))
    return RuleNetwork(COLUMNS, tests, made, tuple(classes), priority, draw(st.sampled_from(classes)))


def decisions(net):
    """The class of every kind of row there is, by the plain evaluation."""
    names = [column.name for column in net.columns if column.name in {test.column for test in TESTS}]
    used = [name for name in names if any(test.column == name for test in net.predicates)]
    rows = [dict(zip(used, row, strict=True)) for row in itertools.product(*(VALUES[name] for name in used))]
    bits = np.array([[holds(test, row[test.column]) for test in net.predicates] for row in rows])
    return decide_fired(net, layers_plain(net, bits)[-1])


@given(mixed_networks())
def test_every_decision_is_kept(net):
    np.testing.assert_array_equal(decisions(minimise(net)), decisions(net))


@given(mixed_networks(columns=5))
def test_every_decision_is_kept_as_proved(net):
    assert equivalent(net, minimise(net))


@given(networks(odd=True))
def test_every_decision_is_kept_on_odd_tables(net):
    assert equivalent(net, minimise(net))


@given(mixed_networks())
def test_no_edge_is_added(net):
    assert edges(minimise(net)) <= edges(simplify(net))


@given(mixed_networks())
def test_minimised_twice_is_minimised_once(net):
    smaller = minimise(net)
    assert minimise(smaller) == smaller


@given(mixed_networks())
def test_the_rest_of_the_network_stays(net):
    smaller = minimise(net)
    assert smaller.predicates[: len(net.predicates)] == net.predicates
    for name in ("columns", "classes", "priority", "default"):
        assert getattr(smaller, name) == getattr(net, name)
    used = {literal.index for rule in smaller.levels[0].rules for literal in rule.literals}
    assert set(range(len(net.predicates), len(smaller.predicates))) <= used


@given(measured_networks())
def test_statistics_stay_only_with_the_rules_they_are_of(net):
    smaller = minimise(net)
    assert smaller.statistics == (net.statistics if smaller == net else None)


# By example


NURSE, SMITH, COOK = (Equals("job", name) for name in JOB.categories)
YOUNG, MIDDLE, OLD = Interval("age", high=27), Interval("age", 27, 41), Interval("age", 41)
OWNER = Equals("owns", True)


def net(*levels, classes="ab", **who):
    """Levels of concepts, which are lists of rules: lists of predicates, or of numbers of concepts below."""
    predicates = list(dict.fromkeys(_test(each) for concept in levels[0] for rule in concept for each in rule))

    def literal(each, first):
        return Literal(predicates.index(_test(each)) if first else _test(each), isinstance(each, frozenset))

    made = []
    for depth, concepts in enumerate(levels):
        rules = [Rule(tuple(literal(each, depth == 0) for each in rule)) for concept in concepts for rule in concept]
        ends = list(itertools.accumulate(map(len, concepts), initial=0))
        made.append(Level(rules, [Concept(tuple(range(*pair))) for pair in itertools.pairwise(ends)]))
    return RuleNetwork(COLUMNS, predicates, made, tuple(classes), **who)


def _test(each):
    return next(iter(each)) if isinstance(each, frozenset) else each


def no(each):
    return frozenset([each])


def said(network):
    """The rules of each class in words, whatever their numbers are."""
    return [re.sub(r"^R[\d.]+: +", "", line.strip()) for line in str(network).splitlines()[2:] if line]


@pytest.mark.parametrize(
    ("rules", "smaller"),
    [
        # One column: categories exclude each other, thresholds follow from each other.
        ([[NURSE, SMITH], [OWNER]], [[OWNER]]),
        ([[YOUNG, OLD]], []),
        ([[YOUNG, no(OLD), OWNER]], [[YOUNG, OWNER]]),
        ([[no(SMITH), NURSE]], [[NURSE]]),
        ([[Missing("age"), YOUNG]], []),
        ([[no(Missing("age")), no(YOUNG), no(MIDDLE)]], [[OLD]]),
        ([[no(YOUNG), no(MIDDLE)]], [[no(Interval("age", high=41))]]),
        ([[Interval("age", 1, 9), Interval("age", 3, 12)]], [[Interval("age", 3, 9)]]),
        # A column of dates has no value between the two.
        ([[Interval("day", 0.2, 0.7)], [OWNER]], [[OWNER]]),
        # Two rules as one.
        ([[OWNER, NURSE], [OWNER, SMITH]], [[OWNER, OneOf("job", ("nurse", "smith"))]]),
        ([[YOUNG], [MIDDLE]], [[Interval("age", high=41)]]),
        ([[OWNER, YOUNG], [no(OWNER), YOUNG]], [[YOUNG]]),
        ([[YOUNG], [MIDDLE], [OLD]], [[no(Missing("age"))]]),
        ([[YOUNG], [no(YOUNG)]], [[]]),
        ([[no(NURSE), OWNER], [NURSE, OWNER, YOUNG], [NURSE, OWNER, no(YOUNG)]], [[OWNER]]),
        ([[OneOf("size", ("S", "M"))], [Equals("size", "L")]], [[OneOf("size", ("S", "M", "L"))]]),
        # A rule within another, and within several together.
        ([[YOUNG, OWNER], [Interval("age", high=41)]], [[Interval("age", high=41)]]),
        ([[YOUNG, OWNER], [no(YOUNG), NURSE], [OWNER, NURSE]], [[YOUNG, OWNER], [no(YOUNG), NURSE]]),
        # A literal that the other rules make needless.
        ([[OWNER], [no(OWNER), YOUNG]], [[OWNER], [YOUNG]]),
        ([[YOUNG, OWNER], [MIDDLE]], [[MIDDLE], [YOUNG, OWNER]]),
    ],
)
def test_one_class(rules, smaller):
    found = minimise(net([[], rules]))
    assert sorted(said(found)) == sorted(said(net([[], smaller])))
    assert equivalent(found, net([[], rules]))


def test_where_a_class_loses_it_may_say_anything():
    """No owner is left for b, so that it need not ask."""
    found = minimise(net([[[OWNER]], [[no(OWNER), YOUNG]], []], classes="abc", default="c"))
    assert said(found) == said(net([[[OWNER]], [[YOUNG]], []], classes="abc", default="c"))


def test_a_default_that_no_class_can_lose_to_needs_no_rules():
    found = minimise(net([[[OWNER, YOUNG]], [[NURSE]]], default="b"))
    assert said(found) == said(net([[[OWNER, YOUNG]], []], default="b"))


def test_a_default_of_high_priority_is_only_asked_where_another_class_fires():
    found = minimise(net([[[OWNER, NURSE], [YOUNG, SMITH]], [[NURSE]]]))
    assert said(found) == said(net([[[OWNER]], [[NURSE]]]))


def test_a_class_that_always_loses_goes():
    found = minimise(net([[[OWNER]], [[OWNER, YOUNG]], [[NURSE]]], classes="abc", default="c"))
    assert found.levels[0].concepts[1] == Concept()


def test_a_level_of_concepts_of_one_literal_goes():
    found = minimise(net([[[YOUNG]], [[OWNER]]], [[], [[0, 1]]]))
    assert said(found) == said(net([[], [[YOUNG, OWNER]]]))


def test_three_levels_become_one():
    deep = net([[[YOUNG]], [[OWNER], [NURSE]]], [[[0, no(1)]]], [[], [[no(0)]]])
    found = minimise(deep)
    assert said(found) == said(net([[], [[no(YOUNG)], [OWNER], [NURSE]]]))
    assert equivalent(found, deep)


def test_concepts_that_are_only_used_together_become_one():
    """On one level, six choices of two rules would be 64 rules, so that two levels stay."""
    pairs = [[[Equals(f"c{i}", "u")], [Equals(f"c{i}", "v"), Equals(f"d{i}", "w")]] for i in range(6)]
    columns = [Column(f"{letter}{i}", "category") for letter in "cd" for i in range(6)]
    alone = [[Equals("e", "a"), Equals("f", "a")]], [[Equals("g", "a"), Equals("h", "a")]]
    tests = list(dict.fromkeys(each for concept in (*pairs, *alone) for rule in concept for each in rule))
    columns += [Column(letter, "category") for letter in "efgh"]
    rules = [[Literal(tests.index(each)) for each in rule] for concept in (*pairs, *alone) for rule in concept]
    concepts = [Concept((2 * i, 2 * i + 1)) for i in range(6)] + [Concept((12,)), Concept((13,))]
    top = Level([Rule(tuple(map(Literal, range(8))))], [Concept((0,)), Concept()])
    deep = RuleNetwork(columns, tests, [Level(list(map(Rule, map(tuple, rules))), concepts), top], "ab", default="b")
    found = minimise(deep)
    assert len(found.levels) == 2
    assert [len(level.concepts) for level in found.levels] == [7, 2]
    assert edges(found) == edges(deep) - 2
    assert equivalent(found, deep)


def test_what_cannot_be_smaller_comes_back_with_its_statistics():
    small = net([[], [[YOUNG, OWNER]]])
    measured = with_statistics(small, pack(np.eye(2, dtype=bool)), np.array([0, 1]))
    assert minimise(measured) is measured


def test_a_network_without_rules_or_predicates():
    assert minimise(net([[], []])) == net([[], []])
    assert said(minimise(net([[], [[]]]))) == said(net([[], [[]]]))


@pytest.mark.parametrize("classes", [2, 7])
def test_many_rules_keep_their_decisions(classes):
    """Too large for proofs of everything: what is not decided within the effort stays as it is."""
    random = np.random.default_rng(0)
    columns = [Column(f"x{i}") for i in range(8)]
    tests = [Interval(c.name, *b) for c in columns for k in range(6) for b in ((-math.inf, k), (k, math.inf))]
    chosen = [random.permutation(len(tests))[: random.integers(2, 7)].tolist() for _ in range(300)]
    rules = [Rule(tuple(map(Literal, some))) for some in chosen]
    owners = random.integers(classes, size=len(rules))
    concepts = [Concept(tuple(np.flatnonzero(owners == name).tolist())) for name in range(classes)]
    large = RuleNetwork(columns, tests, [Level(rules, concepts)], range(classes), default=classes - 1)
    small = minimise(large)
    assert edges(small) < edges(simplify(large))
    values = random.choice([*np.arange(-0.5, 6), np.nan], size=(4000, len(columns)))
    assert (small.predict(values) == large.predict(values)).all()


@given(st.lists(covers(max_size=3), min_size=1, max_size=4), covers(max_size=1))
def test_values_that_no_row_gives_two_concepts_are_known(
    concepts: list[tuple[int, ...]], never: tuple[int, ...]
) -> None:
    found = _find_impossible(Layer(SPACE, tuple(concepts)), never, CubeBudget(100_000))
    wanted = set()
    possible = set(EVERY) - points_of(never)
    where = [points_of(cover) for cover in concepts]
    for one, other in itertools.combinations(range(len(concepts)), 2):
        seen = {(point in where[one], point in where[other]) for point in possible}
        for values in set(itertools.product((False, True), repeat=2)) - seen:
            cube = sum(0b11 << 3 * place for place in range(len(concepts)) if place not in (one, other))
            wanted.add(cube | 1 << 3 * one + values[0] | 1 << 3 * other + values[1])
    assert set(found) == wanted
    assert len(found) == len(wanted)


def test_what_excludes_each_other_below_is_not_asked_for_above() -> None:
    """Where the first concept is true the last is false, so that its negation need not be asked for."""
    pairs = [[[Equals(f"c{i}", "u")], [Equals(f"c{i}", "v"), Equals(f"d{i}", "w")]] for i in range(6)]
    columns = [Column(f"{letter}{i}", "category") for letter in "cd" for i in range(6)]
    tests = list(dict.fromkeys(each for concept in pairs for rule in concept for each in rule))
    rules = [Rule(tuple(Literal(tests.index(each)) for each in rule)) for concept in pairs for rule in concept]
    missing = len(tests)
    tests.append(Missing("c0"))
    low = Level([*rules, Rule((Literal(missing),))], [*(Concept((2 * i, 2 * i + 1)) for i in range(6)), Concept((12,))])
    top = Level([Rule((*map(Literal, range(6)), Literal(6, True)))], [Concept((0,)), Concept()])
    deep = RuleNetwork(columns, tests, [low, top], "ab", default="b")
    found = minimise(deep)
    assert edges(found) == edges(deep) - 3
    assert equivalent(found, deep)
