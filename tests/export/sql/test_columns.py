"""Every kind of column read from every type of value: SQL answers as Python does, and refuses what Python refuses."""

from __future__ import annotations

import datetime as dt
import math
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal, localcontext
from functools import cache
from typing import Any

import pyarrow as pa
import pytest

from conceptrules.export import export
from conceptrules.export.verify.comparison import compare
from conceptrules.export.verify.engine import table_trial
from conceptrules.export.wording import rule_ids
from conceptrules.model.errors import ConceptRulesError, InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import EPOCH, Column, Equals, Interval, Missing, OneOf, Predicate
from tests.export.test_laws import need

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
    "datetime": network_of(Column("c", "datetime"), *(Interval("c", cut) for cut in (-2, -1, 0, 18262.4 * DAY))),
    "duration": network_of(Column("c", "duration"), Interval("c", high=DAY), Interval("c", 0)),
    "ordinal": network_of(Column("c", "ordinal", ("abc", "true", "1")), OneOf("c", ("abc", "true")), Equals("c", "1")),
    "open": network_of(Column("c", "category")),
    "open, named": network_of(Column("c", "category"), *(Equals("c", value) for value in ("1", 1, 2.5, "abc", WIDE))),
}
TIMES = [dt.datetime(2020, 1, 1, 12), dt.datetime(1969, 1, 1), None]
VALUES: dict[str, pa.Array] = {
    "boolean": pa.array([True, False, None]),
    "bits": pa.array([1, 0, None]),
    # Without a gap: pyarrow gives doubles for whole numbers with gaps.
    "whole": pa.array([1, 0, 2, -1, 2**53, WIDE, WIDE + 1, 2**63 - 1]),
    "float": pa.array([1.0, 0.0, 2.5, -0.0, math.inf, -math.inf, math.nan, 2.0**53, 2.0**53 + 4, 2.0**63, None]),
    "single": pa.array([1.0, 0.1, 2.5, math.inf, math.nan, None], pa.float32()),
    "decimal": pa.array([Decimal("1.00"), Decimal("2.50"), Decimal("9007199254740993.00"), None]),
    "number text": pa.array(["1", "0", "1.0", None]),
    "other text": pa.array(["abc", "true", "", "nan", None]),
    "enumeration": pa.array(["abc", "true", None, "abc"]).dictionary_encode(),
    "date": pa.array([dt.date(2020, 1, 1), dt.date(1960, 1, 1), None]),
    "datetime": pa.array(TIMES, pa.timestamp("us")),
    "zoned": pa.array(TIMES, pa.timestamp("us", "Asia/Tokyo")),
    "duration": pa.array([dt.timedelta(days=1), dt.timedelta(days=-2), dt.timedelta(days=9), None], pa.duration("us")),
    "nanoseconds": pa.array([-1, 0, 999, 1001, 10**18, None], pa.timestamp("ns")),
    "zoned nanoseconds": pa.array([-1, -500, 0, 999, 1001, 10**18, None], pa.timestamp("ns", "Asia/Tokyo")),
    "time": pa.array([dt.time(12), None], pa.time64("us")),
    "bytes": pa.array([b"1", None]),
    "list": pa.array([[1], [], None], pa.list_(pa.int64())),
}
NOTHING = {name: pa.array([None, None], values.type) for name, values in VALUES.items() if name != "enumeration"}
NOTHING["enumeration"] = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int8()), ["abc", "true"])
NOTHING |= {f"{name} NaN": pa.array([math.nan, None, math.nan], VALUES[name].type) for name in ("float", "single")}
VALUES |= {f"no {name}": values for name, values in NOTHING.items()}
DECLARED = {
    "boolean": "BOOLEAN",
    "bits": "SMALLINT",
    "whole": "BIGINT",
    "float": "DOUBLE PRECISION",
    "single": "REAL",
    "decimal": "NUMERIC",
    "number text": "TEXT",
    "other text": "VARCHAR(9)",
    "enumeration": "mood",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "zoned": "TIMESTAMPTZ",
    "duration": "INTERVAL",
    "time": "TIME",
    "bytes": "BYTEA",
    "list": "BIGINT[]",
}
PAIRS = [(column, values) for column in COLUMNS for values in VALUES]


@cache
def query(network: RuleNetwork, dialect: str) -> str:
    """The query that names the fired rules: written once, asked of many types of values."""
    return export(network, "sql", dialect=dialect, reasons=True).rstrip().rstrip(";")


