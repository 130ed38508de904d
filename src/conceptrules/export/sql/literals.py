"""How each dialect writes text, numbers and classes, and compares columns with them as Python does."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from sqlglot import exp

from conceptrules.export.inputs import is_double, is_utf8
from conceptrules.export.sql.readings import Reading, fill
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.statistics import probabilities, tabulate_probabilities
from conceptrules.model.text import number_text

_COMPARED_TEXT = {"mysql": "CAST(CONVERT(x USING utf8mb4) AS BINARY)", "tsql": "CAST(x + N'.' AS VARBINARY(MAX))"}
_DOUBLE = exp.DataType.Type.DOUBLE
MOST_TERMS = 50  # without brackets: databases limit the depth of an expression


def text_literal(text: str, dialect: str) -> exp.Expr | None:
    """Return text as the dialect writes it, in parts where it must be; None if the dialect has no such text."""
    if not is_utf8(text) or ("\0" in text and dialect == "postgres"):
        return None
    first, *rest = [_text_part(part, dialect) for part in _split_text(text, dialect)]
    joined = first
    for part in rest:
        joined = exp.DPipe(this=joined, expression=part, safe=True)
    return joined


def _split_text(text: str, dialect: str) -> list[str]:
    """Split text: NUL stands alone, and Spark replaces ${...} even inside of text, unless it is taken apart."""
    parts = [part for piece in text.split("\0") for part in ("\0", piece)][1:]
    if dialect == "spark":
        split = [part.replace("${", "$\0{").split("\0") if part != "\0" else [part] for part in parts]
        parts = [piece for pieces in split for piece in pieces]
    return [part for part in parts if part] or [""]


def _text_part(text: str, dialect: str) -> exp.Expr:
    if text == "\0":
        zero = exp.Literal.number(0)
        return exp.Anonymous(this="NCHAR", expressions=[zero]) if dialect == "tsql" else exp.Chr(expressions=[zero])
    return exp.National(this=text) if dialect == "tsql" else exp.Literal.string(text)


def number_literal(value: float, dialect: str) -> exp.Expr:
    """Return a double, exactly: a plain literal is a decimal in most dialects."""
    value += 0.0
    if value == round(value) and abs(value) < 2**31:
        return exp.convert(int(value))
    if dialect == "sqlite":
        return _sqlite_number(value)
    return exp.cast(exp.Literal.string(number_text(value)), _DOUBLE)


def _sqlite_number(value: float) -> exp.Expr:
    """Write a number exactly. SQLite reads only 15 digits exactly; m / 2^k, with exact m, leaves nothing to round."""
    digits = number_text(value)
    short = len(digits.partition("e")[0].replace(".", "").strip("-0")) <= 15
    if short and 1e-7 < abs(value) < 1e15:
        return exp.Literal.number(digits) if value >= 0 else exp.Neg(this=exp.Literal.number(digits.lstrip("-")))
    mantissa, exponent = math.frexp(value)
    result: exp.Expr = exp.cast(exp.convert(int(mantissa * 2**53)), _DOUBLE)
    exponent -= 53
    while exponent:
        step = min(abs(exponent), 62)
        operation = exp.Mul if exponent > 0 else exp.Div
        result = operation(this=result, expression=exp.cast(exp.convert(2**step), _DOUBLE))
        exponent -= step if exponent > 0 else -step
    return exp.Paren(this=result)


def equal(read: Mapping[Reading, exp.Column], value: Value, dialect: str) -> exp.Expr | None:
    """Return whether a column equals a value, from its readings; None if no value of the column can."""
    if "flag" in read:
        return read["flag"].eq(exp.true() if value else exp.false()) if value in (0, 1) else None
    if isinstance(value, str):
        literal = text_literal(value, dialect) if "text" in read else None
        if literal is None:
            return None
        compared = fill(_COMPARED_TEXT[dialect], dialect, x=literal) if dialect in _COMPARED_TEXT else literal
        return read["text"].eq(compared)
    if "whole" in read and value == value // 1 and -(2**63) <= value < 2**64:
        return _equal_whole(read, int(value), dialect)
    number = read.get("number", read.get("whole"))
    return None if number is None or not is_double(value) else _equal_number(number, float(value), dialect)


def _equal_whole(read: Mapping[Reading, exp.Column], value: int, dialect: str) -> exp.Expr | None:
    """Compare with a whole number; beside doubles, one that is not a double equals nothing."""
    if dialect == "sqlite" and value >= 2**63 and not is_double(value):  # it would be read as a double
        return None
    whole = read["whole"]
    same = whole.eq(exp.convert(value))
    if "number" not in read or not is_double(value):
        return same
    return same.or_(whole.is_(exp.null()).and_(_equal_number(read["number"], float(value), dialect)))


def _equal_number(x: exp.Column, value: float, dialect: str) -> exp.Expr | None:
    if math.isfinite(value):
        return x.eq(number_literal(value, dialect))
    if dialect in ("mysql", "tsql"):  # no infinities there
        return None
    if dialect == "sqlite":
        return x.eq(exp.Literal.number("9e999") if value > 0 else exp.Neg(this=exp.Literal.number("9e999")))
    return x.eq(exp.cast(exp.Literal.string("Infinity" if value > 0 else "-Infinity"), _DOUBLE))


def between(x: exp.Expr, low: float, high: float, literal: Callable[[float], exp.Expr]) -> exp.Expr:
    """Return whether a column is above `low` and at most `high`, each written by `literal`."""
    tests: list[exp.Expr] = [exp.GT(this=x.copy(), expression=literal(low))] if low != -math.inf else []
    tests += [exp.LTE(this=x.copy(), expression=literal(high))] if high != math.inf else []
    return exp.and_(*tests) if tests else x.is_(exp.null()).not_()


def bit(condition: exp.Expr | None) -> exp.Expr:
    """Return 1 where the condition holds, and 0 where it does not, is unknown, or there is none."""
    if condition is None:
        return exp.convert(0)
    return exp.case().when(condition, exp.convert(1)).else_(exp.convert(0))


def check_labels(network: RuleNetwork, dialect: str) -> None:
    """Raise unless a column of the database can hold the labels, and keep them distinct."""
    texts = list(map(label_text, network.classes))
    for value, text in zip(network.classes, texts, strict=True):
        if text_literal(text, dialect) is None:
            raise InputError(f"the class {value!r} holds a character that text in {dialect} cannot; rename the class")
    if len(set(texts)) < len(texts):
        raise InputError(f"some classes read the same as text: {', '.join(map(repr, network.classes))}; rename one")


def label_type(network: RuleNetwork) -> type:
    """Return what all labels are: bool, int, float, and otherwise text."""
    for kind in (bool, int, float):
        if all(type(value) is kind for value in network.classes):
            wide = kind is int and any(not -(2**63) < int(value) < 2**63 for value in network.classes)
            infinite = kind is float and any(math.isinf(float(value)) for value in network.classes)
            return str if wide or infinite else kind
    return str


def label_text(value: Value) -> str:
    """Return a label as text."""
    return value if isinstance(value, str) else repr(value)


def label_literal(network: RuleNetwork, value: Value, dialect: str) -> exp.Expr:
    """Return a label, which `check_labels` let pass, as the dialect writes it."""
    kind = label_type(network)
    if kind is str:
        text = text_literal(label_text(value), dialect)
        assert text is not None
        return text
    if kind is bool:
        if dialect == "tsql":  # SQL Server has no TRUE
            return exp.cast(exp.convert(int(value)), "BOOLEAN")
        return exp.true() if value else exp.false()
    return exp.convert(int(value)) if kind is int else exp.cast(number_literal(float(value), dialect), _DOUBLE)


def class_pattern(fires: Sequence[str]) -> exp.Expr:
    """Return which classes fire as one text, from columns that are 1 where they do: a 0 or 1 for each class."""
    return concatenate([text_if(name, "1", "0") for name in fires])


def probability_columns(network: RuleNetwork, pattern: str, dialect: str) -> list[exp.Expr]:
    """Return what `predict_proba` says for each `class_pattern`, which is in a column; others have the shares."""
    statistics = network.statistics
    if statistics is None:
        # The same error as that of the estimator.
        probabilities(network, np.zeros((1, len(network.classes)), dtype=np.bool_))
        raise AssertionError
    texts = ["".join("01"[fire] for fire in each) for each, _ in statistics.patterns]
    unseen, known = tabulate_probabilities(network)

    def double(value: float) -> exp.Expr:
        return exp.cast(number_literal(value, dialect), _DOUBLE)

    columns: list[exp.Expr] = []
    for index in range(len(network.classes)):
        by_pattern = exp.case(exp.column(pattern))
        for text, share in zip(texts, known[:, index].tolist(), strict=True):
            by_pattern.when(exp.Literal.string(text), double(share), copy=False)
        otherwise = double(unseen[0, index].item())
        columns.append(by_pattern.else_(otherwise, copy=False) if texts else otherwise)
    return columns


def text_if(column: str, text: str, otherwise: str) -> exp.Expr:
    """Return one text where a column is 1, and the other where it is 0."""
    return exp.case().when(exp.column(column).eq(1), exp.Literal.string(text)).else_(exp.Literal.string(otherwise))


def concatenate(parts: Sequence[exp.Expr]) -> exp.Expr:
    """Join texts by halves, so that the expression is only as deep as the logarithm of its length."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    left, right = concatenate(parts[:half]), concatenate(parts[half:])
    bracketed = [exp.Paren(this=side) if isinstance(side, exp.DPipe) else side for side in (left, right)]
    return exp.DPipe(this=bracketed[0], expression=bracketed[1], safe=True)


def join_many(join: Callable[..., exp.Expr], terms: Sequence[exp.Expr]) -> exp.Expr:
    """Join terms, in brackets of fifty where there are more."""
    if len(terms) <= MOST_TERMS:
        return join(*terms)
    groups = [terms[start : start + MOST_TERMS] for start in range(0, len(terms), MOST_TERMS)]
    return join_many(join, [exp.Paren(this=join(*group)) for group in groups])
