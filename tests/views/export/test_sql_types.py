"""Every kind of column read from every type of value: SQL answers as Python does, and refuses what Python refuses."""

from __future__ import annotations

import datetime as dt
import math
import sqlite3
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from conceptrules.rules.errors import ConceptRulesError, InputError
from conceptrules.rules.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.rules.predicate import EPOCH, Column, Equals, Interval, Missing, Predicate
from conceptrules.views.export import export
from conceptrules.views.export.layout import rule_ids
from conceptrules.views.export.trial import table_trial
from conceptrules.views.export.verify import compare
from tests.views.export.test_laws import need

duckdb = pytest.importorskip("duckdb")
REFUSED = "refused"
DAY = 86_400e6
WIDE = 2**53 + 1


def network_of(column: Column, *predicates: Predicate) -> RuleNetwork:
    """A rule for each predicate, so that the fired rules tell what holds; one more for a missing value."""
    tests = [*predicates, Missing("c")]
    level = Level([Rule([Literal(place)]) for place in range(len(tests))], [Concept(range(len(tests))), Concept()])
    return RuleNetwork([column], tests, [level], ["yes", "no"], default="no")


def equals(*values: Any) -> RuleNetwork:
    return network_of(Column("c", "category", values), *(Equals("c", value) for value in values))


COLUMNS = {
    "number": network_of(Column("c"), Interval("c", 0, 1), Interval("c", high=0.5), Interval("c", 1)),
    "boolean": network_of(Column("c", "boolean"), Equals("c", True), Equals("c", False)),
    "text": equals("1", "true", "1.0", "True", "abc", "2020-01-01"),
    "figures": equals(1, 2.5, 0),
    "flags": equals(True, False),
    "wide": equals(WIDE, 1, 2**53 + 3),
    "wide floats": equals(2.0**53, 0.5, 2.0**63),
    "date": network_of(Column("c", "date"), Interval("c", high=0), Interval("c", 18262.4 * DAY)),
    "datetime": network_of(Column("c", "datetime"), Interval("c", high=0), Interval("c", 18262.4 * DAY)),
    "duration": network_of(Column("c", "duration"), Interval("c", high=DAY), Interval("c", 0)),
}
TIMES = [dt.datetime(2020, 1, 1, 12), dt.datetime(1969, 1, 1), None]
VALUES: dict[str, pa.Array] = {
    "boolean": pa.array([True, False, None]),
    "bits": pa.array([1, 0, None]),
    # Without a gap: pyarrow gives doubles for whole numbers with gaps.
    "whole": pa.array([1, 0, 2, -1, 2**53, WIDE, WIDE + 1, 2**63 - 1]),
    "float": pa.array([1.0, 0.0, 2.5, -0.0, math.inf, -math.inf, math.nan, 2.0**53, 2.0**53 + 4, 2.0**63, None]),
    "single": pa.array([1.0, 0.1, 2.5, math.nan, None], pa.float32()),
    "decimal": pa.array([Decimal("1.00"), Decimal("2.50"), None]),
    "number text": pa.array(["1", "0", "1.0", None]),
    "other text": pa.array(["abc", "true", "", "nan", None]),
    "date": pa.array([dt.date(2020, 1, 1), dt.date(1960, 1, 1), None]),
    "datetime": pa.array(TIMES, pa.timestamp("us")),
    "zoned": pa.array(TIMES, pa.timestamp("us", "Asia/Tokyo")),
    "duration": pa.array([dt.timedelta(days=1), dt.timedelta(days=-2), dt.timedelta(days=9), None], pa.duration("us")),
    "time": pa.array([dt.time(12), None], pa.time64("us")),
    "bytes": pa.array([b"1", None]),
}
STORED = {
    "boolean": "boolean",
    **dict.fromkeys(("bits", "whole", "float", "single", "decimal"), "number"),
    **dict.fromkeys(("number text", "other text"), "text"),
    **dict.fromkeys(("datetime", "zoned"), "datetime"),
}
DECLARED = {
    "boolean": "BOOLEAN",
    "bits": "SMALLINT",
    "whole": "BIGINT",
    "float": "DOUBLE PRECISION",
    "single": "REAL",
    "decimal": "NUMERIC",
    "number text": "TEXT",
    "other text": "VARCHAR(9)",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "zoned": "TIMESTAMPTZ",
    "duration": "INTERVAL",
    "time": "TIME",
    "bytes": "BYTEA",
}
PAIRS = [(column, values) for column in COLUMNS for values in VALUES]


def in_python(network: RuleNetwork, values: pa.Array) -> list[str] | str:
    """The fired rules of each row."""
    try:
        fired = table_trial(network, pa.table({"c": values})).expected.rules
    except ConceptRulesError:
        return REFUSED
    ids = rule_ids(network)
    return [" ".join(name for name, held in zip(ids, row, strict=True) if held) for row in fired]


