"""SQL: NULL, NaN and types as in Python, names that keep out of each other's way, views, reasons, probabilities."""

from __future__ import annotations

import datetime as dt
import math
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.export import export
from conceptrules.export.sql.literals import number_literal
from conceptrules.export.sql.readings import DIALECTS
from conceptrules.export.verify.comparison import compare
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import pack
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork, Statistics
from conceptrules.model.predicate import EPOCH, Column, Equals, Interval, Missing
from conceptrules.model.statistics import probabilities, with_statistics
from tests.export.test_laws import need

RUN = ("duckdb", "sqlite", "postgres")
duckdb = pytest.importorskip("duckdb")


def one_rule(column: Column, *literals: tuple[object, bool], **kwargs: object) -> RuleNetwork:
    """yes if all these predicates hold (True) or do not (False), else no."""
    rule = Rule([Literal(place, not holds) for place, (_, holds) in enumerate(literals)])
    level = Level([rule], [Concept([0]), Concept()])
    return RuleNetwork([column], [test for test, _ in literals], [level], ["yes", "no"], default="no", **kwargs)


def asked_duckdb(network: RuleNetwork, **columns: pa.Array) -> list[str]:
    """The predictions of DuckDB on a table of these columns."""
    with duckdb.connect() as connection:
        connection.register("data", pa.table(columns))
        query = export(network, "sql").rstrip().rstrip(";")  # Python needs a package of its own for zoned times
        return [label for (label,) in connection.execute(f"SELECT prediction FROM ({query})").fetchall()]


def asked_sqlite(network: RuleNetwork, declared: str, values: list[object]) -> list[str]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE data (c {declared})")
        connection.executemany("INSERT INTO data VALUES (?)", [(value,) for value in values])
        return [row[-1] for row in connection.execute(export(network, "sql", dialect="sqlite"))]


def asked_postgres(network: RuleNetwork, declared: str, values: list[object], zone: str = "UTC") -> list[str]:
    need("sql", dialect="postgres")
    import psycopg

    from conceptrules.export.verify.databases import postgres_server

    with psycopg.connect(host=postgres_server(), user="conceptrules", dbname="postgres") as connection:
        cursor = connection.cursor()
        cursor.execute(f"SET LOCAL TIME ZONE '{zone}'")
        cursor.execute(f'CREATE TABLE data ("c" {declared})')
        cursor.executemany("INSERT INTO data VALUES (%s)", [(value,) for value in values])
        found = [row[-1] for row in cursor.execute(export(network, "sql", dialect="postgres")).fetchall()]
        connection.rollback()
        return found


def said(network: RuleNetwork, values: list[object]) -> list[str]:
    """What Python says."""
    return network.predict(pa.table({"c": pa.array(values)})).tolist()


ABOVE = one_rule(Column("c"), (Interval("c", 0.1), True))
NOT_ABOVE = one_rule(Column("c"), (Interval("c", 0.1), False))
PRESENT = one_rule(Column("c"), (Interval("c"), True))
ABSENT = one_rule(Column("c"), (Missing("c"), True))


@pytest.mark.parametrize("network", [ABOVE, NOT_ABOVE, PRESENT, ABSENT])
def test_null_and_nan_are_missing(network):
    values = [0.1, math.nextafter(0.1, 1), math.nextafter(0.1, 0), -0.0, math.inf, -math.inf, math.nan, None]
    expected = said(network, values)
    assert asked_duckdb(network, c=pa.array(values, pa.float64(), from_pandas=False)) == expected
    assert asked_sqlite(network, "REAL", values) == expected
    assert asked_postgres(network, "DOUBLE PRECISION", values) == expected


@pytest.mark.parametrize("cut", [2.0**53, 2.0**53 + 2, 1e18])
def test_whole_numbers_are_rounded_to_float64_before_they_are_compared(cut):
    network = one_rule(Column("c"), (Interval("c", high=cut), True))
    values = [int(cut) + step for step in range(-130, 131)]
    expected = said(network, values)
    assert asked_duckdb(network, c=pa.array(values, pa.int64())) == expected
    assert asked_sqlite(network, "INTEGER", values) == expected
    assert asked_postgres(network, "BIGINT", values) == expected


