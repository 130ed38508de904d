"""What a network must and may answer when only some columns are known, many cases at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from conceptrules.model.evaluation import class_nodes
from conceptrules.model.network import Concept, Level, Literal, Rule

Cases = int
"""One bit for each case: Python's own numbers are as long as it takes, and quicker than arrays where there are few."""


def two_sided(levels: Sequence[Level], below: int) -> tuple[Level, ...]:
    """Return levels of twice as many nodes: where each node must hold, then where it may.

    `not p` must hold where p may not, and may where p need not. So the same evaluation serves for both sides.
    """
    result = []
    for level in levels:
        must = tuple(Rule(tuple(_side(literal, below, may=False) for literal in rule.literals)) for rule in level.rules)
        may = tuple(Rule(tuple(_side(literal, below, may=True) for literal in rule.literals)) for rule in level.rules)
        shifted = tuple(Concept(tuple(rule + len(must) for rule in concept.rules)) for concept in level.concepts)
        result.append(Level(must + may, level.concepts + shifted))
        below = len(level.concepts)
    return tuple(result)


def may_decide(
    levels: Sequence[Level],
    must: Sequence[Cases],
    may: Sequence[Cases],
    order: Sequence[int],
    default: int,
    wanted: Collection[int],
    full: Cases,
) -> Cases:
    """Return the cases in which one of the wanted classes may be the answer.

    `levels` are two-sided; `must` and `may` say where each predicate must and may hold. Where all is known the two are
    alike, and the answer is exact.
    """
    nodes = class_nodes(levels, [*must, *may], full)
    silent, result = full, full ^ full
    for index in order:
        if index in wanted:
            result |= silent & nodes[len(order) + index]
        silent &= full ^ nodes[index]
    return result | silent if default in wanted else result


def _side(literal: Literal, below: int, *, may: bool) -> Literal:
    return Literal(literal.index + below * (may != literal.negated), literal.negated)