def in_duckdb(network: RuleNetwork, values: pa.Array, **options: Any) -> list[str] | str:
    with duckdb.connect() as connection:
        connection.register("data", pa.table({"c": values}))
        try:
            query = export(network, "sql", reasons=True, **options).rstrip().rstrip(";")
            return [row[0] for row in connection.execute(f"SELECT rules FROM ({query})").fetchall()]
        except (InputError, duckdb.Error):
            return REFUSED


def in_postgres(network: RuleNetwork, declared: str, values: Sequence[Any], **options: Any) -> list[str] | str:
    import psycopg

    from conceptrules.views.export.engines.postgres import server

    with psycopg.connect(host=server(), user="conceptrules", dbname="postgres") as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TYPE mood AS ENUM ('abc', 'true')")
        cursor.execute(f'CREATE TABLE data ("c" {declared})')
        cursor.executemany("INSERT INTO data VALUES (%s)", [(value,) for value in values])
        try:
            query = export(network, "sql", dialect="postgres", reasons=True, **options)
            return [row[-1] for row in cursor.execute(query).fetchall()]
        except (InputError, psycopg.Error):
            return REFUSED
        finally:
            connection.rollback()


def in_sqlite(network: RuleNetwork, values: Sequence[Any], declared: str = "") -> list[str] | str:
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE data (c {declared})")
        connection.executemany("INSERT INTO data VALUES (?)", [(value,) for value in values])
        try:
            return [row[-1] for row in connection.execute(export(network, "sql", dialect="sqlite", reasons=True))]
        except sqlite3.OperationalError as error:
            if "column c needs" not in str(error):
                raise
            return REFUSED


@pytest.mark.parametrize(("column", "values"), PAIRS)
def test_duckdb_reads_and_refuses_as_python_does(column, values):
    network = COLUMNS[column]
    expected = in_python(network, VALUES[values])
    assert in_duckdb(network, VALUES[values]) == expected
    if values in STORED or values in ("date", "duration"):
        assert in_duckdb(network, VALUES[values], types={"c": STORED.get(values, values)}) == expected


# What PostgreSQL has no operator for, unless it is told what the column is.
TOLD = {(column, "boolean") for column in ("number", "figures", "wide", "wide floats")}
TOLD |= {("flags", values) for values in ("bits", "whole", "float", "single", "decimal")}


@pytest.mark.parametrize(("column", "values"), PAIRS)
def test_postgres_reads_and_refuses_as_python_does(column, values):
    need("sql", dialect="postgres")
    network, rows = COLUMNS[column], VALUES[values].to_pylist()
    expected = in_python(network, VALUES[values])
    found = in_postgres(network, DECLARED[values], rows)
    assert found == (REFUSED if (column, values) in TOLD else expected)
    if values in STORED or values in ("date", "duration"):
        types = {"c": STORED.get(values, values)}
        assert in_postgres(network, DECLARED[values], rows, types=types) == expected


# What SQLite keeps, and what Python gets from there. It has no true and false, no times and no NaN.
KEPT: dict[str, list[Any]] = {
    "bits": [1, 0, None],
    "whole": VALUES["whole"].to_pylist(),
    "float": [1.0, 0.0, 2.5, math.inf, -math.inf, 2.0**53, 2.0**53 + 4, 2.0**63, None],
    "number text": ["1", "0", "1.0", None],
    "other text": ["abc", "true", "", "nan", None],
    "one text": [None, "abc"],
    "bytes": [b"1", None],
    "nothing": [None, None],
}


@pytest.mark.parametrize("values", KEPT)
@pytest.mark.parametrize(
    "column", [name for name in COLUMNS if name not in ("boolean", "date", "datetime", "duration")]
)
def test_sqlite_reads_and_refuses_as_python_does(column, values):
    assert in_sqlite(COLUMNS[column], KEPT[values]) == in_python(COLUMNS[column], pa.array(KEPT[values]))


def test_sqlite_has_true_and_false_as_1_and_0():
    network = COLUMNS["boolean"]
    assert in_sqlite(network, [True, False, 1, 0, None]) == in_python(
        network, pa.array([True, False, True, False, None])
    )
    for wrong in (2, 1.0, "1", "true", b"1"):
        assert in_sqlite(network, [True, wrong]) == REFUSED


@pytest.mark.parametrize("column", ["date", "datetime"])
def test_sqlite_has_times_as_text_or_microseconds(column):
    network = COLUMNS[column]
    expected = in_python(network, pa.array(TIMES, pa.timestamp("us")))
    numbers = [None if value is None else (value - EPOCH) / dt.timedelta(microseconds=1) for value in TIMES]
    assert in_sqlite(network, numbers) == expected
    for separator in " T":
        assert in_sqlite(network, [value and value.isoformat(separator) for value in TIMES]) == expected
    wrong = ["yesterday", "now", "12:00", "2459000.5", "", "2020-02-30", "2020-13-01", "2020-01-01 00:00:00+02:00"]
    wrong += ["2020-01-01 00:00:00.5-05:00", "2020-01-01 00:00:00Z", "2020-01-01 00:00Z", "2020-01-01 00:00:00.5.5"]
    wrong += ["2020-01-01 00:00:005", "2020-01-01 24:00:00", "1/2/2020", b"2020-01-01"]
    for text in wrong:
        assert in_sqlite(network, [None, text]) == REFUSED, text


