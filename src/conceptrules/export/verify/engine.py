"""What runs an export: the class that each engine extends, and what they share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from conceptrules.export.inputs import Family, Input, is_double, is_utf8
from conceptrules.export.verify.trial_rows import Answers, TrialRows
from conceptrules.export.wording import rule_ids
from conceptrules.model.evaluation import Bits
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value


class ExportEngine:
    """Runs the exports of a format; `options` are those that an export was made with."""

    def missing(self, **options: Any) -> str | None:
        """Return why this export cannot be run here, with what to install; None if it can."""
        return None

    def run(self, network: RuleNetwork, exported: Any, trial: TrialRows, **options: Any) -> Answers:
        """Return what the export answers on the rows of `trial.values`."""
        raise NotImplementedError

    def adapt(self, network: RuleNetwork, trial: TrialRows, **options: Any) -> TrialRows:
        """Return the rows that cover the network, as the engine can have them."""
        return trial

    def holdable(self, network: RuleNetwork, trial: TrialRows, **options: Any) -> Bits:
        """Return which rows the engine's types can hold: PostgreSQL, for one, has no text with NUL in it."""
        return np.ones(len(trial), dtype=np.bool_)

    def claim(self, **options: Any) -> str:
        """Say what is compared."""
        return "the same class and the same fired rules as the model"


def named_answers(network: RuleNetwork, classes: Sequence[int], fired: Iterable[Iterable[str]]) -> Answers:
    """Return answers, made from the index of the class of each row and the names of its rules."""
    ids = rule_ids(network)
    rows = [set(names) for names in fired]
    unknown = set().union(*rows) - set(ids)
    if unknown:
        raise ValueError(f"the export names the rule {min(unknown)!r}, which the network does not have")
    rules = [[name in names for name in ids] for names in rows]
    return Answers(np.array(classes, dtype=np.intp), np.array(rules, dtype=np.bool_).reshape(len(rows), len(ids)))


def holdable_rows(used: Sequence[Input], trial: TrialRows, nul: bool = True, flags: bool = False) -> Bits:
    """Return the rows whose every value fits into UTF-8, float64 or a whole number of 64 bits.

    `nul` says whether text can hold NUL, `flags` whether there is a boolean type, which holds no other numbers.
    """
    result = np.ones(len(trial), dtype=np.bool_)
    for each in used:
        family: Family = "flag" if flags and each.holds_flags else each.family
        result &= [_is_holdable(value, family, nul) for value in trial.values[each.column.name]]
    return result


def _is_holdable(value: Value | None, family: Family, nul: bool) -> bool:
    if value is None:
        return True
    if isinstance(value, str):
        return family == "text" and (nul or "\0" not in value) and is_utf8(value)
    if family == "whole":
        return value == value // 1 and -(2**63) <= value < 2**63
    return value in (0, 1) if family == "flag" else value != value or is_double(value)  # noqa: PLR0124
