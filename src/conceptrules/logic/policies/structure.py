"""The clauses that are read off the rules themselves: each function returns why the clause fails, or None."""

from __future__ import annotations

from collections.abc import Iterable

from conceptrules.logic.column_cells import rules_inside
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.policy import Apart, Banned, Clause, Default, Forbidden, Limit, Locked, OnlyFor, Priority
from conceptrules.model.policy.policy import region, stated
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import as_network, words_of_rule
from conceptrules.model.statistics import edges
from conceptrules.model.text import plural, rule_text, word


def checks_structure(clause: Clause) -> bool:
    """Return whether the rules alone tell if a clause holds."""
    kinds = (Forbidden, Apart, OnlyFor, Banned, Default, Priority, Limit)
    return isinstance(clause, kinds) or (isinstance(clause, Locked) and clause.mode == "keep")


def failure(clause: Clause, network: RuleNetwork) -> str | None:
    """Return why the rules of a network fail a clause; None if they do not."""
    match clause:
        case Forbidden(column=column):
            found = _rule_with(network, {column})
        case Apart(first=first, second=second):
            found = _rule_with(network, {first, second})
        case OnlyFor():
            found = _only_for(clause, network)
        case Default(label=label):
            found = None if network.default == label else f"the default is {word(network.default)}"
        case Priority(classes=classes):
            order = ", ".join(map(word, network.priority))
            found = None if network.priority == classes else f"the priority is {order}"
        case Limit():
            found = _over(clause, network)
        case Locked():
            found = not_kept(clause, network)
        case Banned():
            found = _come_back(clause, network)
        case _:
            raise AssertionError(clause)
    return found


def not_kept(clause: Locked, network: RuleNetwork) -> str | None:
    """Return why a locked rule is not there; None if its class has it, word for word.

    In a network of several levels, concepts pass it on: some rule of the class holds wherever the concept does.
    """
    tests = stated(clause.name, clause.rule, network.columns)
    alone = as_network(tests, network.columns)
    wanted = words_of_rule(alone, 0, alone.levels[0].rules[0].literals)
    first = network.levels[0]
    rules = {place for place, rule in enumerate(first.rules) if words_of_rule(network, 0, rule.literals) == wanted}
    return None if clause.label in _classes_with(network, rules) else f"{word(clause.label)} has no such rule"


def _classes_with(network: RuleNetwork, rules: set[int]) -> list[Value]:
    """Return the classes that have one of these rules of the first level, or a concept that passes one on."""
    concepts: set[int] = set()
    for depth, level in enumerate(network.levels):
        if depth:
            passing = {(Literal(place),) for place in concepts}
            rules = {place for place, rule in enumerate(level.rules) if rule.literals in passing}
        concepts = {place for place, concept in enumerate(level.concepts) if rules & set(concept.rules)}
    return [network.classes[place] for place in concepts]


def _come_back(clause: Banned, network: RuleNetwork) -> str | None:
    for rule in rules_inside(network, region(clause, network.columns)):
        if clause.label in _classes_with(network, {rule}):
            return f"this rule does: {rule_text(network, 0, rule)}"
    return None


def columns_below(network: RuleNetwork) -> list[tuple[list[frozenset[str]], list[frozenset[str]]]]:
    """Return the columns that each rule and each concept asks about, by level, those below included."""
    below = [frozenset([predicate.column]) for predicate in network.predicates]
    result = []
    for level in network.levels:
        rules = [_union(below[literal.index] for literal in rule.literals) for rule in level.rules]
        below = [_union(rules[rule] for rule in concept.rules) for concept in level.concepts]
        result.append((rules, below))
    return result


def _union(some: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*some)


def _rule_with(network: RuleNetwork, columns: set[str]) -> str | None:
    for level, (rules, _) in enumerate(columns_below(network)):
        for place, found in enumerate(rules):
            if columns <= found:
                return f"this rule does: {rule_text(network, level, place)}"
    return None


def _only_for(clause: OnlyFor, network: RuleNetwork) -> str | None:
    rules, _ = columns_below(network)[-1]
    for label, concept in zip(network.classes, network.levels[-1].concepts, strict=True):
        for rule in concept.rules:
            if clause.column in rules[rule] and label not in clause.classes:
                return f"this rule of {word(label)} does too: {rule_text(network, len(network.levels) - 1, rule)}"
    return None


def _over(clause: Limit, network: RuleNetwork) -> str | None:
    if clause.of == "literals":
        for depth, level in enumerate(network.levels):
            for place, rule in enumerate(level.rules):
                if len(rule.literals) > clause.most:
                    return f"this rule has {len(rule.literals)}: {rule_text(network, depth, place)}"
        return None
    found = edges(network) if clause.of == "edges" else sum(len(level.rules) for level in network.levels)
    return None if found <= clause.most else f"the network has {plural(found, clause.of[:-1])}"
