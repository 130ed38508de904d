"""Derived columns in SQL: relations between columns as they are read, and the words of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from sqlglot import exp

from conceptrules.export.sql.columns import DerivedColumn
from conceptrules.export.sql.literals import text_literal
from conceptrules.export.sql.readings import fill
from conceptrules.model.derived import Length, Mention, Relation

_HUGE = {
    "duckdb": "CAST('Infinity' AS DOUBLE)",
    "postgres": "CAST('Infinity' AS DOUBLE PRECISION)",
}
_NAN = {"duckdb": "CAST('NaN' AS DOUBLE)", "postgres": "CAST('NaN' AS DOUBLE PRECISION)"}
# PostgreSQL stops where a result is beyond all doubles, or rounds to 0: there the logarithm tells first.
_LOGARITHM = "(LOG(CAST(ABS(x) AS NUMERIC)) - LOG(CAST(ABS(y) AS NUMERIC)))"
_PG_INFINITE = f"(ABS(x) = {_HUGE['postgres']} OR ABS(y) = {_HUGE['postgres']})"
_RELATIONS = {
    "-": {
        "duckdb": f"NULLIF(x - y, {_NAN['duckdb']})",
        "postgres": (
            f"CASE WHEN {_PG_INFINITE} THEN NULLIF(x - y, {_NAN['postgres']}) "
            f"WHEN ABS(x * 0.5 - y * 0.5) >= POWER(CAST(2 AS DOUBLE PRECISION), 1023) "
            f"THEN SIGN(x) * {_HUGE['postgres']} ELSE x - y END"
        ),
        "sqlite": "x - y",
        "mysql": "x - y",
        "tsql": "x - y",
        "bigquery": "CASE WHEN NOT IS_NAN(x - y) THEN x - y END",
        **dict.fromkeys(("snowflake", "spark"), "NULLIF(x - y, CAST('NaN' AS DOUBLE))"),
    },
    "/": {
        "duckdb": f"NULLIF(x / NULLIF(y, 0), {_NAN['duckdb']})",
        "postgres": (
            f"CASE WHEN y = 0 THEN NULL WHEN {_PG_INFINITE} OR x = 0 THEN NULLIF(x / y, {_NAN['postgres']}) "
            f"WHEN {_LOGARITHM} > 309 THEN SIGN(x) * SIGN(y) * {_HUGE['postgres']} "
            f"WHEN {_LOGARITHM} < -325 THEN 0 ELSE x / y END"
        ),
        **dict.fromkeys(("sqlite", "mysql", "tsql"), "x / NULLIF(y, 0)"),
        "bigquery": "CASE WHEN y <> 0 AND NOT IS_NAN(IEEE_DIVIDE(x, y)) THEN IEEE_DIVIDE(x, y) END",
        **dict.fromkeys(("snowflake", "spark"), "NULLIF(x / NULLIF(y, 0), CAST('NaN' AS DOUBLE))"),
    },
    "<": {
        **dict.fromkeys(("duckdb", "postgres", "sqlite", "bigquery", "snowflake", "spark"), "x < y"),
        **dict.fromkeys(("mysql", "tsql"), "CASE WHEN x < y THEN 1 WHEN x >= y THEN 0 END"),
    },
}
_MOST_NESTED = 12
"""Functions inside of each other: SQLite's parser has a stack of a hundred."""
_LARGE, _SMALL = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
_WORDS = {  # in one expression
    "duckdb": (
        f"' ' || REGEXP_REPLACE(TRANSLATE(x, '{_LARGE}', '{_SMALL}'), "
        "'[\\x00-\\x2f\\x3a-\\x60\\x7b-\\x7f]+', ' ', 'g') || ' '"
    ),
    "postgres": (
        f"' ' || REGEXP_REPLACE(TRANSLATE(x, '{_LARGE}', '{_SMALL}'), "
        "'[\\u0001-\\u002f\\u003a-\\u0060\\u007b-\\u007f]+', ' ', 'g') || ' '"
    ),
}
_MENTIONS = {
    "duckdb": "COALESCE(INSTR(x, y) > 0, FALSE)",
    "postgres": "COALESCE(STRPOS(x, y) > 0, FALSE)",
    "sqlite": "COALESCE(INSTR(x, y) > 0, 0)",
}


