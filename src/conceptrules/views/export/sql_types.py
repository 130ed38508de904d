"""What the columns of the table hold, and the refusal of what Python refuses to read.

Python reads a column of numbers from true and false too, and never from text; where it stops with an error, the query
has to. Databases go by types of their own, so a condition for each column says what is wrong there, and the query asks
these conditions before anything else. In DuckDB they are settled before the first row. PostgreSQL refuses most by
itself, for want of an operator, as soon as it reads the query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conceptrules.rules.errors import InputError
from conceptrules.rules.predicate import Column, Kind
from conceptrules.rules.table import nearest
from conceptrules.rules.values import NOUNS, readable
from conceptrules.views.export.layout import Input, Stored
from conceptrules.views.export.sql_columns import filled, text_literal

STORED: dict[Stored, Kind] = {
    "number": "number",
    "boolean": "boolean",
    "text": "category",
    "date": "date",
    "datetime": "datetime",
    "duration": "duration",
}
_NUMBERS = "U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL.*|BOOLEAN"
# What cannot be read, as a condition on the column x.
_NO_MOMENT = {
    "duckdb": "x IS NOT NULL AND NOT TYPEOF(x) SIMILAR TO 'DATE|TIMESTAMP.*'",
    "postgres": (
        "x IS NOT NULL AND PG_TYPEOF(x) IN "
        "(CAST('time' AS REGTYPE), CAST('timetz' AS REGTYPE), CAST('interval' AS REGTYPE))"
    ),
    # A time is text there. DATE alone would take 'now' for one, and 30 February.
    "sqlite": (
        "TYPEOF(x) = 'blob' OR (TYPEOF(x) = 'text' AND (DATE(SUBSTR(x, 1, 19), '+0 days') IS NOT SUBSTR(x, 1, 10) "
        "OR SUBSTR(x, 17) GLOB '*[^:.0-9]*' OR SUBSTR(x, 20) GLOB '[^.]*' OR SUBSTR(x, 21) GLOB '*[^0-9]*'))"
    ),
}
_WRONG: dict[str, dict[Kind, str]] = {
    "duckdb": {
        "number": f"x IS NOT NULL AND NOT TYPEOF(x) SIMILAR TO '{_NUMBERS}'",
        "boolean": "x IS NOT NULL AND TYPEOF(x) <> 'BOOLEAN'",
        "category": "x IS NOT NULL AND NOT TYPEOF(x) SIMILAR TO 'VARCHAR|ENUM.*'",
        "duration": "x IS NOT NULL AND TYPEOF(x) <> 'INTERVAL'",
    },
    "postgres": {
        "category": (
            "x IS NOT NULL AND NOT PG_TYPEOF(x) IN "
            "(SELECT oid FROM pg_catalog.pg_type WHERE typcategory IN ('E', 'S') AND typname <> 'bpchar')"
        ),
        "duration": "x IS NOT NULL AND PG_TYPEOF(x) <> CAST('interval' AS REGTYPE)",
    },
    # True and false are 1 and 0 there, and a duration is a number.
    "sqlite": {
        "number": "TYPEOF(x) NOT IN ('integer', 'real', 'null')",
        "boolean": "x IS NOT NULL AND NOT (TYPEOF(x) = 'integer' AND x IN (0, 1))",
        "category": "TYPEOF(x) NOT IN ('text', 'null')",
        "duration": "TYPEOF(x) NOT IN ('integer', 'real', 'null')",
    },
}
for _dialect, _wrong in _NO_MOMENT.items():
    _WRONG[_dialect] |= {"date": _wrong, "datetime": _wrong}
_TYPE = {"duckdb": "TYPEOF(x)", "postgres": "PG_TYPEOF(x)", "sqlite": "TYPEOF(x)"}
# An error with this text x. Only DuckDB has a function for it; the others repeat what they cannot read.
_ERROR = {"duckdb": "ERROR(x)", "postgres": "CAST(x AS BOOLEAN)", "sqlite": "JSON_EXTRACT('[]', x)"}


def told(used: Sequence[Input], types: Mapping[str, str], columns: Sequence[Column]) -> tuple[Input, ...]:
    """The columns in use, with what the table holds where `types` says; an error where Python could not read that."""
    known = {column.name: column for column in columns}
    for name, stored in types.items():
        if name not in known:
            raise InputError(f"the network has no column {name!r} to give a type; {nearest(name, known)}")
        _check_type(known[name], stored)
    return tuple(_told(one, types[one.column.name]) if one.column.name in types else one for one in used)


def refusal(used: Sequence[tuple[Input, Any, str]], dialect: str) -> Any:
    """A condition that is true, or an error on what cannot be read; None if the dialect needs none.

    The columns in use come with how the query names them, and how the table does.
    """
    from sqlglot import exp

    case = exp.case()
    for one, column, name in used:
        wrong = _WRONG.get(dialect, {}).get(_read_as(one))
        needless = dialect == "postgres" and _read_as(one) == "category" and one.stored is None
        if wrong is not None and not needless:
            case.when(filled(wrong, column, dialect), _error(one, column, name, dialect), copy=False)
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
    """A column without categories is whatever the table says."""
    if one.column.kind != "category" or one.column.categories:
        return replace(one, stored=stored)
    return replace(one, stored=stored, family="text" if stored == "text" else "figure")


def _error(one: Input, column: Any, name: str, dialect: str) -> Any:
    from sqlglot import exp

    said = text_literal(f"column {name} needs {NOUNS[_read_as(one)]}, not ", dialect)
    message = exp.DPipe(this=said, expression=filled(_TYPE[dialect], column, dialect), safe=True)
    return filled(_ERROR[dialect], message, dialect)


def _read_as(one: Input) -> Kind:
    """What the column is read as."""
    families: dict[str, Kind] = {"flag": "boolean", "text": "category", "figure": "number", "whole": "number"}
    return families.get(one.family, one.column.kind)