def in_python(network: RuleNetwork, values: Any) -> list[str] | str:
    """The fired rules of each row; the values are an array, or a list as a database gives them to Python."""
    try:
        table = [{"c": value} for value in values] if isinstance(values, list) else pa.table({"c": values})
        fired = table_trial(network, table).expected.rules
    except ConceptRulesError:
        return REFUSED
    ids = rule_ids(network)
    return [" ".join(name for name, held in zip(ids, row, strict=True) if held) for row in fired]


@cache
def database() -> Any:
    """One for all tests: opening one takes longer than asking it."""
    return duckdb.connect()


def in_duckdb(network: RuleNetwork, values: pa.Array) -> list[str] | str:
    with database().cursor() as connection:
        connection.register("data", pa.table({"c": values}))
        return asked_duckdb(connection, network)


def asked_duckdb(connection: Any, network: RuleNetwork) -> list[str] | str:
    try:
        return [row[0] for row in connection.execute(f"SELECT rules FROM ({query(network, 'duckdb')})").fetchall()]
    except duckdb.InvalidInputException as error:
        if "column c needs" not in str(error):
            raise
        return REFUSED


@contextmanager
def postgres(declared: str, values: Sequence[Any]) -> Iterator[Any]:
    """A cursor on a database with these values in a column of this type, and some types of its own."""
    import psycopg

    from conceptrules.export.verify.databases import postgres_server

    need("sql", dialect="postgres")
    with psycopg.connect(host=postgres_server(), user="conceptrules", dbname="postgres") as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TYPE mood AS ENUM ('abc', 'true')")
        cursor.execute("CREATE DOMAIN years AS REAL")
        cursor.execute("CREATE DOMAIN ages AS years")
        cursor.execute("CREATE DOMAIN moods AS mood")
        cursor.execute("CREATE TYPE pair AS (a INT, b INT)")
        cursor.execute(f'CREATE TABLE data ("c" {declared})')
        cursor.executemany(f"INSERT INTO data VALUES (CAST(%s AS {declared}))", [(value,) for value in values])
        yield cursor
        connection.rollback()


def asked_postgres(cursor: Any, network: RuleNetwork) -> list[str] | str:
    import psycopg

    try:
        answers = cursor.execute(f"SELECT rules FROM ({query(network, 'postgres')}) AS answers")
        return [row[0] for row in answers.fetchall()]
    except psycopg.errors.InvalidTextRepresentation as error:
        if "column c needs" not in str(error):
            raise
        return REFUSED


def in_postgres(network: RuleNetwork, declared: str, values: Sequence[Any]) -> list[str] | str:
    with postgres(declared, values) as cursor:
        return asked_postgres(cursor, network)


def in_sqlite(network: RuleNetwork, values: Sequence[Any], declared: str = "") -> list[str] | str:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE data (c {declared})")
        connection.executemany("INSERT INTO data VALUES (?)", [(value,) for value in values])
        try:
            answers = connection.execute(f"SELECT rules FROM ({query(network, 'sqlite')})")
            return [row[0] for row in answers]
        except sqlite3.OperationalError as error:
            if "column c needs" not in str(error):
                raise
            return REFUSED


@pytest.mark.parametrize(("column", "values"), PAIRS)
def test_duckdb_reads_and_refuses_as_python_does(column, values):
    if values == "zoned nanoseconds" and duckdb.__version__ < "2":
        pytest.skip("DuckDB before 2.0 cuts moments with a zone to microseconds when it reads them from Arrow")
    assert in_duckdb(COLUMNS[column], VALUES[values]) == in_python(COLUMNS[column], VALUES[values])


@pytest.mark.parametrize("values", [name for name in VALUES if "nanoseconds" not in name])  # it has none
def test_postgres_reads_and_refuses_as_python_does(values):
    declared = DECLARED[values.removeprefix("no ").removesuffix(" NaN")]
    with postgres(declared, VALUES[values].to_pylist()) as cursor:
        for column, network in COLUMNS.items():
            cursor.execute("SAVEPOINT before")
            assert asked_postgres(cursor, network) == in_python(network, VALUES[values]), column
            cursor.execute("ROLLBACK TO before")


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
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE data (a, c)")
        connection.execute("INSERT INTO data VALUES (-1, 'twelve')")
        with pytest.raises(sqlite3.OperationalError, match="column c needs numbers, not text"):
            connection.execute(export(network, "sql", dialect="sqlite")).fetchall()


