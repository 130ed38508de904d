"""How each dialect writes text and numbers, and compares columns with them, so that it decides as Python does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from conceptrules.export.exact_values import is_double, is_utf8
from conceptrules.export.sql.readings import DIALECTS, Reading, filled
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Value
from conceptrules.model.text import number_text

_TEXT_LITERAL = {"mysql": "CAST(CONVERT(x USING utf8mb4) AS BINARY)", "tsql": "CAST(x + N'.' AS VARBINARY(MAX))"}


def text_literal(text: str, dialect: str) -> Any:
    """Return text as the dialect writes it, in parts where it must be; None if the dialect has no such text."""
    from sqlglot import exp

    if not is_utf8(text) or ("\0" in text and dialect == "postgres"):
        return None
    first, *rest = [_part(part, dialect) for part in _parts(text, dialect)]
    joined = first
    for part in rest:
        joined = exp.DPipe(this=joined, expression=part, safe=True)
    return joined


def text_to_compare(text: str, dialect: str) -> Any:
    """Return the literal as a reading of a text column is compared with it."""
    literal = text_literal(text, dialect)
    wrapped = literal is not None and dialect in _TEXT_LITERAL
    return filled(_TEXT_LITERAL[dialect], dialect, x=literal) if wrapped else literal


def number_literal(value: float, dialect: str) -> Any:
    """Return a double, exactly: a plain literal is a decimal in most dialects."""
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


def equal(read: Mapping[Reading, Any], value: Value, dialect: str) -> Any:
    """Return whether a column equals a value, from its readings; None if no value of the column can."""
    from sqlglot import exp

    if "flag" in read:
        return read["flag"].eq(exp.true() if value else exp.false()) if value in (0, 1) else None
    if isinstance(value, str):
        literal = text_to_compare(value, dialect) if "text" in read else None
        return None if literal is None else read["text"].eq(literal)
    if "whole" in read and value == value // 1 and -(2**63) <= value < 2**64:
        return _equal_whole(read, int(value), dialect)
    number = read.get("number", read.get("whole"))
    return None if number is None or not is_double(value) else _equal_number(number, float(value), dialect)


def check_dialect(dialect: str) -> None:
    if dialect not in DIALECTS:
        raise InputError(f"there is no dialect {dialect!r}; there are {', '.join(DIALECTS)}")


def _equal_whole(read: Mapping[Reading, Any], value: int, dialect: str) -> Any:
    """Compare with a whole number; beside doubles, one that is no double equals nothing."""
    from sqlglot import exp

    if dialect == "sqlite" and value >= 2**63 and not is_double(value):  # it would be read as a double
        return None
    whole = read["whole"]
    same = whole.eq(whole_literal(value))
    if "number" not in read or not is_double(value):
        return same
    return same.or_(whole.is_(exp.null()).and_(_equal_number(read["number"], float(value), dialect)))


def _equal_number(x: Any, value: float, dialect: str) -> Any:
    from sqlglot import exp

    if math.isfinite(value):
        return x.eq(number_literal(value, dialect))
    if dialect in ("mysql", "tsql"):  # no infinities there
        return None
    if dialect == "sqlite":
        return x.eq(exp.Literal.number("9e999") if value > 0 else exp.Neg(this=exp.Literal.number("9e999")))
    return x.eq(exp.cast(exp.Literal.string("Infinity" if value > 0 else "-Infinity"), exp.DataType.Type.DOUBLE))


def _parts(text: str, dialect: str) -> list[str]:
    """Split text: NUL stands alone, and Spark replaces ${...} even inside of text, unless it is taken apart."""
    parts = [part for piece in text.split("\0") for part in ("\0", piece)][1:]
    if dialect == "spark":
        split = [part.replace("${", "$\0{").split("\0") if part != "\0" else [part] for part in parts]
        parts = [piece for some in split for piece in some]
    return [part for part in parts if part] or [""]


def _part(text: str, dialect: str) -> Any:
    from sqlglot import exp

    if text == "\0":
        zero = exp.Literal.number(0)
        return exp.Anonymous(this="NCHAR", expressions=[zero]) if dialect == "tsql" else exp.Chr(expressions=[zero])
    return exp.National(this=text) if dialect == "tsql" else exp.Literal.string(text)


def _sqlite_number(value: float) -> Any:
    """Write a number exactly. SQLite reads only 15 digits exactly; m / 2^k, with exact m, leaves nothing to round."""
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
