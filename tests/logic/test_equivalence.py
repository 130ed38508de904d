"""The exact answers against brute force over all rows, on small networks."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from conceptrules.logic.equivalence import equivalent, find_counterexample, find_difference, implies
from conceptrules.logic.simplification import simplify
from conceptrules.logic.solver import Undecided
from conceptrules.model import (
    Column,
    Concept,
    Equals,
    InputError,
    Interval,
    Level,
    Literal,
    Missing,
    OneOf,
    Rule,
    RuleNetwork,
)
from conceptrules.model.evaluation import unpack
from conceptrules.model.heads import Points
from conceptrules.model.predicate import categories_of
from conceptrules.model.text import literals_text
from conceptrules.tables.prediction import find_firing_classes, find_scores
from tests.io.test_versions import WHOLE
from tests.strategies import networks, scorecards

DAY = 86_400_000_000
COLUMNS = (
    Column("age"),
    Column("job", "category", ("nurse", "smith")),
    Column("code", "category", (1, 2.5)),
    Column("smokes", "boolean", (False, True)),
    Column("joined", "date"),
    Column("rank", "ordinal", ("low", "mid", "high", "top")),
)
PREDICATES = (
    Interval("age", high=27), Interval("age", 27, 41), Interval("age", 41), Interval("age", 30), Missing("age"),
    Interval("age"), Equals("job", "nurse"), Equals("job", "smith"), Equals("job", 3), Missing("job"),
    Equals("code", 1), Equals("code", 2.5), Equals("smokes", True), Equals("smokes", False),
    Interval("joined", 0.2, 0.7), Interval("joined", 0.7, DAY), Interval("joined", DAY),
    OneOf("job", ("nurse", "smith")), OneOf("job", ("smith", 3, "cook")), OneOf("code", (1, 2.5)),
    OneOf("smokes", (False, True)), OneOf("rank", ("low", "mid")), OneOf("rank", ("high", "top")),
    OneOf("rank", ("mid", "high")), OneOf("rank", ("low", "top")), Equals("rank", "mid"), Missing("rank"),
)  # fmt: skip
VALUES = {
    "age": [20.0, 27.0, 28.0, 30.0, 31.0, 41.0, 42.0, math.inf, -math.inf, None],
    "job": ["nurse", "smith", "cook", "clerk", None],
    "rank": ["low", "mid", "high", "top", "unheard of", None],
    "code": [1, 2.5, 7, None],
    "smokes": [True, False, None],
    "joined": [np.datetime64(moment, "us") for moment in (0, 1, DAY, DAY + 1)] + [None],
}  # fmt: skip


@st.composite
def bottoms(draw):
    """Two of the columns, and some of their predicates: few enough for all rows to be tried."""
    some = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=2, unique=True))
    names = [column.name for column in some]
    tests = st.lists(st.sampled_from([p for p in PREDICATES if p.column in names]), max_size=6)
    return tuple(some), tuple(draw(tests))


def answers(first, second):
    """All rows that there are, and what both networks say: classes fired, classes decided."""
    names = sorted({column.name for network in (first, second) for column in network.columns})
    rows = [dict(zip(names, row, strict=True)) for row in itertools.product(*(VALUES[name] for name in names))]
    return [(unpack(find_firing_classes(network, rows)), network.predict(rows).tolist()) for network in (first, second)]


@given(networks(bottom=bottoms()), networks(bottom=bottoms()), st.booleans())
def test_the_answers_are_those_of_brute_force(first, second, alike):
    second = simplify(first) if alike else second
    (ours, decided), (theirs, other) = answers(first, second)
    assert equivalent(first, second) == (decided == other)
    for name in set(first.classes) & set(second.classes):
        fires, fires_too = ours[:, first.classes.index(name)], theirs[:, second.classes.index(name)]
        assert implies(first, second, name) == bool((fires <= fires_too).all())
        row = find_counterexample(first, second, name)
        if row is not None:
            assert unpack(find_firing_classes(first, [row]))[0, first.classes.index(name)]
            assert not unpack(find_firing_classes(second, [row]))[0, second.classes.index(name)]
    row = find_difference(first, second)
    assert row is None or first.predict([row]).tolist() != second.predict([row]).tolist()


@st.composite
def pairs_and_regions(draw, kinds):
    """Two networks with the columns and tests of one, and a region in words of a test of it."""
    first = draw(kinds)
    assume(first.used_predicates)
    changed = first.levels[0].rules[: draw(st.integers(0, len(first.levels[0].rules) - 1))]
    columns = {column.name: column for column in first.columns}
    known = [
        index
        for index in first.used_predicates
        if set(categories_of(first.predicates[index])) <= set(columns[first.predicates[index].column].categories)
        and first.predicates[index] != Interval("joined", 0.2, 0.7)  # no whole microsecond, so no text says it
    ]
    assume(known)
    literal = Literal(draw(st.sampled_from(known)), draw(st.booleans()))
    region = literals_text(first, 0, [literal])[0]
    if first.head is not None:
        points = (*(tuple(-each for each in row) for row in first.head.points[: len(changed)]),)
        head = replace(first.head, points=(*points, *first.head.points[len(changed) :]))
        return first, replace(first, head=head, statistics=None), literal, region
    concepts = tuple(
        replace(concept, rules=[rule for rule in concept.rules if rule >= len(changed)])
        for concept in first.levels[0].concepts
    )
    levels = (replace(first.levels[0], concepts=concepts), *first.levels[1:])
    return first, replace(first, levels=levels, statistics=None), literal, region


def holds_on(network, literal, rows):
    level = Level((Rule((literal,)),), (Concept((0,)), Concept()))
    region = RuleNetwork(network.columns, network.predicates, (level,), ("yes", "no"), default="no")
    return region.predict(rows) == "yes"


@settings(max_examples=40)
@given(pairs_and_regions(networks(bottom=bottoms())))
def test_rows_outside_of_a_region_are_compared_as_brute_force_does(drawn):
    first, second, literal, region = drawn
    row = find_difference(first, second, outside=region)
    names = [column.name for column in first.columns]
    rows = [dict(zip(names, row, strict=True)) for row in itertools.product(*(VALUES[name] for name in names))]
    different = (first.predict(rows) != second.predict(rows)) & ~holds_on(first, literal, rows)
    assert (row is None) == (not different.any())
    if row is not None:
        assert first.predict([row])[0] != second.predict([row])[0]
        assert not holds_on(first, literal, [row])[0]


def between_microseconds():
    """Two cards that differ on one rule, whose cut point lies between two microseconds, and that rule in words."""
    cards = [
        RuleNetwork(
            (Column("joined", "date"),), (Interval("joined", 0.7),), (Level((Rule((Literal(0),)),), ()),), ("a", "b"),
            head=Points([[points]], [0], probabilities=[(0, 0.5)]),
        ) for points in (1, -1)
    ]  # fmt: skip
    return (*cards, Literal(0), literals_text(cards[0], 0, [Literal(0)])[0])


@settings(max_examples=40)
@given(pairs_and_regions(scorecards(bottom=bottoms())))
@example(between_microseconds())
def test_scores_outside_of_a_region_are_compared_as_brute_force_does(drawn):
    first, second, literal, region = drawn
    assume(len(first.levels) == 1)
    row = find_difference(first, second, outside=region)
    names = [column.name for column in first.columns]
    rows = [dict(zip(names, row, strict=True)) for row in itertools.product(*(VALUES[name] for name in names))]
    changed = (find_scores(first, rows) != find_scores(second, rows)).any(axis=1)
    different = changed & ~holds_on(first, literal, rows)
    assert (row is None) == (not different.any())
    if row is not None:
        assert not holds_on(first, literal, [row])[0]


def test_a_row_of_every_kind():
    other = replace(WHOLE, default="low")
    row = find_difference(WHOLE, other)
    assert set(row) == {column.name for column in WHOLE.columns}
    assert (WHOLE.predict([row])[0], other.predict([row])[0]) == ("high", "low")
    assert equivalent(WHOLE, simplify(WHOLE))


def single(predicate, column):
    level = Level((Rule((Literal(0),)),), (Concept((0,)), Concept()))
    return RuleNetwork((column,), (predicate,), (level,), ("yes", "no"), default="no")


def test_there_is_no_microsecond_between_two():
    column = Column("joined", "date")
    first, second = (single(Interval("joined", low, math.inf), column) for low in (0.2, 0.7))
    assert equivalent(first, second)
    assert not equivalent(*(single(Interval("x", low), Column("x")) for low in (0.2, 0.7)))
    assert equivalent(*(single(Interval("joined", low), column) for low in (1e19, 1e20)))


def test_columns_that_no_table_suits():
    text, number = Column("x", "category", ("a",)), Column("x", "category", (1,))
    with pytest.raises(InputError, match=r"column 'x' is category .*'a'.* in one network and category .*1.*no table"):
        equivalent(single(Equals("x", "a"), text), single(Equals("x", 1), number))


def test_columns_that_only_one_network_has():
    old, nurse = single(Interval("age", 41), COLUMNS[0]), single(Equals("job", "nurse"), COLUMNS[1])
    assert find_counterexample(old, nurse, "yes") == {"age": 42.0, "job": "other"}
    assert find_counterexample(old, old, "yes") is None


def pigeons(count):
    """Every one of `count` columns has a value of its own among `count - 1`: impossible, and hard to see."""
    columns = tuple(Column(f"p{i}", "category", tuple(f"h{j}" for j in range(count - 1))) for i in range(count))
    predicates = [Equals(column.name, hole) for column in columns for hole in column.categories]
    place = {(p.column, p.value): i for i, p in enumerate(predicates)}
    clashes = [
        Rule((Literal(place[a.name, hole]), Literal(place[b.name, hole])))
        for a, b in itertools.combinations(columns, 2) for hole in columns[0].categories
    ]  # fmt: skip
    lost = [Rule(tuple(~Literal(place[column.name, hole]) for hole in column.categories)) for column in columns]
    level = Level((*clashes, *lost), (Concept(tuple(range(len(clashes) + len(lost)))), Concept()))
    return RuleNetwork(columns, tuple(predicates), (level,), ("yes", "no"), default="no")


def test_what_is_too_large_is_said_to_be():
    always = RuleNetwork((), (), (Level((Rule(),), (Concept((0,)), Concept())),), ("yes", "no"))
    assert implies(always, pigeons(4), "yes")
    with pytest.raises(Undecided, match="not decided: too large"):
        implies(always, pigeons(12), "yes", work=10_000)
    deep = RuleNetwork((), (), (Level((), (Concept(),)),) * 60, ("a",))
    with pytest.raises(Undecided, match="more than 50 levels"):
        equivalent(deep, deep)
