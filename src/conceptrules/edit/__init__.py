"""Edits of a network as values: what they do to it, and the trail that keeps them."""

from conceptrules.edit.cases import AddCase, CaseResult, DropCase, run_cases
from conceptrules.edit.changes import TakeRules, take_rules
from conceptrules.edit.editing import Edited, edit, redo, undo
from conceptrules.edit.operations import (
    AddLiteral,
    AddRule,
    BanRule,
    Batch,
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
    SetPolicy,
    SetPriority,
    SetReasonCodes,
    UnlockRule,
)
from conceptrules.edit.scaling import Scale
from conceptrules.edit.trail import Replayed, replay

__all__ = [
    "AddCase",
    "AddLiteral",
    "AddRule",
    "BanRule",
    "Batch",
    "CaseResult",
    "ChangeRule",
    "DropCase",
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
    "SetPolicy",
    "SetPriority",
    "SetReasonCodes",
    "TakeRules",
    "UnlockRule",
    "edit",
    "redo",
    "replay",
    "run_cases",
    "take_rules",
    "undo",
]
