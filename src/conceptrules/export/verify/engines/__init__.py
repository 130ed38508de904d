"""The engines that run exports, one module each, with `missing` and `run`: see `comparison.Engine`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from conceptrules.export.node_names import rule_ids
from conceptrules.export.verify.trial_rows import Answers
from conceptrules.model.network import RuleNetwork


def answers(network: RuleNetwork, classes: Sequence[int], fired: Iterable[Iterable[str]]) -> Answers:
    """Return answers, made from the index of the class of each row and the names of its rules."""
    ids = rule_ids(network)
    held = [set(names) for names in fired]
    unknown = set().union(*held) - set(ids)
    if unknown:
        raise ValueError(f"the export names the rule {sorted(unknown)[0]!r}, which the network has not")
    rules = [[name in names for name in ids] for names in held]
    return Answers(np.array(classes, dtype=np.intp), np.array(rules, dtype=np.bool_).reshape(len(held), len(ids)))
