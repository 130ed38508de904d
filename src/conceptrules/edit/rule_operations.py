"""Operations on rules: to add, drop and change them and their literals, and to move cut points.

A rule is named by its text, as the network prints it, and not by a number, which any other edit may change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from conceptrules.edit.operation import Operation
from conceptrules.edit.rules import Conflict, added, find, owner, read, removed
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Interval, OneOf, Predicate, Value, finite_bounds, run_of
from conceptrules.model.rule_reader import nearest_name, read_bound
from conceptrules.model.text import rule_text, value_word, word


@dataclass(frozen=True, slots=True)
class AddRule(Operation):
    """Add a rule.

    Parameters
    ----------
    rule : str
        The rule in words.
    label : class label or str
        The class, or the concept such as "C1.2", that gets it.
    """

    rule: str
    label: Value

    @property
    def text(self) -> str:
        return f"add to {word(self.label)}: {self.rule}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        place = owner(network, self.label)
        grown, literals = read(network, place[0], self.rule)
        return added(grown, place, literals)


@dataclass(frozen=True, slots=True)
class DropRule(Operation):
    """Drop a rule.

    Parameters
    ----------
    rule : str
        The rule in words.
    label : class label or str
        The class or the concept that loses it.
    """

    rule: str
    label: Value

    @property
    def text(self) -> str:
        return f"drop from {word(self.label)}: {self.rule}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        return removed(network, *find(network, self.label, self.rule))


@dataclass(frozen=True, slots=True)
class ChangeRule(Operation):
    """Put another rule in the place of one.

    Parameters
    ----------
    rule : str
        The rule in words.
    to : str
        The new rule in words.
    label : class label or str
        The class or the concept of the rule.
    """

    rule: str
    to: str
    label: Value

    @property
    def text(self) -> str:
        return f"change for {word(self.label)}: {self.rule} -> {self.to}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        return AddRule(self.to, self.label).apply(DropRule(self.rule, self.label).apply(network))


@dataclass(frozen=True, slots=True)
class AddLiteral(Operation):
    """Add a condition to a rule.

    Parameters
    ----------
    rule : str
        The rule in words.
    literal : str
        The condition in words.
    label : class label or str
        The class or the concept of the rule.
    """

    rule: str
    literal: str
    label: Value

    @property
    def text(self) -> str:
        return f"for {word(self.label)}, add to the rule {self.rule}: {self.literal}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        place, number = find(network, self.label, self.rule)
        literals = network.levels[place[0]].rules[number].literals
        grown, more = read(removed(network, place, number), place[0], self.literal)
        if set(more) <= set(literals):
            raise Conflict(f"the rule {self.rule!r} says {self.literal!r} already", already=True)
        return added(grown, place, (*literals, *more))


@dataclass(frozen=True, slots=True)
class DropLiteral(Operation):
    """Take a condition out of a rule.

    Parameters
    ----------
    rule : str
        The rule in words.
    literal : str
        The condition in words.
    label : class label or str
        The class or the concept of the rule.
    """

    rule: str
    literal: str
    label: Value

    @property
    def text(self) -> str:
        return f"for {word(self.label)}, drop from the rule {self.rule}: {self.literal}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        place, number = find(network, self.label, self.rule)
        literals = network.levels[place[0]].rules[number].literals
        grown, less = read(removed(network, place, number), place[0], self.literal)
        if not set(less) <= set(literals):
            raise Conflict(f"the rule {self.rule!r} does not say {self.literal!r}")
        return added(grown, place, [one for one in literals if one not in less])


@dataclass(frozen=True, slots=True)
class MoveCut(Operation):
    """Move a cut point of a column, in all rules.

    Parameters
    ----------
    column : str
        An ordered or ordinal column.
    old : str
        The cut point as rules show it: 41, 2021-03-05, or a category.
    new : str
        Where it goes.
    """

    column: str
    old: str
    new: str

    @property
    def text(self) -> str:
        return f"move the cut of {word(self.column)}: {self.old} -> {self.new}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        names = [column.name for column in network.columns]
        if self.column not in names:
            raise InputError(f"there is no column {self.column!r}; {nearest_name(self.column, names)}")
        column = network.columns[names.index(self.column)]
        old, new = read_bound(column, self.old), read_bound(column, self.new)
        moved = [_moved(one, column, old, new) if one.column == self.column else one for one in network.predicates]
        used = network.used_predicates
        if all(network.predicates[index] == moved[index] for index in used):
            there = any(_moved(one, column, new, old) != one for one in _used(network) if one.column == self.column)
            near = nearest_name(self.old, _cuts(network, column))
            raise Conflict(f"no rule cuts {self.column!r} at {self.old}; {near}", already=there)
        first, *above = network.levels
        places = [moved.index(one) for one in moved]
        rules = [Rule(tuple(Literal(places[one.index], one.negated) for one in rule.literals)) for rule in first.rules]
        levels = (replace(first, rules=tuple(rules)), *above)
        after = replace(network, predicates=tuple(moved), levels=levels, statistics=None)
        words = {rule_text(network, 0, rule): rule_text(after, 0, rule) for rule in range(len(rules))}
        return replace(after, names=tuple((words.get(node, node), name) for node, name in network.names))


def _used(network: RuleNetwork) -> list[Predicate]:
    return [network.predicates[index] for index in network.used_predicates]


def _cuts(network: RuleNetwork, column: Column) -> list[str]:
    """Return the cut points of a column in the rules, as they show them."""
    found: set[float] = set()
    for predicate in _used(network):
        if predicate.column == column.name:
            run = run_of(predicate, column) or ()
            found |= {end for end in run if 0 < end < len(column.categories)} | set(finite_bounds([predicate]))
    ordinal = column.kind == "ordinal"
    return [value_word(column, column.categories[int(cut) - 1] if ordinal else cut) for cut in sorted(found)]


def _moved(predicate: Predicate, column: Column, old: float, new: float) -> Predicate:
    """Return a predicate with one bound moved, where it has it; those of an ordinal column are places in its order."""
    if isinstance(predicate, Interval):
        low, high = (new if end == old and math.isfinite(end) else end for end in (predicate.low, predicate.high))
        return Interval(predicate.column, low, high)
    run = run_of(predicate, column)
    if run is None:
        return predicate
    ends = [int(new) if end == old and 0 < end < len(column.categories) else end for end in run]
    if not ends[0] < ends[1]:
        raise InputError(f"no category of {column.name!r} would be left in {predicate}")
    return OneOf(column.name, column.categories[ends[0] : ends[1]])
