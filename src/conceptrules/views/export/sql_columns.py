"""How each dialect reads a column, writes text and numbers, so that it decides as Python does.

A reading gives NULL for what is missing, NaN too. It is a template in the dialect itself, where x is the column. What
Python would not read never gets there (`sql_types`).
"""

from __future__ import annotations

import math
from typing import Any

from conceptrules.rules.errors import InputError
from conceptrules.rules.predicate import Column, Value
from conceptrules.rules.text import number_text
from conceptrules.views.export.code import is_double, is_utf8
from conceptrules.views.export.layout import Input

DIALECTS = ("bigquery", "duckdb", "mysql", "postgres", "snowflake", "spark", "sqlite", "tsql")

_NUMBER = {
    "bigquery": "CASE WHEN NOT IS_NAN(CAST(x AS FLOAT64)) THEN CAST(x AS FLOAT64) END",
    # Not a plain cast, which fails on a column of dates even if all of it is missing.
    "duckdb": "NULLIF(TRY_CAST(x AS DOUBLE), CAST('NaN' AS DOUBLE))",
    "mysql": "CAST(x AS DOUBLE)",
    # A sum rather than a cast, which would take text for a number.
    "postgres": "NULLIF(x + CAST(0 AS DOUBLE PRECISION), CAST('NaN' AS DOUBLE PRECISION))",
    "snowflake": "NULLIF(CAST(x AS DOUBLE), CAST('NaN' AS DOUBLE))",
    "spark": "NULLIF(CAST(x AS DOUBLE), CAST('NaN' AS DOUBLE))",
    "sqlite": "CAST(x AS REAL)",
    "tsql": "CAST(x AS FLOAT)",
}
# True and false as numbers, where the templates above do not make them that.
_BIT = dict.fromkeys(("bigquery", "postgres", "snowflake"), "CASE WHEN x THEN 1 WHEN NOT x THEN 0 END")
# Numbers as they are: cast to doubles, large ones could not be told from their neighbours.
_WHOLE = {
    **dict.fromkeys(DIALECTS, "x"),
    "duckdb": "CASE WHEN x <> CAST('NaN' AS DOUBLE) THEN x END",
    "postgres": "CASE WHEN x <> CAST('NaN' AS DOUBLE PRECISION) THEN x END",
}
# Whether a number is of a type of whole ones. A literal that is no double becomes one beside a double, and is rounded.
_IS_WHOLE = {"duckdb": "TYPEOF(x) LIKE '%INT%'", "postgres": "CAST(PG_TYPEOF(x) AS TEXT) LIKE '%int%'"}
# Microseconds since 1970, in UTC where the column knows its time zone. SQLite keeps times as text, or as such numbers.
_MOMENT = {
    "bigquery": "CAST(UNIX_MICROS(TIMESTAMP(x)) AS FLOAT64)",
    "duckdb": "CAST(EPOCH_US(x) AS DOUBLE)",
    "mysql": "CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', x) AS DOUBLE)",
    "postgres": "CAST(EXTRACT(EPOCH FROM x) * 1000000 AS DOUBLE PRECISION)",
    "snowflake": "CAST(DATE_PART(EPOCH_MICROSECOND, x) AS DOUBLE)",
    "spark": "CAST(UNIX_MICROS(CAST(x AS TIMESTAMP)) AS DOUBLE)",
    "sqlite": (
        "CASE WHEN TYPEOF(x) = 'text' THEN CAST(CAST(STRFTIME('%s', SUBSTR(x, 1, 19)) AS INTEGER) * 1000000 "
        "+ CAST(SUBSTR(SUBSTR(x, 21) || '000000', 1, 6) AS INTEGER) AS REAL) ELSE CAST(x AS REAL) END"
    ),
    "tsql": "CAST(DATEDIFF_BIG(MICROSECOND, '1970-01-01', x) AS FLOAT)",
}
# Only these have a type for durations that keeps microseconds; elsewhere a duration is a number of them.
_DURATION = {**_NUMBER, "duckdb": _MOMENT["duckdb"], "postgres": _MOMENT["postgres"]}
# Compared byte by byte, whatever the collation: MySQL and SQL Server ignore case and blanks at the end by default.
# SQL Server fills the shorter of two binaries up with zeros, hence the full stop.
_TEXT = {
    "bigquery": "CAST(x AS STRING)",
    "duckdb": 'CAST(x AS TEXT) COLLATE "C"',
    "mysql": "CAST(CONVERT(x USING utf8mb4) AS BINARY)",
    # Only text can be collated, so anything else is refused; and a cast would take the blanks of CHAR(n) away.
    "postgres": 'CASE WHEN x IS NOT NULL THEN CONCAT(x COLLATE "C") END',
    "snowflake": "CAST(x AS VARCHAR)",
    "spark": "CAST(x AS STRING)",
    "sqlite": "CASE WHEN TYPEOF(x) = 'text' THEN x END",
    "tsql": "CAST(CAST(x AS NVARCHAR(MAX)) + N'.' AS VARBINARY(MAX))",
}
_ENUM = {"postgres": 'CAST(x AS TEXT) COLLATE "C"'}
_TEXT_LITERAL = {"mysql": _TEXT["mysql"], "tsql": "CAST(x + N'.' AS VARBINARY(MAX))"}


