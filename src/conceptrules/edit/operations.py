"""Edits as values: what each says in words, and what it makes of a network.

A rule is named by its text, as the network prints it, and not by a number, which any other edit may change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

from conceptrules.edit.points import Amounts, amounts_text, read_points
from conceptrules.edit.rules import (
    CARD,
    Conflict,
    Owner,
    add_rule,
    find_node,
    find_owner,
    find_rule,
    list_nodes,
    normalise,
    points_of_rule,
    read_rule_of,
    remove_rule,
)
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, Rule, RuleNetwork
from conceptrules.model.policy import Banned, Locked, Policy
from conceptrules.model.policy.clauses import Mode
from conceptrules.model.policy.plain import from_plain as policy_from_plain
from conceptrules.model.policy.policy import read_banned_rule
from conceptrules.model.predicate import Column, Interval, OneOf, Predicate, Value, finite_bounds, run_of
from conceptrules.model.reason_codes import plain_reason_codes, read_reason_codes
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
        names = {key: word(arguments[key]) for key in ("label", "column") if arguments.get(key) is not None}
        names["label"] = names.get("label", "the card")
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
    label: Value | None = None
    """The class, or the concept such as "C1.2", that gets it; None for a scorecard."""
    points: Amounts | None = None
    """What it adds to the score of a scorecard, as `SetPoints` takes it."""

    @property
    def text(self) -> str:
        return super(AddRule, self).text + ("" if self.points is None else f" ({amounts_text(self.points)})")

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        owner = find_owner(network, self.label)
        points = read_points(network, self.points) if owner[1] == CARD else ()
        if owner[1] != CARD and self.points is not None:
            raise InputError("only rules of a scorecard have points; leave them out")
        extended, literals = read_rule_of(network, owner, self.rule)
        return add_rule(extended, owner, literals, points)


@dataclass(frozen=True, slots=True)
class DropRule(Operation):
    """Drop a rule."""

    kind, template = "drop", "drop from {label}: {rule}"
    rule: str
    """The rule in words."""
    label: Value | None = None
    """The class or the concept that loses it; None for a scorecard."""

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
    label: Value | None = None
    """The class or the concept of the rule; None for a scorecard."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        rest, owner, _, points = _take_out(network, self.label, self.rule)
        extended, literals = read_rule_of(rest, owner, self.to)
        return add_rule(extended, owner, literals, points)


@dataclass(frozen=True, slots=True)
class AddLiteral(Operation):
    """Add a condition to a rule."""

    kind, template = "add-literal", "for {label}, add to the rule {rule}: {literal}"
    rule: str
    """The rule in words."""
    literal: str
    """The condition in words."""
    label: Value | None = None
    """The class or the concept of the rule; None for a scorecard."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        rest, owner, literals, points = _take_out(network, self.label, self.rule)
        extended, more = read_rule_of(rest, owner, self.literal)
        if set(more) <= set(literals):
            raise Conflict(f"the rule {self.rule!r} says {self.literal!r} already", already=True)
        return add_rule(extended, owner, (*literals, *more), points)


@dataclass(frozen=True, slots=True)
class DropLiteral(Operation):
    """Take a condition out of a rule."""

    kind, template = "drop-literal", "for {label}, drop from the rule {rule}: {literal}"
    rule: str
    """The rule in words."""
    literal: str
    """The condition in words."""
    label: Value | None = None
    """The class or the concept of the rule; None for a scorecard."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        rest, owner, literals, points = _take_out(network, self.label, self.rule)
        extended, less = read_rule_of(rest, owner, self.literal)
        if not set(less) <= set(literals):
            raise Conflict(f"the rule {self.rule!r} does not say {self.literal!r}")
        return add_rule(extended, owner, [literal for literal in literals if literal not in less], points)


def _take_out(
    network: RuleNetwork, label: Value | None, text: str
) -> tuple[RuleNetwork, Owner, tuple[Literal, ...], tuple[int, ...]]:
    """Return the network without a rule, and the owner, the literals and the points of the rule."""
    owner, index = find_rule(network, label, text)
    literals, points = network.levels[owner[0]].rules[index].literals, points_of_rule(network, owner, index)
    return remove_rule(network, owner, index), owner, literals, points


