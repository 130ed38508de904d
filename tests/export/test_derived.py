"""Exports work derived columns out as the model does, on rows that try all of them."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from conceptrules.export import FORMATS, export
from conceptrules.logic.probe_rows import covering_rows
from conceptrules.model import Column, Concept, InputError, Interval, Level, Literal, Rule, RuleNetwork
from conceptrules.model.derived import Length, Mention, Relation, derive, list_sources, make_derived
from conceptrules.model.predicate import Equals, Missing, holds

OWN = (Column("debt"), Column("net income"), Column("start", "date"), Column("end", "date"), Column("note", "text"))
DERIVATIONS = (
    Relation("debt", "-", "net income"),
    Relation("debt", "/", "net income"),
    Relation("debt", "<", "net income"),
    Relation("end", "-", "start"),
    Relation("start", "<", "end"),
    Mention("note", ("refund",)),
    Mention("note", ("never", "not good", "❤️")),
    Length("note"),
)
COLUMNS = (*OWN, *(make_derived(each, list_sources(each, OWN)) for each in DERIVATIONS))
DAY = 86_400e6
TESTS = (
    Interval("debt", low=0.5),
    Interval("debt - net income", low=-1.5),
    Interval("debt / net income", high=0.4),
    Missing("debt / net income"),
    Equals("debt < net income", True),
    Equals("debt < net income", False),
    Interval("end - start", low=30 * DAY),
    Equals("start < end", False),
    Missing("start < end"),
    Equals('note mentions "refund"', True),
    Equals('note mentions any of {"never", "not good", "❤️"}', False),
    Interval("length of note", low=2.0, high=9.0),
    Missing("length of note"),
)
RULES = [
    (Literal(0), Literal(2), Literal(9)),
    (Literal(1), Literal(10)),
    (Literal(3, True), Literal(4), Literal(6)),
    (Literal(5), Literal(7), Literal(11)),
    (Literal(8), Literal(9, True)),
    (Literal(12), Literal(2, True)),
]
ENGINES = [
    ("python", {}),
    ("javascript", {}),
    ("c", {}),
    ("sql", {"dialect": "duckdb"}),
    ("sql", {"dialect": "sqlite"}),
]
needs = {"javascript": "node", "c": "gcc"}


def network_of(rules: list[tuple[Literal, ...]]) -> RuleNetwork:
    level = Level(tuple(map(Rule, rules)), (Concept(tuple(range(len(rules)))), Concept()))
    return RuleNetwork(COLUMNS, TESTS, (level,), ("yes", "no"), default="no")


@pytest.mark.parametrize(("to", "options"), ENGINES)
def test_exports_decide_as_the_network(to: str, options: dict[str, Any]) -> None:
    if to in needs and not shutil.which(needs[to]):
        pytest.skip(f"needs {needs[to]}")
    if to == "sql":
        pytest.importorskip("sqlglot")
    export(network_of(RULES), to, verify=True, **options)


def test_the_rows_to_try_exports_on_try_every_derived_column() -> None:
    rows = covering_rows(network_of(RULES), 300)
    assert set(rows[0]) == {column.name for column in OWN}
    for test in TESTS[1:]:
        derivation = next(column.derivation for column in COLUMNS if column.name == test.column)
        values = [derive(derivation, [row[name] for name in derivation.columns]) for row in rows]
        assert {holds(test, value) for value in values} == {False, True}, test


@pytest.mark.parametrize("to", [name for name, known in FORMATS.items() if not known.derives])
def test_formats_that_cannot_say_so(to: str) -> None:
    with pytest.raises(InputError, match=f"the export to {to} does not know columns that are worked out"):
        export(network_of([(Literal(1),)]), to)
