"""Edits as values: what each says in words, and what it makes of a network.

A rule is named by its text, as the network prints it, and not by a number, which any other edit may change.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

from conceptrules.edit.rules import (
    Conflict,
    Owner,
    add_rule,
    find_node,
    find_owner,
    find_rule,
    list_nodes,
    read_rule_of,
    remove_rule,
)
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, Rule, RuleNetwork
from conceptrules.model.policy import Locked, Policy
from conceptrules.model.policy.clauses import Mode
from conceptrules.model.predicate import Column, Interval, OneOf, Predicate, Value, finite_bounds, run_of
from conceptrules.model.rule_reader import nearest_name, read_bound
from conceptrules.model.text import rule_text, value_word, word

_LONGEST_NAME = 100
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One edit of a network. Its fields are its arguments, in the order in which the command line takes them."""

    kind: ClassVar[str]
    """What the trail and the command line call it."""
    template: ClassVar[str]
    """What it does, in words around the names of its fields."""

    @property
    def text(self) -> str:
        """What is done, in words."""
        arguments = {field.name: getattr(self, field.name) for field in fields(self)}
        # Rules, literals and cut points are in words already; names may need quotes.
        names = {key: word(arguments[key]) for key in ("label", "column") if key in arguments}
        return self.template.format(**arguments | names)

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        """Return the network after the edit; it need not be in normal form."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class AddRule(Operation):
    """Add a rule."""

    kind, template = "add", "add to {label}: {rule}"
    rule: str
    """The rule in words."""
    label: Value
    """The class, or the concept such as "C1.2", that gets it."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        owner = find_owner(network, self.label)
        extended, literals = read_rule_of(network, owner, self.rule)
        return add_rule(extended, owner, literals)


@dataclass(frozen=True, slots=True)
class DropRule(Operation):
    """Drop a rule."""

    kind, template = "drop", "drop from {label}: {rule}"
    rule: str
    """The rule in words."""
    label: Value
    """The class or the concept that loses it."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        return remove_rule(network, *find_rule(network, self.label, self.rule))


@dataclass(frozen=True, slots=True)
class ChangeRule(Operation):
    """Replace a rule by another one."""

    kind, template = "change", "change for {label}: {rule} -> {to}"
    rule: str
    """The rule in words."""
    to: str
    """The new rule in words."""
    label: Value
    """The class or the concept of the rule."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        return AddRule(self.to, self.label).apply(DropRule(self.rule, self.label).apply(network))


@dataclass(frozen=True, slots=True)
class AddLiteral(Operation):
    """Add a condition to a rule."""

    kind, template = "add-literal", "for {label}, add to the rule {rule}: {literal}"
    rule: str
    """The rule in words."""
    literal: str
    """The condition in words."""
    label: Value
    """The class or the concept of the rule."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        extended, owner, literals, more = _take_out(network, self)
        if set(more) <= set(literals):
            raise Conflict(f"the rule {self.rule!r} says {self.literal!r} already", already=True)
        return add_rule(extended, owner, (*literals, *more))


@dataclass(frozen=True, slots=True)
class DropLiteral(Operation):
    """Take a condition out of a rule."""

    kind, template = "drop-literal", "for {label}, drop from the rule {rule}: {literal}"
    rule: str
    """The rule in words."""
    literal: str
    """The condition in words."""
    label: Value
    """The class or the concept of the rule."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        extended, owner, literals, less = _take_out(network, self)
        if not set(less) <= set(literals):
            raise Conflict(f"the rule {self.rule!r} does not say {self.literal!r}")
        return add_rule(extended, owner, [literal for literal in literals if literal not in less])


def _take_out(
    network: RuleNetwork, operation: AddLiteral | DropLiteral
) -> tuple[RuleNetwork, Owner, tuple[Literal, ...], tuple[Literal, ...]]:
    """Return the network without the rule, the owner and the literals of the rule, and those that the edit names."""
    owner, index = find_rule(network, operation.label, operation.rule)
    literals = network.levels[owner[0]].rules[index].literals
    extended, named = read_rule_of(remove_rule(network, owner, index), owner, operation.literal)
    return extended, owner, literals, named


