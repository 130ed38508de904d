"""The databases that run here: DuckDB and SQLite in memory, PostgreSQL as a server of our own in a temporary folder."""

from __future__ import annotations

import atexit
import datetime as dt
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pyarrow as pa
from sqlglot import exp

from conceptrules.model.predicate import EPOCH

Parts = Sequence[str]
"""The name of a table or view in parts: catalogue, schema, table."""
_OLDEST_SQLITE = (3, 35, 0)  # knows MATERIALIZED
_USER = "conceptrules"
# If this process is killed, the pipe to the guard closes, and the guard stops the server.
_GUARD = 'cat; kill -INT "$1"; while kill -0 "$1"; do sleep 0.1; done; rm -rf -- "$0"'
# Answers are matched to rows by their position alone. From 8 MB on, a scan would be shared among workers, or begin
# where the last one stopped, and the rows would come out in another order.
_IN_ORDER = ("max_parallel_workers_per_gather=0", "synchronize_seqscans=off")
_ARROW_TYPES = {
    "number": pa.float64(),
    "whole": pa.int64(),
    "flag": pa.bool_(),
    "text": pa.string(),
    "moment": pa.timestamp("us"),
    "duration": pa.duration("us"),
}
_POSTGRES_TYPES = {
    "number": "DOUBLE PRECISION",
    "whole": "BIGINT",
    "flag": "BOOLEAN",
    "text": "TEXT",
    "moment": "TIMESTAMP",
    "duration": "INTERVAL",
}


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column of the table: its name, what it holds, its values; times in microseconds since 1970."""

    name: str
    kind: str
    """One of number, whole, flag, text, moment and duration."""
    values: Sequence[Any]


class Database:
    """A database that runs here."""

    def missing(self, tables: Sequence[Parts]) -> str | None:
        """Return why it cannot be asked here about tables or views of these names."""
        raise NotImplementedError

    def fill(self, tables: Sequence[Parts], columns: Sequence[StoredColumn]) -> AbstractContextManager[Any]:
        """Give a connection to a database with a table of the first name, and the schemas of the others."""
        raise NotImplementedError

    def ask(
        self, tables: Sequence[Parts], columns: Sequence[StoredColumn], queries: Sequence[tuple[str, str | None]]
    ) -> list[list[tuple[Any, ...]]]:
        """Return the rows of each query on a table of the first name; a query may need a statement before it."""
        results = []
        with self.fill(tables, columns) as connection:
            for query, before in queries:
                if before is not None:
                    connection.execute(before)
                results.append(connection.execute(query).fetchall())
        return results


class DuckDB(Database):
    """DuckDB, in memory."""

    def missing(self, tables: Sequence[Parts]) -> str | None:
        return None if find_spec("duckdb") else "DuckDB is not installed; pip install 'conceptrules[sql]'"

    @contextmanager
    def fill(self, tables: Sequence[Parts], columns: Sequence[StoredColumn]) -> Iterator[Any]:
        import duckdb

        # pyarrow's tables keep NaN apart from NULL, and load at once where one INSERT a row takes seconds.
        rows = pa.table(list(map(arrow_array, columns)), names=[column.name for column in columns])
        with duckdb.connect(":memory:", config={"threads": 1}) as connection:
            for parts in tables:
                if len(parts) == 3:
                    connection.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {quote_parts(parts[:1], 'duckdb')}")
                if len(parts) > 1:
                    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quote_parts(parts[:-1], 'duckdb')}")
            connection.register("conceptrules rows", rows)
            table = quote_parts(tables[0], "duckdb")
            connection.execute(f'CREATE TABLE {table} AS SELECT * FROM "conceptrules rows"')
            connection.unregister("conceptrules rows")
            yield connection


class SQLite(Database):
    """SQLite, in memory."""

    def missing(self, tables: Sequence[Parts]) -> str | None:
        if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            return f"this Python has SQLite {sqlite3.sqlite_version}, and the query needs 3.35 or later"
        if any(len(parts) == 3 for parts in tables):
            return "SQLite has no catalogues; name the table as schema.table"
        return None

    @contextmanager
    def fill(self, tables: Sequence[Parts], columns: Sequence[StoredColumn]) -> Iterator[Any]:
        with closing(sqlite3.connect(":memory:")) as connection:
            for schema in {parts[0] for parts in tables if len(parts) == 2} - {"main", "temp"}:
                connection.execute(f"ATTACH ':memory:' AS {quote_parts([schema], 'sqlite')}")
            names = ", ".join(quote_parts([column.name], "sqlite") for column in columns)
            table = quote_parts(tables[0], "sqlite")
            connection.execute(f"CREATE TABLE {table} ({names})")
            # Times are text in SQLite, and durations numbers.
            rows = _rows(columns, {"moment": lambda value: _datetime(value).isoformat(" ")})
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
            yield connection


class Postgres(Database):
    """PostgreSQL: a server of our own, started when first needed and stopped at the end."""

    def missing(self, tables: Sequence[Parts]) -> str | None:
        if os.name != "posix":
            return "PostgreSQL is started by the tests and the verification on Unix only"
        if not find_spec("psycopg"):
            return "psycopg is not installed; pip install 'conceptrules[postgres]'"
        if _program("initdb") is None or _program("postgres") is None:
            return "PostgreSQL is not installed: there is no initdb on the path nor in /usr/lib/postgresql"
        if os.geteuid() == 0 and _other_user() is None:
            return "PostgreSQL does not run as root, and there is no user postgres or nobody to run it as"
        elsewhere = any(len(parts) == 3 for parts in tables)
        return "a table in another database cannot be asked here" if elsewhere else None

    @contextmanager
    def fill(self, tables: Sequence[Parts], columns: Sequence[StoredColumn]) -> Iterator[Any]:
        import psycopg

        names = [f"{quote_parts([column.name], 'postgres')} {_POSTGRES_TYPES[column.kind]}" for column in columns]
        table = quote_parts(tables[0], "postgres")
        with psycopg.connect(
            host=postgres_server(), user=_USER, dbname="postgres", client_encoding="utf8"
        ) as connection:
            cursor: Any = connection.cursor()  # takes any text, where the type wants literals
            for parts in tables:
                if len(parts) > 1:
                    cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {quote_parts(parts[:1], 'postgres')}")
            cursor.execute(f"CREATE TABLE {table} ({', '.join(names)})")
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                durations = {"duration": lambda value: dt.timedelta(microseconds=int(value))}
                for row in _rows(columns, {"moment": _datetime, **durations}):
                    copy.write_row(row)
            yield cursor
            connection.rollback()


DATABASES: dict[str, Database] = {"duckdb": DuckDB(), "postgres": Postgres(), "sqlite": SQLite()}
"""The databases by their dialects."""


def quote_parts(parts: Parts, dialect: str) -> str:
    """Return a name as the dialect quotes it."""
    return ".".join(exp.to_identifier(part, quoted=True).sql(dialect) for part in parts)


def arrow_array(column: StoredColumn) -> pa.Array:
    """Return the values of a column as Arrow has them."""
    times = column.kind in ("moment", "duration")
    values = [None if value is None else int(value) for value in column.values] if times else column.values
    return pa.array(values, type=_ARROW_TYPES[column.kind], from_pandas=False)


def _rows(columns: Sequence[StoredColumn], convert: Mapping[str, Callable[[Any], Any]]) -> Iterator[tuple[Any, ...]]:
    """Return the cells row by row; those of some kinds are converted."""
    converters = [convert.get(column.kind) for column in columns]
    cells = [
        [value if value is None or converter is None else converter(value) for value in column.values]
        for column, converter in zip(columns, converters, strict=True)
    ]
    return zip(*cells, strict=True)


def _datetime(microseconds: float) -> dt.datetime:
    return EPOCH + dt.timedelta(microseconds=int(microseconds))


@lru_cache(maxsize=1)
def postgres_server() -> str:
    """Return the folder of the socket of a running server."""
    import psycopg

    folder = Path(mkdtemp(prefix="conceptrules-"))
    user = _other_user() if os.geteuid() == 0 else None
    run_as: dict[str, Any] = {}
    if user is not None:
        os.chown(folder, *user)
        run_as = {"user": user[0], "group": user[1], "extra_groups": []}
    quiet: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **run_as}
    data = folder / "data"
    settings = ["-A", "trust", "-U", _USER, "-E", "UTF8", "--locale=C", "--no-sync"]
    subprocess.run([str(_program("initdb")), "-D", data, *settings], check=True, **quiet)
    options = ["-F", "-k", str(folder)]
    for setting in ("listen_addresses=", *_IN_ORDER):
        options += ["-c", setting]
    process = subprocess.Popen([str(_program("postgres")), "-D", data, *options], **quiet)
    guard = subprocess.Popen(["sh", "-c", _GUARD, str(folder), str(process.pid)], stdin=subprocess.PIPE, **quiet)
    atexit.register(_stop, process, guard, folder)
    while process.poll() is None:
        try:
            psycopg.connect(host=str(folder), user=_USER, dbname="postgres").close()
            return str(folder)
        except psycopg.OperationalError:  # it is still starting
            time.sleep(0.05)
    raise OSError(f"PostgreSQL did not start; its exit code is {process.returncode}")


def _stop(process: subprocess.Popen[bytes], guard: subprocess.Popen[bytes], folder: Path) -> None:
    guard.kill()
    guard.communicate()
    process.send_signal(signal.SIGINT)  # SIGTERM would wait for connections that somebody has left open
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)


def _program(name: str) -> str | None:
    """Return the path of a program: on the search path, or the newest where Debian hides it."""
    paths = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: path.parts[4].zfill(4))
    return shutil.which(name) or (str(paths[-1]) if paths else None)


def _other_user() -> tuple[int, int] | None:
    """Return the numbers of a user and a group that are not root's."""
    import pwd  # which only Unix has

    users = {entry.pw_name: (entry.pw_uid, entry.pw_gid) for entry in pwd.getpwall()}
    return users.get("postgres") or users.get("nobody")
