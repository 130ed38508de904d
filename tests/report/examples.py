"""Networks and rows to report on: made without training, so that they are large at once."""

from __future__ import annotations

import warnings
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from conceptrules import Binarizer, RuleNetwork, datasets
from conceptrules.model.evaluation import unpack
from conceptrules.model.network import Concept, Level, Literal, Rule
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf
from conceptrules.model.statistics import with_statistics
from conceptrules.tables.table import read_bits

Data = tuple[RuleNetwork, Any, np.ndarray]


def random_network(
    columns: Any,
    predicates: Any,
    classes: Any,
    sizes: tuple[int, ...] = (30,),
    seed: int = 0,
    bits: np.ndarray | None = None,
) -> RuleNetwork:
    """Rules of two to five literals; `sizes` are rules, concepts, rules, ... Each rule holds on one of the `bits`."""
    random, negation = np.random.default_rng(seed), 0.2
    levels, below = [], len(predicates)
    concepts = [*sizes[1::2], len(classes)]
    for rules, above in zip(sizes[::2], concepts, strict=True):
        made = [_rule(random, below, negation, bits if not levels else None) for _ in range(rules)]
        owners = random.integers(above, size=rules)
        levels.append(Level(made, [Concept(tuple(np.flatnonzero(owners == one).tolist())) for one in range(above)]))
        below = above
    order = random.permutation(len(classes)).tolist()
    return RuleNetwork(
        columns, predicates, levels, classes, [classes[i] for i in order], classes[int(random.integers(len(classes)))]
    )


def _rule(random: np.random.Generator, below: int, negation: float, bits: np.ndarray | None) -> Rule:
    count = random.integers(2, 6)
    if bits is None:
        return Rule(tuple(Literal(int(i), bool(random.random() < negation)) for i in random.permutation(below)[:count]))
    row = bits[random.integers(len(bits))]
    yes, no = random.permutation(np.flatnonzero(row)), random.permutation(np.flatnonzero(~row))
    return Rule((*map(Literal, yes[:count].tolist()), *(Literal(i, True) for i in no[: random.integers(2)].tolist())))


@cache
def dataset_example(name: str, sizes: tuple[int, ...] = (16,), rows: int = 600) -> Data:
    """Some rows of a data set, and a random network on its predicates, measured on half of them."""
    data = datasets.load(name)
    some = np.random.default_rng(0).permutation(len(data.y))[:rows]
    X, y = data.X.take(some), data.y[some]
    with warnings.catch_warnings(action="ignore"):  # some columns are the same on all of these rows
        binarizer = Binarizer().fit(X, y)
    classes = tuple(np.unique(y).tolist())
    half = len(some) // 2
    bits = unpack(binarizer.transform_packed(X))
    made = (
        random_network(binarizer.columns_, binarizer.predicates_, classes, sizes, seed, bits) for seed in range(100)
    )
    network = next((one for one in made if _undecided(one.predict(X))), None) or random_network(
        binarizer.columns_, binarizer.predicates_, classes, sizes, bits=bits
    )
    codes = np.searchsorted(classes, y[:half])
    return with_statistics(network, binarizer.transform_packed(X.slice(0, half)), codes), X, y


def _undecided(answers: np.ndarray) -> bool:
    """No class gets nearly all rows."""
    return bool(np.unique(answers, return_counts=True)[1].max() < 0.95 * len(answers))


WEIGHTS = ("light", "book", "bold", "black")


@cache
def many_classes(rows: int = 400) -> Data:
    """26 classes; numbers, categories, an order and gaps."""
    random = np.random.default_rng(1)
    letters = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    table = [
        {
            "width": None if random.random() < 0.1 else float(random.integers(0, 100)) / 4,
            "height": float(random.normal()),
            "ink": None if random.random() < 0.2 else str(random.choice(["red", "blue", "black", "green"])),
            "serif": bool(random.random() < 0.5),
            "weight": str(random.choice([*WEIGHTS, "unheard of"])),
        }
        for _ in range(rows)
    ]
    columns = [
        Column("width", "number", (), True),
        Column("height"),
        Column("ink", "category", ("black", "blue", "green"), True),
        Column("serif", "boolean"),
        Column("weight", "ordinal", WEIGHTS),
    ]
    predicates = [Interval("width", low, low + 5) for low in range(0, 25, 5)]
    predicates += [Interval("height", *pair) for pair in pairwise((-2.1, -1.4, -0.7, 0.0, 0.7, 1.4))]
    predicates += [Equals("ink", name) for name in ("black", "blue", "green")]
    predicates += [Missing("width"), Missing("ink"), Equals("serif", True), OneOf("ink", ("black", "blue"))]
    predicates += [OneOf("weight", some) for place in (1, 2, 3) for some in (WEIGHTS[:place], WEIGHTS[place:])]
    bits = read_bits(columns, predicates, table)
    network = random_network(columns, predicates, tuple(letters.tolist()), (60,), seed=2, bits=bits)
    return network, table, random.choice(letters, rows)


def no_rule() -> RuleNetwork:
    columns = [Column("age"), Column("job", "category", ("cook", "nurse"))]
    return RuleNetwork(columns, [], [Level([], [Concept(), Concept()])], ["old", "young"])


HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<img src=x onerror=alert(3)>",
    "\"quotes\" and 'more' `ticks` ${alert(4)} {{ 7 * 7 }}",
    "two\nlines\r\nand\u2028more",
    "emoji 🎈👩‍👩‍👧",
    "עברית العربية",
    "right\u202eto left",
    "\x1b[31mred\x1b[0m\x07",
    "long " * 60,
    "unbroken" * 38,
    "__proto__",
    "constructor",
    "&amp; <!-- ]]> -->",
    "half \udc80",
    "",
)


@cache
def hostile() -> Data:
    """Every odd text as a column, a category and a class."""
    columns = [Column(name, "category", HOSTILE) for name in HOSTILE]
    predicates = [Equals(name, value) for name, value in zip(HOSTILE, reversed(HOSTILE), strict=True)]
    network = random_network(columns, predicates, HOSTILE, (30, 6, 40), seed=3)
    random = np.random.default_rng(4)
    table = [{name: HOSTILE[random.integers(len(HOSTILE))] for name in HOSTILE} for _ in range(60)]
    return network, table, np.array([HOSTILE[i] for i in random.integers(len(HOSTILE), size=60)], dtype=object)


def wide(columns: int = 500, rules: int = 150) -> RuleNetwork:
    names = [Column(f"column {number}") for number in range(columns)]
    predicates = [Interval(column.name, number % 7) for number, column in enumerate(names)]
    return random_network(names, predicates, ("yes", "no"), (rules,), seed=5)


@cache
def large() -> RuleNetwork:
    """Some 2,000 edges on two levels."""
    columns = [Column(f"x{number}") for number in range(40)]
    predicates = [Interval(column.name, cut, cut + 1) for column in columns for cut in range(6)]
    return random_network(columns, predicates, tuple("abcd"), (500, 60, 250), seed=6)
