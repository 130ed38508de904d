"""Exports work derived columns out as the model does, on rows that try all of them."""

from __future__ import annotations

import datetime as dt
import math
import shutil
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.export import FORMATS, export
from conceptrules.export.verify.comparison import verify
from conceptrules.logic.column_cells import raw_value
from conceptrules.logic.probe_rows import covering_rows
from conceptrules.model import Column, Concept, InputError, Interval, Level, Literal, Points, Rule, RuleNetwork
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
SHORT_RULES = [
    (Literal(1), Literal(9)),
    (Literal(2, True), Literal(4)),
    (Literal(3), Literal(10), Literal(11)),
    (Literal(5), Literal(7, True)),
    (Literal(8), Literal(4, True), Literal(12)),
]
ALONE = [Literal(1), Literal(2, True), Literal(3), Literal(4), Literal(6), Literal(7), Literal(8)]
AMOUNTS = (3, -2, 1, 4, -1, 5, -6, 2, 7, -3, -4, 9)
HEADS = [
    (("yes", "no"), Points([[each] for each in AMOUNTS], [-1], cutoff=1, probabilities=[(-4, 0.2), (1, 0.8)])),
    (("a", "b", "c"), Points([[each, -each, 1] for each in AMOUNTS], [0, 1, 0], unit=0.25, offsets=[0, 1, 0])),
    ((), Points([[each] for each in AMOUNTS], [7], step=0.5)),
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


NUMBERS = st.none() | st.sampled_from([0.0, -0.0, 1.0, math.inf, -math.inf, math.nan, 5e-324, 1.8e308]) | st.floats()
CHARACTERS = st.sampled_from("notgdrefuNEVR .,-_'\"\t\n09\x7f\x80é❤\ufe0f😀\u200d") | st.characters(codec="utf-8")
WORDS = st.sampled_from(["refund", "not good", "never", "❤️", "reFUND", "not  good", "renever", "never9"])
ROW = st.fixed_dictionaries(
    {
        **dict.fromkeys(("debt", "net income"), NUMBERS),
        **dict.fromkeys(("start", "end"), st.none() | st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1))),
        "note": st.none() | st.lists(WORDS | st.text(CHARACTERS, max_size=3), max_size=5).map("".join),
    }
)


@pytest.mark.parametrize(("to", "options"), ENGINES)
@settings(max_examples=5)
@given(st.lists(ROW, min_size=40, max_size=200))
def test_any_text_and_any_number_is_read_alike(to: str, options: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    if to in needs and not shutil.which(needs[to]):
        pytest.skip(f"needs {needs[to]}")
    if to == "sql":
        pytest.importorskip("sqlglot")
    network = network_of(RULES)
    assert verify(network, to, export(network, to, **options), data=rows, limit=50, **options).rows > 40


def test_the_rows_to_try_exports_on_try_every_derived_column() -> None:
    rows = covering_rows(network_of(RULES), 300)
    assert set(rows[0]) == {column.name for column in OWN}
    for test in TESTS[1:]:
        derivation = next(column.derivation for column in COLUMNS if column.name == test.column)
        values = [derive(derivation, [row[name] for name in derivation.columns]) for row in rows]
        assert {holds(test, value) for value in values} == {False, True}, test


RELATION_RULES = [
    (Literal(0), Literal(2)),
    (Literal(1),),
    (Literal(3, True), Literal(4), Literal(6)),
    (Literal(5), Literal(7)),
    (Literal(8), Literal(0, True)),
]


@pytest.mark.parametrize("to", [name for name, known in FORMATS.items() if not known.reads_texts])
def test_formats_that_know_relations_only(to: str) -> None:
    pytest.importorskip("onnxruntime" if to == "onnx" else "jpmml_evaluator")
    relations = network_of(RELATION_RULES)
    export(relations, to, verify=True)
    level = Level((*relations.levels[0].rules, *(Rule((literal,)) for literal in ALONE)), ())
    for classes, head in HEADS:
        card = RuleNetwork(COLUMNS, TESTS, (level,), classes, head=head)
        assert verify(card, to, export(card, to), limit=1000).skipped is None
    with pytest.raises(InputError, match=f"the export to {to} cannot work out what the text in column 'note' says"):
        export(network_of(RULES), to)


@pytest.mark.parametrize("dialect", ["bigquery", "mysql", "snowflake", "spark", "tsql"])
def test_sql_that_is_not_run_here_reads_back(dialect: str) -> None:
    pytest.importorskip("sqlglot")
    text = export(network_of(RELATION_RULES), "sql", dialect=dialect)
    assert "debt" in text
    with pytest.raises(InputError, match=f"the SQL of {dialect} cannot work out what the text in column 'note' says"):
        export(network_of(RULES), "sql", dialect=dialect)


@pytest.mark.parametrize("to", ["sql", "dbt"])
def test_the_short_form_works_columns_out(to: str) -> None:
    pytest.importorskip("sqlglot")
    duckdb = pytest.importorskip("duckdb")
    network = network_of(SHORT_RULES)
    rows = [row for row in covering_rows(network, 1000) if all(is_usual(row[name]) for name in ("debt", "net income"))]
    moments = {name: [raw_value(Column(name, "date"), row[name]) for row in rows] for name in ("start", "end")}
    table = pa.table({name: pa.array([row[name] for row in rows]) for name in ("debt", "net income", "note")} | moments)
    text = export(network, to, **({"trust_types": True} if to == "sql" else {}))
    text = text.replace("{{ config(materialized='view') }}", "").replace("{{ ref('data') }}", "data")
    with duckdb.connect() as database:
        database.register("data", table)
        answers = [answer for *_, answer in database.execute(text).fetchall()]
    assert answers == network.predict(table).tolist()
    assert set(answers) == {"yes", "no"}


def is_usual(value: float | None) -> bool:
    """Return whether the short form reads a number as Python does: there are no infinities in most tables."""
    return value is None or math.isfinite(value)


def test_the_short_form_says_what_it_cannot_write() -> None:
    pytest.importorskip("sqlglot")
    with pytest.raises(InputError, match="the short form of the SQL of sqlite cannot work out what the text"):
        export(network_of(SHORT_RULES), "sql", dialect="sqlite", trust_types=True)
    with pytest.raises(InputError, match="is a duration, which this form of SQL does not write"):
        export(network_of(RELATION_RULES), "sql", trust_types=True)