def test_decimals_are_rounded_as_in_python():
    values = [Decimal(text) for text in ("0.1", "0.10000000000000001", "0.1000000000000001", "0.0999")]
    expected = said(ABOVE, values)
    assert asked_duckdb(ABOVE, c=pa.array(values, pa.decimal128(18, 17))) == expected
    assert asked_postgres(ABOVE, "NUMERIC", values) == expected


def test_text_is_not_taken_for_a_number():
    with pytest.raises(duckdb.Error, match="column c needs numbers, not VARCHAR"):
        asked_duckdb(ABOVE, c=pa.array(["12"]))
    need("sql", dialect="postgres")
    import psycopg

    with pytest.raises(psycopg.Error, match="column c needs numbers, not text"):
        asked_postgres(ABOVE, "TEXT", ["12"])
    with pytest.raises(sqlite3.OperationalError, match="column c needs numbers, not text"):
        asked_sqlite(ABSENT, "", ["12", 12])


def test_text_is_compared_byte_by_byte_whatever_the_collation():
    network = one_rule(Column("c", "category", ("Cook",)), (Equals("c", "Cook"), True))
    values = ["Cook", "cook", "Cook ", "COOK", "Co\u200dok", "", None]
    expected = said(network, values)
    assert expected.count("yes") == 1
    assert asked_sqlite(network, "TEXT COLLATE NOCASE", values) == expected
    assert asked_sqlite(network, "TEXT COLLATE RTRIM", values) == expected
    assert asked_postgres(network, "VARCHAR(20)", values) == expected
    assert asked_duckdb(network, c=pa.array(values).dictionary_encode()) == expected
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE data (c TEXT COLLATE NOCASE)")
        connection.executemany("INSERT INTO data VALUES (?)", [[value] for value in values])
        assert [row[-1] for row in connection.execute(export(network, "sql")).fetchall()] == expected


@pytest.mark.parametrize("category", [1, 1.0, 2**53 + 1, -(2**63), 2**63 - 1, 0.1, 10**30, 1e300])
def test_categories_that_are_numbers(category):
    network = one_rule(Column("c", "category", (category,)), (Equals("c", category), True))
    for dialect in RUN:
        need("sql", dialect=dialect)
        outcome = compare(network, "sql", export(network, "sql", dialect=dialect), dialect=dialect)
        assert not outcome.mismatches
    if isinstance(category, int) and category <= 2**63 - 3:
        values = [category, category + 1, category + 2]
        if abs(category) < 2**63:
            expected = said(network, values)
            assert expected == ["yes", "no", "no"]
            assert asked_duckdb(network, c=pa.array(values)) == expected
            assert asked_sqlite(network, "INTEGER", values) == expected
            assert asked_postgres(network, "BIGINT", values) == expected


BERLIN = dt.timezone(dt.timedelta(hours=2))


@pytest.mark.parametrize("kind", ["date", "datetime"])
def test_times_are_in_utc_whatever_the_session_thinks(kind):
    cut = (dt.datetime(2020, 6, 1, 12, 0, 0, 3) - EPOCH) / dt.timedelta(microseconds=1)
    network = one_rule(Column("c", kind), (Interval("c", high=cut), True))
    naive = [dt.datetime(2020, 6, 1, 12, 0, 0, step) for step in (2, 3, 4)] + [dt.datetime(1969, 1, 1), None]
    zoned = [None if value is None else value.replace(tzinfo=dt.UTC).astimezone(BERLIN) for value in naive]
    expected = said(network, naive)
    assert expected == ["yes", "yes", "no", "yes", "no"]
    assert asked_duckdb(network, c=pa.array(naive, pa.timestamp("us"))) == expected
    assert asked_duckdb(network, c=pa.array(zoned, pa.timestamp("us", "Asia/Tokyo"))) == expected
    assert asked_postgres(network, "TIMESTAMP", naive, zone="Asia/Tokyo") == expected
    assert asked_postgres(network, "TIMESTAMPTZ", zoned, zone="Asia/Tokyo") == expected
    texts = [None if value is None else value.isoformat(" ") for value in naive]
    assert asked_sqlite(network, "TEXT", texts) == expected
    assert asked_sqlite(network, "TEXT", [text and text.replace(" ", "T") for text in texts]) == expected
    days = [dt.date(2020, 5, 31), dt.date(2020, 6, 2), None]
    assert asked_duckdb(network, c=pa.array(days)) == said(network, days)
    assert asked_postgres(network, "DATE", days, zone="Asia/Tokyo") == said(network, days)
    assert asked_sqlite(network, "TEXT", [day and day.isoformat() for day in days]) == said(network, days)


