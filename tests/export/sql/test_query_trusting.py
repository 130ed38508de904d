"""SQL that trusts the types of the table: short, readable, and the same decisions where the types are right."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.export import export
from conceptrules.export.sql.trusting import TRUSTING_DIALECTS
from conceptrules.logic.probe_rows import covering_rows
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import pack
from conceptrules.model.heads import Points
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf
from conceptrules.model.statistics import with_statistics
from tests.strategies import flag_networks

DAY = 86_400e6
COLUMNS = (
    Column("age", missing=True),
    Column("job", "category", ("cook", "it's", "nurse"), True),
    Column("born", "date"),
    Column("idle"),
)
PREDICATES = (
    Interval("age", 27),
    Interval("age", high=41.5),
    Equals("job", "it's"),
    OneOf("job", ("cook", "nurse")),
    Missing("age"),
    Interval("born", 18_000 * DAY),
)
RULES = [
    Rule([Literal(0), Literal(1)]),
    Rule([Literal(2, True), Literal(5)]),
    Rule([Literal(3), Literal(4, True)]),
    Rule([Literal(4)]),
]
NETWORK = RuleNetwork(
    COLUMNS, PREDICATES, [Level(RULES, [Concept([0, 3]), Concept([1, 2]), Concept()])], ["a", "b", "c"], default="c"
)
TWO = RuleNetwork(
    COLUMNS,
    PREDICATES,
    [
        Level(RULES, [Concept([0]), Concept([1, 2])]),
        Level([Rule([Literal(0), Literal(1, True)]), Rule([Literal(1)])], [Concept([0]), Concept([1])]),
    ],
    [1, 0],
)
DAYS = (dt.date(2019, 4, 14), dt.date(2019, 4, 15))
ROWS = [
    {"age": age, "job": job, "born": born, "idle": 0.0}
    for age in (None, 27.0, 30.0, 41.5, 42.0)
    for job in (None, "cook", "it's", "smith")
    for born in DAYS
]


@pytest.mark.parametrize("network", [NETWORK, TWO])
def test_it_decides_as_the_network_does(network):
    text = export(network, "sql", trust_types=True)
    data = pa.Table.from_pylist(ROWS)  # noqa: F841  # DuckDB finds it by its name
    with duckdb.connect() as connection:  # one that no other test has left a result in
        found = connection.sql(text).fetchall()
    assert [row[-1] for row in found] == network.predict(ROWS).tolist()


@pytest.mark.parametrize("to", ["sql", "dbt"])
@pytest.mark.parametrize("network", [NETWORK, TWO])
def test_it_states_the_probabilities_of_rules_under_the_names_of_the_classes(network, to):
    generator = np.random.default_rng(0)
    bits, y = generator.random((60, len(PREDICATES))) < 0.5, generator.integers(len(network.classes), size=60)
    measured = with_statistics(network, pack(bits), y)
    text = export(measured, to, probabilities=True, prefix="out_", **({"trust_types": True} if to == "sql" else {}))
    text = text.partition("\n\n")[2].replace("{{ ref('data') }}", "data") if to == "dbt" else text
    with duckdb.connect() as connection:
        connection.register("data", pa.Table.from_pylist(ROWS))
        found = connection.sql(text)
        assert found.columns[3:] == ["out_prediction", *(f"out_probability_{label}" for label in network.classes)]
        answers = found.fetchall()
    assert [row[3] for row in answers] == measured.predict(ROWS).tolist()
    assert [list(row[4:]) for row in answers] == measured.predict_proba(ROWS).tolist()


POINTS = Points([[3], [-2], [5], [0]], [1], cutoff=4, probabilities=[(0, 0.1), (4, 0.4), (6, 0.9)])
SEVERAL = Points([[3, 0, 1], [0, 4, -1], [0, 0, 5], [2, 0, 0]], [0, 0, 1], unit=0.3, offsets=[0, 1, 0])


@pytest.mark.parametrize("to", ["sql", "dbt"])
@pytest.mark.parametrize(("classes", "head"), [((1, 0), POINTS), ("abc", SEVERAL)])
def test_it_has_the_scores_the_classes_and_the_probabilities_of_a_scorecard(classes, head, to):
    deep = Level([Rule([Literal(0), Literal(1, True)]), *[Rule([Literal(1)])] * 3], ())
    for levels in ([Level(RULES, ())], [Level(RULES, [Concept([0]), Concept([1, 2])]), deep]):
        card = RuleNetwork(COLUMNS, PREDICATES, levels, classes, head=head)
        options = {"trust_types": True} if to == "sql" else {}
        text = export(card, to, probabilities=True, prefix="out_", **options)
        text = text.partition("\n\n")[2].replace("{{ ref('data') }}", "data") if to == "dbt" else text
        data = pa.Table.from_pylist(ROWS)  # noqa: F841  # DuckDB finds it by its name
        with duckdb.connect() as connection:
            found = connection.sql(text).fetchall()
        answer = 3 + head.outputs
        scores = np.array([row[3:answer] for row in found]).squeeze()
        np.testing.assert_array_equal(scores, card.scores(ROWS))
        assert [row[answer] for row in found] == card.predict(ROWS).tolist()
        stated = np.array([row[answer + 1 :] for row in found], dtype=float)
        np.testing.assert_allclose(stated, card.predict_proba(ROWS), rtol=1e-12 if head.outputs > 1 else 0)


def test_scores_have_the_names_that_predictions_have_or_numbers():
    for classes, names in (("abc", ["a", "b", "c"]), (("a", "A", "b"), ["1", "2", "3"])):
        card = RuleNetwork(COLUMNS, PREDICATES, [Level(RULES, ())], classes, head=SEVERAL)
        for options in ({"trust_types": True}, {}):
            text = export(card, "sql", probabilities=True, **options)
            (select,) = sqlglot.parse(text, dialect="duckdb")
            added = [f"{word}_{name}" for word in ("score", "probability") for name in names]
            assert set(added) < set(select.named_selects)
            assert f"score_{names[0]} is of a, " in text


def test_a_scorecard_reads_as_a_case_for_each_rule_and_a_sum():
    card = RuleNetwork(COLUMNS, PREDICATES, [Level(RULES, ())], (1, 0), head=POINTS)
    text = export(card, "sql", trust_types=True)
    assert 'CASE WHEN "age" > 27 AND "age" <= 41.5 THEN 1 ELSE 0 END AS r1' in text
    assert "1 + 3 * r1 + -2 * r2 + 5 * r3 AS score" in text
    assert "CASE WHEN score >= 4 THEN 0 ELSE 1 END AS prediction" in text


def test_tables_and_columns_may_be_called_as_its_own_are():
    columns = [Column("r1"), Column("best")]
    tests = [Interval("r1", 0), Interval("best", 0)]
    level = Level([Rule([Literal(0)]), Rule([Literal(1)])], ())
    card = RuleNetwork(columns, tests, [level], "abc", head=Points([[1, 0, 2], [0, 3, 0]], [0] * 3, offsets=[0] * 3))
    fires = pa.Table.from_pylist([{"r1": x, "best": y} for x in (-1, 1) for y in (-1, 1)])
    text = export(card, "sql", trust_types=True, probabilities=True, table="fires")
    with duckdb.connect() as connection:
        found = connection.sql(text).fetchall()
    assert [row[5] for row in found] == card.predict(fires).tolist() == ["a", "b", "c", "b"]


def test_it_is_short_and_shows_only_the_columns_in_use():
    text = export(NETWORK, "sql", trust_types=True)
    assert len(text.splitlines()) < 40
    assert "idle" not in text
    assert "TRY_CAST" not in text
    assert '"age" > 27 AND "age" <= 41.5' in text


@given(flag_networks(), st.booleans())
def test_flags_are_decided_the_same_with_the_same_probabilities(network, seen):
    if not seen:
        network = replace(network, statistics=replace(network.statistics, patterns=()))
    rows = [*covering_rows(network), dict.fromkeys(("x0", "x1", "x2"))]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE data (x0, x1, x2)")
        database.executemany("INSERT INTO data VALUES (:x0, :x1, :x2)", rows)
        options = {"dialect": "sqlite", "trust_types": True}
        found = database.execute(export(network, "sql", **options)).fetchall()
        stated = database.execute(export(network, "sql", probabilities=True, **options)).fetchall()
    assert [row[-1] for row in found] == [row[-4] for row in stated] == network.predict(rows).tolist()
    assert [list(row[-3:]) for row in stated] == network.predict_proba(rows).tolist()


@pytest.mark.parametrize("dialect", TRUSTING_DIALECTS)
@pytest.mark.parametrize("network", [NETWORK, TWO])
def test_every_dialect_can_be_read_again(network, dialect):
    """ClickHouse and Oracle are not run here: sqlglot's parser is all that looks at their text."""
    text = export(network, "sql", dialect=dialect, trust_types=True, view="answers", table="db.people", keep=["id"])
    (statement,) = sqlglot.parse(text, dialect=dialect)
    assert statement.find(sqlglot.exp.Case) is not None


