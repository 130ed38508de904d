"""PostgreSQL: a server of our own in a temporary folder, started when first needed and stopped at the end."""

from __future__ import annotations

import atexit
import datetime as dt
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from conceptrules.export.verify.engines.database import Stored, dotted, moment, quoted

_USER = "conceptrules"
# If this process is killed, the pipe to the guard closes, and the guard stops the server.
_GUARD = 'cat; kill -INT "$1"; while kill -0 "$1"; do sleep 0.1; done; rm -rf -- "$0"'
# Answers are told apart by their place alone. From 8 MB on, a scan would be shared among workers, or begin where the
# last one stopped, and the rows would come out in another order.
_IN_ORDER = ("max_parallel_workers_per_gather=0", "synchronize_seqscans=off")
_TYPES = {
    "number": "DOUBLE PRECISION",
    "whole": "BIGINT",
    "flag": "BOOLEAN",
    "text": "TEXT",
    "moment": "TIMESTAMP",
    "duration": "INTERVAL",
}


def missing(places: Sequence[Sequence[str]]) -> str | None:
    if os.name != "posix":
        return "PostgreSQL is started by the tests and the verification on Unix only"
    if not find_spec("psycopg"):
        return "psycopg is not installed; pip install 'conceptrules[postgres]'"
    if _program("initdb") is None or _program("postgres") is None:
        return "PostgreSQL is not installed: there is no initdb on the path nor in /usr/lib/postgresql"
    if os.geteuid() == 0 and _other_user() is None:
        return "PostgreSQL does not run as root, and there is no user postgres or nobody to run it as"
    return "a table in another database cannot be asked here" if any(len(parts) == 3 for parts in places) else None


def ask(
    places: Sequence[Sequence[str]], columns: Sequence[Stored], queries: Sequence[tuple[str, str | None]]
) -> list[list[tuple[Any, ...]]]:
    import psycopg

    names = ", ".join(f"{quoted(column.name, 'postgres')} {_TYPES[column.kind]}" for column in columns)
    table = dotted(places[0], "postgres")
    with psycopg.connect(host=server(), user=_USER, dbname="postgres", client_encoding="utf8") as connection:
        cursor: Any = connection.cursor()  # takes any text, where the type wants literals
        for parts in places:
            if len(parts) > 1:
                cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(parts[0], 'postgres')}")
        cursor.execute(f"CREATE TABLE {table} ({names})")
        with cursor.copy(f"COPY {table} FROM STDIN") as copy:
            for row in zip(
                *([_cell(value, column.kind) for value in column.values] for column in columns), strict=True
            ):
                copy.write_row(row)
        results = [_asked(cursor, *query) for query in queries]
        connection.rollback()
    return results


@lru_cache(maxsize=1)
def server() -> str:
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
    """Find a program on the path, or where Debian hides it; the newest."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: path.parts[4].zfill(4))
    return shutil.which(name) or (str(found[-1]) if found else None)


def _other_user() -> tuple[int, int] | None:
    """Return the numbers of a user and a group that are not root's."""
    import pwd  # which only Unix has

    known = {entry.pw_name: (entry.pw_uid, entry.pw_gid) for entry in pwd.getpwall()}
    return known.get("postgres") or known.get("nobody")


def _asked(cursor: Any, query: str, before: str | None) -> list[tuple[Any, ...]]:
    if before is not None:
        cursor.execute(before)
    result: list[tuple[Any, ...]] = cursor.execute(query).fetchall()
    return result


def _cell(value: Any, kind: str) -> Any:
    if value is None or kind not in ("moment", "duration"):
        return value
    return moment(value) if kind == "moment" else dt.timedelta(microseconds=int(value))
