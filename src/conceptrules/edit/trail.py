"""The edits of a network as text, and made again on another network, such as one that was learned again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from typing import Literal as Choice

from conceptrules.edit.editing import edit, list_active_edits
from conceptrules.edit.operations import DropRule, Operation, from_plain
from conceptrules.edit.rules import Conflict, find_owner, find_rule, find_similar_rule, members_of, owner_text
from conceptrules.io.json_readers import infinite
from conceptrules.logic.column_cells import rules_inside
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import read_rule
from conceptrules.model.shortcuts import ShownAsHtml
from conceptrules.model.text import plural, rule_text, word
from conceptrules.model.trail import SIGNATURE, Plain, TrailEntry, signature_text

Outcome = Choice["applied", "already", "conflict"]


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one edit."""

    entry: TrailEntry
    """The entry of the trail that it is from."""
    text: str
    """The edit in words."""
    outcome: Outcome
    """Whether it was applied, was true already, or conflicts with the network."""
    reason: str = ""
    """Why it conflicts."""


@dataclass(frozen=True, slots=True)
class Replayed(ShownAsHtml):
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
        lines = [
            f"{words[step.outcome]}: {step.text}" + (f" ({step.reason})" if step.reason else "") for step in self.steps
        ]
        return "\n".join(lines) or "there are no edits to replay"


def replay(
    trail: Iterable[TrailEntry], network: RuleNetwork, *, data: Any = None, labels: Iterable[object] | None = None
) -> Replayed:
    """Make the edits of a trail on another network, as far as it accepts them.

    Edits that were taken back are left out. Who, when and why are those of the trail. Where a dropped rule is not
    there, rules of its class that hold only where it did are dropped instead.

    Parameters
    ----------
    trail : iterable of TrailEntry
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
    targets = None if labels is None else list(labels)
    for entry in list_active_edits(trail):
        operation = from_plain(infinite(entry.edit))
        options = {"who": entry.who, "why": entry.why, "when": entry.when, "data": data, "labels": targets}
        if isinstance(operation, DropRule) and (inside := _find_rules_inside(network, operation)):
            for text in inside:
                network = edit(network, DropRule(text, operation.label), **options).network
            steps.append(Step(entry, f"drop from {owner_text(operation.label)}: {'; '.join(inside)}", "applied"))
            continue
        try:
            network = edit(network, operation, **options).network
        except InputError as error:
            steps.append(_refuse(network, entry, operation, error))
        else:
            steps.append(Step(entry, operation.text, "applied"))
    return Replayed(network, tuple(steps))


def dropped_rules(network: RuleNetwork) -> tuple[tuple[str, Value | None], ...]:
    """Return the rules in words that edits dropped from classes of a network, or from a scorecard, and that it still
    does not have."""
    operations = [from_plain(infinite(entry.edit)) for entry in list_active_edits(network.trail)]
    return tuple(
        (operation.rule, operation.label)
        for operation in operations
        if isinstance(operation, DropRule)
        and operation.label in (network.classes if network.head is None else (None,))
        and not _has_rule(network, operation.label, operation.rule)
    )


def _has_rule(network: RuleNetwork, label: Value | None, rule: str) -> bool:
    try:
        find_rule(network, label, rule)
    except InputError:
        return False
    return True


def _find_rules_inside(network: RuleNetwork, operation: DropRule) -> list[str]:
    """Return the rules that a dropped rule stands for, where it is not there itself."""
    if _has_rule(network, operation.label, operation.rule):
        return []
    if len(network.levels) > 1 or operation.label not in (*network.classes, None):
        return []
    try:
        inside = set(rules_inside(network, read_rule(operation.rule, network.columns)))
    except InputError:  # it is about other columns, or about concepts
        return []
    own = members_of(network, find_owner(network, operation.label))
    return [rule_text(network, 0, rule) for rule in own if rule in inside]


def _refuse(network: RuleNetwork, entry: TrailEntry, operation: Operation, error: InputError) -> Step:
    """Return the step of an edit that the network does not take.

    A rule to drop that is not there is no conflict, unless one like it is, with other bounds: it was learned again.
    """
    already, reason = isinstance(error, Conflict) and error.already, str(error)
    if isinstance(operation, DropRule) and isinstance(error, Conflict):
        similar = find_similar_rule(network, operation.label, operation.rule)
        already, reason = similar is None, f"a rule like it is there: {similar}"
    return Step(entry, operation.text, "already") if already else Step(entry, operation.text, "conflict", reason)


# A trail as text


def log_text(trail: Sequence[TrailEntry]) -> str:
    """Return the entries of a trail, the first one first."""
    lines = []
    for number, entry in enumerate(trail, start=1):
        lines.append(f"{number}. {edit_text(entry, trail)}")
        lines.append(f"   by {entry.who}, {entry.when} UTC" + (f": {entry.why}" if entry.why else ""))
        if entry.effect:
            lines.append(f"   {', '.join(describe_effect(entry.effect))}")
        lines.append(f"   {entry.hash}")
    return "\n".join(lines) or "there is no trail: the model was never edited, or its trail was taken out"


def edit_text(entry: TrailEntry, trail: Sequence[TrailEntry] = ()) -> str:
    """Return what an entry did, in words."""
    if entry.edit.get("kind") == SIGNATURE:
        return f"signed by {signature_text(entry)}"
    if entry.edit.get("kind") == "undo":
        undone = next((earlier for earlier in trail if earlier.hash == entry.edit.get("entry")), None)
        return "take back" + (f": {edit_text(undone)}" if undone is not None else "")
    try:
        return from_plain(dict(infinite(entry.edit))).text
    except (InputError, TypeError):
        return f"an edit that this version does not know: {str(entry.edit)[:100]}"


def describe_effect(effect: Plain) -> Iterator[str]:
    """Yield what an entry says that it did, in words."""
    effect = infinite(effect)
    if effect.get("moved") is not None:
        yield f"{effect['moved']:,} of {plural(effect['rows'], 'row')} got another number"
    elif effect.get("rows") is not None:
        moved = sum(change[2] for change in effect["changes"])
        ways = "; ".join(f"{word(before)} -> {word(after)} {count}" for before, after, count, *_ in effect["changes"])
        yield f"{moved:,} of {plural(effect['rows'], 'row')} got another class" + (f" ({ways})" if ways else "")
    equivalent, answer = effect.get("equivalent"), "score" if effect.get("scored") else "class"
    if equivalent is None:
        yield f"whether every row gets the same {answer} was not decided"
    else:
        yield f"{'every' if equivalent else 'not every'} row gets the same {answer} as before"
    yield from (f"{name} {before:.4g} -> {after:.4g}" for name, before, after, *_ in effect.get("figures", ()))
