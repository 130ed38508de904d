"""A rule as people say it: a lower and an upper bound of a column are one condition, `27 < age <= 41`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Column, Interval, OneOf, Predicate, run_of

Side = Choice["lower", "upper"]


@dataclass(frozen=True, slots=True)
class Condition:
    """What reads as one condition; its literals still count one by one."""

    literals: tuple[Literal, ...]
    """One literal, or a lower and an upper bound."""
    both: Predicate | None = None
    """What the two bounds say together; None for one literal."""


def conditions(network: RuleNetwork, level: int, literals: Sequence[Literal]) -> list[Condition]:
    """Return the conditions that these literals read as; a pair of bounds stands where the first of them does.

    Only one lower and one upper bound go together, and only where some value is between them. Negated literals stay
    alone: `not (age <= 27)` holds where there is no age, `age > 27` does not.
    """
    pairs = _pairs(network, literals) if level == 0 else {}
    taken = {literal for pair in pairs.values() for literal in pair.literals}
    firsts = {pair.literals[0]: pair for pair in pairs.values()}
    return [firsts.get(each, Condition((each,))) for each in literals if each in firsts or each not in taken]


def _pairs(network: RuleNetwork, literals: Sequence[Literal]) -> dict[str, Condition]:
    """Return the pairs of bounds, by column."""
    columns = {column.name: column for column in network.columns}
    bounds: dict[str, dict[Side, list[Literal]]] = {}
    for literal in literals:
        predicate = network.predicates[literal.index]
        side = None if literal.negated else _side(predicate, columns[predicate.column])
        if side is not None:
            bounds.setdefault(predicate.column, {"lower": [], "upper": []})[side].append(literal)
    pairs = {}
    for name, sides in bounds.items():
        if len(sides["lower"]) == len(sides["upper"]) == 1:
            lower, upper = sides["lower"][0], sides["upper"][0]
            both = _between(network.predicates[lower.index], network.predicates[upper.index])
            if both is not None:
                pairs[name] = Condition(tuple(sorted([lower, upper])), both)
    return pairs


def _side(predicate: Predicate, column: Column) -> Side | None:
    """Return which bound the predicate is; None for what has both or none."""
    if isinstance(predicate, Interval):
        low, high = predicate.low > -math.inf, predicate.high < math.inf
    else:
        run = run_of(predicate, column)
        low, high = (False, False) if run is None else (run[0] > 0, run[1] < len(column.categories))
    return None if low == high else "lower" if low else "upper"


def _between(lower: Predicate, upper: Predicate) -> Predicate | None:
    if isinstance(lower, Interval) and isinstance(upper, Interval):
        return Interval(lower.column, lower.low, upper.high) if lower.low < upper.high else None
    assert isinstance(lower, OneOf)
    assert isinstance(upper, OneOf)
    shared = tuple(value for value in lower.values if value in upper.values)
    return OneOf(lower.column, shared) if shared else None
