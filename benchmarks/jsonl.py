"""Records as JSON lines: one object a line, sorted as text, so that a run that is repeated changes one line.

The fields that tell one record from another stand first in its line, in a fixed order: they are its key. A file is
replaced as a whole, under a lock, so that it is never half written and processes may add to it at the same time.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DIGITS = 6
RECORDS = Path(__file__).parent / "records"
"""The records of all benchmarks but those of the paper, which have a folder of their own."""
Entry = dict[str, Any]


def read(path: Path) -> list[Entry]:
    """Return all records of a file, and none if there is no such file."""
    return [json.loads(line) for line in _lines(path)]


def find(path: Path, key: Mapping[str, Any]) -> Entry | None:
    """Return the record with this key, which has to name its first fields in order."""
    start = _start(key)
    return next((json.loads(line) for line in _lines(path) if line.startswith(start)), None)


def put(path: Path, entries: Iterable[Mapping[str, Any]], key: Sequence[str]) -> Path:
    """Write records into a file, each in the place of the one with the same key; all others stay."""
    found = list(entries)
    new = [dump(entry) for entry in found]
    starts = tuple(_start({name: entry[name] for name in key}) for entry in found)
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.parent):
        _write(path, [*(line for line in _lines(path) if not line.startswith(starts)), *new])
    return path


def change(path: Path, key: Mapping[str, Any], changed: Callable[[Entry | None], Entry | None]) -> Path:
    """Replace the record with this key by what the function makes of it; None stands for no record."""
    start = _start(key)
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.parent):
        lines = _lines(path)
        known = next((line for line in lines if line.startswith(start)), "")
        new = changed(json.loads(known) if known else None)
        if known or new:
            _write(path, [*(line for line in lines if line != known), *([dump(new)] if new else [])])
    return path


def dump(value: Any) -> str:
    """Return a value as compact JSON. A number that is not finite is refused."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def rounded(value: Any) -> Any:
    """Return plain JSON values, NumPy's included, with floats of six digits after the point."""
    if isinstance(value, Mapping):
        return {str(key): rounded(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(inner) for inner in value]
    if hasattr(value, "tolist"):
        return rounded(value.tolist())
    return round(value, DIGITS) if isinstance(value, float) else value


def replace_text(path: Path, text: str) -> None:
    """Write a file so that nobody ever reads half of it."""
    half = path.with_name(f".{path.name}.{os.getpid()}")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from writing into a folder. Whoever holds the lock must not ask for it again."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _write(path: Path, lines: Iterable[str]) -> None:
    replace_text(path, "".join(f"{line}\n" for line in sorted(lines)))


def _start(key: Mapping[str, Any]) -> str:
    """Return the text that a line with this key starts with; at least one more field has to follow the key."""
    return dump(dict(key))[:-1] + ","
