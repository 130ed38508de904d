"""A folder for what does not fit into memory, removed at the end; what a killed run left behind goes with the next."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import IO, Any

from conceptrules.model.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be removed
    fcntl = None  # type: ignore[assignment]

_PREFIX, _LOCK = "conceptrules-", ".lock"


@contextmanager
def open_scratch_folder(parent: Any = None) -> Iterator[Path]:
    """Yield a new folder inside of `parent`, or of the usual place for temporary files, and remove it in the end.

    Beside it is a file that is locked as long as its run lives. A folder whose file is not locked is of a run that was
    killed, and is removed.
    """
    parent_folder = check_parent(parent)
    _remove_stale(parent_folder)
    folder = Path(mkdtemp(prefix=_PREFIX, dir=parent_folder))
    try:
        with open(_locate_lock(folder), "w") as lock:
            _lock_file(lock)
            yield folder
    finally:
        _remove(folder)


def check_parent(parent: Any) -> Path:
    """Return the folder that a user names for temporary files, or raise an `InputError` if nothing can be there."""
    if parent is not None and not isinstance(parent, str | os.PathLike):
        raise InputError(f"scratch is {parent!r}; give the name of a folder, such as '/tmp'")
    parent_folder = Path(gettempdir() if parent is None else parent)
    if not parent_folder.is_dir():
        raise InputError(f"scratch: there is no folder {parent_folder}; make it first, or name another one")
    if not os.access(parent_folder, os.W_OK):
        raise InputError(f"scratch: the folder {parent_folder} cannot be written to; name another one")
    return parent_folder


def _remove_stale(parent_folder: Path) -> None:
    for lock in parent_folder.glob(f"{_PREFIX}*{_LOCK}"):
        with suppress(OSError), open(lock, "r+") as file:
            if _lock_file(file):
                _remove(lock.with_suffix(""))


def _locate_lock(folder: Path) -> Path:
    return folder.with_name(folder.name + _LOCK)


def _lock_file(file: IO[str]) -> bool:
    """Lock a file as long as it is open; return whether nobody else has it."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        _locate_lock(folder).unlink()
