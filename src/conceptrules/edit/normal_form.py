"""A network in one form, whatever the way to it: so that an edit taken back gives the same network again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate
from conceptrules.model.provenance import for_other_rules

Figure = TypeVar("Figure")
_KINDS: tuple[type[Predicate], ...] = (Interval, Equals, OneOf, Missing)


def normal(network: RuleNetwork) -> RuleNetwork:
    """Return the network with its used predicates and rules sorted, each once, and without rules that no concept has.

    Classes and concepts stay where they are. Statistics, which are listed by the number of a rule, follow the rules if
    each is there as before, and go otherwise.
    """
    places = {column.name: place for place, column in enumerate(network.columns)}
    used = {network.predicates[index] for index in network.used_predicates}
    predicates = tuple(sorted(used, key=lambda one: (places[one.column], _KINDS.index(type(one)), _key(one))))
    below = [predicates.index(one) if one in used else 0 for one in network.predicates]
    levels = []
    for level in network.levels:
        moved = [Rule(tuple(Literal(below[one.index], one.negated) for one in rule.literals)) for rule in level.rules]
        kept = {moved[rule] for concept in level.concepts for rule in concept.rules}
        rules = sorted(kept, key=lambda rule: rule.literals)
        concepts = [Concept(tuple(rules.index(moved[rule]) for rule in concept.rules)) for concept in level.concepts]
        levels.append(Level(tuple(rules), tuple(concepts)))
        below = list(range(len(concepts)))
    unneeded = replace(network, predicates=predicates, levels=tuple(levels), statistics=None)
    if unneeded.predicates != predicates or not _all_used(unneeded):
        return normal(unneeded)  # a rule that no concept had was the last one with some predicate
    if (unneeded.predicates, unneeded.levels) == (network.predicates, network.levels):
        return network
    return _moved_along(network, unneeded)


def _moved_along(before: RuleNetwork, after: RuleNetwork) -> RuleNetwork:
    """Return a network with the statistics of the same rules before, if none is new, gone or double."""
    if before.statistics is None:  # an edit that changes rules drops what was counted
        return replace(after, training=for_other_rules(before.training))
    orders = []  # for each level, the earlier number of each rule
    for number in range(len(before.levels)):
        known, wanted = _words(before, number), _words(after, number)
        if len(set(known)) < len(known) or set(known) != set(wanted):
            return replace(after, training=for_other_rules(before.training))
        orders.append([known.index(rule) for rule in wanted])
    statistics, training = before.statistics, before.training
    owners = zip(before.levels[-1].concepts, after.levels[-1].concepts, statistics.decided, strict=False)
    decided = [tuple(rows[old.rules.index(orders[-1][rule])] for rule in new.rules) for old, new, rows in owners]
    statistics = replace(statistics, covered=_sorted(statistics.covered, orders), decided=tuple(decided))
    if training is not None and training.stability:
        training = replace(training, stability=_sorted(training.stability, orders))
    return replace(after, statistics=statistics, training=training)


def _words(network: RuleNetwork, level: int) -> list[frozenset[tuple[object, bool]]]:
    """Return what each rule of a level says, whatever the numbers of the predicates."""
    below: Sequence[object] = range(len(network.levels[level - 1].concepts)) if level else network.predicates
    rules = network.levels[level].rules
    return [frozenset((below[one.index], one.negated) for one in rule.literals) for rule in rules]


def _sorted(figures: Sequence[Sequence[Figure]], orders: Sequence[Sequence[int]]) -> tuple[tuple[Figure, ...], ...]:
    return tuple(tuple(some[rule] for rule in order) for some, order in zip(figures, orders, strict=True))


def _all_used(network: RuleNetwork) -> bool:
    return len(network.used_predicates) == len(network.predicates)


def _key(predicate: Predicate) -> tuple[object, ...]:
    if isinstance(predicate, Interval):
        return predicate.low, predicate.high
    values = predicate.values if isinstance(predicate, OneOf) else (getattr(predicate, "value", ""),)
    return tuple((isinstance(value, str), repr(value)) for value in values)
