"""Finding the rules that an edit names, adding and removing rules, and the normal form of a network."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from conceptrules.model.card import read_card
from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.policy import Forbidden, Policy
from conceptrules.model.policy.policy import read_known_rule
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value
from conceptrules.model.provenance import without_rule_figures
from conceptrules.model.rule_reader import condition_texts, nearest_name, read_literals, read_rule_number
from conceptrules.model.text import concept_name, rule_text, word
from conceptrules.model.values import label_text

Figure = TypeVar("Figure")
_KINDS: tuple[type[Predicate], ...] = (Interval, Equals, OneOf, Missing)
Owner = tuple[int, int]
"""The class or concept of a rule: its level and its number there, counted from 0; `CARD` for rules with points."""
CARD = -1


class Conflict(InputError):
    """An edit that a network does not take: what it names is not there, or is there already."""

    def __init__(self, message: str, already: bool = False) -> None:
        super().__init__(message)
        self.already = already
        """Whether the network is as the edit would make it."""


def _list_owners(network: RuleNetwork) -> list[tuple[Value | None, Owner]]:
    """Return the names of the classes, or None for a scorecard, then of the concepts below them."""
    last = len(network.levels) - 1
    owners: list[tuple[Value | None, Owner]] = [(name, (last, index)) for index, name in enumerate(network.classes)]
    if network.head is not None:
        owners = [(None, (last, CARD))]
    for level in range(last):
        owners += [(concept_name(level, index), (level, index)) for index in range(len(network.levels[level].concepts))]
    return owners


def find_owner(network: RuleNetwork, label: Value | None) -> Owner:
    """Return the class or concept of this name; a class, if both have it. None is the rules with points of a card."""
    if label is None:
        if network.head is None:
            raise InputError("say which class or concept the rule is for, by label")
        return len(network.levels) - 1, CARD
    owners = {label_text(name): owner for name, owner in reversed(_list_owners(network)) if name is not None}
    if label_text(label) not in owners:
        known = list(reversed(owners))
        if network.head is not None:
            raise Conflict(f"the rules of a scorecard are for no class, and it has no concept {label!r}; leave it out")
        raise Conflict(f"there is no class or concept {label!r}; {nearest_name(str(label), known)}")
    return owners[label_text(label)]


def owner_text(label: Value | None) -> str:
    """Return the class or the concept of a rule in words."""
    return "the card" if label is None else word(label)


def members_of(network: RuleNetwork, owner: Owner) -> Sequence[int]:
    """Return the rules of a class, of a concept, or of a scorecard."""
    level, concept = owner
    return _all_rules(network, level) if concept == CARD else network.levels[level].concepts[concept].rules


def points_of_rule(network: RuleNetwork, owner: Owner, rule: int) -> tuple[int, ...]:
    """Return the points of a rule; none of a rule that is for a class or a concept."""
    return network.head.points[rule] if network.head is not None and owner[1] == CARD else ()


def say_rule(network: RuleNetwork, text: str) -> str:
    """Return the words of a rule that is named by its number, such as R1.3, or as a card prints it; else the text."""
    rule_place = read_rule_number(text, network)
    if rule_place is None and network.head is not None:
        lines = (line for group in read_card(network).groups for line in group)
        rules = [line.rule for line in lines if f"{line.column} {line.text}".split() == text.split()]
        rule_place = (len(network.levels) - 1, rules[0]) if len(rules) == 1 else None
    return text if rule_place is None else rule_text(network, *rule_place)


def find_sole_owner(network: RuleNetwork, text: str) -> Value | None:
    """Return the name of the only class or concept that has a rule; raise if there is none, or several."""
    names, text = [], say_rule(network, text)
    for name, _ in _list_owners(network):
        with suppress(InputError):
            find_rule(network, name, text)
            names.append(name)
    if len(names) == 1:
        return names[0]
    if names:
        raise InputError(f"{' and '.join(map(owner_text, names))} have the rule {text!r}; say which is meant (--class)")
    last = len(network.levels) - 1
    read_rule_of(network, (last, 0), text)  # raises if something is wrong with the text itself
    texts = [rule_text(network, number, rule) for number in range(last + 1) for rule in _all_rules(network, number)]
    raise Conflict(f"there is no rule {text!r}; {_nearest(text, texts)}")


def find_rule(network: RuleNetwork, label: Value | None, text: str) -> tuple[Owner, int]:
    """Return the owner of a rule, and the number of the rule on its level."""
    owner = level, _ = find_owner(network, label)
    rules = members_of(network, owner)
    index = _match_words(network, level, text, rules)
    if index is None:
        near = _nearest(text, [rule_text(network, level, rule) for rule in rules])
        raise Conflict(f"{owner_text(label)} has no rule {text!r}; {near}")
    return owner, index


def _match_words(network: RuleNetwork, level: int, text: str, rules: Sequence[int]) -> int | None:
    """Return the first of some rules that says what a text says, with its conditions in any order."""
    extended, literals = read_literals(text, network, level)
    words = condition_texts(extended, level, literals)
    of_level = network.levels[level].rules
    return next((rule for rule in rules if condition_texts(network, level, of_level[rule].literals) == words), None)


def find_similar_rule(network: RuleNetwork, label: Value | None, text: str) -> str | None:
    """Return a rule of a class that differs from a text in its bounds only; None if there is none."""
    try:
        level, _ = owner = find_owner(network, label)
        extended, literals = read_literals(text, network, level)
    except InputError:
        return None
    shape = _shape(extended, level, literals)
    for rule in members_of(network, owner):
        if _shape(network, level, network.levels[level].rules[rule].literals) == shape:
            return rule_text(network, level, rule)
    return None


def _shape(network: RuleNetwork, level: int, literals: Sequence[Literal]) -> list[tuple[object, ...]]:
    """Return what literals say, but for the values of their bounds."""
    shapes: list[tuple[object, ...]] = []
    for literal in literals:
        predicate = network.predicates[literal.index] if level == 0 else None
        if isinstance(predicate, Interval):
            shapes.append((predicate.column, predicate.low > -math.inf, predicate.high < math.inf, literal.negated))
        else:
            shapes.append((literal.index if predicate is None else predicate, literal.negated))
    return sorted(shapes, key=repr)


def read_rule_of(network: RuleNetwork, owner: Owner, text: str) -> tuple[RuleNetwork, tuple[Literal, ...]]:
    """Return the literals of a rule in words, and the network with their predicates; all categories must be known."""
    level, _ = owner
    try:
        extended, literals = read_literals(text, network, level)
    except InputError as error:
        # A network that was learned under a policy does not even know the columns that the policy forbids.
        forbidden = [clause.column for clause in (network.policy or Policy()).of_kind(Forbidden)]
        if not (named := [column for column in forbidden if column in text]):
            raise
        columns = f"column {named[0]!r}" if len(named) == 1 else f"columns {', '.join(map(repr, named))}"
        raise InputError(f"{error}; the policy of the network forbids the {columns}") from None
    if level == 0:
        read_known_rule("the rule", text, network.columns)
    return extended, literals


def add_rule(
    network: RuleNetwork, owner: Owner, literals: Sequence[Literal], points: Sequence[int] = ()
) -> RuleNetwork:
    """Return the network with one more rule for a class or concept, or with points."""
    level, _ = owner
    rule = Rule(tuple(literals))
    rules = network.levels[level].rules
    words = condition_texts(network, level, rule.literals)
    members = members_of(network, owner)
    if any(condition_texts(network, level, rules[member].literals) == words for member in members):
        raise Conflict("the rule is there already", already=True)
    if owner[1] == CARD:
        assert network.head is not None
        return _replace_scored(network, (*rules, rule), (*network.head.points, tuple(points)))
    index = rules.index(rule) if rule in rules else len(rules)
    return _replace_members(network, owner, (*members, index), rules if index < len(rules) else (*rules, rule))


def remove_rule(network: RuleNetwork, owner: Owner, rule: int) -> RuleNetwork:
    """Return the network without a rule of a class or concept, or with points."""
    level, concept = owner
    members = tuple(member for member in members_of(network, owner) if member != rule)
    rules = network.levels[level].rules
    if concept == CARD:
        assert network.head is not None
        points = network.head.points
        return _replace_scored(network, tuple(rules[i] for i in members), tuple(points[i] for i in members))
    return _replace_members(network, owner, members, rules)


def _replace_scored(network: RuleNetwork, rules: tuple[Rule, ...], points: tuple[tuple[int, ...], ...]) -> RuleNetwork:
    assert network.head is not None
    levels = (*network.levels[:-1], Level(rules, ()))
    return replace(network, levels=levels, head=replace(network.head, points=points), statistics=None)


def _replace_members(
    network: RuleNetwork, owner: Owner, members: tuple[int, ...], rules: tuple[Rule, ...]
) -> RuleNetwork:
    level, concept = owner
    concepts = list(network.levels[level].concepts)
    concepts[concept] = Concept(members)
    levels = list(network.levels)
    levels[level] = Level(rules, tuple(concepts))
    return replace(network, levels=tuple(levels), statistics=None)


def drop_stale_names(network: RuleNetwork) -> RuleNetwork:
    """Return the network without the names of rules and concepts that it does not have."""
    nodes = set(list_nodes(network))
    return replace(network, names=tuple(sorted(pair for pair in network.names if pair[0] in nodes)))


def find_node(network: RuleNetwork, text: str) -> str:
    """Return the rule in its words or the concept that a text means: by its name, or with conditions in any order."""
    nodes = {name: node for node, name in network.names} | {node: node for node in list_nodes(network)}
    if text in nodes:
        return nodes[text]
    for level in range(len(network.levels)):
        with suppress(InputError):
            rule = _match_words(network, level, text, _all_rules(network, level))
            if rule is not None:
                return rule_text(network, level, rule)
    raise Conflict(f"there is no rule or concept {text!r}; {_nearest(text, list(nodes))}")


def list_nodes(network: RuleNetwork) -> list[str]:
    """Return all that can have a name: concepts, and rules by their words."""
    nodes = []
    for number, level in enumerate(network.levels):
        if number < len(network.levels) - 1:
            nodes += [concept_name(number, index) for index in range(len(level.concepts))]
        nodes += [rule_text(network, number, index) for index in _all_rules(network, number)]
    return list(dict.fromkeys(nodes))


def _all_rules(network: RuleNetwork, level: int) -> range:
    return range(len(network.levels[level].rules))


def _nearest(text: str, texts: Sequence[str]) -> str:
    near = difflib.get_close_matches(text, texts, n=1, cutoff=0)
    return f"the nearest is {near[0]!r}" if near else "there are none"


# The normal form: one form of a network, whatever led to it, so that taking an edit back gives the same network again


def normalise(network: RuleNetwork) -> RuleNetwork:
    """Return the network with its used predicates and rules sorted, each once, and without rules that no concept has.

    Classes and concepts stay where they are, and equal rules of a scorecard become one with the sum of their points.
    Statistics, which are listed by the number of a rule, follow the rules if each is there as before, and are dropped
    otherwise.
    """
    positions = {column.name: position for position, column in enumerate(network.columns)}
    used = {network.predicates[index] for index in network.used_predicates}
    predicates = tuple(sorted(used, key=lambda predicate: (positions[predicate.column], *_sort_key(predicate))))
    below = [predicates.index(predicate) if predicate in used else 0 for predicate in network.predicates]
    levels, head = [], network.head
    for number, level in enumerate(network.levels):
        moved = [Rule(tuple(Literal(below[i.index], i.negated) for i in rule.literals)) for rule in level.rules]
        kept = {moved[rule] for concept in level.concepts for rule in concept.rules}
        if head is not None and number == len(network.levels) - 1:
            sums: dict[Rule, list[int]] = {}
            for rule, points in zip(moved, head.points, strict=True):
                sums[rule] = [a + b for a, b in zip(sums.get(rule, [0] * head.outputs), points, strict=True)]
            kept = set(sums)
            head = replace(head, points=tuple(tuple(sums[rule]) for rule in sorted(kept, key=lambda r: r.literals)))
        rules = sorted(kept, key=lambda r: r.literals)
        concepts = [Concept(tuple(rules.index(moved[rule]) for rule in concept.rules)) for concept in level.concepts]
        levels.append(Level(tuple(rules), tuple(concepts)))
        below = list(range(len(concepts)))
    result = replace(network, predicates=predicates, levels=tuple(levels), head=head, statistics=None)
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
        return replace(after, training=without_rule_figures(training))
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
