"""A network in one form, whatever the way to it: so that an edit taken back gives the same network again."""

from __future__ import annotations

from dataclasses import replace

from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate
from conceptrules.model.provenance import for_other_rules

_KINDS: tuple[type[Predicate], ...] = (Interval, Equals, OneOf, Missing)


def normal(network: RuleNetwork) -> RuleNetwork:
    """Return the network with its used predicates and rules sorted, each once, and without rules that no concept has.

    Classes and concepts stay where they are. Statistics go where that changes anything, since they are listed by the
    number of a rule.
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
    return replace(unneeded, training=for_other_rules(network.training))


def _all_used(network: RuleNetwork) -> bool:
    return len(network.used_predicates) == len(network.predicates)


def _key(predicate: Predicate) -> tuple[object, ...]:
    if isinstance(predicate, Interval):
        return predicate.low, predicate.high
    values = predicate.values if isinstance(predicate, OneOf) else (getattr(predicate, "value", ""),)
    return tuple((isinstance(value, str), repr(value)) for value in values)
