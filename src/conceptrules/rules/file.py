"""A network as a file: plain JSON with a version number, nothing in it that runs."""

from __future__ import annotations

import os
from pathlib import Path

from conceptrules.rules.decode import loads
from conceptrules.rules.encode import dumps
from conceptrules.rules.errors import InputError
from conceptrules.rules.network import RuleNetwork

__all__ = ["dumps", "load", "loads", "save"]


def save(model: object, path: str | os.PathLike[str]) -> None:
    """Write a network, or the network of a fitted model. The file appears whole or not at all."""
    network = getattr(model, "network_", model)
    if not isinstance(network, RuleNetwork):
        raise InputError(f"save takes a RuleNetwork or a fitted model, not {type(model).__name__}")
    text = dumps(network)
    target = Path(path).resolve()
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def load(path: str | os.PathLike[str]) -> RuleNetwork:
    """The network of a file that `save` wrote."""
    try:
        return loads(Path(path).read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(f"{path} is not text (UTF-8): it is damaged, or no conceptrules model") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