@dataclass(frozen=True, slots=True)
class SetPoints(Operation):
    """Set what a rule of a scorecard adds to the score, or what the score starts from."""

    kind = "points"
    rule: str
    """The rule in words, or "base"."""
    points: Amounts
    """As the card shows it: whole points, one for each class of several; of a number, an amount such as 2.5, or with
    the log link the factor, of which the nearest step is taken."""

    @property
    def text(self) -> str:
        return f"points of {self.rule}: {amounts_text(self.points)}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        points = read_points(network, self.points)
        assert network.head is not None
        if self.rule == "base":
            head = replace(network.head, base=points)
        else:
            _, index = find_rule(network, None, self.rule)
            rows = network.head.points
            head = replace(network.head, points=(*rows[:index], points, *rows[index + 1 :]))
        if head == network.head:
            raise Conflict(f"{self.rule!r} has these points already", already=True)
        return replace(network, head=head, statistics=None)


@dataclass(frozen=True, slots=True)
class SetCutoff(Operation):
    """Say from which score on the second class of a scorecard of two is answered."""

    kind, template = "cutoff", "cut-off: {cutoff}"
    cutoff: int
    """The score."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        head = network.head
        if head is None or not head.probabilities:
            raise InputError("only a scorecard of two classes has a cut-off")
        low, high = head.bounds[0]
        if not low <= self.cutoff <= high + 1:
            raise InputError(f"the cut-off is {self.cutoff}; scores go from {low} to {high}: take {low} to {high + 1}")
        if head.cutoff == self.cutoff:
            raise Conflict(f"the cut-off is {self.cutoff} already", already=True)
        return replace(network, head=replace(head, cutoff=self.cutoff))


@dataclass(frozen=True, slots=True)
class Recalibrate(Operation):
    """Make an edit of a scorecard of two classes, and set the probabilities of its scores."""

    kind = "recalibrate"
    operation: Operation
    """The edit."""
    probabilities: tuple[tuple[int, float], ...]
    """The probability of the second class from each score on, ascending."""

    @property
    def text(self) -> str:
        return f"{self.operation.text}, with probabilities of its own for the scores"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        after = self.operation.apply(network)
        assert after.head is not None
        return replace(after, head=replace(after.head, probabilities=self.probabilities), statistics=None)


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
        moved = [move_bound(predicate, column, old, new) for predicate in network.predicates]
        used = [network.predicates[index] for index in network.used_predicates]
        if all(network.predicates[index] == moved[index] for index in network.used_predicates):
            has_new = any(move_bound(predicate, column, new, old) != predicate for predicate in used)
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


def move_bound(predicate: Predicate, column: Column, old: float, new: float) -> Predicate:
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
        _require_priority(network)
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
        _require_priority(network)
        if network.default == self.label:
            raise Conflict(f"the default is {word(self.label)} already", already=True)
        return replace(network, default=self.label, statistics=None)


def _require_priority(network: RuleNetwork) -> None:
    if network.head is not None:
        raise InputError("a scorecard has no priority and no default: its points decide")


@dataclass(frozen=True, slots=True)
class LockRule(Operation):
    """Lock a rule: the policy of the network asks for it from now on."""

    kind, template = "lock", "lock ({mode}) for {label}: {rule}"
    rule: str
    """The rule in words."""
    label: Value | None = None
    """Its class; None for a scorecard, whose rule is locked with its points."""
    mode: Mode = "keep"
    """Whether its class keeps the rule, or is also answered wherever the rule holds ("decides")."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        owner, index = find_rule(network, self.label, self.rule)
        level, points = owner[0], points_of_rule(network, owner, index)
        if network.head is not None and self.mode != "keep":
            raise InputError("a rule of a scorecard does not decide alone; lock it with its points, mode='keep'")
        if len(network.levels) > 1:
            raise Conflict("only rules of networks with one level can be locked by an edit")
        clause = Locked(rule_text(network, level, index), self.label, self.mode, points)
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
class BanRule(Operation):
    """Drop a rule, and let the policy forbid rules that hold only where it does: it is not learned again."""

    kind, template = "ban", "ban for {label}: {rule}"
    rule: str
    """The rule in words; the network need not have it."""
    label: Value | None = None
    """Its class; None for a scorecard."""

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        (level, concept), names = find_owner(network, self.label), network.classes
        if concept != CARD and (level < len(network.levels) - 1 or self.label is None):
            raise Conflict("only rules of classes can be banned")
        clause = Banned(self.rule, None if concept == CARD else names[concept])
        read_banned_rule(clause, network.columns)
        policy = network.policy or Policy()
        if clause in policy.clauses:
            raise Conflict(f"the rule {self.rule!r} is banned already", already=True)
        with suppress(Conflict):
            network = remove_rule(network, *find_rule(network, self.label, self.rule))
        return replace(network, policy=replace(policy, clauses=(*policy.clauses, clause)))


