"""Edits of a network as values: what they do to it, and the trail that keeps them."""

from conceptrules.edit.editing import Edited, edit, undo
from conceptrules.edit.operations import (
    AddLiteral,
    AddRule,
    ChangeRule,
    DropLiteral,
    DropRule,
    LockRule,
    MoveCut,
    Operation,
    Recalibrate,
    Rename,
    SetCutoff,
    SetDefault,
    SetPoints,
    SetPriority,
    UnlockRule,
)
from conceptrules.edit.scaling import Scale
from conceptrules.edit.trail import Replayed, replay

__all__ = [
    "AddLiteral",
    "AddRule",
    "ChangeRule",
    "DropLiteral",
    "DropRule",
    "Edited",
    "LockRule",
    "MoveCut",
    "Operation",
    "Recalibrate",
    "Rename",
    "Replayed",
    "Scale",
    "SetCutoff",
    "SetDefault",
    "SetPoints",
    "SetPriority",
    "UnlockRule",
    "edit",
    "replay",
    "undo",
]