def test_sqlite_refuses_a_column_of_text_and_numbers():
    network = COLUMNS["open"]
    assert in_sqlite(network, [1, 2.5, None]) == in_python(network, [1, 2.5, None])
    for mixed in ([1, "a"], ["a", None, 2.5]):
        assert in_sqlite(network, mixed) == in_python(network, mixed) == REFUSED
    # What Python has as true and false is 1 and 0 there, in a column of numbers as in any.
    assert in_sqlite(network, [True, 2.5]) == ["", ""]


# Further types of DuckDB, with what it gives to Python for them.
FURTHER = {
    "mood": ["'abc'", "'true'"],
    "HUGEINT": ["1", "9007199254740993"],
    "UBIGINT": ["1", "9007199254740993", "9007199254740995"],
    "TINYINT": ["1", "0"],
    "DECIMAL(38, 20)": ["1", "2.5", "0.50000000000000000001"],
    "TIMESTAMP_S": ["'2020-01-01 12:00:00'", "'1969-01-01'"],
    "TIMESTAMP_MS": ["'2020-01-01 12:00:00.001'"],
    "TIMESTAMP_NS": ["'1969-12-31 23:59:59.999999999'"],
    "TIME WITH TIME ZONE": ["'12:00:00+02'"],
    "STRUCT(a INTEGER)": ["{'a': NULL}", "{'a': 1}"],
    "mood[]": ["['abc']"],
    "TIMESTAMP[]": ["['2020-01-01']"],
    "DECIMAL(5, 1)[]": ["[1.0]"],
    "DOUBLE[]": ["['nan']"],
    "MAP(INTEGER, INTEGER)": ["MAP {1: 1}"],
    "INTEGER[2]": ["[1, 2]"],
    "BIT": ["'101'"],
}


@pytest.mark.parametrize("declared", FURTHER)
def test_further_types_of_duckdb(declared):
    for values in (FURTHER[declared], ["NULL", "NULL"]):
        with duckdb.connect() as connection:
            connection.execute("CREATE TYPE mood AS ENUM ('abc', 'true')")
            connection.execute(f"CREATE TABLE data (c {declared})")
            connection.execute(f"INSERT INTO data VALUES {', '.join(f'({value})' for value in values)}")
            table = connection.sql("FROM data").to_arrow_table()
            for column, network in COLUMNS.items():
                assert asked_duckdb(connection, network) == in_python(network, table["c"]), column


def test_the_length_of_months_in_duckdb():
    """What DuckDB gives to Python for an interval; as Arrow has months too, not for its tables."""
    network = network_of(Column("c", "duration"), *(Interval("c", high=days * DAY) for days in (29, 30, 359, 360)))
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE data AS SELECT UNNEST([INTERVAL 1 MONTH, INTERVAL 1 YEAR]) AS c")
        values = [row[0] for row in connection.execute("FROM data").fetchall()]
        assert asked_duckdb(connection, network) == in_python(network, values)


def test_times_without_end():
    """They come after every cut point, or before; they are not missing."""
    network = network_of(Column("c", "datetime"), Interval("c", high=0), Interval("c", 1e17))
    with duckdb.connect() as connection:
        for declared in ("DATE", "TIMESTAMP", "TIMESTAMPTZ"):
            connection.execute(f"CREATE OR REPLACE TABLE data (c {declared})")
            connection.execute("INSERT INTO data VALUES ('infinity'), ('-infinity'), (NULL)")
            assert asked_duckdb(connection, network) == ["1.2", "1.1", "1.3"]
    for declared in ("DATE", "TIMESTAMP", "TIMESTAMPTZ"):
        assert in_postgres(network, declared, ["infinity", "-infinity", None]) == ["1.2", "1.1", "1.3"]


# Further types of PostgreSQL. What psycopg gives to Python for them is what Python reads.
FURTHER_POSTGRES = {
    "mood": ["abc", "true"],
    "moods": ["abc"],
    "ages": [0.1, 1.0, math.nan],
    "CHAR(5)": ["abc", "1"],
    "NAME": ["abc", "1"],
    "NUMERIC": ["1e400", "-1e400", "1e-400", "NaN", "Infinity", "0.50000000000000000001", "9007199254740993"],
    "NUMERIC(5, 1)": ["1.0", "NaN"],
    "INTERVAL": ["1 day", "1 year", "-1 year -1 mon", "30 days", "1 year -365 days", "-0.000001 s"],
    "TIMETZ": ["12:00:00+02"],
    "JSONB": ['{"a": 1}'],
    "UUID": ["00000000-0000-0000-0000-000000000001"],
    "INT4RANGE": ["[1,2)"],
    "TEXT[]": ["{a}"],
}


