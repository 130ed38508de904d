"""Networks that are hard to draw: hostile names, many columns, many classes, many edges, none."""

from __future__ import annotations

import math

import numpy as np

from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval

HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "line\nbreak\ttab",
    "😀 emoji",
    "שלום עולם",
    "x" * 300,
    "\x1b[31mred\x1b[0m\x00",
    "]]> &amp; <![CDATA[ {{ x }} $x^",
    "\ufffe \u202e evil",
    "",
)


def hostile() -> RuleNetwork:
    """A column, a class and a rule for each hostile name; the categories are hostile too."""
    columns = [Column(name, "category", HOSTILE) for name in HOSTILE]
    predicates = [Equals(name, HOSTILE[i - k]) for i, name in enumerate(HOSTILE) for k in range(2)]
    rules = [Rule([Literal(2 * i), Literal((2 * i + 3) % 20, True)]) for i in range(10)]
    return RuleNetwork(columns, predicates, [Level(rules, [Concept([i]) for i in range(10)])], HOSTILE)


def large(edges: int, columns: int = 14, classes: int = 2, deep: bool = False) -> RuleNetwork:
    """About so many edges on columns of three intervals each."""
    random = np.random.default_rng(0)
    named = [Column(f"column {i}") for i in range(columns)]
    predicates = [Interval(column.name, *cut) for column in named for cut in ((-math.inf, 1), (1, 2), (2, math.inf))]

    def level(below: int, rules: int, concepts: int) -> Level:
        sets = [random.permutation(below)[: random.integers(2, 7)].tolist() for _ in range(rules)]
        made = [Rule([Literal(i, random.random() < 0.1) for i in some]) for some in sets]
        owner = [*range(concepts), *random.integers(concepts, size=max(0, rules - concepts))]
        return Level(made, [Concept([r for r in range(rules) if owner[r] == c]) for c in range(concepts)])

    rules = edges // 5
    sizes = [(len(predicates), rules, classes)]
    if deep:
        sizes = [(len(predicates), rules // 2, rules // 8), (rules // 8, rules // 2, classes)]
    return RuleNetwork(named, predicates, [level(*size) for size in sizes], [f"class {i}" for i in range(classes)])


def empty() -> RuleNetwork:
    """No rule at all."""
    return RuleNetwork([Column("age")], [Interval("age", 3)], [Level([], [Concept(), Concept()])], ["a", "b"])
