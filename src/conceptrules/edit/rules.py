"""Finding the rules that an edit speaks of, and putting rules in and taking them out."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.policy import Forbidden, Policy
from conceptrules.model.policy.policy import stated
from conceptrules.model.predicate import Interval, Value
from conceptrules.model.rule_reader import nearest_name, read_literals, words_of_rule
from conceptrules.model.text import concept_name, rule_text, word
from conceptrules.model.values import label_text

Place = tuple[int, int]
"""A level and the number of a concept on it, both counted from 0."""


class Conflict(InputError):
    """An edit that a network does not take: what it speaks of is not there, or is there already."""

    def __init__(self, message: str, already: bool = False) -> None:
        super().__init__(message)
        self.already = already
        """Whether the network is as the edit wants it."""


def owner(network: RuleNetwork, label: Value) -> Place:
    """Return where the class or concept of this name is."""
    last = len(network.levels) - 1
    known = {label_text(name): (last, place) for place, name in enumerate(network.classes)}
    for level in range(last):
        for place in range(len(network.levels[level].concepts)):
            known.setdefault(concept_name(level, place), (level, place))
    if label_text(label) not in known:
        raise Conflict(f"there is no class or concept {label!r}; {nearest_name(str(label), list(known))}")
    return known[label_text(label)]


def sole_owner(network: RuleNetwork, text: str) -> Value:
    """Return the one class or concept that has a rule; an error if there is none, or several."""
    names: list[Value] = [*network.classes]
    for level in range(len(network.levels) - 1):
        names += [concept_name(level, place) for place in range(len(network.levels[level].concepts))]
    found = []
    for name in names:
        try:
            find(network, name, text)
            found.append(name)
        except InputError:
            continue
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{' and '.join(map(word, found))} have the rule {text!r}; say which is meant (--class)")
    read(network, len(network.levels) - 1, text)  # tells what is wrong with the text, if anything is
    texts = [
        rule_text(network, level, rule) for level, one in enumerate(network.levels) for rule in range(len(one.rules))
    ]
    raise Conflict(f"there is no rule {text!r}; {_nearest(text, texts)}")


def find(network: RuleNetwork, label: Value, text: str) -> tuple[Place, int]:
    """Return where a rule is: its class or concept, and its number on the level."""
    level, place = owner(network, label)
    grown, literals = read_literals(text, network, level)
    wanted = words_of_rule(grown, level, literals)
    rules = network.levels[level].concepts[place].rules
    for rule in rules:
        if words_of_rule(network, level, network.levels[level].rules[rule].literals) == wanted:
            return (level, place), rule
    near = _nearest(text, [rule_text(network, level, one) for one in rules])
    raise Conflict(f"{word(label)} has no rule {text!r}; {near}")


def alike(network: RuleNetwork, label: Value, text: str) -> str | None:
    """Return a rule of a class that differs from a text in bounds only; None if there is none."""
    try:
        level, place = owner(network, label)
        grown, literals = read_literals(text, network, level)
    except InputError:
        return None
    wanted = [_shape(grown, level, literal) for literal in literals]
    for rule in network.levels[level].concepts[place].rules:
        found = [_shape(network, level, literal) for literal in network.levels[level].rules[rule].literals]
        if sorted(found, key=repr) == sorted(wanted, key=repr):
            return rule_text(network, level, rule)
    return None


def _shape(network: RuleNetwork, level: int, literal: Literal) -> tuple[object, ...]:
    """Return what a literal says but for the place of its bounds."""
    predicate = network.predicates[literal.index] if level == 0 else None
    if isinstance(predicate, Interval):
        return predicate.column, predicate.low > -math.inf, predicate.high < math.inf, literal.negated
    return (literal.index if predicate is None else predicate, literal.negated)


def read(network: RuleNetwork, level: int, text: str) -> tuple[RuleNetwork, tuple[Literal, ...]]:
    """Return the literals of a rule in words, all of its categories known, and the network with their predicates."""
    try:
        found = read_literals(text, network, level)
    except InputError as error:
        # A network that was learned under a policy does not even know the columns that the policy forbids.
        forbidden = [clause.column for clause in (network.policy or Policy()).clauses if isinstance(clause, Forbidden)]
        if not (named := [column for column in forbidden if column in text]):
            raise
        columns = f"column {named[0]!r}" if len(named) == 1 else f"columns {', '.join(map(repr, named))}"
        raise InputError(f"{error}; the policy of the network forbids the {columns}") from None
    if level == 0:
        stated("the rule", text, network.columns)
    return found


def added(network: RuleNetwork, place: Place, literals: Sequence[Literal]) -> RuleNetwork:
    """Return the network with one more rule for a concept."""
    level, concept = place
    rule = Rule(tuple(literals))
    rules = network.levels[level].rules
    number = rules.index(rule) if rule in rules else len(rules)
    members = network.levels[level].concepts[concept].rules
    words = words_of_rule(network, level, rule.literals)
    if any(words_of_rule(network, level, rules[one].literals) == words for one in members):
        raise Conflict("the rule is there already", already=True)
    return _with(network, level, concept, (*members, number), rules if number < len(rules) else (*rules, rule))


def removed(network: RuleNetwork, place: Place, rule: int) -> RuleNetwork:
    """Return the network without a rule of a concept."""
    level, concept = place
    members = tuple(one for one in network.levels[level].concepts[concept].rules if one != rule)
    return _with(network, level, concept, members, network.levels[level].rules)


def _with(
    network: RuleNetwork, level: int, concept: int, members: tuple[int, ...], rules: tuple[Rule, ...]
) -> RuleNetwork:
    concepts = list(network.levels[level].concepts)
    concepts[concept] = Concept(members)
    levels = list(network.levels)
    levels[level] = Level(rules, tuple(concepts))
    return replace(network, levels=tuple(levels), statistics=None)


def with_names(network: RuleNetwork) -> RuleNetwork:
    """Return the network with the names of those rules and concepts only that it has."""
    there = set(nodes_of(network))
    return replace(network, names=tuple(sorted(pair for pair in network.names if pair[0] in there)))


def node_called(network: RuleNetwork, text: str) -> str:
    """Return the rule in its words or the concept that a text means: by its name, or with conditions in any order."""
    nodes = {name: node for node, name in network.names} | {node: node for node in nodes_of(network)}
    if text in nodes:
        return nodes[text]
    for number, level in enumerate(network.levels):
        with suppress(InputError):
            grown, literals = read_literals(text, network, number)
            wanted = words_of_rule(grown, number, literals)
            for index, rule in enumerate(level.rules):
                if words_of_rule(network, number, rule.literals) == wanted:
                    return rule_text(network, number, index)
    raise Conflict(f"there is no rule or concept {text!r}; {_nearest(text, list(nodes))}")


def nodes_of(network: RuleNetwork) -> list[str]:
    """Return all that can have a name: concepts, and rules by their words."""
    found = []
    for number, level in enumerate(network.levels):
        if number < len(network.levels) - 1:
            found += [concept_name(number, index) for index in range(len(level.concepts))]
        found += [rule_text(network, number, index) for index in range(len(level.rules))]
    return list(dict.fromkeys(found))


def _nearest(text: str, texts: Sequence[str]) -> str:
    near = difflib.get_close_matches(text, texts, n=1, cutoff=0)
    return f"the nearest is {near[0]!r}" if near else "there are none"
