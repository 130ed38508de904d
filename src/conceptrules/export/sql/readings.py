"""How each dialect reads a column, whatever its type there, so that it decides as Python does.

A reading is a template in the dialect itself, where x is the column and t its type. It gives NULL for what is missing,
NaN too. DuckDB and PostgreSQL settle types before they run a query, so that a plain comparison would fail on a column
of another type, even on one without any value. So their readings are made of casts that every type has: TRY_CAST in
DuckDB, text in PostgreSQL. What Python would not read never gets there (`columns.refusal`).
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from sqlglot import exp, parse_one

from conceptrules.export.inputs import Input

DIALECTS = ("bigquery", "duckdb", "mysql", "postgres", "snowflake", "spark", "sqlite", "tsql")
ASKED = ("duckdb", "postgres", "sqlite")
"""The dialects whose queries ask for the type of each column. The others leave it to the database."""
Reading = Literal["number", "whole", "flag", "text", "moment", "duration"]

# The types that each reading takes, as a condition. Lists of them, such as DATE[], are other types.
TAKES: dict[str, dict[Reading, str]] = {
    "duckdb": {
        "number": "t SIMILAR TO 'BOOLEAN|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL[(][0-9,]*[)]'",
        "flag": "t = 'BOOLEAN'",
        "text": "t = 'VARCHAR' OR t LIKE 'ENUM(%)'",
        "moment": "t SIMILAR TO 'DATE|TIMESTAMP(_S|_MS|_NS|TZ_NS| WITH TIME ZONE)?'",
        "duration": "t IN ('INTERVAL', 'TIME', 'TIME WITH TIME ZONE')",
    },
    "postgres": {
        "number": "t IN ('boolean', 'smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric')",
        "flag": "t = 'boolean'",
        "text": "t = 'text'",
        "moment": "t IN ('date', 'timestamp without time zone', 'timestamp with time zone')",
        "duration": "t IN ('interval', 'time without time zone')",
    },
    # True and false are 1 and 0 there, a duration is a number, and a time is text. DATE alone would take 'now' for a
    # time, and 30 February.
    "sqlite": {
        "number": "t IN ('integer', 'real')",
        "flag": "t = 'integer' AND x IN (0, 1)",
        "text": "t = 'text'",
        "moment": (
            "t IN ('integer', 'real') OR (t = 'text' AND DATE(SUBSTR(x, 1, 19), '+0 days') IS SUBSTR(x, 1, 10) AND NOT "
            "(SUBSTR(x, 17) GLOB '*[^:.0-9]*' OR SUBSTR(x, 20) GLOB '[^.]*' OR SUBSTR(x, 21) GLOB '*[^0-9]*'))"
        ),
        "duration": "t IN ('integer', 'real')",
    },
}

_PG_EXACT = "CAST(CAST(x AS TEXT) AS NUMERIC)"
# Decimals that are nearer to infinity than to a double, or to 0: Python rounds where the cast would fail.
_PG_DECIMAL = (
    f"CASE WHEN ABS({_PG_EXACT}) >= POWER(2.0, 1024) - POWER(2.0, 970) "
    f"THEN SIGN({_PG_EXACT}) * CAST('Infinity' AS DOUBLE PRECISION) "
    f"WHEN ABS({_PG_EXACT}) < 1e-300 AND ABS({_PG_EXACT}) * POWER(2.0, 1075) <= 1 THEN 0 "
    f"ELSE CAST({_PG_EXACT} AS DOUBLE PRECISION) END"
)
_NUMBER = {
    "bigquery": "CASE WHEN NOT IS_NAN(CAST(x AS FLOAT64)) THEN CAST(x AS FLOAT64) END",
    "duckdb": "NULLIF(TRY_CAST(x AS DOUBLE), CAST('NaN' AS DOUBLE))",
    "mysql": "CAST(x AS DOUBLE)",
    # A single is widened after it is read: 0.1 is another number as a single than as a double.
    "postgres": (
        "NULLIF(CASE t WHEN 'boolean' THEN CAST(CAST(CAST(x AS TEXT) AS BOOLEAN) AS INT) "
        f"WHEN 'real' THEN CAST(CAST(x AS TEXT) AS REAL) WHEN 'numeric' THEN {_PG_DECIMAL} "
        "ELSE CAST(CAST(x AS TEXT) AS DOUBLE PRECISION) END, CAST('NaN' AS DOUBLE PRECISION))"
    ),
    "snowflake": "NULLIF(CAST(x AS DOUBLE), CAST('NaN' AS DOUBLE))",
    "spark": "NULLIF(CAST(x AS DOUBLE), CAST('NaN' AS DOUBLE))",
    "sqlite": "CAST(x AS REAL)",
    "tsql": "CAST(x AS FLOAT)",
}
# True and false as numbers, where the templates above do not make them that.
_BIT = dict.fromkeys(("bigquery", "snowflake"), "CASE WHEN x THEN 1 WHEN NOT x THEN 0 END")
# Numbers as they are: cast to doubles, large ones could not be distinguished from their neighbours. In DuckDB and
# PostgreSQL only those of the types that Python keeps as they are; it makes doubles of decimals and 128-bit integers.
_WHOLE = {
    **dict.fromkeys(DIALECTS, "x"),
    "duckdb": "CASE WHEN t SIMILAR TO 'U?(TINY|SMALL|BIG)INT|U?INTEGER' THEN TRY_CAST(x AS HUGEINT) END",
    "postgres": "CASE WHEN t IN ('smallint', 'integer', 'bigint') THEN CAST(CAST(x AS TEXT) AS BIGINT) END",
}
_FLAG = {
    **dict.fromkeys(DIALECTS, "x"),
    "duckdb": "CASE WHEN t = 'BOOLEAN' THEN TRY_CAST(x AS BOOLEAN) END",
    "postgres": "CASE WHEN t = 'boolean' THEN CAST(CAST(x AS TEXT) AS BOOLEAN) END",
}
# Nanoseconds are rounded down, as in Python; EPOCH_US rounds to the nearest. DuckDB 1 does not know the name
# TIMESTAMPTZ_NS, so the digits are cut off its text.
_DUCKDB_MICROSECONDS = (
    "CASE t WHEN 'TIMESTAMP WITH TIME ZONE' THEN EPOCH_US(TRY_CAST(x AS TIMESTAMPTZ)) "
    "WHEN 'TIMESTAMP_NS' THEN CAST(FLOOR(EPOCH_NS(TRY_CAST(x AS TIMESTAMP_NS)) * 0.001) AS BIGINT) "
    "WHEN 'TIMESTAMPTZ_NS' THEN "
    "EPOCH_US(TRY_CAST(REGEXP_REPLACE(CAST(x AS TEXT), '([.][0-9]{6})[0-9]+', '\\1') AS TIMESTAMPTZ)) "
    "ELSE EPOCH_US(TRY_CAST(x AS TIMESTAMP)) END"
)
# JSON has times in the same form whatever the settings of the session are.
_PG_TIME = "TO_JSONB(x) #>> '{}'"
# Microseconds since 1970, in UTC where the column knows its time zone. SQLite keeps times as text, or as such numbers.
_MOMENT = {
    "bigquery": "CAST(UNIX_MICROS(TIMESTAMP(x)) AS FLOAT64)",
    # What is infinite has no microseconds, but the same text as an infinite number.
    "duckdb": (
        f"CASE WHEN {TAKES['duckdb']['moment']} THEN "
        f"COALESCE(CAST({_DUCKDB_MICROSECONDS} AS DOUBLE), TRY_CAST(CAST(x AS TEXT) AS DOUBLE)) END"
    ),
    "mysql": "CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', x) AS DOUBLE)",
    "postgres": (
        "CAST(1000000 * CASE "
        f"WHEN t = 'timestamp with time zone' THEN EXTRACT(EPOCH FROM CAST({_PG_TIME} AS TIMESTAMPTZ)) "
        f"WHEN {TAKES['postgres']['moment']} THEN EXTRACT(EPOCH FROM CAST({_PG_TIME} AS TIMESTAMP)) END "
        "AS DOUBLE PRECISION)"
    ),
    "snowflake": "CAST(DATE_PART(EPOCH_MICROSECOND, x) AS DOUBLE)",
    "spark": "CAST(UNIX_MICROS(CAST(x AS TIMESTAMP)) AS DOUBLE)",
    "sqlite": (
        "CASE WHEN t = 'text' THEN CAST(CAST(STRFTIME('%s', SUBSTR(x, 1, 19)) AS INTEGER) * 1000000 "
        "+ CAST(SUBSTR(SUBSTR(x, 21) || '000000', 1, 6) AS INTEGER) AS REAL) ELSE CAST(x AS REAL) END"
    ),
    "tsql": "CAST(DATEDIFF_BIG(MICROSECOND, '1970-01-01', x) AS FLOAT)",
}
_PG_SPAN = "CAST(CAST(x AS TEXT) AS INTERVAL)"
# Only these have a type for durations that keeps microseconds; elsewhere a duration is a number of them. A time of day
# is the duration since midnight.
_DURATION = {
    **_NUMBER,
    "duckdb": (
        "CASE WHEN t = 'INTERVAL' THEN CAST(EPOCH_US(TRY_CAST(x AS INTERVAL)) AS DOUBLE) "
        "WHEN t LIKE 'TIME%' THEN CAST(EPOCH_US(TRY_CAST(x AS TIME)) AS DOUBLE) END"
    ),
    # A year has 365 days where Python gets it from PostgreSQL, and a quarter more in EXTRACT.
    "postgres": (
        f"CASE WHEN {TAKES['postgres']['duration']} THEN CAST((EXTRACT(EPOCH FROM {_PG_SPAN}) "
        f"- 21600 * EXTRACT(YEAR FROM {_PG_SPAN})) * 1000000 AS DOUBLE PRECISION) END"
    ),
}
# Compared byte by byte, whatever the collation: MySQL and SQL Server ignore case and blanks at the end by default.
# SQL Server fills the shorter of two binaries up with zeros, hence the full stop.
_TEXT = {
    "bigquery": "CAST(x AS STRING)",
    "duckdb": f'CASE WHEN {TAKES["duckdb"]["text"]} THEN CAST(x AS TEXT) END COLLATE "C"',
    "mysql": "CAST(CONVERT(x USING utf8mb4) AS BINARY)",
    # A cast would take the blanks of CHAR(n) away.
    "postgres": "CASE WHEN t = 'text' AND NOT x IS NULL THEN CONCAT(x) END COLLATE \"C\"",
    "snowflake": "CAST(x AS VARCHAR)",
    "spark": "CAST(x AS STRING)",
    "sqlite": "CASE WHEN t = 'text' THEN x END",
    "tsql": "CAST(CAST(x AS NVARCHAR(MAX)) + N'.' AS VARBINARY(MAX))",
}
_TEMPLATES: dict[Reading, dict[str, str]] = {
    "number": _NUMBER,
    "whole": _WHOLE,
    "flag": _FLAG,
    "text": _TEXT,
    "moment": _MOMENT,
    "duration": _DURATION,
}


def readings(used: Input, dialect: str) -> tuple[Reading, ...]:
    """Return how a column is read, in several ways where it takes them: it is missing where all of them are NULL."""
    if used.column.ordered:
        return (main_reading(used),)
    if used.family == "flag" or (used.lists_flags and used.holds_flags and dialect not in ASKED):
        return ("flag",)
    numbers: tuple[Reading, ...] = ("number",)
    # Doubles cannot distinguish some of these categories from their neighbours.
    if any(not isinstance(value, str) and abs(value) >= 2**53 for value in used.known):
        numbers = ("number", "whole") if dialect in ("duckdb", "postgres") else ("whole",)
    if is_open(used) and dialect in ASKED:
        return ("text", *numbers)
    return ("text",) if used.family == "text" else numbers


def main_reading(used: Input) -> Reading:
    """Return what the column is, as its kind and its categories say."""
    match used.column.kind:
        case "number" | "duration" as kind:
            return kind
        case "date" | "datetime":
            return "moment"
        case "boolean":
            return "flag"
    return "text" if used.family == "text" else "number"


def is_open(used: Input) -> bool:
    """Return whether nothing says what the categories are: training saw none. Python then takes all that can be one."""
    return used.column.kind in ("category", "ordinal") and not used.column.categories


def read(used: Input, reading: Reading, column: exp.Expr, kind: exp.Expr, dialect: str) -> exp.Expr:
    """Return the expression that reads a column; `kind` is what tells its type."""
    template = _TEMPLATES[reading][dialect]
    if reading in ("number", "whole") and used.holds_flags and dialect in _BIT:
        template = _BIT[dialect]
    if reading != "text" and is_open(used) and dialect in ASKED:
        template = f"CASE WHEN {TAKES[dialect]['number']} THEN {template} END"
    return fill(template, dialect, x=column, t=kind)


def fill(template: str, dialect: str, **parts: exp.Expr) -> exp.Expr:
    """Return a template with expressions in place of its variables."""

    def put(node: exp.Expr) -> exp.Expr:
        return parts[node.name].copy() if isinstance(node, exp.Column) and node.name in parts else node

    return _parse(template, dialect).transform(put)


@cache
def _parse(template: str, dialect: str) -> exp.Expr:
    return parse_one(template, dialect=dialect)
