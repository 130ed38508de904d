"""The edits of one network on another, such as one that was learned again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from typing import Literal as Choice

from conceptrules.edit.editing import edit, standing
from conceptrules.edit.operation import Operation
from conceptrules.edit.operations import from_plain
from conceptrules.edit.rule_operations import DropRule
from conceptrules.edit.rules import Conflict, alike, find
from conceptrules.io.governance import infinite
from conceptrules.logic.column_cells import rules_inside
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import read_rule
from conceptrules.model.text import rule_text, word
from conceptrules.model.trail import Entry

Outcome = Choice["applied", "already", "conflict"]


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one edit."""

    entry: Entry
    """The entry of the trail that it is from."""
    text: str
    """The edit in words."""
    outcome: Outcome
    """Whether it was applied, was true already, or conflicts with the network."""
    reason: str = ""
    """Why it conflicts."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A network with the edits of another. `print` and a notebook show what became of each."""

    network: RuleNetwork
    """The network after all edits that it takes."""
    steps: tuple[Step, ...]
    """What became of each edit."""

    @property
    def conflicts(self) -> tuple[Step, ...]:
        """The edits that the network does not take."""
        return tuple(step for step in self.steps if step.outcome == "conflict")

    def __str__(self) -> str:
        words = {"applied": "applied", "already": "true already", "conflict": "CONFLICT"}
        reasons = [f" ({step.reason})" if step.reason else "" for step in self.steps]
        lines = [f"{words[step.outcome]}: {step.text}{why}" for step, why in zip(self.steps, reasons, strict=True)]
        return "\n".join(lines) or "there are no edits to replay"

    def _repr_html_(self) -> str:
        from conceptrules.model.shortcuts import replayed_html

        return replayed_html(self)


def replay(
    trail: Iterable[Entry], network: RuleNetwork, *, data: Any = None, labels: Iterable[object] | None = None
) -> Replayed:
    """Make the edits of a trail on another network, as far as it takes them.

    Edits that were taken back are left out. Who, when and why are those of the trail. Where a dropped rule is not
    there, rules of its class that hold only where it did are dropped in its place.

    Parameters
    ----------
    trail : iterable of Entry
        The entries: `network.trail`.
    network : RuleNetwork
        The network to edit.
    data : table, optional
        Rows to find the effect of each edit on.
    labels : iterable of class labels, optional
        The class of each row of `data`.

    Returns
    -------
    Replayed
        The network, and what became of each edit: applied, true already, or a conflict, which is left out.
    """
    steps = []
    listed = None if labels is None else list(labels)
    for entry in standing(trail):
        operation = from_plain(infinite(entry.edit))
        told = {"who": entry.who, "why": entry.why, "when": entry.when}
        if isinstance(operation, DropRule) and (inside := _inside(network, operation)):
            for text in inside:
                network = edit(network, DropRule(text, operation.label), **told, data=data, labels=listed).network
            steps.append(Step(entry, f"drop from {word(operation.label)}: {'; '.join(inside)}", "applied"))
            continue
        try:
            done = edit(network, operation, **told, data=data, labels=listed)
        except InputError as error:
            steps.append(_refused(network, entry, operation, error))
            continue
        network = done.network
        steps.append(Step(entry, operation.text, "applied"))
    return Replayed(network, tuple(steps))


def dropped_rules(network: RuleNetwork) -> tuple[tuple[str, Value], ...]:
    """Return the rules in words that edits dropped from classes of a network, and that it still does not have."""
    found = []
    for entry in standing(network.trail):
        operation = from_plain(infinite(entry.edit))
        if isinstance(operation, DropRule) and operation.label in network.classes:
            try:
                find(network, operation.label, operation.rule)
            except InputError:
                found.append((operation.rule, operation.label))
    return tuple(found)


def _inside(network: RuleNetwork, operation: DropRule) -> list[str]:
    """Return the rules that a dropped rule stands for, where it is not there itself."""
    try:
        find(network, operation.label, operation.rule)
        return []
    except InputError:
        pass
    try:
        inside = set(rules_inside(network, read_rule(operation.rule, network.columns)))
    except InputError:  # it speaks of other columns, or of concepts
        return []
    if len(network.levels) > 1 or operation.label not in network.classes:
        return []
    own = network.levels[0].concepts[network.classes.index(operation.label)].rules
    return [rule_text(network, 0, rule) for rule in own if rule in inside]


def _refused(network: RuleNetwork, entry: Entry, operation: Operation, error: InputError) -> Step:
    """Return the step of an edit that the network does not take.

    A rule to drop that is not there is no conflict, unless one like it is, with other bounds: it was learned again.
    """
    already, reason = isinstance(error, Conflict) and error.already, str(error)
    if isinstance(operation, DropRule) and isinstance(error, Conflict):
        near = alike(network, operation.label, operation.rule)
        already, reason = near is None, f"a rule like it is there: {near}"
    return Step(entry, operation.text, "already") if already else Step(entry, operation.text, "conflict", reason)
