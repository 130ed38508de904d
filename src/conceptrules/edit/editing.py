"""Editing a network: the edit is applied, its effect found, the policy proved again, and an entry put on the trail."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from conceptrules.edit.changes import apply_changes, find_changes
from conceptrules.edit.effects import Effect, compute_effect
from conceptrules.edit.operations import Operation, Recalibrate, from_plain, to_plain
from conceptrules.edit.points import fit_probabilities
from conceptrules.edit.rules import drop_stale_names, normalise, say_rule
from conceptrules.explain.measurement import measure
from conceptrules.io.json_readers import finite, infinite
from conceptrules.logic.policies.proof import Proof, prove, record_proof
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Policy, Signatures
from conceptrules.model.policy.policy import check_policy
from conceptrules.model.provenance import without_rule_figures
from conceptrules.model.shortcuts import ShownAsHtml
from conceptrules.model.trail import SIGNATURE, START, TrailEntry, find_break, head_of, list_signatures, seal, state_of
from conceptrules.model.values import label_text
from conceptrules.tables.table import list_labels

Plain = dict[str, Any]
_LONGEST = 500  # characters of each part of a signature


@dataclass(frozen=True, slots=True)
class Edited(ShownAsHtml):
    """An edited network and what the edit did. `print` shows the effect and the proof as text, a notebook as HTML."""

    network: RuleNetwork
    """The network after the edit, with the entry on its trail."""
    entry: TrailEntry
    """The entry."""
    effect: Effect
    """What the edit does to rows."""
    proof: Proof | None
    """The policy of the network, proved again; None if it has none."""
    newly_refuted: tuple[str, ...] = ()
    """The clauses that are refuted now, and were not before the edit."""

    def __str__(self) -> str:
        return str(self.effect) if self.proof is None else f"{self.effect}\n{self.proof}"


def edit(
    network: RuleNetwork,
    operation: Operation,
    *,
    who: str,
    why: str,
    data: Any = None,
    labels: Iterable[object] | None = None,
    when: str | None = None,
    recalibrate: bool = False,
) -> Edited:
    """Edit a network, and say what that does: the function behind `RuleNetwork.edit`, which explains the parameters.

    `when` is the time, in UTC; by default now.
    """
    labels = None if labels is None else list_labels(labels)
    operation = _complete_operation(network, operation, data, labels, recalibrate)
    return _record_edit(network, to_plain(operation), operation.apply, who, why, data, labels, when)


def preview(
    network: RuleNetwork,
    operation: Operation,
    *,
    data: Any = None,
    labels: Iterable[object] | None = None,
    recalibrate: bool = False,
) -> tuple[RuleNetwork, Effect]:
    """Return the network after an edit, and what the edit does to given rows: at once, without any proof.

    Nothing is recorded. The parameters are those of `edit`.
    """
    labels = None if labels is None else list_labels(labels)
    operation = _complete_operation(network, operation, data, labels, recalibrate)
    before = normalise(network)
    after = drop_stale_names(normalise(operation.apply(before)))
    return after, compute_effect(before, after, data, labels, work=0)


def with_author(edited: Edited, *, who: str, why: str) -> Edited:
    """Return an edit that was tried, as somebody makes it now and says why."""
    entry = seal(replace(edited.entry, who=who, why=why, when=_now(), hash=""))
    network = replace(edited.network, trail=(*edited.network.trail[:-1], entry))
    return replace(edited, network=network, entry=entry)


def _complete_operation(
    network: RuleNetwork, operation: Operation, data: Any, labels: list[object] | None, recalibrate: bool
) -> Operation:
    """Return an edit with rules in words and, where asked for, the probabilities that belong to it."""
    # The trail has the words of a rule: its number is another one as soon as a rule goes.
    names = {name: getattr(operation, name) for name in ("rule", "node") if hasattr(operation, name)}
    operation = replace(operation, **{name: say_rule(network, text) for name, text in names.items()})
    if recalibrate:
        return Recalibrate(operation, fit_probabilities(operation.apply(normalise(network)), data, labels))
    if not isinstance(operation, Recalibrate):
        _check_scores(network, operation)
    return operation


def _check_scores(network: RuleNetwork, operation: Operation) -> None:
    """Raise an `InputError` if an edit leads to scores that the probabilities of a scorecard say nothing about."""
    head, after = network.head, operation.apply(normalise(network)).head
    if head is None or after is None or not head.probabilities or head.probabilities != after.probabilities:
        return
    ((low, high),), ((least, most),) = head.bounds, after.bounds
    low, high = min(low, head.probabilities[0][0]), max(high, head.probabilities[-1][0])
    if least < low or most > high:
        raise InputError(
            f"with this edit scores go from {least} to {most}, and the probabilities of the card are for {low} to "
            f"{high}; fit them anew to rows whose classes are known: recalibrate=True with data and labels, or "
            "--recalibrate"
        )


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

    The parameters are those of `edit`, and so is what is returned. It is an `InputError` if there is no edit to take
    back, or if the network was changed since by something else.
    """
    edits = list_active_edits(network.trail)
    if not edits:
        raise InputError("there is no edit to take back: the trail is empty, or all of it was taken back")
    last = edits[-1]
    plain, inverse = {"kind": "undo", "entry": last.hash}, infinite(last.undo)
    return _record_edit(network, plain, lambda after: apply_changes(after, inverse), who, why, data, labels, when)


