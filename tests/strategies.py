"""Hypothesis strategies for the values of the language, and the inputs to try networks on."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conceptrules.model.evaluation import pack
from conceptrules.model.heads import LINKS, Points
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import KINDS, ORDERED, Column, Equals, Interval, Missing, OneOf, Predicate, one_of
from conceptrules.model.statistics import with_statistics

ODD_NAMES = (
    "",
    " ",
    "age",
    "black and white",
    "C1.1",
    "R1.1: x",
    "not a",
    "x = 1",
    "a\nb\x1b[2J",
    'say "hi"',
    "é, ü",
    ")",
)
SIZES = st.sampled_from([3, 4, 5, 6, 4, 5, 2, 1, 0])
# Strategies are made once: Hypothesis looks each new one over, which took longer than drawing from it.
BOOLEANS = st.booleans()
SEEDS = st.integers(0, 2**32 - 1)
SMALL_SEEDS = st.integers(0, 99)
NEGATIONS = st.sampled_from([0, 0.2, 0.5])
SOME_SIZES = st.lists(SIZES, max_size=2)
PLAIN_CLASSES = st.lists(st.sampled_from("abc"), unique=True, min_size=1, max_size=3)
Bottom = tuple[tuple[Column, ...], tuple[Predicate, ...]]


def all_inputs(predicates: int) -> np.ndarray:
    """Every row of bits there is."""
    every = list(itertools.product([False, True], repeat=predicates))
    return np.array(every, dtype=bool).reshape(len(every), predicates)


@cache
def names() -> st.SearchStrategy[str]:
    return st.sampled_from(ODD_NAMES) | st.text(max_size=8)


@cache
def values() -> st.SearchStrategy[Any]:
    """Categories and classes."""
    return names() | st.integers() | st.booleans() | st.floats(allow_nan=False)


COLUMN_KINDS = st.sampled_from([kind for kind in KINDS if kind != "text"])
CATEGORIES = st.lists(values(), unique=True, max_size=4)
COLUMN_NAMES = st.lists(names(), unique=True, min_size=1, max_size=3)
ODD_CLASSES = st.lists(values(), unique=True, min_size=1, max_size=3)
BOUNDS = st.lists(st.floats(allow_nan=False), min_size=2, max_size=2, unique=True).map(sorted)
THRESHOLDS = st.tuples(st.floats(allow_nan=False, allow_infinity=False), BOOLEANS)


def _column(draw: st.DrawFn, name: str) -> Column:
    kind = draw(COLUMN_KINDS)
    flags = (0, 1) if kind == "number" and draw(BOOLEANS) else ()
    categories = flags if kind in ORDERED else draw(CATEGORIES)
    return Column(name, kind, tuple(categories), draw(BOOLEANS))


def predicates(column: Column) -> st.SearchStrategy[Predicate]:
    missing = st.just(Missing(column.name))
    if column.kind == "ordinal":
        return missing | ordinal_tests(column) if column.categories else missing
    if not column.ordered:
        some = values() | st.sampled_from(column.categories) if column.categories else values()
        sets = st.lists(some, min_size=1, max_size=4).map(lambda values: one_of(column, values))
        return missing | some.map(lambda value: Equals(column.name, value)) | sets
    thresholds = THRESHOLDS.map(
        lambda pair: Interval(column.name, low=pair[0]) if pair[1] else Interval(column.name, high=pair[0])
    )
    if column.categories:
        thresholds |= st.sampled_from([Interval(column.name, low=0), Interval(column.name, high=0)])
    return missing | thresholds | BOUNDS.map(lambda pair: Interval(column.name, *pair))


def ordinal_tests(column: Column) -> st.SearchStrategy[Predicate]:
    """Thresholds, runs in the middle, other sets, single categories."""
    ends = st.lists(st.integers(0, len(column.categories)), min_size=2, max_size=2, unique=True).map(sorted)
    known = st.sampled_from(column.categories)
    return (
        ends.map(lambda pair: OneOf(column.name, column.categories[slice(*pair)]))
        | st.lists(known, min_size=1).map(lambda values: one_of(column, values))
        | known.map(lambda value: Equals(column.name, value))
    )


@st.composite
def tables(draw: st.DrawFn, max_predicates: int = 4) -> Bottom:
    """Columns of all kinds with odd names, and predicates of all kinds on them."""
    used = tuple(_column(draw, name) for name in draw(COLUMN_NAMES))
    tests = [predicates(column) for column in used]
    some = st.lists(st.sampled_from(tests).flatmap(lambda test: test), max_size=max_predicates)
    return used, tuple(draw(some))


@cache
def switches() -> st.SearchStrategy[Bottom]:
    """Predicates that can be anything: x0, x1, ... are true or false."""
    return SIZES.map(
        lambda count: (
            tuple(Column(f"x{i}", "boolean") for i in range(count)),
            tuple(Equals(f"x{i}", True) for i in range(count)),
        )
    )


TABLES = tables()


def _sets(random: np.random.Generator, count: int, size: int) -> list[list[int]]:
    """Sets of one to four of `size` things, now and then empty."""
    wanted = np.where(random.random(count) < 0.9, random.integers(1, 5, count), 0)
    return [random.permutation(size)[:some].tolist() for some in wanted]


@st.composite
def levels(draw: st.DrawFn, below: int, concepts: int) -> Level:
    return _level(draw, below, concepts)


def _level(draw: st.DrawFn, below: int, concepts: int) -> Level:
    """Small, so that equal, empty, contradictory, implied and unused nodes are all common.

    The edges come from a seed: when Hypothesis drew them one by one, nine networks in ten were constant.
    """
    random = np.random.default_rng(draw(SEEDS))
    negation = draw(NEGATIONS)
    rules = _sets(random, draw(SIZES), below)
    literals = [tuple(Literal(index, random.random() < negation) for index in rule) for rule in rules]
    literals = [(*rule, ~rule[0]) if rule and random.random() < negation / 5 else rule for rule in literals]
    above = _sets(random, concepts, len(rules))
    return Level(tuple(map(Rule, literals)), tuple(Concept(tuple(indices)) for indices in above))


@st.composite
def networks(
    draw: st.DrawFn, bottom: st.SearchStrategy[Bottom] | None = None, odd: bool = False, flat: bool = False
) -> RuleNetwork:
    """Networks of one to three levels, `flat` ones of one, with `odd` on odd tables and with odd classes."""
    used, tests = draw(bottom if bottom is not None else TABLES if odd else switches())
    classes = draw(ODD_CLASSES if odd else PLAIN_CLASSES)
    sizes = [*([] if flat else draw(SOME_SIZES)), len(classes)]
    made = [_level(draw, below, size) for below, size in itertools.pairwise([len(tests), *sizes])]
    priority = tuple(draw(st.permutations(classes)))
    return RuleNetwork(used, tests, tuple(made), tuple(classes), priority, draw(st.sampled_from(classes)))


@st.composite
def rows(draw: st.DrawFn, network: RuleNetwork, min_rows: int = 0) -> np.ndarray:
    """Some rows of bits for the predicates of a network."""
    size = draw(_row_counts(min_rows))
    return np.random.default_rng(draw(SMALL_SEEDS)).random((size, len(network.predicates))) < 0.5


@cache
def _row_counts(least: int) -> st.SearchStrategy[int]:
    return st.sampled_from([1, 5, 63, 64, 65, 200]) | st.integers(least, 9)


NETWORKS = {odd: networks(odd=odd) for odd in (False, True)}


@st.composite
def measured_networks(draw: st.DrawFn, odd: bool = False) -> RuleNetwork:
    """Networks with statistics of weighted rows."""
    return draw(_measured(draw(NETWORKS[odd])))


@st.composite
def measured_scorecards(draw: st.DrawFn, odd: bool = False) -> RuleNetwork:
    """Scorecards with statistics of weighted rows."""
    return draw(_measured(draw(scorecards(odd=odd))))


@st.composite
def _measured(draw: st.DrawFn, network: RuleNetwork) -> RuleNetwork:
    bits = draw(rows(network, min_rows=1))
    generator = np.random.default_rng(draw(SMALL_SEEDS))
    y = generator.integers(len(network.classes), size=len(bits))
    weight = generator.random(len(bits)) + 0.01 if draw(BOOLEANS) else None
    return with_statistics(network, pack(bits), y, weight)


@st.composite
def flag_networks(draw: st.DrawFn) -> RuleNetwork:
    """Networks of three columns of true and false, with statistics of all rows that there can be."""
    names = [f"x{number}" for number in range(3)]
    columns, predicates = [Column(name, "boolean") for name in names], [Equals(name, True) for name in names]
    classes = ("a", "b", "c")
    network = RuleNetwork(columns, predicates, (draw(levels(3, 3)),), classes, draw(st.permutations(classes)))
    bits = all_inputs(3)
    return with_statistics(network, pack(bits), np.arange(len(bits)) % 3)


SCORED_CLASSES = st.sampled_from(["ab", "abc", "abcd"])
SMALL_POINTS = st.integers(-9, 9)
LARGE_POINTS = st.integers(1 - 2**28, 2**28 - 1) | st.sampled_from([1 - 2**28, 2**28 - 1])  # eight of them have 31 bits


@st.composite
def heads(draw: st.DrawFn, rules: int, classes: int) -> Points:
    """Points for so many rules, among them 0, large ones, and scores that the table of probabilities does not list."""
    outputs = 1 if classes == 2 else classes
    points = draw(st.sampled_from([SMALL_POINTS, SMALL_POINTS, LARGE_POINTS]))
    row = st.lists(points, min_size=outputs, max_size=outputs)
    made = {"points": [draw(row) for _ in range(rules)], "base": draw(row)}
    if classes > 2:
        return Points(**made, unit=draw(st.floats(0.01, 2)), offsets=draw(row))
    scores = sorted(draw(st.sets(SMALL_POINTS, min_size=1, max_size=5)))
    shares = sorted(draw(st.lists(st.floats(0, 1), min_size=len(scores), max_size=len(scores))))
    return Points(**made, cutoff=draw(SMALL_POINTS), probabilities=list(zip(scores, shares, strict=True)))


@st.composite
def number_cards(
    draw: st.DrawFn, bottom: st.SearchStrategy[Bottom] | None = None, odd: bool = False, flat: bool = False
) -> RuleNetwork:
    """Scorecards that predict a number: the score times a step, or e to the power of that."""
    card = draw(scorecards(bottom, odd, flat))
    points, base = [row[:1] for row in card.head.points], card.head.base[:1]
    farthest = sum(abs(row[0]) for row in points) + abs(base[0])
    step, link = draw(st.sampled_from([0.05, 0.1, 1.0, 2.5, 1e-7])), draw(st.sampled_from(LINKS))
    if link == "log":
        step = min(step, 100 / max(farthest, 1))  # numbers that other languages print with all digits, too
    return replace(card, classes=(), head=Points(points, base, step=step, link=link))


@st.composite
def scorecards(
    draw: st.DrawFn, bottom: st.SearchStrategy[Bottom] | None = None, odd: bool = False, flat: bool = False
) -> RuleNetwork:
    """Scorecards of one to three levels, or `flat`, for two classes or three, with `odd` on odd tables and classes."""
    used, tests = draw(bottom if bottom is not None else TABLES if odd else switches())
    classes = tuple(draw(ODD_CLASSES.filter(lambda made: len(made) > 1) if odd else SCORED_CLASSES))
    below = [len(tests), *([] if flat else draw(SOME_SIZES))]
    made = [_level(draw, *pair) for pair in itertools.pairwise(below)]
    last = Level(_level(draw, below[-1], 0).rules, ())
    return RuleNetwork(used, tests, (*made, last), classes, head=draw(heads(len(last.rules), len(classes))))
