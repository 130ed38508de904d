"""Operations on what stands around the rules: priority, default, locks and names."""

from __future__ import annotations

from dataclasses import dataclass, replace

from conceptrules.edit.operation import Operation
from conceptrules.edit.rules import Conflict, find, node_called, nodes_of
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Locked, Policy
from conceptrules.model.policy.clauses import Mode
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import nearest_name
from conceptrules.model.text import rule_text, word

_LONGEST_NAME = 100
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class SetPriority(Operation):
    """Say which class wins where several fire.

    Parameters
    ----------
    classes : tuple of class labels
        All classes, the one that wins first.
    """

    classes: tuple[Value, ...]

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
    """Say which class is answered where none fires.

    Parameters
    ----------
    label : class label
        The class.
    """

    label: Value

    @property
    def text(self) -> str:
        return f"default: {word(self.label)}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        if network.default == self.label:
            raise Conflict(f"the default is {word(self.label)} already", already=True)
        return replace(network, default=self.label, statistics=None)


@dataclass(frozen=True, slots=True)
class LockRule(Operation):
    """Lock a rule: the policy of the network asks for it from now on.

    Parameters
    ----------
    rule : str
        The rule in words.
    label : class label
        Its class.
    mode : {"keep", "decides"}, default="keep"
        Whether its class has the rule, or is answered wherever it holds as well.
    """

    rule: str
    label: Value
    mode: Mode = "keep"

    @property
    def text(self) -> str:
        return f"lock ({self.mode}) for {word(self.label)}: {self.rule}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        place, number = find(network, self.label, self.rule)
        if len(network.levels) > 1:
            raise Conflict("only rules of networks with one level can be locked by an edit")
        clause = Locked(rule_text(network, place[0], number), self.label, self.mode)
        policy = network.policy or Policy()
        if clause in policy.clauses:
            raise Conflict(f"the rule {self.rule!r} is locked already", already=True)
        return replace(network, policy=replace(policy, clauses=(*policy.clauses, clause)))


@dataclass(frozen=True, slots=True)
class UnlockRule(Operation):
    """Unlock a rule: the policy of the network asks for it no longer.

    Parameters
    ----------
    rule : str
        The rule in words, as it was locked.
    """

    rule: str

    @property
    def text(self) -> str:
        return f"unlock: {self.rule}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        policy = network.policy or Policy()
        locked = [clause.rule for clause in policy.of_kind(Locked)]
        if self.rule not in locked:
            raise Conflict(f"no rule {self.rule!r} is locked; {nearest_name(self.rule, locked)}", already=True)
        kept = tuple(one for one in policy.clauses if not (isinstance(one, Locked) and one.rule == self.rule))
        return replace(network, policy=replace(policy, clauses=kept))


@dataclass(frozen=True, slots=True)
class Rename(Operation):
    """Give a rule or a concept a name that people know it by. It decides nothing.

    Parameters
    ----------
    node : str
        The rule in words, the concept such as "C1.2", or the name that it has now.
    name : str
        The new name; empty: none.
    """

    node: str
    name: str

    @property
    def text(self) -> str:
        return f"call {self.node}: {word(self.name)}" if self.name else f"no name for {self.node}"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        if len(self.name) > _LONGEST_NAME:
            raise InputError(f"a name of {len(self.name):,} characters; take one of at most {_LONGEST_NAME}")
        node, names = node_called(network, self.node), dict(network.names)
        if names.pop(node, "") == self.name:
            raise Conflict(f"{node!r} is called {self.name!r} already", already=True)
        if self.name in nodes_of(network) or self.name in names.values():
            raise InputError(f"something else is called {self.name!r} already; take another name")
        if self.name:
            names[node] = self.name
        return replace(network, names=tuple(sorted(names.items())))
