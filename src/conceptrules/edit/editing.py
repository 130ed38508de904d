"""Editing a network: the edit is applied, its effect found, the policy proved again, and an entry put on the trail."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from conceptrules.edit.effects import Effect, effect_of
from conceptrules.edit.inverse import apply_inverse, inverse_of
from conceptrules.edit.normal_form import normal
from conceptrules.edit.operation import Operation
from conceptrules.edit.operations import to_plain
from conceptrules.edit.rules import with_names
from conceptrules.explain.measurement import measure
from conceptrules.io.governance import finite, infinite
from conceptrules.logic.policies.proof import Proof, prove, recorded
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy.policy import check_policy
from conceptrules.model.provenance import for_other_rules
from conceptrules.model.trail import START, Entry, head_of, sealed, state_of
from conceptrules.model.values import label_text


@dataclass(frozen=True, slots=True)
class Edited:
    """An edited network and what the edit did. `print` shows the effect and the proof as text, a notebook as HTML."""

    network: RuleNetwork
    """The network after the edit, with the entry on its trail."""
    entry: Entry
    """The entry."""
    effect: Effect
    """What the edit does to rows."""
    proof: Proof | None
    """The policy of the network, proved again; None if it has none."""

    def __str__(self) -> str:
        return str(self.effect) if self.proof is None else f"{self.effect}\n{self.proof}"

    def _repr_html_(self) -> str:
        from conceptrules.model.shortcuts import edited_html

        return edited_html(self)


def edit(
    network: RuleNetwork,
    operation: Operation,
    *,
    who: str,
    why: str,
    data: Any = None,
    labels: Iterable[object] | None = None,
    when: str | None = None,
) -> Edited:
    """Edit a network, and say what that does before anything is written.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    operation : Operation
        What to do, such as `DropRule("age > 41", "old")`.
    who, why : str
        Who makes the edit, and the reason; the trail keeps both.
    data : table, optional
        Rows to compare the classes of before and after on; the trail keeps counts of them, and no row.
    labels : iterable of class labels, optional
        The class of each row of `data`; the statistics of the network are counted on them again.
    when : str, optional
        The time, in UTC; by default now.

    Returns
    -------
    Edited
        The edited network, the effect, and the proof of its policy.

    Raises
    ------
    InputError
        If the edit cannot be made: the message names the nearest rule, column or class.
    """
    return _entered(network, to_plain(operation), operation.apply, who, why, data, labels, when)


def undo(
    network: RuleNetwork,
    *,
    who: str,
    why: str,
    data: Any = None,
    labels: Iterable[object] | None = None,
    when: str | None = None,
) -> Edited:
    """Take back the last edit that was not taken back yet; this too is an entry of the trail.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    who, why : str
        Who takes it back, and the reason.
    data : table, optional
        Rows to compare the classes of before and after on.
    labels : iterable of class labels, optional
        The class of each row of `data`.
    when : str, optional
        The time, in UTC; by default now.

    Returns
    -------
    Edited
        The network as it was before that edit, with one more entry on its trail.

    Raises
    ------
    InputError
        If there is no edit to take back, or the network was changed since by something else.
    """
    left = standing(network.trail)
    if not left:
        raise InputError("there is no edit to take back: the trail is empty, or all of it was taken back")
    last = left[-1]
    told = {"kind": "undo", "entry": last.hash}
    return _entered(network, told, lambda one: apply_inverse(one, infinite(last.undo)), who, why, data, labels, when)


def standing(trail: Iterable[Entry]) -> list[Entry]:
    """Return the entries of edits that were not taken back."""
    left: list[Entry] = []
    for entry in trail:
        if entry.edit.get("kind") == "undo":
            left = left[:-1]
        else:
            left.append(entry)
    return left


def _entered(
    network: RuleNetwork, told: dict[str, Any], apply: Callable[[RuleNetwork], RuleNetwork], who: str, why: str,
    data: Any, labels: Iterable[object] | None, when: str | None,
) -> Edited:  # fmt: skip
    before = normal(network)
    after = with_names(normal(apply(before)))
    if after.policy is not None:
        check_policy(after.policy, after.columns, after.classes)
    listed = None if labels is None else list(labels.tolist() if hasattr(labels, "tolist") else labels)
    effect = effect_of(before, after, data, listed)
    entry = sealed(
        Entry(
            who=who,
            when=when or dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M:%S"),
            why=why,
            edit=finite(told),
            undo=finite(inverse_of(before, after)),
            effect=finite(effect.plain()),
            before=state_of(before),
            after=state_of(after),
            previous=head_of(network) or START,
        )
    )
    changed = replace(after, trail=(*network.trail, entry), proof=None)
    if after != before:
        training = for_other_rules(network.training)
        changed = replace(changed, statistics=None, training=training and replace(training, validation=None))
        if listed is not None and any(label_text(one) in set(map(label_text, network.classes)) for one in listed):
            changed = measure(changed, data, listed)
    else:
        changed = replace(changed, statistics=before.statistics)
    proof = None if after.policy is None else prove(changed, after.policy, data=data, labels=listed)
    return Edited(replace(changed, proof=None if proof is None else recorded(proof)), entry, effect, proof)