def redo(
    network: RuleNetwork, *, who: str, why: str, data: Any = None, labels: Iterable[object] | None = None,
    when: str | None = None,
) -> Edited:  # fmt: skip
    """Make the edit again that was taken back last; this too is an entry of the trail.

    The parameters are those of `edit`, and so is what is returned. It is an `InputError` if nothing was taken back, or
    something else was edited since.
    """
    edits = list_undone_edits(network.trail)
    if not edits:
        raise InputError("there is no edit to make again: none was taken back, or something else was edited since")
    operation = from_plain(infinite(edits[-1].edit))
    return edit(network, operation, who=who, why=why, data=data, labels=labels, when=when)


def rewind(network: RuleNetwork, count: int) -> RuleNetwork:
    """Return the network as it was before the last entries of its trail, so many of them, with the trail up to there.

    Statistics and the proof, which the trail does not have, are left out.
    """
    entries = network.trail[len(network.trail) - count :]
    network = replace(normalise(network), statistics=None, proof=None)
    for entry in reversed(entries):
        if entry.edit.get("kind") != SIGNATURE:
            network = normalise(apply_changes(network, infinite(entry.undo)))
    return replace(network, trail=network.trail[: len(network.trail) - count])


def sign(network: RuleNetwork, *, name: str, role: str, motive: str, when: str | None = None) -> RuleNetwork:
    """Return a network that somebody has signed: the function behind `RuleNetwork.sign`, which explains it."""
    name, role, motive = (" ".join(text.split()) for text in (name, role, motive))
    for what, text in (("name", name), ("role", role), ("motive", motive)):
        if not 0 < len(text) <= _LONGEST:
            raise InputError(f"{what} has {len(text):,} characters; a signature has 1 to {_LONGEST} of each")
    broken = find_break(network.trail)
    if broken:
        raise InputError(f"the trail is not as it was written, so nothing is signed: {broken}")
    if name.casefold() in {entry.who.casefold() for entry in list_signatures(network)}:
        raise InputError(f"{name!r} has signed this network already; one person's signature counts once")
    entry = TrailEntry(
        who=name,
        when=when or _now(),
        why=motive,
        edit={"kind": SIGNATURE, "role": role},
        undo={},
        effect={},
        before=state_of(network),
        after=state_of(network),
        previous=head_of(network) or START,
    )
    signed = replace(network, trail=(*network.trail, seal(entry)))
    if network.policy is None or network.proof is None:
        return signed
    anew = prove(signed, Policy(network.policy.of_kind(Signatures)))
    known = {each.name: each for each in record_proof(anew).verdicts}
    verdicts = tuple(known.get(each.name, each) for each in network.proof.verdicts)
    return replace(signed, proof=replace(network.proof, verdicts=verdicts))


def list_active_edits(trail: Iterable[TrailEntry]) -> list[TrailEntry]:
    """Return the entries of edits that were not taken back."""
    return _sort_trail(trail)[0]


def list_undone_edits(trail: Iterable[TrailEntry]) -> list[TrailEntry]:
    """Return the entries of edits that were taken back and can be made again; the next one is the last."""
    return _sort_trail(trail)[1]


def _sort_trail(trail: Iterable[TrailEntry]) -> tuple[list[TrailEntry], list[TrailEntry]]:
    """Return the edits that hold, and those that were taken back since the last new one."""
    active: list[TrailEntry] = []
    undone: list[TrailEntry] = []
    for entry in trail:
        if entry.edit.get("kind") == "undo":
            undone += active[-1:]
            active = active[:-1]
        elif entry.edit.get("kind") != SIGNATURE:
            made_again = undone and entry.edit == undone[-1].edit
            undone = undone[:-1] if made_again else []
            active.append(entry)
    return active, undone


def _record_edit(
    network: RuleNetwork, plain: Plain, apply: Callable[[RuleNetwork], RuleNetwork], who: str, why: str,
    data: Any, labels: Iterable[object] | None, when: str | None,
) -> Edited:  # fmt: skip
    """Apply an edit, and put an entry with its effect and its inverse on the trail."""
    before = normalise(network)
    after = drop_stale_names(normalise(apply(before)))
    if after.policy is not None:
        check_policy(after.policy, after.columns, after.classes, after.head is not None)
    targets = None if labels is None else list_labels(labels)
    effect = compute_effect(before, after, data, targets)
    entry = seal(
        TrailEntry(
            who=who,
            when=when or _now(),
            why=why,
            edit=finite(plain),
            undo=finite(find_changes(after, before)),
            effect=finite(effect.plain()),
            before=state_of(network),  # which may have its rules in another order
            after=state_of(after),
            previous=head_of(network) or START,
        )
    )
    edited = replace(after, trail=(*network.trail, entry), proof=None)
    if after != before:
        training = without_rule_figures(network.training)
        edited = replace(edited, training=training and replace(training, validation=None, errors=()))
        classes = set(map(label_text, after.classes))
        if targets is not None and any(label_text(label) in classes for label in targets):
            edited = measure(edited, data, targets)
    if after.policy is None:
        return Edited(edited, entry, effect, None)
    proof = prove(edited, after.policy, data=data, labels=targets)
    refuted = _list_refuted(proof)
    if refuted and before.policy is not None:  # what was refuted before is no reason against the edit
        earlier = _list_refuted(prove(before, before.policy, data=data, labels=targets))
        refuted = [name for name in refuted if name not in earlier]
    return Edited(replace(edited, proof=record_proof(proof)), entry, effect, proof, tuple(refuted))


def _now() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M:%S")


def _list_refuted(proof: Proof) -> list[str]:
    return [verdict.name for verdict in proof.verdicts if verdict.outcome == "refuted"]