def reading(one: Input, column: Any, dialect: str) -> Any:
    """The expression that reads a column."""
    return filled(_template(one, dialect), column, dialect)


def holds_flags(one: Input) -> bool:
    """Whether the table has true and false in the column: categories can be that too."""
    if one.stored is not None:
        return one.stored == "boolean"
    return one.family == "flag" or _all_flags(one.column)


def filled(template: str, value: Any, dialect: str) -> Any:
    """A template with an expression in the place of x."""
    from sqlglot import exp, parse_one

    def put(node: Any) -> Any:
        return value.copy() if isinstance(node, exp.Column) and node.name == "x" else node

    return parse_one(template, dialect=dialect).transform(put)


def text_literal(text: str, dialect: str) -> Any:
    """Text as the dialect writes it, in pieces where it cannot be written in one; None if it cannot be had at all."""
    from sqlglot import exp

    if not is_utf8(text) or ("\0" in text and dialect == "postgres"):
        return None
    pieces = [_piece(piece, dialect) for piece in _pieces(text, dialect)]
    joined = pieces[0]
    for piece in pieces[1:]:
        joined = exp.DPipe(this=joined, expression=piece, safe=True)
    return joined


def text_to_compare(text: str, dialect: str) -> Any:
    """The literal as a reading of a text column is compared with it."""
    literal = text_literal(text, dialect)
    return (
        literal if literal is None or dialect not in _TEXT_LITERAL else filled(_TEXT_LITERAL[dialect], literal, dialect)
    )


def number_literal(value: float, dialect: str) -> Any:
    """A double, exactly: a plain literal is a decimal in most dialects."""
    from sqlglot import exp

    value += 0.0
    if value == round(value) and abs(value) < 2**31:
        return exp.convert(int(value))
    if dialect == "sqlite":
        return _sqlite_number(value)
    return exp.cast(exp.Literal.string(number_text(value)), exp.DataType.Type.DOUBLE)


def whole_literal(value: int) -> Any:
    from sqlglot import exp

    return exp.convert(value)


def equal(x: Any, value: Value, one: Input, dialect: str) -> Any:
    """`x = value`; None if no value of the column can be equal."""
    from sqlglot import exp

    if _reads_flags(one, dialect):
        return x.eq(exp.true() if value else exp.false()) if value in (0, 1) else None
    if isinstance(value, str):
        literal = text_to_compare(value, dialect) if one.family == "text" else None
        return None if literal is None else x.eq(literal)
    if one.family == "text":
        return None
    if _is_wide(one) and value == value // 1 and -(2**63) <= value < 2**64:
        return _equal_whole(x, int(value), dialect)
    return _equal_number(x, float(value), dialect) if is_double(value) else None


def check_dialect(dialect: str) -> None:
    if dialect not in DIALECTS:
        raise InputError(f"there is no dialect {dialect!r}; there are {', '.join(DIALECTS)}")


