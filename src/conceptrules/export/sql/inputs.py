"""The first step of a query: the columns of the table as they are and as they are read, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conceptrules.export.inputs import Input
from conceptrules.export.sql.names import Names
from conceptrules.export.sql.readings import filled, read, readings
from conceptrules.export.sql.types import DIGITS, Used, refusal
from conceptrules.model.network import RuleNetwork

# The type of a column y of the table, asked once rather than in each row: PostgreSQL knows it without a row. COALESCE
# tells what a domain is made of.
_TYPE_OF = (
    "(SELECT CASE WHEN typcategory IN ('E', 'S') THEN 'text' ELSE FORMAT_TYPE(oid, NULL) END "
    "FROM pg_catalog.pg_type WHERE oid = PG_TYPEOF(COALESCE(y, NULL)))"
)


@dataclass(frozen=True, slots=True)
class Query:
    """What the steps of a query have in common."""

    network: RuleNetwork
    used: tuple[Input, ...]
    dialect: str
    names: Names


def inputs_of(query: Query) -> list[Any]:
    """Return the columns as they are and as they are read."""
    from sqlglot import exp

    kept = [_raw(query, name).as_(exp.to_identifier(name, quoted=True)) for name in query.names.kept]
    ways = [
        read(one.input, way, one.column, one.type, query.dialect).as_(reading_name(query, number, place))
        for number, one in enumerate(_used(query), start=1)
        for place, way in enumerate(readings(one.input, query.dialect))
    ]
    return [*kept, *ways]


def reading_name(query: Query, number: int, place: int) -> str:
    return query.names.own(f"x{number}_{place + 1}" if place else f"x{number}")


def types_of(query: Query) -> list[Any]:
    """Return the types of the columns in use, which PostgreSQL is asked for first."""
    from sqlglot import exp

    columns = [exp.select(_raw(query, one.name)).from_(source(query)).limit(0).subquery() for one in _used(query)]
    found = [filled(_TYPE_OF, query.dialect, y=column) for column in columns]
    asked = [filled(DIGITS, query.dialect), *found]
    return [each.as_(query.names.own(f"t{number}")) for number, each in enumerate(asked)]


def refused(query: Query) -> Any:
    """Return the condition that fails on what Python could not read."""
    from sqlglot import exp

    return refusal(_used(query), table_of(query.names.table), exp.column(query.names.own("t0")), query.dialect)


def _used(query: Query) -> list[Used]:
    called = [query.names.columns[one.column.name] for one in query.used]
    columns = [_raw(query, name) for name in called]
    types = [_type(query, number, column) for number, column in enumerate(columns, start=1)]
    return [Used(*each) for each in zip(query.used, columns, types, called, strict=True)]


def _type(query: Query, number: int, column: Any) -> Any:
    from sqlglot import exp

    if query.dialect == "postgres":
        return exp.column(query.names.own(f"t{number}"))
    return exp.Typeof(this=column.copy())


def source(query: Query) -> Any:
    return table_of(query.names.table).as_(query.names.own("source"))


def _raw(query: Query, name: str) -> Any:
    """Return a column of the table. It is qualified: SQLite takes an unknown "name" for text."""
    from sqlglot import exp

    return exp.column(exp.to_identifier(name, quoted=True), table=query.names.own("source"))


def table_of(parts: Sequence[str]) -> Any:
    """Return a table by the parts of its name."""
    from sqlglot import exp

    quoted = [exp.to_identifier(part, quoted=True) for part in parts]
    return exp.Table(**dict(zip(("this", "db", "catalog"), reversed(quoted), strict=False)))
