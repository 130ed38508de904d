"""A network as a file: plain JSON with a version number, nothing in it that runs."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

from conceptrules.io.decode import loads
from conceptrules.io.encode import dumps
from conceptrules.io.limits import MAX_BYTES, check_size
from conceptrules.io.whole_file import write_whole
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork

__all__ = ["dumps", "load", "loads", "read", "save"]


def save(model: object, path: str | os.PathLike[str]) -> None:
    """Write a network, or the network of a fitted model. The file appears whole or not at all."""
    network = getattr(model, "network_", model)
    if not isinstance(network, RuleNetwork):
        raise InputError(f"save takes a RuleNetwork or a fitted model, not {type(model).__name__}")
    text = dumps(network)
    loads(text)  # a network that is too large to be read again is told now
    write_whole(text.encode("utf-8"), path)


def load(path: str | os.PathLike[str]) -> RuleNetwork:
    """The network of a file that `save` wrote."""
    with open(path, "rb") as stream:
        return read(stream, path)


def read(stream: BinaryIO, name: object) -> RuleNetwork:
    """The network of an open file, or of standard input; errors begin with the name."""
    try:
        return loads(_limited(stream).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(f"{name} is not text (UTF-8): it is damaged, or no conceptrules model") from None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _limited(stream: BinaryIO) -> bytes:
    """All of it, or an error before more than a model can have is read."""
    check_size(_size(stream))
    data = stream.read(MAX_BYTES + 1)
    check_size(len(data))
    return data


def _size(stream: BinaryIO) -> int:
    """Of a file; 0 of a pipe and the like, which end when they end."""
    try:
        found = os.fstat(stream.fileno())
    except OSError:  # not a file at all, such as bytes in memory
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0
