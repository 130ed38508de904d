"""Edits of a network as values: what they do to it, and the trail that keeps them."""

from conceptrules.edit.editing import Edited, edit, undo
from conceptrules.edit.operation import Operation
from conceptrules.edit.replay import Replayed, replay
from conceptrules.edit.rule_operations import AddLiteral, AddRule, ChangeRule, DropLiteral, DropRule, MoveCut
from conceptrules.edit.setting_operations import LockRule, Rename, SetDefault, SetPriority, UnlockRule

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
    "Rename",
    "Replayed",
    "SetDefault",
    "SetPriority",
    "UnlockRule",
    "edit",
    "replay",
    "undo",
]
