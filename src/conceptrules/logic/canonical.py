"""The same network with its nodes in an order that does not depend on how they were found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.provenance import without_rule_figures


def sort_nodes(network: RuleNetwork) -> RuleNetwork:
    """Return the network with its rules sorted by their literals and its concepts by their rules.

    Two networks with the same rules become equal. The classes stay where they are. Where the order changes, statistics
    go, since they are listed by the number of a rule.
    """
    result: list[Level] = []
    below: Mapping[int, int] = {index: index for index in range(len(network.predicates))}
    for depth, level in enumerate(network.levels, start=1):
        rules = [Rule(tuple(Literal(below[lit.index], lit.negated) for lit in rule.literals)) for rule in level.rules]
        order = sorted(range(len(rules)), key=lambda index: rules[index].literals)
        places = _places(order)
        concepts = [Concept(tuple(places[rule] for rule in concept.rules)) for concept in level.concepts]
        ranked: Sequence[int] = range(len(concepts))
        if depth < len(network.levels):
            ranked = sorted(ranked, key=lambda index: concepts[index].rules)
        below = _places(ranked)
        result.append(Level(tuple(rules[index] for index in order), tuple(concepts[index] for index in ranked)))
    levels, head = tuple(result), network.head
    if levels == network.levels:
        return network
    if head is not None:
        head = replace(head, points=tuple(head.points[index] for index in order))
    return replace(network, levels=levels, head=head, statistics=None, training=without_rule_figures(network.training))


def drop_unused_predicates(network: RuleNetwork, keep: int = 0) -> RuleNetwork:
    """Return the network without the predicates that no rule asks about, but for the first `keep` of them.

    Derived columns without predicates go, too. All else stays, the columns of the table and figures too.

    A wide table has tens of thousands of predicates, and a network uses a few: files, reports and exports need only
    know these.
    """
    used = [*range(keep), *(index for index in network.used_predicates if index >= keep)]
    asked = {network.predicates[index].column for index in used}
    columns = tuple(column for column in network.columns if column.derivation is None or column.name in asked)
    if len(used) == len(network.predicates) and len(columns) == len(network.columns):
        return network
    places = _places(used)
    first, *above = network.levels
    rules = [Rule(tuple(Literal(places[lit.index], lit.negated) for lit in rule.literals)) for rule in first.rules]
    predicates = tuple(network.predicates[index] for index in used)
    return replace(network, columns=columns, predicates=predicates, levels=(replace(first, rules=tuple(rules)), *above))


def _places(order: Sequence[int]) -> dict[int, int]:
    return {old: new for new, old in enumerate(order)}
