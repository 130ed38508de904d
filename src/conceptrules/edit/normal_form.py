"""A network in one form, whatever led to it, so that taking an edit back gives the same network again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate
from conceptrules.model.provenance import for_other_rules

Figure = TypeVar("Figure")
_KINDS: tuple[type[Predicate], ...] = (Interval, Equals, OneOf, Missing)


def normalise(network: RuleNetwork) -> RuleNetwork:
    """Return the network with its used predicates and rules sorted, each once, and without rules that no concept has.

    Classes and concepts stay where they are. Statistics, which are listed by the number of a rule, follow the rules if
    each is there as before, and are dropped otherwise.
    """
    positions = {column.name: position for position, column in enumerate(network.columns)}
    used = {network.predicates[index] for index in network.used_predicates}
    predicates = tuple(sorted(used, key=lambda predicate: (positions[predicate.column], *_sort_key(predicate))))
    below = [predicates.index(predicate) if predicate in used else 0 for predicate in network.predicates]
    levels = []
    for level in network.levels:
        moved = [Rule(tuple(Literal(below[i.index], i.negated) for i in rule.literals)) for rule in level.rules]
        rules = sorted({moved[rule] for concept in level.concepts for rule in concept.rules}, key=lambda r: r.literals)
        concepts = [Concept(tuple(rules.index(moved[rule]) for rule in concept.rules)) for concept in level.concepts]
        levels.append(Level(tuple(rules), tuple(concepts)))
        below = list(range(len(concepts)))
    result = replace(network, predicates=predicates, levels=tuple(levels), statistics=None)
    if len(result.used_predicates) < len(predicates):
        return normalise(result)  # a rule that no concept had was the last one with some predicate
    if (result.predicates, result.levels) == (network.predicates, network.levels):
        return network
    return _carry_figures(network, result)


def _carry_figures(before: RuleNetwork, after: RuleNetwork) -> RuleNetwork:
    """Return a network with the figures that the same rules had before, if no rule is new, gone or double."""
    statistics, training = before.statistics, before.training
    old = [_rule_contents(before, level) for level in range(len(before.levels))]
    new = [_rule_contents(after, level) for level in range(len(before.levels))]
    same = all(len(set(a)) == len(a) and set(a) == set(b) for a, b in zip(old, new, strict=True))
    if statistics is None or not same:  # an edit that changes rules drops what was counted
        return replace(after, training=for_other_rules(training))
    orders = [[a.index(rule) for rule in b] for a, b in zip(old, new, strict=True)]  # the earlier number of each rule
    owners = zip(before.levels[-1].concepts, after.levels[-1].concepts, statistics.decided, strict=False)
    decided = [tuple(rows[a.rules.index(orders[-1][rule])] for rule in b.rules) for a, b, rows in owners]
    statistics = replace(statistics, covered=_reorder(statistics.covered, orders), decided=tuple(decided))
    if training is not None and training.stability:
        training = replace(training, stability=_reorder(training.stability, orders))
    return replace(after, statistics=statistics, training=training)


def _rule_contents(network: RuleNetwork, level: int) -> list[frozenset[tuple[object, bool]]]:
    """Return what each rule of a level says, whatever the numbers of the predicates."""
    below: Sequence[object] = range(len(network.levels[level - 1].concepts)) if level else network.predicates
    rules = network.levels[level].rules
    return [frozenset((below[literal.index], literal.negated) for literal in rule.literals) for rule in rules]


def _reorder(figures: Sequence[Sequence[Figure]], orders: Sequence[Sequence[int]]) -> tuple[tuple[Figure, ...], ...]:
    return tuple(tuple(level[rule] for rule in order) for level, order in zip(figures, orders, strict=True))


def _sort_key(predicate: Predicate) -> tuple[object, ...]:
    kind = _KINDS.index(type(predicate))
    if isinstance(predicate, Interval):
        return kind, predicate.low, predicate.high
    values = predicate.values if isinstance(predicate, OneOf) else (getattr(predicate, "value", ""),)
    return kind, *((isinstance(value, str), repr(value)) for value in values)
