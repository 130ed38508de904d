"""DuckDB, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from conceptrules.export.verify.engines.database import Stored, dotted, quoted

_TYPES = {
    "number": pa.float64(),
    "whole": pa.int64(),
    "flag": pa.bool_(),
    "text": pa.string(),
    "moment": pa.timestamp("us"),
    "duration": pa.duration("us"),
}


def missing(places: Sequence[Sequence[str]]) -> str | None:
    return None if find_spec("duckdb") else "DuckDB is not installed; pip install 'conceptrules[sql]'"


def ask(
    places: Sequence[Sequence[str]], columns: Sequence[Stored], queries: Sequence[tuple[str, str | None]]
) -> list[list[tuple[Any, ...]]]:
    import duckdb

    # pyarrow's tables keep NaN apart from NULL, and load at once where one INSERT a row takes seconds.
    rows = pa.table([_array(column) for column in columns], names=[column.name for column in columns])
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        for parts in places:
            _make_room(connection, parts)
        connection.register("conceptrules rows", rows)
        connection.execute(f'CREATE TABLE {dotted(places[0], "duckdb")} AS SELECT * FROM "conceptrules rows"')
        connection.unregister("conceptrules rows")
        return [_asked(connection, *query) for query in queries]


def _asked(connection: Any, query: str, before: str | None) -> list[tuple[Any, ...]]:
    if before is not None:
        connection.execute(before)
    result: list[tuple[Any, ...]] = connection.execute(query).fetchall()
    return result


def _make_room(connection: Any, parts: Sequence[str]) -> None:
    """Return the catalogue and the schema that a name speaks of."""
    if len(parts) == 3:
        connection.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {quoted(parts[0], 'duckdb')}")
    if len(parts) > 1:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {dotted(parts[:-1], 'duckdb')}")


def _array(column: Stored) -> pa.Array:
    times = column.kind in ("moment", "duration")
    values = [None if value is None else int(value) for value in column.values] if times else column.values
    return pa.array(values, type=_TYPES[column.kind], from_pandas=False)