def test_durations():
    network = one_rule(Column("c", "duration"), (Interval("c", high=86_400e6), True))
    values = [dt.timedelta(days=1), dt.timedelta(days=1, microseconds=1), dt.timedelta(days=-1), None]
    expected = said(network, values)
    assert asked_duckdb(network, c=pa.array(values, pa.duration("us"))) == expected
    assert asked_postgres(network, "INTERVAL", values) == expected
    assert (
        asked_sqlite(network, "REAL", [value and value / dt.timedelta(microseconds=1) for value in values]) == expected
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_is_written_exactly(value):
    with closing(sqlite3.connect(":memory:")) as connection:
        text = number_literal(value, "sqlite").sql("sqlite")
        assert connection.execute(f"SELECT {text}").fetchone()[0] == value
    text = number_literal(value, "duckdb").sql("duckdb")
    assert duckdb.execute(f"SELECT {text}").fetchall()[0][0] == value


def measured() -> RuleNetwork:
    columns = [Column("age"), Column("id", "category", ("a", "b"))]
    predicates = [Interval("age", high=30), Interval("age", 30, 50), Equals("id", "a")]
    rules = [Rule([Literal(0)]), Rule([Literal(1)]), Rule([Literal(2)])]
    level = Level(rules, [Concept([0]), Concept([1, 2]), Concept()])
    network = RuleNetwork(columns, predicates, [level], ["x", "y", "z"], ["y", "x", "z"], "z")
    bits = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    return with_statistics(network, pack(bits), np.array([0, 1, 1, 0, 2, 0]))


@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize("view", [None, "v", "s.v"])
def test_probabilities_and_reasons(dialect, view):
    need("sql", dialect=dialect)
    options = {"dialect": dialect, "reasons": True, "probabilities": True, "view": view}
    options |= {"table": "s.t" if view == "s.v" else "t", "keep": ["other"], "prefix": "q_"}
    network = measured()
    outcome = compare(network, "sql", export(network, "sql", **options), **options)
    assert outcome.rows > 20
    assert outcome.mismatches == ()


def test_probabilities_of_patterns_never_seen_are_the_shares_of_the_classes():
    network = replace(measured(), statistics=replace(measured().statistics, patterns=()))
    stated = probabilities(network, np.array([[True, True, False], [False, False, False]]))
    np.testing.assert_array_equal(stated[0], stated[1])  # the shares of the classes, whichever wins
    outcome = compare(network, "sql", export(network, "sql", probabilities=True), probabilities=True)
    assert outcome.mismatches == ()


@pytest.mark.parametrize(
    "classes", [("a", "b"), (1, 2), (True, False), (0.5, 1.5), ("1", 2), (math.inf, 1.0), (10**30, 1), (-3, 2**62)]
)
@pytest.mark.parametrize("dialect", RUN)
def test_labels_of_all_types(classes, dialect):
    need("sql", dialect=dialect)
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    network = RuleNetwork([Column("c")], [Interval("c", 1)], [level], classes, default=classes[1])
    outcome = compare(network, "sql", export(network, "sql", dialect=dialect), dialect=dialect)
    assert outcome.mismatches == ()


def test_labels_that_read_the_same_are_refused():
    level = Level([], [Concept(), Concept()])
    with pytest.raises(InputError, match="some classes read the same as text: '1', 1"):
        export(RuleNetwork([Column("c")], [], [level], ["1", 1]), "sql")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("view", [None, "scores"])
def test_every_dialect_reads_its_text_again(dialect, view):
    options = {"reasons": True, "probabilities": True, "view": view, "keep": ["id number"]}
    text = export(measured(), "sql", dialect=dialect, **options)
    (statement,) = sqlglot.parse(text, dialect=dialect)
    assert statement.sql(dialect=dialect) == sqlglot.parse_one(statement.sql(dialect=dialect), dialect=dialect).sql(
        dialect
    )


@pytest.mark.parametrize("dialect", RUN)
def test_our_names_keep_out_of_the_way_of_the_table(dialect):
    need("sql", dialect=dialect)
    names = (
        "x1",
        "p1",
        "r1_1",
        "c1_1",
        "inputs",
        "predicates",
        "source",
        "rules_1",
        "_x1",
        "types",
        "t1",
        "x1_2",
        "rows",
    )
    columns = [Column(name) for name in names]
    level = Level([Rule([Literal(place)]) for place in range(len(names))], [Concept(range(len(names))), Concept()])
    network = RuleNetwork(columns, [Interval(name, 0) for name in names], [level], ["a", "b"], default="b")
    options = {"dialect": dialect, "table": "concepts_1"}
    assert compare(network, "sql", export(network, "sql", **options), limit=500, **options).mismatches == ()


def test_many_rules_are_not_too_deep_for_sqlite():
    """SQLite takes expressions that are 1,000 deep; with a limit of 100, fewer rules tell as much."""
    count = 120
    predicates = [Interval("c", high=cut) for cut in range(count)]
    level = Level([Rule([Literal(place)]) for place in range(count)], [Concept(range(count)), Concept()])
    network = RuleNetwork([Column("c")], predicates, [level], ["a", "b"], default="b")
    plain, reasons = (export(network, "sql", dialect="sqlite", reasons=one) for one in (False, True))
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100)
        with pytest.raises(sqlite3.OperationalError, match="too large"):
            connection.execute("SELECT " + " OR ".join(["1"] * count))
        connection.execute("CREATE TABLE data (c REAL)")
        connection.executemany("INSERT INTO data VALUES (?)", [(5.0,), (1e9,), (118.5,)])
        assert [row[-1] for row in connection.execute(plain)] == ["a", "b", "a"]
        assert [row[-3:] for row in connection.execute(reasons)][2] == ("1.120", "c <= 119", "b if it did not hold")


