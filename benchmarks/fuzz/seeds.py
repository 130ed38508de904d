"""Models to damage: a file with all that a file can hold, and networks from a tiny one to a large one."""

from __future__ import annotations

import random
from pathlib import Path

from conceptrules.io.model_file import dumps
from conceptrules.model import Column, Concept, Equals, Interval, Level, Literal, OneOf, Predicate, Rule, RuleNetwork

_MODELS = Path(__file__).parents[2] / "tests" / "io" / "models"


def seeds() -> list[bytes]:
    tiny = RuleNetwork((), (), (Level((), (Concept(),)),), ("a",))
    written = [path.read_bytes() for path in sorted(_MODELS.glob("*.json"))]
    made = [dumps(network).encode() for network in (tiny, with_sets(), network_of(60), network_of(500))]
    return [*written * 3, *made]  # the file with all that a file can hold has the most to damage


def with_sets() -> RuleNetwork:
    """Sets of categories, and an order of numbers."""
    columns = (Column("rank", "ordinal", (1, 2.5, 3)), Column("job", "category", ("cook", "nurse", "smith")))
    tests = (OneOf("rank", (1, 2.5)), OneOf("rank", (2.5, 3)), OneOf("job", ("cook", "smith")))
    rules = (Rule((Literal(0), Literal(1))), Rule((Literal(2, negated=True),)))
    return RuleNetwork(columns, tests, (Level(rules, (Concept((0,)), Concept((1,)))),), ("a", "b"))


def network_of(edges: int, seed: int = 0) -> RuleNetwork:
    """Of one level, three classes, rules of four literals; each rule is for one class, which is its fifth edge."""
    rng = random.Random(seed)
    columns = [Column(f"number {i}") for i in range(20)]
    columns += [Column(f"word {i}", "category", tuple("abcdefgh")) for i in range(10)]
    tests: list[Predicate] = [
        Interval(column.name, cut, cut + 10) for column in columns[:20] for cut in range(0, 100, 10)
    ]
    tests += [Equals(column.name, value) for column in columns[20:] for value in column.categories]
    rules = [Rule(tuple(Literal(i) for i in rng.sample(range(len(tests)), 4))) for _ in range(edges // 5)]
    concepts = [Concept(tuple(range(start, len(rules), 3))) for start in range(3)]
    return RuleNetwork(tuple(columns), tuple(tests), (Level(tuple(rules), tuple(concepts)),), ("a", "b", "c"))
