"""The model file of a session: one writer at a time, and nothing written over what somebody else has changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from conceptrules.io.model_file import load, save
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork


class ModelFile:
    """A model file that only this process writes, as long as it is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._digest = b""
        """The hash of what was read or written last."""

    @classmethod
    @contextmanager
    def open(cls, path: str | os.PathLike[str]) -> Iterator[ModelFile]:
        """Open a model file, and keep other studios from it until the block ends or the process dies."""
        place = Path(path).resolve()
        if not place.is_file():
            raise InputError(f"{path}: there is no such file; conceptrules fit writes one")
        lock_path = place.with_name(f".{place.name}.lock")
        if not os.access(place.parent, os.W_OK):
            raise InputError(f"the folder of {path} cannot be written to; work on a copy of the model elsewhere")
        with open(lock_path, "a+b") as lock:
            if not _lock(lock):
                raise InputError(f"{path} is open in another studio; close that one first, or work on a copy")
            try:
                yield cls(place)
            finally:
                with suppress(OSError):  # on Windows an open file stays
                    lock_path.unlink()

    def read(self) -> RuleNetwork:
        """Return the network of the file."""
        digest = self._hash()
        network = load(self.path)
        self._digest = digest
        return network

    def write(self, network: RuleNetwork) -> None:
        """Write a network; raise, and write nothing, if the file is not as this process left it."""
        if self.is_changed:
            raise InputError(
                f"{self.path.name} was changed on disk by something else, so that nothing is written; download yours "
                "from Export if you need it, and read the file again"
            )
        save(network, self.path)
        self._digest = self._hash()

    @property
    def is_changed(self) -> bool:
        """Whether the file is not as this process read or wrote it last."""
        return self._hash() != self._digest

    def _hash(self) -> bytes:
        try:
            return hashlib.sha256(self.path.read_bytes()).digest()
        except FileNotFoundError:
            return b""


def _lock(file: BinaryIO) -> bool:
    """Lock a file for this process, if no other has; the system unlocks it when the process ends, however it does."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    try:  # a studio that ended meanwhile may have removed the file that this one has locked
        return os.fstat(file.fileno()).st_ino == os.stat(file.name).st_ino
    except FileNotFoundError:
        return False