def odd_text(category: str) -> RuleNetwork:
    columns, level = [Column("c", "category", (category, "a"))], Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    return RuleNetwork(columns, [Equals("c", category)], [level], ["yes", "no"], default="no")


def test_ends_of_lines_in_a_category_pass_through_dbt(tmp_path):
    """It reads the file as text, in which every end of a line is one, and Jinja does the same once more."""
    jinja = pytest.importorskip("jinja2")
    for category in ("a\r\nb", "a\rb", "a\nb", "{{ a\r\n}}"):
        (tmp_path / "model.sql").write_text(export(odd_text(category), "dbt"), encoding="utf-8")
        text = (tmp_path / "model.sql").read_text(encoding="utf-8")
        query = jinja.Template(text).render(config=lambda **_: "", ref=lambda name: name)
        with closing(duckdb.connect()) as connection:
            connection.register("data", pa.table({"c": [category, "a\nb" if "\r" in category else "a b"]}))
            assert [row[-1] for row in connection.execute(query).fetchall()] == ["yes", "no"]


def test_a_category_with_nul_in_the_short_form():
    network, values = odd_text("a\0b"), ["a\0b", "a", "ab", "a\0c", None]
    expected = network.predict([{"c": value} for value in values]).tolist()
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE data (c TEXT)")
        connection.executemany("INSERT INTO data VALUES (?)", [(value,) for value in values])
        query = export(network, "sql", dialect="sqlite", trust_types=True)
        assert [row[-1] for row in connection.execute(query)] == expected
    with closing(duckdb.connect()) as connection:
        connection.register("data", pa.table({"c": values}))
        query = export(network, "sql", dialect="duckdb", trust_types=True)
        assert [row[-1] for row in connection.execute(query).fetchall()] == expected
    with pytest.raises(InputError, match="cannot be written in the SQL of postgres: it has no NUL"):
        export(network, "sql", dialect="postgres", trust_types=True)