def derive_layers(
    derived: Sequence[DerivedColumn], read: Mapping[str, str], own: Callable[[str], str], dialect: str
) -> Iterator[tuple[str, list[exp.Expr]]]:
    """Yield the layers of a query that work derived columns out; `read` has the names of the columns as they are read.

    The words of each text come first, in small letters with one blank between them.
    """
    texts = list(dict.fromkeys(text for each in derived for text in each.input.sources if _is_mention(each)))
    words = {text: own(f"w{number}") for number, text in enumerate(texts, start=1)}
    steps = _list_word_steps(dialect) if texts else []
    for number, step in enumerate(steps, start=1):
        known = read if number == 1 else words
        yield f"words_{number}", [step(exp.column(known[text])).as_(words[text]) for text in texts]
    yield (
        "derived",
        [_write_column(each, read, words, dialect).as_(name) for each in derived for name in each.readings.values()],
    )


def state_mention(mention: Mention, text: exp.Expr, dialect: str) -> exp.Expr:
    """Return whether a text of the table mentions one of the terms, in one expression."""
    words = fill(_WORDS[dialect], dialect, x=text)
    return exp.or_(
        *(fill(_MENTIONS[dialect], dialect, x=words, y=_text(f" {term} ", dialect)) for term in mention.terms)
    )


def _is_mention(column: DerivedColumn) -> bool:
    return isinstance(column.input.column.derivation, Mention)


def _write_column(column: DerivedColumn, read: Mapping[str, str], words: Mapping[str, str], dialect: str) -> exp.Expr:
    match column.input.column.derivation:
        case Relation(left=left, operator=operator, right=right):
            return fill(_RELATIONS[operator][dialect], dialect, x=exp.column(read[left]), y=exp.column(read[right]))
        case Mention(column=text, terms=terms):
            mentions = [
                fill(_MENTIONS[dialect], dialect, x=exp.column(words[text]), y=_text(f" {term} ", dialect))
                for term in terms
            ]
            return exp.or_(*mentions)
        case Length(column=text):
            return fill("CAST(LENGTH(x) AS DOUBLE PRECISION)", "postgres", x=exp.column(read[text]))
    raise AssertionError(column)


def _list_word_steps(dialect: str) -> list[Callable[[exp.Expr], exp.Expr]]:
    """Return the steps from a text to its words; SQLite takes several, since it limits how deep an expression is."""
    if dialect in _WORDS:
        return [lambda text: fill(_WORDS[dialect], dialect, x=text)]
    blanks = [chr(code) for code in [*range(1, 32), *range(33, 48), *range(58, 65), *range(91, 97), *range(123, 128)]]
    parts = [blanks[start : start + _MOST_NESTED] for start in range(0, len(blanks), _MOST_NESTED)]
    replacing = [[(sign, " ") for sign in part] for part in parts]
    # Of a run of blanks, as pairs of < and >, all but the ends go.
    replacing.append([(" ", "<>"), ("><", ""), ("<>", " ")])
    return [
        lambda text: exp.func("LOWER", text),  # of ASCII alone, there
        *(partial(_replace_all, each) for each in replacing),
        lambda text: fill("' ' || x || ' '", dialect, x=text),
    ]


def _replace_all(pairs: Sequence[tuple[str, str]], text: exp.Expr) -> exp.Expr:
    for old, new in pairs:
        text = exp.func("REPLACE", text, _text(old, "sqlite"), _text(new, "sqlite"))
    return text


def _text(text: str, dialect: str) -> exp.Expr:
    literal = text_literal(text, dialect)
    assert literal is not None, text  # a term has neither NUL nor half of a character
    return literal
