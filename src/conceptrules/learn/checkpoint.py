"""The checkpoint of a fit: what it has finished, in one file, so that a fit that is killed goes on from there.

The file is an .npz of plain arrays and one text in JSON; nothing in it is code. It takes its place whole or not at all.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules import __version__
from conceptrules.io.whole_file import check_place, remove_abandoned, whole_file
from conceptrules.model.errors import InputError

_ABOUT = "about"
_SHARE = 0.1
"""The most of the time that writing takes: what is finished meanwhile waits for the next turn."""
_DIFFERENCES = (
    (("version",), "another version of conceptrules"),
    (("learner",), "the other learner"),
    (("settings", "rows"), "other settings, another random_state or another table"),
    (("settings",), "other settings"),
    (("rows",), "another table, or other weights, groups or rows held out"),
)
Arrays = Mapping[str, NDArray[Any]]


class Checkpoint:
    """Finished pieces of a fit by their names: a value for JSON each, and arrays.

    Several threads may keep pieces at the same time.
    """

    def __init__(self, path: str | os.PathLike[str], keep_file: bool = False) -> None:
        """With `keep_file`, it is not the estimator that removes the file in the end."""
        self.path, self.keep_file = check_place(path), keep_file
        self._run: dict[str, str] = {}
        self._pieces: dict[str, tuple[Any, Arrays]] = {}
        self._lock, self._due = Lock(), 0.0

    def open(self, learner: str, settings: object, rows: object) -> None:
        """Read what an earlier start of the same run has finished, if there was one; object to that of another run."""
        self._run = {"version": __version__, "learner": learner, "settings": digest(settings), "rows": digest(rows)}
        if not self.path.exists():
            return
        try:
            run, pieces = _read(self.path)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(f"{self.path} is no checkpoint, or a damaged one ({error}); name another file") from None
        for names, why in _DIFFERENCES:
            if all(run[name] != self._run[name] for name in names):
                raise InputError(f"{self.path} is of another run ({why}); name another file, or delete this one")
        self._pieces = pieces

    def get(self, piece: str) -> tuple[Any, Arrays] | None:
        """Return the value and the arrays of a piece, or None if it is not finished yet."""
        return self._pieces.get(piece)

    def put(self, piece: str, value: Any, arrays: Arrays) -> None:
        """Keep a piece, and write the file if it is time. Arrays that change later on have to be kept anew."""
        with self._lock:
            self._pieces[piece] = value, arrays
            if monotonic() >= self._due:
                start = monotonic()
                self._write()
                self._due = monotonic() + (monotonic() - start) / _SHARE

    def remove(self) -> None:
        """Remove the file at the end of the run, and what writers have left that were killed."""
        remove_abandoned(self.path)
        with suppress(OSError):
            self.path.unlink()

    def _write(self) -> None:
        about = {"run": self._run, "pieces": {name: value for name, (value, _) in self._pieces.items()}}
        arrays = {f"{piece}/{name}": one for piece, (_, some) in self._pieces.items() for name, one in some.items()}
        content: dict[str, Any] = {_ABOUT: np.array(json.dumps(about)), **arrays}
        try:
            with whole_file(self.path) as file:
                np.savez(file, **content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            kept = "the last good checkpoint is still there" if self.path.exists() else "there is no earlier one"
            raise InputError(
                f"cannot write the checkpoint {self.path}: {error.strerror or error}; {kept}. Make room, or copy it to "
                "another disk and name it there, and start again to go on from it"
            ) from None


def _read(path: Path) -> tuple[dict[str, str], dict[str, tuple[Any, Arrays]]]:
    with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
        about = json.loads(str(file[_ABOUT]))
        arrays: dict[str, dict[str, NDArray[Any]]] = {piece: {} for piece in about["pieces"]}
        for name in file.files:
            if name != _ABOUT:
                piece, _, own = name.rpartition("/")
                arrays[piece][own] = file[name]
    run = {name: str(about["run"][name]) for name in ("version", "learner", "settings", "rows")}
    return run, {piece: (value, arrays[piece]) for piece, value in about["pieces"].items()}


def open_checkpoint(checkpoint: Any, random_state: Any) -> Checkpoint | None:
    """Return the checkpoint that a user asks for, or raise an `InputError`: before any long work."""
    if checkpoint is None or isinstance(checkpoint, Checkpoint):
        return checkpoint
    if not isinstance(checkpoint, str | os.PathLike):
        raise InputError(f"checkpoint is {checkpoint!r}; give the name of a file, such as 'run.ckpt'")
    if random_state is None:
        raise InputError(
            "checkpoint needs a random_state: without one, every start is another run; give a number, such as 0"
        )
    return Checkpoint(checkpoint)


def digest(value: object) -> str:
    """Return a hash of a value: of arrays, of tuples and dataclasses of them, and of what has a plain `repr`.

    >>> digest((1, np.arange(3))) == digest((1, np.arange(3)))
    True
    """
    found = blake2b(digest_size=16)
    for part in _parts(value):
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()


def _parts(value: Any) -> Iterable[bytes | memoryview]:
    if isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif is_dataclass(value) and not isinstance(value, type):
        yield type(value).__name__.encode()
        for field in fields(value):
            yield from _parts(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        yield f"{len(value)} parts".encode()
        for one in value:
            yield from _parts(one)
    else:
        yield repr(value).encode()
