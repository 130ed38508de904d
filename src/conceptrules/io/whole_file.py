"""Files that appear whole or not at all: they are written beside their place and moved into it at the end."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE
from typing import BinaryIO

from conceptrules.model.errors import InputError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def check_place(path: str | os.PathLike[str]) -> Path:
    """Return where a file is to be written, or raise an `InputError` if it cannot be: before any long work."""
    target = Path(path).resolve()
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}")
    if target.is_dir():
        raise InputError(f"cannot write {path}: it is a folder; name a file in it")
    return target


def write_whole(content: bytes, path: str | os.PathLike[str]) -> None:
    """Write these bytes to a file."""
    with whole_file(check_place(path)) as file:
        file.write(content)


def remove_abandoned(path: Path) -> None:
    """Remove what writers of a file have left that were killed: their processes are not there any more."""
    for left in path.parent.glob(f".{path.name}.*.*.tmp"):
        with suppress(OSError, ValueError):
            if not _is_running(int(left.name.split(".")[-3])):
                left.unlink()


def _is_running(process: int) -> bool:
    if os.name != "posix":  # elsewhere the signal 0 would end the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its place only when the block ends without an error.

    Part of its name meanwhile is chance: other threads, and containers that share a volume, may write the same file,
    and have the same process id. A file that is written anew keeps its permissions.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
        with suppress(FileNotFoundError):
            temporary.chmod(S_IMODE(path.stat().st_mode))
        temporary.replace(path)
    except OSError as error:
        if error.filename is None and error.errno in _FULL:  # what a write raises names no file
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
    finally:
        temporary.unlink(missing_ok=True)