def _equal_whole(x: Any, value: int, dialect: str) -> Any:
    """Beside doubles, a whole number that is none equals nothing."""
    same = x.eq(whole_literal(value))
    if is_double(value):
        return same
    if dialect == "sqlite" and value >= 2**63:  # it would be read as a double
        return None
    return same.and_(filled(_IS_WHOLE[dialect], x, dialect)) if dialect in _IS_WHOLE else same


def _equal_number(x: Any, value: float, dialect: str) -> Any:
    from sqlglot import exp

    if math.isfinite(value):
        return x.eq(number_literal(value, dialect))
    if dialect in ("mysql", "tsql"):  # no infinities there
        return None
    if dialect == "sqlite":
        return x.eq(exp.Literal.number("9e999") if value > 0 else exp.Neg(this=exp.Literal.number("9e999")))
    return x.eq(exp.cast(exp.Literal.string("Infinity" if value > 0 else "-Infinity"), exp.DataType.Type.DOUBLE))


def _template(one: Input, dialect: str) -> str:
    if _reads_flags(one, dialect):
        return "x"
    if one.family == "text":
        return (_TEXT if one.stored is None else {**_TEXT, **_ENUM})[dialect]
    if holds_flags(one) and dialect in _BIT:
        return _BIT[dialect]
    if one.family == "ordered":
        return {"number": _NUMBER, "duration": _DURATION}.get(one.column.kind, _MOMENT)[dialect]
    return (_WHOLE if _is_wide(one) else _NUMBER)[dialect]


def _reads_flags(one: Input, dialect: str) -> bool:
    """Categories that are true and false equal 1 and 0 too; DuckDB and SQLite read either as numbers."""
    flags = _all_flags(one.column) and holds_flags(one) and dialect not in ("duckdb", "sqlite")
    return one.family == "flag" or flags


def _is_wide(one: Input) -> bool:
    """Categories that doubles cannot tell from their neighbours."""
    numbers = [value for value in one.column.categories if not isinstance(value, str)]
    return one.family == "whole" or (one.family == "figure" and any(abs(value) >= 2**53 for value in numbers))


def _all_flags(column: Column) -> bool:
    return bool(column.categories) and all(isinstance(value, bool) for value in column.categories)


def _pieces(text: str, dialect: str) -> list[str]:
    """NUL stands alone; Spark replaces ${...} even inside of text, unless it is taken apart."""
    parts = [part for piece in text.split("\0") for part in ("\0", piece)][1:]
    if dialect == "spark":
        split = [part.replace("${", "$\0{").split("\0") if part != "\0" else [part] for part in parts]
        parts = [piece for some in split for piece in some]
    return [part for part in parts if part] or [""]


def _piece(piece: str, dialect: str) -> Any:
    from sqlglot import exp

    if piece == "\0":
        zero = exp.Literal.number(0)
        return exp.Anonymous(this="NCHAR", expressions=[zero]) if dialect == "tsql" else exp.Chr(expressions=[zero])
    return exp.National(this=piece) if dialect == "tsql" else exp.Literal.string(piece)


def _sqlite_number(value: float) -> Any:
    """SQLite reads 15 digits exactly, not always more; m / 2^k, with exact m and powers, leaves nothing to round."""
    from sqlglot import exp

    digits = number_text(value)
    short = len(digits.partition("e")[0].replace(".", "").strip("-0")) <= 15
    if short and 1e-7 < abs(value) < 1e15:
        return exp.Literal.number(digits) if value >= 0 else exp.Neg(this=exp.Literal.number(digits.lstrip("-")))
    mantissa, exponent = math.frexp(value)
    result: Any = exp.cast(exp.convert(int(mantissa * 2**53)), exp.DataType.Type.DOUBLE)
    exponent -= 53
    while exponent:
        step = min(abs(exponent), 62)
        operation = exp.Mul if exponent > 0 else exp.Div
        result = operation(this=result, expression=exp.cast(exp.convert(2**step), exp.DataType.Type.DOUBLE))
        exponent -= step if exponent > 0 else -step
    return exp.Paren(this=result)