def test_a_model_of_dbt_takes_its_rows_from_another_model():
    text = export(NETWORK, "dbt", table="people", columns={"age": "{{ years }}"}, keep=["id"])
    assert text.startswith("{{ config(materialized='view') }}\n\n-- ")
    assert text.endswith("FROM {{ ref('people') }}\n")
    assert "{{ '{{' }} years }}" in text
    jinja = pytest.importorskip("jinja2")
    plain = jinja.Template(text).render(config=lambda **_: "", ref=lambda name: f'"{name}"')
    assert sqlglot.parse_one(plain, dialect="duckdb").find(sqlglot.exp.Case) is not None
    with pytest.raises(InputError, match="cannot be the name of a model of dbt"):
        export(NETWORK, "dbt", table="a b")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dialect": "oracel"}, "there is no dialect 'oracel'; did you mean 'oracle'?"),
        ({"columns": {"ages": "x"}}, "the network has no column 'ages'"),
        ({"reasons": True}, "takes types for granted and gives no reasons; leave reasons and types out"),
        ({"probabilities": True}, "this network has no statistics of training rows"),
        ({"keep": ["prediction"]}, "the table has a column .prediction. already"),
    ],
)
def test_what_it_cannot_write_is_told(options, message):
    with pytest.raises(InputError, match=message):
        export(NETWORK, "sql", trust_types=True, **options)


def test_durations_are_refused():
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    network = RuleNetwork([Column("wait", "duration")], [Interval("wait", 5)], [level], ["a", "b"])
    with pytest.raises(InputError, match="column 'wait' is a duration"):
        export(network, "sql", trust_types=True)