def test_sqlite_has_durations_as_microseconds():
    network = COLUMNS["duration"]
    values = VALUES["duration"].to_pylist()
    numbers = [None if value is None else value / dt.timedelta(microseconds=1) for value in values]
    assert in_sqlite(network, numbers) == in_python(network, VALUES["duration"])
    assert in_sqlite(network, ["1 day"]) == REFUSED


def test_a_wrong_value_is_refused_even_where_no_rule_gets_to_see_it():
    columns = [Column("a"), Column("c")]
    level = Level([Rule([Literal(0), Literal(1)])], [Concept([0]), Concept()])
    network = RuleNetwork(columns, [Interval("a", 0), Interval("c", 0)], [level], ["yes", "no"], default="no")
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE data (a, c)")
        connection.execute("INSERT INTO data VALUES (-1, 'twelve')")
        with pytest.raises(sqlite3.OperationalError, match="column c needs numbers, not text"):
            connection.execute(export(network, "sql", dialect="sqlite")).fetchall()


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("values", ["number text", "whole", "float", "boolean"])
def test_a_column_without_any_value_is_missing_whatever_its_type(column, values):
    """Not of dates and durations, nor in PostgreSQL: these ask for the type before they look at a value."""
    if column not in ("date", "datetime", "duration"):
        nothing = pa.array([None, None], VALUES[values].type)
        assert in_duckdb(COLUMNS[column], nothing) == in_python(COLUMNS[column], nothing)


@pytest.mark.parametrize("values", ["boolean", "whole", "float", "number text", "other text", "date"])
def test_a_column_without_categories_is_what_it_is_told_to_be(values):
    network = network_of(Column("c", "category"))
    expected = in_python(network, VALUES[values])
    types = {"c": STORED.get(values, values)}
    assert in_duckdb(network, VALUES[values], types=types) == expected
    need("sql", dialect="postgres")
    assert in_postgres(network, DECLARED[values], VALUES[values].to_pylist(), types=types) == expected


def test_text_of_fixed_length_and_enumerations_in_postgres():
    need("sql", dialect="postgres")
    padded = equals("abc", "abc  ")
    assert in_postgres(padded, "CHAR(5)", ["abc", None]) == in_python(padded, pa.array(["abc  ", None]))
    network = COLUMNS["text"]
    assert in_postgres(network, "mood", ["abc", None]) == REFUSED
    assert in_postgres(network, "mood", ["abc", None], types={"c": "text"}) == in_python(
        network, pa.array(["abc", None])
    )
    assert in_postgres(network, "INTEGER", [1], types={"c": "text"}) == REFUSED
    assert in_postgres(network, "CHAR(5)", ["abc"], types={"c": "text"}) == REFUSED


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres"])
def test_what_is_told_is_verified_on_a_table_of_that_type(dialect):
    need("sql", dialect=dialect)
    for column, stored in (("number", "boolean"), ("figures", "boolean"), ("wide", "boolean"), ("flags", "number")):
        options = {"dialect": dialect, "types": {"c": stored}}
        outcome = compare(COLUMNS[column], "sql", export(COLUMNS[column], "sql", **options), **options)
        assert outcome.rows > 3
        assert outcome.mismatches == ()


@pytest.mark.parametrize(
    ("column", "types", "message"),
    [
        ("number", {"c": "text"}, "column 'c' cannot be read from the type 'text', in Python neither"),
        ("number", {"c": "text"}, "it needs number or boolean"),
        ("figures", {"c": "text"}, "it needs number or boolean"),
        ("text", {"c": "number"}, "it needs text"),
        ("boolean", {"c": "number"}, "it needs boolean"),
        ("date", {"c": "number"}, "it needs date or datetime"),
        ("number", {"c": "int"}, "there is no type 'int' for column 'c'; there are number, boolean, text"),
        ("number", {"d": "number"}, "the network has no column 'd' to give a type; there are 'c'"),
    ],
)
def test_types_that_python_could_not_read_are_refused(column, types, message):
    with pytest.raises(InputError) as error:
        export(COLUMNS[column], "sql", types=types)
    assert message in str(error.value)


def test_names_stay_text_in_the_message():
    name = "c'); DROP TABLE data; --"
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    network = RuleNetwork([Column(name)], [Interval(name, 0)], [level], ["yes", "no"], default="no")
    with sqlite3.connect(":memory:") as connection:
        connection.execute("""CREATE TABLE data ("c'); DROP TABLE data; --")""")
        connection.execute("INSERT INTO data VALUES ('x')")
        with pytest.raises(
            sqlite3.OperationalError, match=r"column c''\); DROP TABLE data; -- needs numbers, not text"
        ):
            connection.execute(export(network, "sql", dialect="sqlite")).fetchall()
        assert connection.execute("SELECT COUNT(*) FROM data").fetchone() == (1,)