def test_sqlite_says_that_a_column_is_missing():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE data (other)")
        with pytest.raises(sqlite3.OperationalError, match="no such column"):
            connection.execute(export(ABOVE, "sql", dialect="sqlite"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dialect": "oracle"}, "there is no dialect 'oracle'; there are bigquery, duckdb"),
        ({"table": ""}, "should read table, schema.table or catalog.schema.table"),
        ({"table": "a.b.c.d"}, "should read table"),
        ({"view": "a..b"}, "should read table"),
        ({"columns": {"agee": "x"}}, "has no column 'agee' to give another name; did you mean 'age'?"),
        ({"columns": {"age": "id"}}, "'id' and 'id' are one name"),
        ({"columns": {"age": "prediction"}}, "has a column 'prediction' already; give the added ones a prefix"),
        ({"keep": ["Rules"], "reasons": True}, "has a column 'rules' already"),
        ({"keep": ["a\0b"]}, "cannot be a name"),
        ({"prefix": "a b"}, "needs to be a word"),
        ({"nonsense": 1}, "the export to sql has no option 'nonsense'; it has dialect"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InputError) as error:
        export(measured(), "sql", **options)
    assert message in str(error.value)


def test_probabilities_need_statistics():
    with pytest.raises(InputError, match="no statistics of training rows"):
        export(ABOVE, "sql", probabilities=True)


def test_a_network_without_columns_has_no_table():
    with pytest.raises(InputError, match="has no columns"):
        export(RuleNetwork([], [], [Level([], [Concept()])], ["a"]), "sql")


def test_without_sqlglot_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(InputError, match=r"pip install 'conceptrules\[sql\]'"):
        export(ABOVE, "sql")


@pytest.mark.parametrize(
    ("classes", "names"),
    [
        (["bad", "good loan"], ["probability_bad", "probability_good loan"]),
        ([7, 3], ["probability_7", "probability_3"]),
        (["a", "A"], ["probability_1", "probability_2"]),
        (["a/b", "c"], ["probability_1", "probability_2"]),
        (["x" * 60, "y"], ["probability_1", "probability_2"]),
    ],
)
def test_columns_of_probabilities_have_the_names_of_the_classes_where_they_can(classes, names):
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    counts = Statistics((3, 2), (((3, 0),),), (((True, False), (3, 0)), ((False, False), (0, 2))))
    network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], classes, statistics=counts)
    outcome = compare(network, "sql", export(network, "sql", probabilities=True), probabilities=True)
    assert outcome.mismatches == ()
    engine = duckdb.connect()
    engine.execute('CREATE TABLE "rows" AS SELECT 50.0::DOUBLE AS age')
    shown = engine.sql(export(network, "sql", dialect="duckdb", table="rows", probabilities=True))
    assert shown.columns[-2:] == names
