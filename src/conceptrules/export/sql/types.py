"""What the columns of the table hold, and the refusal of what Python refuses to read.

Python reads a column of numbers from true and false too, and never from text; where it stops with an error, the query
has to. A condition for each column says what is wrong there: a value, of a type that the column is not read from. The
query asks these conditions before anything else. A column of any type without a value is missing, as in Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conceptrules.export.inputs import Input, Stored
from conceptrules.export.sql.comparisons import text_literal
from conceptrules.export.sql.readings import ASKED, TAKES, Reading, filled, is_open, main_reading, readings
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Column, Kind
from conceptrules.model.values import NOUNS, readable
from conceptrules.tables.table import nearest

STORED: dict[Stored, Kind] = {
    "number": "number",
    "boolean": "boolean",
    "text": "category",
    "date": "date",
    "datetime": "datetime",
    "duration": "duration",
}
_OPEN = "text, numbers, true or false"
# What is missing, as conditions on the column x of the type t. In PostgreSQL its text is asked, not x itself: a value
# made of nothing but NULLs IS NULL.
_NULL = {"duckdb": "x IS NULL", "postgres": "CAST(x AS TEXT) IS NULL", "sqlite": "x IS NULL"}
_NAN = {
    "duckdb": "t IN ('FLOAT', 'DOUBLE') AND ISNAN(TRY_CAST(x AS DOUBLE))",
    "postgres": "t IN ('real', 'double precision', 'numeric') AND CAST(x AS TEXT) = 'NaN'",
}
# What is neither all text nor all numbers, of which only SQLite has columns: y is the column, of any row.
_MIXED = "t = 'text' AND EXISTS(SELECT 1 FROM rows WHERE TYPEOF(y) IN ('integer', 'real'))"
# An error with this text x. Only DuckDB has a function for it; the others repeat what they cannot read.
_ERROR = {"duckdb": "ERROR(x)", "postgres": "CAST(x AS BOOLEAN)", "sqlite": "JSON_EXTRACT('[]', x)"}
# With a setting below 1, PostgreSQL writes doubles with 15 digits or less.
DIGITS = "CAST(CURRENT_SETTING('extra_float_digits') AS INT)"
_ROUNDED = "'numbers are read from all their digits: SET extra_float_digits = 1 first, it is ' || x"


@dataclass(frozen=True, slots=True)
class Used:
    """A column in use: as the query names it, what tells its type, and what the table calls it."""

    input: Input
    column: Any
    type: Any
    name: str


def told(used: Sequence[Input], types: Mapping[str, str], columns: Sequence[Column]) -> tuple[Input, ...]:
    """Return the columns in use, with what `types` says that the table holds; raise if Python could not read that."""
    known = {column.name: column for column in columns}
    for name, stored in types.items():
        if name not in known:
            raise InputError(f"the network has no column {name!r} to give a type; {nearest(name, known)}")
        _check_type(known[name], stored)
    return tuple(_told(one, types[one.column.name]) if one.column.name in types else one for one in used)


def refusal(used: Sequence[Used], table: Any, digits: Any, dialect: str) -> Any:
    """Return a condition that is true, or an error on what cannot be read; None if the dialect needs none.

    `digits` is what tells PostgreSQL's setting of that name.
    """
    from sqlglot import exp

    if dialect not in ASKED:
        return None
    case = exp.case()
    if dialect == "postgres" and any("number" in readings(one.input, dialect) for one in used):
        case.when(digits < 1, _error(filled(_ROUNDED, dialect, x=digits), dialect), copy=False)
    for one in used:
        case.when(_wrong(one, dialect), _said(one, _needed(one.input), one.type, dialect), copy=False)
        if is_open(one.input) and dialect == "sqlite":
            mixed = exp.Literal.string("both in one column")
            case.when(_mixed(one, table), _said(one, "text or numbers", mixed, dialect), copy=False)
    return case.else_(exp.true(), copy=False) if case.args["ifs"] else None


def _check_type(column: Column, stored: str) -> None:
    if stored not in STORED:
        raise InputError(f"there is no type {stored!r} for column {column.name!r}; there are {', '.join(STORED)}")
    if not readable(STORED[stored], column):
        needed = " or ".join(name for name, kind in STORED.items() if readable(kind, column))
        raise InputError(
            f"column {column.name!r} cannot be read from the type {stored!r}, in Python neither; it needs {needed}"
        )


def _told(one: Input, stored: Any) -> Input:
    """Return what a column holds; one without categories holds whatever the table says."""
    if one.column.kind != "category" or one.column.categories:
        return replace(one, stored=stored)
    return replace(one, stored=stored, family="text" if stored == "text" else "figure")


def _wrong(one: Used, dialect: str) -> Any:
    """Return whether there is a value, of a type that the column is not read from."""
    takes, reading = TAKES[dialect], main_reading(one.input)
    right = f"({takes['text']}) OR ({takes['number']})" if is_open(one.input) else takes[reading]
    # The right type first: nothing else is asked then.
    wrong = f"NOT ({right}) AND NOT {_NULL[dialect]}"
    if dialect in _NAN and takes["number"] not in right:
        wrong += f" AND NOT ({_NAN[dialect]})"
    return filled(wrong, dialect, x=one.column, t=one.type)


def _mixed(one: Used, table: Any) -> Any:
    from sqlglot import exp

    other = exp.column(exp.to_identifier(one.name, quoted=True), table="rows")
    found = filled(_MIXED, "sqlite", t=one.type, y=other)
    return found.transform(lambda node: table.as_("rows") if isinstance(node, exp.Table) else node)


def _needed(one: Input) -> str:
    if is_open(one):
        return _OPEN
    kinds: dict[Reading, Kind] = {"number": "number", "text": "category"}
    return NOUNS[kinds.get(main_reading(one), one.column.kind)]


def _said(one: Used, needed: str, found: Any, dialect: str) -> Any:
    from sqlglot import exp

    said = text_literal(f"column {one.name} needs {needed}, not ", dialect)
    return _error(exp.DPipe(this=said, expression=found.copy(), safe=True), dialect)


def _error(message: Any, dialect: str) -> Any:
    return filled(_ERROR[dialect], dialect, x=message)
