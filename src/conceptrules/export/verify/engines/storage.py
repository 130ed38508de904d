"""What an engine with types of its own can hold: UTF-8, float64, whole numbers of 64 bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conceptrules.export.exact_values import is_double, is_utf8
from conceptrules.export.inputs import Family, Input
from conceptrules.export.sql.readings import holds_flags
from conceptrules.export.verify.trial_rows import Trial
from conceptrules.model.evaluation import Bits
from conceptrules.model.predicate import Value


def holdable_rows(used: Sequence[Input], trial: Trial, nul: bool = True, flags: bool = False) -> Bits:
    """Return the rows whose every value can be stored.

    `nul` says whether text can hold NUL, `flags` whether there is a boolean type, which holds no other numbers.
    """
    result = np.ones(len(trial), dtype=np.bool_)
    for one in used:
        family: Family = "flag" if flags and holds_flags(one) else one.family
        result &= [_holdable(value, family, nul) for value in trial.values[one.column.name]]
    return result


def _holdable(value: Value | None, family: Family, nul: bool) -> bool:
    if value is None:
        return True
    if isinstance(value, str):
        return family == "text" and (nul or "\0" not in value) and is_utf8(value)
    if family == "whole":
        return value == value // 1 and -(2**63) <= value < 2**63
    return value in (0, 1) if family == "flag" else value != value or is_double(value)  # noqa: PLR0124