@dataclass(frozen=True, slots=True)
class MoveCut(Operation):
    """Move a cut point of a column, in all rules."""

    kind, template = "move-cut", "move the cut of {column}: {old} -> {new}"
    column: str
    """An ordered or ordinal column."""
    old: str
    """The cut point as rules show it: 41, 2021-03-05, or a category."""
    new: str
    """Where it goes."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        names = [column.name for column in network.columns]
        if self.column not in names:
            raise InputError(f"there is no column {self.column!r}; {nearest_name(self.column, names)}")
        column = network.columns[names.index(self.column)]
        old, new = read_bound(column, self.old), read_bound(column, self.new)
        moved = [_move_bound(predicate, column, old, new) for predicate in network.predicates]
        used = [network.predicates[index] for index in network.used_predicates]
        if all(network.predicates[index] == moved[index] for index in network.used_predicates):
            has_new = any(_move_bound(predicate, column, new, old) != predicate for predicate in used)
            near = nearest_name(self.old, _list_cuts(used, column))
            raise Conflict(f"no rule cuts {self.column!r} at {self.old}; {near}", already=has_new)
        first, *above = network.levels
        numbers = [moved.index(predicate) for predicate in moved]  # predicates that became equal share a number
        rules = [Rule(tuple(Literal(numbers[i.index], i.negated) for i in rule.literals)) for rule in first.rules]
        levels = (replace(first, rules=tuple(rules)), *above)
        after = replace(network, predicates=tuple(moved), levels=levels, statistics=None)
        texts = {rule_text(network, 0, rule): rule_text(after, 0, rule) for rule in range(len(rules))}
        return replace(after, names=tuple((texts.get(node, node), name) for node, name in network.names))


def _list_cuts(predicates: list[Predicate], column: Column) -> list[str]:
    """Return the cut points of a column, as rules show them."""
    cuts: set[float] = set()
    for predicate in predicates:
        if predicate.column == column.name:
            run = run_of(predicate, column) or ()
            cuts |= {end for end in run if 0 < end < len(column.categories)} | set(finite_bounds([predicate]))
    ordinal = column.kind == "ordinal"
    return [value_word(column, column.categories[int(cut) - 1] if ordinal else cut) for cut in sorted(cuts)]


def _move_bound(predicate: Predicate, column: Column, old: float, new: float) -> Predicate:
    """Return a predicate with one bound moved, if it has it; bounds of an ordinal column are positions in its order."""
    if predicate.column != column.name:
        return predicate
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


@dataclass(frozen=True, slots=True)
class SetPriority(Operation):
    """Say which class wins where several fire."""

    kind = "priority"
    classes: tuple[Value, ...]
    """All classes, the one that wins first."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", tuple(self.classes))

    @property
    def text(self) -> str:
        return f"priority: {', '.join(map(word, self.classes))}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        if network.priority == self.classes:
            raise Conflict("the priority is this one already", already=True)
        return replace(network, priority=self.classes, statistics=None)


@dataclass(frozen=True, slots=True)
class SetDefault(Operation):
    """Say which class is answered where none fires."""

    kind, template = "default", "default: {label}"
    label: Value
    """The class."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        if network.default == self.label:
            raise Conflict(f"the default is {word(self.label)} already", already=True)
        return replace(network, default=self.label, statistics=None)


@dataclass(frozen=True, slots=True)
class LockRule(Operation):
    """Lock a rule: the policy of the network asks for it from now on."""

    kind, template = "lock", "lock ({mode}) for {label}: {rule}"
    rule: str
    """The rule in words."""
    label: Value
    """Its class."""
    mode: Mode = "keep"
    """Whether its class keeps the rule, or is also answered wherever the rule holds ("decides")."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        (level, _), index = find_rule(network, self.label, self.rule)
        if len(network.levels) > 1:
            raise Conflict("only rules of networks with one level can be locked by an edit")
        clause = Locked(rule_text(network, level, index), self.label, self.mode)
        policy = network.policy or Policy()
        if clause in policy.clauses:
            raise Conflict(f"the rule {self.rule!r} is locked already", already=True)
        return replace(network, policy=replace(policy, clauses=(*policy.clauses, clause)))


@dataclass(frozen=True, slots=True)
class UnlockRule(Operation):
    """Unlock a rule: the policy of the network no longer asks for it."""

    kind, template = "unlock", "unlock: {rule}"
    rule: str
    """The rule in words, as it was locked."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        policy = network.policy or Policy()
        locks = policy.of_kind(Locked)
        rules = [lock.rule for lock in locks]
        if self.rule not in rules:
            raise Conflict(f"no rule {self.rule!r} is locked; {nearest_name(self.rule, rules)}", already=True)
        opened = [lock for lock in locks if lock.rule == self.rule]
        return replace(network, policy=replace(policy, clauses=tuple(c for c in policy.clauses if c not in opened)))


@dataclass(frozen=True, slots=True)
class Rename(Operation):
    """Give a rule or a concept a name for people to know it by. It decides nothing."""

    kind = "rename"
    node: str
    """The rule in words, the concept such as "C1.2", or the name that it has now."""
    name: str
    """The new name; empty: none."""

    @property
    def text(self) -> str:
        return f"call {self.node}: {word(self.name)}" if self.name else f"no name for {self.node}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        if len(self.name) > _LONGEST_NAME:
            raise InputError(f"a name of {len(self.name):,} characters; take one of at most {_LONGEST_NAME}")
        node, names = find_node(network, self.node), dict(network.names)
        if names.pop(node, "") == self.name:
            raise Conflict(f"{node!r} is called {self.name!r} already", already=True)
        if self.name in list_nodes(network) or self.name in names.values():
            raise InputError(f"something else is called {self.name!r} already; take another name")
        if self.name:
            names[node] = self.name
        return replace(network, names=tuple(sorted(names.items())))


_RULE_OPERATIONS = (AddRule, DropRule, ChangeRule, AddLiteral, DropLiteral, MoveCut)
KINDS: dict[str, type[Operation]] = {
    operation.kind: operation
    for operation in (*_RULE_OPERATIONS, SetPriority, SetDefault, LockRule, UnlockRule, Rename)
}
"""All operations by kind."""


def to_plain(operation: Operation) -> dict[str, Any]:
    """Return an operation as plain values."""
    values = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(operation).items()}
    return {"kind": operation.kind, **values}


def from_plain(values: dict[str, Any]) -> Operation:
    """Return the operation that plain values describe."""
    arguments = {key: value for key, value in values.items() if key != "kind"}
    operation: Callable[..., Operation] | None = KINDS.get(values.get("kind", ""))
    if operation is None or {field.name for field in fields(KINDS[values["kind"]])} != set(arguments):
        raise InputError(f"not an edit: {str(values)[:200]}")
    return operation(**arguments)