@pytest.mark.parametrize("declared", FURTHER_POSTGRES)
def test_further_types_of_postgres(declared):
    for values in ([*FURTHER_POSTGRES[declared], None], [None, None]):
        with postgres(declared, values) as cursor:
            given = [row[0] for row in cursor.execute("SELECT c FROM data").fetchall()]
            for column, network in COLUMNS.items():
                cursor.execute("SAVEPOINT before")
                assert asked_postgres(cursor, network) == in_python(network, given), column
                cursor.execute("ROLLBACK TO before")


def test_decimals_that_no_double_is_near_in_postgres():
    most = 2**1024 - 2**970
    large, small = math.nextafter(math.inf, 0), math.nextafter(0, 1)
    network = network_of(
        Column("c"), Interval("c", large), Interval("c", 0), Interval("c", small), Interval("c", high=0)
    )
    with localcontext() as context:
        context.prec = 2000
        least = Decimal(5) ** 1075 * Decimal(10) ** -1075
        values = [Decimal(most), Decimal(most - 1), least, least + Decimal(10) ** -1500, 3 * least]
        values += [-value for value in values]
    assert in_postgres(network, "NUMERIC", values) == in_python(network, values)


def test_a_value_of_several_parts_is_refused_in_postgres_even_if_all_of_them_are_null():
    for network in COLUMNS.values():
        assert in_postgres(network, "pair", ["(,)"]) == REFUSED
        assert in_postgres(network, "pair", [None]) == in_python(network, [None])


def test_the_blanks_of_text_of_fixed_length_count_in_postgres():
    padded = equals("abc", "abc  ")
    assert in_postgres(padded, "CHAR(5)", ["abc", None]) == in_python(padded, pa.array(["abc  ", None]))


@pytest.mark.parametrize(
    "setting", ["DateStyle = 'SQL, DMY'", "DateStyle = German", "TimeZone = 'Asia/Kolkata'", "IntervalStyle = iso_8601"]
)
def test_the_settings_of_a_session_do_not_matter_in_postgres(setting):
    for values in ("date", "datetime", "zoned", "duration"):
        with postgres(DECLARED[values], VALUES[values].to_pylist()) as cursor:
            cursor.execute(f"SET LOCAL {setting}")
            column = values if values in COLUMNS else "datetime"
            assert asked_postgres(cursor, COLUMNS[column]) == in_python(COLUMNS[column], VALUES[values])


def test_numbers_that_are_not_shown_in_full_are_not_read_in_postgres():
    import psycopg

    value = 0.1 + 0.2
    network = network_of(Column("c"), Interval("c", value))
    with postgres("DOUBLE PRECISION", [value, math.nextafter(value, 1)]) as cursor:
        cursor.execute("SET LOCAL extra_float_digits = 1")
        assert asked_postgres(cursor, network) == ["", "1.1"]
        cursor.execute("SET LOCAL extra_float_digits = 0")
        with pytest.raises(psycopg.Error, match="SET extra_float_digits = 1 first, it is 0"):
            cursor.execute(export(network, "sql", dialect="postgres"))


def test_a_table_without_rows():
    for network in COLUMNS.values():
        assert in_duckdb(network, pa.array([], pa.date32())) == []
        assert in_postgres(network, "DATE", []) == []
        assert in_sqlite(network, []) == []


@pytest.mark.parametrize("column", ["number", "figures", "wide"])
@pytest.mark.parametrize("dialect", ["bigquery", "snowflake"])
def test_true_and_false_as_numbers_where_a_database_has_to_be_told(dialect, column):
    told = export(COLUMNS[column], "sql", dialect=dialect, types={"c": "boolean"})
    assert re.search(r"CASE WHEN source.[`\"]c[`\"] THEN 1 WHEN NOT source.[`\"]c[`\"] THEN 0 END AS x1", told)


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
        ("number", {"c": "text"}, "column 'c' cannot be read from the type 'text', nor could Python read it"),
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
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("""CREATE TABLE data ("c'); DROP TABLE data; --")""")
        connection.execute("INSERT INTO data VALUES ('x')")
        with pytest.raises(
            sqlite3.OperationalError, match=r"column c''\); DROP TABLE data; -- needs numbers, not text"
        ):
            connection.execute(export(network, "sql", dialect="sqlite")).fetchall()
        assert connection.execute("SELECT COUNT(*) FROM data").fetchone() == (1,)
