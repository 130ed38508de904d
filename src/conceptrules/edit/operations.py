"""All operations by the name that the trail and the command line have for them, and their plain values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any

from conceptrules.edit.operation import Operation
from conceptrules.edit.rule_operations import AddLiteral, AddRule, ChangeRule, DropLiteral, DropRule, MoveCut
from conceptrules.edit.setting_operations import LockRule, Rename, SetDefault, SetPriority, UnlockRule
from conceptrules.model.errors import InputError

KINDS: dict[str, type[Operation]] = {
    "add": AddRule,
    "drop": DropRule,
    "change": ChangeRule,
    "add-literal": AddLiteral,
    "drop-literal": DropLiteral,
    "move-cut": MoveCut,
    "priority": SetPriority,
    "default": SetDefault,
    "lock": LockRule,
    "unlock": UnlockRule,
    "rename": Rename,
}


def to_plain(operation: Operation) -> dict[str, Any]:
    """Return an operation as plain values."""
    kind = next(name for name, one in KINDS.items() if type(operation) is one)
    values = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(operation).items()}
    return {"kind": kind, **values}


def from_plain(value: dict[str, Any]) -> Operation:
    """Return the operation that plain values say."""
    kind = KINDS.get(value.get("kind", ""))
    if kind is None or {one.name for one in fields(kind)} != set(value) - {"kind"}:
        raise InputError(f"not an edit: {str(value)[:200]}")
    make: Callable[..., Operation] = kind
    return make(**{key: one for key, one in value.items() if key != "kind"})
