"""The checkpoint of a fit: one file with everything finished so far, from which a killed fit goes on.

The file is an .npz of plain arrays and one JSON text; nothing in it is code. It is replaced as a whole or not at all.
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

_ABOUT, _HASH = "about", "hash"
_SHARE = 0.1
"""The largest share of the time spent on writing: what is finished in between waits for the next write."""
_DIFFERENCES = (
    (("version",), "another version of conceptrules"),
    (("learner",), "the other learner"),
    (("settings", "rows"), "other settings, another random_state or another table"),
    (("settings",), "other settings"),
    (("rows",), "another table, other weights or groups, or other rows held out"),
)
Arrays = Mapping[str, NDArray[Any]]


class Checkpoint:
    """The finished pieces of a fit by name: for each a value that JSON can hold, and arrays.

    Several threads may put pieces at the same time.
    """

    def __init__(self, path: str | os.PathLike[str], keep_file: bool = False) -> None:
        """With `keep_file`, the caller removes the file in the end, and not the estimator."""
        self.path, self.keep_file = check_place(path), keep_file
        self._run: dict[str, str] = {}
        self._pieces: dict[str, tuple[Any, Arrays]] = {}
        self._lock, self._due = Lock(), 0.0

    def open(self, learner: str, settings: object, rows: object) -> None:
        """Read what an earlier start of the same run has finished; raise an `InputError` if it was another run."""
        self._run = {"version": __version__, "learner": learner, "settings": digest(settings), "rows": digest(rows)}
        if not self.path.exists():
            return
        try:
            run, pieces = _read(self.path)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
            raise self.damaged(error) from None
        for names, why in _DIFFERENCES:
            if all(run[name] != self._run[name] for name in names):
                raise InputError(f"{self.path} belongs to another run ({why}); name another file, or delete this one")
        self._pieces = pieces

    def damaged(self, why: object) -> InputError:
        """Return the error that the file is no checkpoint of ours as it was written."""
        return InputError(f"{self.path} is not a checkpoint, or it is damaged ({why}); name another file")

    def get(self, piece: str) -> tuple[Any, Arrays] | None:
        """Return the value and the arrays of a piece, or None if it is not finished yet."""
        return self._pieces.get(piece)

    def put(self, piece: str, value: Any, arrays: Arrays) -> None:
        """Keep a piece, and write the file if a write is due. Arrays that change afterwards have to be put again."""
        with self._lock:
            self._pieces[piece] = value, arrays
            if monotonic() >= self._due:
                start = monotonic()
                self._write()
                self._due = monotonic() + (monotonic() - start) / _SHARE

    def remove(self) -> None:
        """Remove the file at the end of the run, and the temporary files of writers that were killed."""
        remove_abandoned(self.path)
        with suppress(OSError):
            self.path.unlink()

    def _write(self) -> None:
        about = {"run": self._run, "pieces": {name: value for name, (value, _) in self._pieces.items()}}
        arrays = {
            f"{piece}/{name}": array for piece, (_, named) in self._pieces.items() for name, array in named.items()
        }
        text = json.dumps(about)
        content: dict[str, Any] = {_ABOUT: np.array(text), _HASH: np.array(_hash(text, arrays)), **arrays}
        try:
            with whole_file(self.path) as file:
                np.savez(file, **content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            last = "the last good checkpoint is still there" if self.path.exists() else "there is no earlier one"
            raise InputError(
                f"cannot write the checkpoint {self.path}: {error.strerror or error}; {last}. Make room, or copy it to "
                "another disk and name it there, and start again to go on from it"
            ) from None


def _read(path: Path) -> tuple[dict[str, str], dict[str, tuple[Any, Arrays]]]:
    with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
        content = {name: file[name] for name in file.files}
    text, written = str(content.pop(_ABOUT)), str(content.pop(_HASH))
    if _hash(text, content) != written:
        raise ValueError("its content does not give its hash")
    about = json.loads(text)
    arrays: dict[str, dict[str, NDArray[Any]]] = {piece: {} for piece in about["pieces"]}
    for name, values in content.items():
        piece, _, array = name.rpartition("/")
        arrays[piece][array] = values
    run = {name: str(about["run"][name]) for name in ("version", "learner", "settings", "rows")}
    return run, {piece: (value, arrays[piece]) for piece, value in about["pieces"].items()}


def _hash(text: str, arrays: Arrays) -> str:
    return digest([text, *(part for name in sorted(arrays) for part in (name, arrays[name]))])


def open_checkpoint(checkpoint: Any, random_state: Any) -> Checkpoint | None:
    """Return the checkpoint that the user asks for, or raise an `InputError` before any long work."""
    if checkpoint is None or isinstance(checkpoint, Checkpoint):
        return checkpoint
    if not isinstance(checkpoint, str | os.PathLike):
        raise InputError(f"checkpoint is {checkpoint!r}; give the name of a file, such as 'run.ckpt'")
    if random_state is None:
        raise InputError(
            "checkpoint needs a random_state: without it, every start is a different run; give a number, such as 0"
        )
    return Checkpoint(checkpoint)


def digest(value: object) -> str:
    """Return a hash of a value: an array, a tuple or dataclass of arrays, or anything with a plain `repr`.

    >>> digest((1, np.arange(3))) == digest((1, np.arange(3)))
    True
    """
    total = blake2b(digest_size=16)
    for part in _list_parts(value):
        total.update(len(part).to_bytes(8, "little"))
        total.update(part)
    return total.hexdigest()


def _list_parts(value: Any) -> Iterable[bytes | memoryview]:
    if isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif is_dataclass(value) and not isinstance(value, type):
        yield type(value).__name__.encode()
        for field in fields(value):
            yield from _list_parts(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        yield f"{len(value)} parts".encode()
        for item in value:
            yield from _list_parts(item)
    else:
        yield repr(value).encode()