@dataclass(frozen=True, slots=True)
class SetPolicy(Operation):
    """Put another policy in force."""

    kind = "policy"
    policy: dict[str, Any]
    """The policy, with the keys of a policy file."""

    @property
    def text(self) -> str:
        return f"policy: {'; '.join(clause.text for clause in policy_from_plain(self.policy).clauses) or 'none'}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        policy = policy_from_plain(self.policy)
        if policy == (network.policy or Policy()):
            raise Conflict("this policy is in force already", already=True)
        return replace(network, policy=policy)


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


@dataclass(frozen=True, slots=True)
class Batch(Operation):
    """Make several edits as one: they have one effect, one entry on the trail, and are taken back together."""

    kind = "batch"
    operations: tuple[Operation, ...]
    """The edits, in their order."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "operations", tuple(self.operations))

    @property
    def text(self) -> str:
        return "; ".join(operation.text for operation in self.operations)

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        for operation in self.operations:
            # A name stands by the words of its rule, which follow the order of the predicates.
            network = operation.apply(normalise(network) if isinstance(operation, Rename) else network)
        return network


@dataclass(frozen=True, slots=True)
class SetReasonCodes(Operation):
    """Say what people call the columns where they are reasons. It decides nothing."""

    kind = "reasons"
    codes: Mapping[str, Any]
    """The whole table, as `RuleNetwork.with_reason_codes` takes it; an empty one takes all codes away."""

    @property
    def text(self) -> str:
        return f"reason codes of {', '.join(map(word, self.codes))}" if self.codes else "no reason codes"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        codes = read_reason_codes(self.codes)
        if codes == network.reason_codes:
            raise Conflict("the reason codes are these already", already=True)
        return replace(network, reason_codes=codes)


_RULE_OPERATIONS = (AddRule, DropRule, ChangeRule, AddLiteral, DropLiteral, MoveCut, SetPoints)
_POLICY_OPERATIONS = (LockRule, UnlockRule, BanRule, SetPolicy)
KINDS: dict[str, type[Operation]] = {
    operation.kind: operation
    for operation in (
        *(*_RULE_OPERATIONS, SetPriority, SetDefault, SetCutoff),
        *(*_POLICY_OPERATIONS, Rename, SetReasonCodes, Recalibrate, Batch),
    )
}
"""All operations by kind."""


def to_plain(operation: Operation) -> dict[str, Any]:
    """Return an operation as plain values."""
    values = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(operation).items()}
    if isinstance(operation, Recalibrate):
        values["operation"] = to_plain(operation.operation)
    if isinstance(operation, Batch):
        values["operations"] = [to_plain(each) for each in operation.operations]
    if isinstance(operation, SetReasonCodes):
        values["codes"] = plain_reason_codes(read_reason_codes(operation.codes))
    return {"kind": operation.kind, **values}


def from_plain(values: dict[str, Any]) -> Operation:
    """Return the operation that plain values describe."""
    arguments = {key: value for key, value in values.items() if key != "kind"}
    operation: Callable[..., Operation] | None = KINDS.get(values.get("kind", ""))
    if operation is None or {field.name for field in fields(KINDS[values["kind"]])} != set(arguments):
        raise InputError(f"not an edit: {str(values)[:200]}")
    if operation is Recalibrate:
        table = tuple((score, share) for score, share in arguments["probabilities"])
        return Recalibrate(from_plain(dict(arguments["operation"])), table)
    if operation is Batch:
        return Batch(tuple(from_plain(dict(each)) for each in arguments["operations"]))
    return operation(**arguments)
