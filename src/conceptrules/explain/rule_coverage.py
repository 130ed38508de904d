"""What each rule covers and decides of the training rows, and how often its class is right there."""

from __future__ import annotations

from dataclasses import dataclass

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.precision import Ends, wilson_interval
from conceptrules.model.predicate import Value
from conceptrules.model.text import decided_rows, rule_text


@dataclass(frozen=True, slots=True)
class RuleCoverage:
    """The training rows that a rule of a class covers and decides, counted by weight."""

    level: int
    """The level of the rule, counted from 0."""
    index: int
    """The number of the rule on its level, counted from 0."""
    text: str
    """The rule as text."""
    label: Value
    """The class that the rule speaks for."""
    rows: float
    """The weight of the rows that the rule covers."""
    right: float
    """The weight of those of them that are of the class."""
    decided: float | None = None
    """The weight of the covered rows that are answered with the class; None where nobody counted them."""
    decided_right: float | None = None
    """The weight of those of them that are of the class."""

    @property
    def precision(self) -> float | None:
        """The share of the covered rows that is of the class; None where the rule covers no row."""
        return self.right / self.rows if self.rows else None

    @property
    def interval(self) -> Ends | None:
        """The 95 % Wilson interval of the precision; None where the rule covers no row."""
        return wilson_interval(self.right, self.rows)

    @property
    def decided_precision(self) -> float | None:
        """The share of the decided rows that is of the class; None where the rule decides no row."""
        return self.decided_right / self.decided if self.decided and self.decided_right is not None else None


def coverage(network: RuleNetwork) -> tuple[RuleCoverage, ...]:
    """Return what each rule of a class covers and decides of the training rows.

    A rule covers the rows on which it holds. It decides those of them that are answered with its class: on the others a
    class fires that comes first by priority.

    Parameters
    ----------
    network : RuleNetwork
        A network with statistics, as a fit gives it.

    Returns
    -------
    tuple of RuleCoverage
        The rules of each class by priority; of each class, the rules that cover most come first.

    Raises
    ------
    InputError
        If the network has no statistics of training rows.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule, Statistics
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> seen = Statistics((30, 70), ((((25, 5)),),), (((True, False), (25, 5)), ((False, False), (5, 65))))
    >>> network = RuleNetwork(
    ...     [Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young", statistics=seen
    ... )
    >>> [(rule.text, rule.rows, round(rule.precision, 2)) for rule in coverage(network)]
    [('age > 41', 30, 0.83)]
    """
    if network.statistics is None:
        raise InputError("this network has no statistics of training rows; fit it, or add them with `with_statistics`")
    level = len(network.levels) - 1
    covered = network.statistics.covered[level]
    result: list[RuleCoverage] = []
    for kind in network.priority_indices:
        label = network.classes[kind]
        rules = [
            RuleCoverage(
                level,
                rule,
                rule_text(network, level, rule),
                label,
                sum(covered[rule]),
                covered[rule][kind],
                *_decided(network, kind, rule),
            )
            for rule in network.levels[level].concepts[kind].rules
        ]
        result += sorted(rules, key=lambda rule: -rule.rows)
    return tuple(result)


def _decided(network: RuleNetwork, kind: int, rule: int) -> tuple[float, float] | tuple[None, None]:
    rows = decided_rows(network, kind, rule)
    return (None, None) if rows is None else (sum(rows), rows[kind])
