"""Files that appear whole or not at all: they are written beside their place and moved into it at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from conceptrules.model.errors import InputError


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


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its place only when the block ends without an error."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            yield file
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
