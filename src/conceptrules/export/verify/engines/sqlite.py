"""SQLite, in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from conceptrules.export.verify.engines.database import Stored, dotted, moment, quoted

_OLDEST = (3, 35, 0)  # knows MATERIALIZED


def missing(places: Sequence[Sequence[str]]) -> str | None:
    if sqlite3.sqlite_version_info < _OLDEST:
        return f"this Python has SQLite {sqlite3.sqlite_version}, and the query needs 3.35 or later"
    if any(len(parts) == 3 for parts in places):
        return "SQLite has no catalogues; name the table as schema.table"
    return None


def ask(
    places: Sequence[Sequence[str]], columns: Sequence[Stored], queries: Sequence[tuple[str, str | None]]
) -> list[list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for schema in {parts[0] for parts in places if len(parts) == 2} - {"main", "temp"}:
            connection.execute(f"ATTACH ':memory:' AS {quoted(schema, 'sqlite')}")
        names = ", ".join(quoted(column.name, "sqlite") for column in columns)
        table = dotted(places[0], "sqlite")
        connection.execute(f"CREATE TABLE {table} ({names})")
        rows = zip(*([_cell(value, column.kind) for value in column.values] for column in columns), strict=True)
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
        return [_asked(connection, *query) for query in queries]


def _asked(connection: sqlite3.Connection, query: str, before: str | None) -> list[tuple[Any, ...]]:
    if before is not None:
        connection.execute(before)
    return connection.execute(query).fetchall()


def _cell(value: Any, kind: str) -> Any:
    """Return a cell; times are text in SQLite."""
    return moment(value).isoformat(" ") if kind == "moment" and value is not None else value
