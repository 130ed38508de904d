"""A network as a file: plain JSON with a version number, nothing in it that runs."""

from __future__ import annotations

import os
import stat
from importlib.resources import files
from typing import BinaryIO

from conceptrules.io.decode import loads
from conceptrules.io.encode import VERSION, dumps
from conceptrules.io.json_text import MAX_BYTES, check_size
from conceptrules.io.whole_file import write_whole
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork

__all__ = ["dumps", "load", "loads", "read", "save", "schema"]


def save(model: object, path: str | os.PathLike[str]) -> None:
    """Save a network, or the network of a fitted model, as a model file: plain JSON with nothing in it that runs.

    Parameters
    ----------
    model : RuleNetwork or fitted estimator
        What to save.
    path : str or path
        The file. It appears whole or not at all.

    Raises
    ------
    InputError
        If there is no network to save, it is too large to be loaded again, or the file cannot be written there.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from conceptrules.model import Concept, Level
    >>> network = RuleNetwork([], [], [Level([], [Concept()])], ["always"])
    >>> with TemporaryDirectory() as folder:
    ...     save(network, Path(folder, "model.json"))
    ...     Path(folder, "model.json").read_text(encoding="utf-8").startswith("{")
    True
    """
    network = getattr(model, "network_", model)
    if not isinstance(network, RuleNetwork):
        raise InputError(f"save takes a RuleNetwork or a fitted model, not {type(model).__name__}")
    text = dumps(network)
    loads(text)  # a network that is too large to be read again is told now
    write_whole(text.encode("utf-8"), path)


def load(path: str | os.PathLike[str]) -> RuleNetwork:
    """Load the network of a file that `save` wrote.

    Parameters
    ----------
    path : str or path
        The model file.

    Returns
    -------
    RuleNetwork
        The network, with its statistics and training.

    Raises
    ------
    InputError
        If the file is no model; the message says where it errs. Nothing in a file is ever run.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save(network, Path(folder, "model.json"))
    ...     load(Path(folder, "model.json")) == network
    True
    """
    with open(path, "rb") as stream:
        return read(stream, path)


def read(stream: BinaryIO, name: object) -> RuleNetwork:
    """Read the network of an open file, or of standard input; errors begin with the name."""
    try:
        return loads(_read_limited(stream).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(f"{name} is not text (UTF-8): it is damaged, or no conceptrules model") from None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _read_limited(stream: BinaryIO) -> bytes:
    """Read all of it, or raise an error before more is read than a model can have."""
    check_size(_size(stream))
    data = stream.read(MAX_BYTES + 1)
    check_size(len(data))
    return data


def _size(stream: BinaryIO) -> int:
    """Return the size of a file; 0 of a pipe and the like, which end when they end."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:  # not a file at all, such as bytes in memory
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def schema(version: int = VERSION) -> str:
    """Return the JSON Schema of the model file.

    Parameters
    ----------
    version : int, default=1
        The version of the file; so far there is only one.

    Returns
    -------
    str
        The schema as JSON.

    Raises
    ------
    InputError
        If there is no such version.
    """
    if version != VERSION:
        raise InputError(f"there is no version {version!r} of the model file; the only one is {VERSION}")
    return files("conceptrules.io").joinpath("schemas", f"model-{version}.json").read_text(encoding="utf-8")
