"""A network whose columns, categories and classes are named to break out of whatever they are written into."""

from __future__ import annotations

import numpy as np

from conceptrules.model.evaluation import pack
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, Predicate
from conceptrules.model.statistics import with_statistics

NAMES = (
    'x"; DROP TABLE t; --',
    "'; DROP TABLE t; --",
    "]]>",
    "*/",
    "`id`",
    "$(id) ${id} #{id}",
    "%s %n %(x)s",
    "{{ 7 * 7 }}",
    "two\nlines\r\nand\rmore",
    "nul\0nul",
    "\x1b[2J\x07\x7f",
    "\"quoted\" and 'quoted'",
    "\\ \\n \\u0041 \\",
    "\U0001f600 e\u0301 \u00e9",
    "\u202eright to left\u202c \u05d0",
    "x" * 300,
    "??/ ??=",
    "</script><!--<b>&amp;",
    "select",
    "class",
    "label",
    "rules",
    "",
    " ",
    " blank ",
    "/R1.1",
    "R1.1",
    "p1",
    "NULL",
    "nan",
    "column_1",
)
# A table cannot have these as names of columns: NUL is in none, PostgreSQL takes 63 bytes, and none is empty.
TABLE_NAMES = {
    name: f"number {place}" for place, name in enumerate(NAMES) if "\0" in name or not name or len(name.encode()) > 63
}


def network() -> RuleNetwork:
    """For each name a column of text, some of numbers and of booleans; every category is a name too."""
    columns: list[Column] = []
    predicates: list[Predicate] = []
    for number, name in enumerate(NAMES):
        other = NAMES[(number + 1) % len(NAMES)]
        if number % 5 == 3:
            columns.append(Column(name, "number", missing=True))
            predicates += [Interval(name, 0.1 * number), Missing(name)]
        elif number % 5 == 4:
            columns.append(Column(name, "boolean", (False, True), missing=True))
            predicates += [Equals(name, True), Missing(name)]
        else:
            columns.append(Column(name, "category", (name, other), missing=True))
            predicates += [Equals(name, name), Equals(name, other)]
    made = RuleNetwork(tuple(columns), tuple(predicates), _levels(len(predicates)), NAMES[:8], NAMES[7::-1], NAMES[2])
    random = np.random.default_rng(0)
    return with_statistics(made, pack(random.random((200, len(predicates))) < 0.5), random.integers(8, size=200))


def _levels(predicates: int) -> tuple[Level, Level]:
    rules = tuple(Rule((Literal(2 * n), Literal((2 * n + 5) % predicates, n % 2 == 0))) for n in range(predicates // 2))
    concepts = tuple(Concept((n, n + 1)) for n in range(0, len(rules) - 1, 2))
    above = tuple(Rule((Literal(n, n % 3 == 1), Literal((n + 1) % len(concepts)))) for n in range(len(concepts)))
    return Level(rules, concepts), Level(above, tuple(Concept((n, (n + 8) % len(above))) for n in range(8)))
