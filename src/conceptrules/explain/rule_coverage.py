"""What each rule covers of the training rows, and how often its class is right there."""

from __future__ import annotations

from dataclasses import dataclass

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.text import rule_text


@dataclass(frozen=True, slots=True)
class Covered:
    """A rule of a class; rows are counted by weight."""

    level: int
    """From 0, as `index`."""
    index: int
    text: str
    label: Value
    rows: float
    right: float
    """Those of the rows that are of the class."""

    @property
    def precision(self) -> float | None:
        """None where the rule covers no row."""
        return self.right / self.rows if self.rows else None


def rule_coverage(network: RuleNetwork) -> tuple[Covered, ...]:
    """The rules of each class in the order of the priority, those that cover most first."""
    if network.statistics is None:
        raise InputError("this network has no statistics of training rows; add them with rules.measure.with_statistics")
    level = len(network.levels) - 1
    covered = network.statistics.covered[level]
    result: list[Covered] = []
    for kind in network.priority_indices:
        label = network.classes[kind]
        rules = [
            Covered(level, rule, rule_text(network, level, rule), label, sum(covered[rule]), covered[rule][kind])
            for rule in network.levels[level].concepts[kind].rules
        ]
        result += sorted(rules, key=lambda rule: -rule.rows)
    return tuple(result)
