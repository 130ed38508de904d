"""Editing a network: the edit is applied, its effect found, the policy proved again, and an entry put on the trail."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from conceptrules.edit.effects import Effect, compute_effect
from conceptrules.edit.operations import Operation, Recalibrate, to_plain
from conceptrules.edit.points import fit_probabilities
from conceptrules.edit.rules import CARD, add_rule, drop_stale_names, normalise, remove_rule, say_rule
from conceptrules.explain.measurement import list_labels, measure
from conceptrules.io.decode import read_predicate
from conceptrules.io.encode import predicate_fields
from conceptrules.io.json_readers import finite, infinite
from conceptrules.logic.policies.proof import Proof, prove, record_proof
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, Rule, RuleNetwork
from conceptrules.model.policy.plain import from_plain as policy_from_plain
from conceptrules.model.policy.plain import to_plain as policy_to_plain
from conceptrules.model.policy.policy import check_policy
from conceptrules.model.predicate import Interval, Predicate
from conceptrules.model.provenance import without_rule_figures
from conceptrules.model.shortcuts import ShownAsHtml
from conceptrules.model.trail import START, TrailEntry, head_of, seal, state_of
from conceptrules.model.values import label_text

Plain = dict[str, Any]


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
    # The trail has the words of a rule: its number is another one as soon as a rule goes.
    names = {name: getattr(operation, name) for name in ("rule", "node") if hasattr(operation, name)}
    operation = replace(operation, **{name: say_rule(network, text) for name, text in names.items()})
    if recalibrate:
        labels = None if labels is None else list_labels(labels)
        operation = Recalibrate(operation, fit_probabilities(operation.apply(normalise(network)), data, labels))
    elif not isinstance(operation, Recalibrate):
        _check_scores(network, operation)
    return _record_edit(network, to_plain(operation), operation.apply, who, why, data, labels, when)


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
    return _record_edit(network, plain, lambda after: _apply_inverse(after, inverse), who, why, data, labels, when)


def list_active_edits(trail: Iterable[TrailEntry]) -> list[TrailEntry]:
    """Return the entries of edits that were not taken back."""
    edits: list[TrailEntry] = []
    for entry in trail:
        if entry.edit.get("kind") == "undo":
            edits = edits[:-1]
        else:
            edits.append(entry)
    return edits


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
            when=when or dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M:%S"),
            why=why,
            edit=finite(plain),
            undo=finite(_find_inverse(before, after)),
            effect=finite(effect.plain()),
            before=state_of(before),
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


def _list_refuted(proof: Proof) -> list[str]:
    return [verdict.name for verdict in proof.verdicts if verdict.outcome == "refuted"]


# What takes an edit back: the rules and settings that differ, as plain values that say each literal exactly. The text
# of a rule would not do: 27 < age <= 41 can be one predicate or two.


def _find_inverse(before: RuleNetwork, after: RuleNetwork) -> Plain:
    """Return what leads from the network after an edit to the one before it."""
    inverse: Plain = {"drop": _rules_only_in(after, before), "add": _rules_only_in(before, after)}
    if before.priority != after.priority:
        inverse["priority"] = list(before.priority)
    if before.default != after.default:
        inverse["default"] = before.default
    if before.policy != after.policy:
        inverse["policy"] = None if before.policy is None else policy_to_plain(before.policy)
    if before.classes != after.classes:
        inverse["classes"] = list(before.classes)
    if before.head is not None and after.head is not None:
        changed = [name for name in _SETTINGS if getattr(before.head, name) != getattr(after.head, name)]
        if changed:
            inverse["head"] = {name: _plain_setting(getattr(before.head, name)) for name in changed}
    if before.names != after.names:
        inverse["names"] = dict(before.names)
    return inverse


def _apply_inverse(network: RuleNetwork, inverse: Plain) -> RuleNetwork:
    """Return the network with the rules dropped and added, and the settings put back."""
    try:
        for level, concept, plain in inverse["drop"]:
            network, literals = _read_literals(network, level, plain)
            index = network.levels[level].rules.index(Rule(tuple(literals)))
            network = remove_rule(network, (level, _read_owner(concept)), index)
        for level, concept, plain in inverse["add"]:
            network, literals = _read_literals(network, level, plain)
            points = concept if isinstance(concept, list | tuple) else ()
            network = add_rule(network, (level, _read_owner(concept)), literals, points)
        if "head" in inverse:
            assert network.head is not None
            classes = tuple(inverse.get("classes", network.classes))
            network = replace(network, classes=classes, head=replace(network.head, **inverse["head"]))
    except (ValueError, IndexError, KeyError, TypeError):
        raise InputError("the network was changed since, by something that is not on its trail") from None
    policy = inverse.get("policy")
    return replace(
        network,
        priority=tuple(inverse.get("priority", network.priority)),
        default=inverse.get("default", network.default),
        names=tuple(inverse.get("names", dict(network.names)).items()),
        policy=policy_from_plain(policy) if policy is not None else None if "policy" in inverse else network.policy,
        statistics=None,
    )


_SETTINGS = ("base", "cutoff", "probabilities", "unit", "offsets")


def _plain_setting(value: Any) -> Any:
    return [_plain_setting(each) for each in value] if isinstance(value, tuple) else value


def _read_owner(concept: Any) -> int:
    """Return the number of a concept; rules of a scorecard have a list of their points instead."""
    return concept if isinstance(concept, int) else CARD


def _rules_only_in(network: RuleNetwork, other: RuleNetwork) -> list[Any]:
    """Return the rules, with their level and concept or their points, that only the first network has."""
    known_points = _list_scored(other)
    result = [rule for rule in _list_scored(network) if rule not in known_points]
    for number, (level, other_level) in enumerate(zip(network.levels, other.levels, strict=True)):
        for index, (concept, same) in enumerate(zip(level.concepts, other_level.concepts, strict=True)):
            known = [_plain_literals(other, number, other_level.rules[rule]) for rule in same.rules]
            rules = [_plain_literals(network, number, level.rules[rule]) for rule in concept.rules]
            result += [[number, index, rule] for rule in rules if rule not in known]
    return result


def _list_scored(network: RuleNetwork) -> list[Any]:
    """Return the rules of a scorecard: their level, their points and their literals."""
    last, points = len(network.levels) - 1, network.head.points if network.head else ()
    return [
        [last, list(row), _plain_literals(network, last, rule)]
        for rule, row in zip(network.levels[last].rules, points, strict=False)
    ]


def _plain_literals(network: RuleNetwork, level: int, rule: Rule) -> list[Plain]:
    result: list[Plain] = []
    for literal in rule.literals:
        plain = {"concept": literal.index} if level else dict(predicate_fields(network.predicates[literal.index]))
        result.append({"negated": literal.negated, **plain})
    return sorted(result, key=repr)


def _read_literals(network: RuleNetwork, level: int, plain: list[Plain]) -> tuple[RuleNetwork, list[Literal]]:
    literals = []
    for fields in plain:
        if level:
            index = fields["concept"]
        else:
            predicate = _read_predicate({key: value for key, value in fields.items() if key != "negated"})
            if predicate not in network.predicates:
                network = replace(network, predicates=(*network.predicates, predicate))
            index = network.predicates.index(predicate)
        literals.append(Literal(index, fields["negated"]))
    return network, literals


def _read_predicate(plain: Plain) -> Predicate:
    """Read a predicate; infinities among its categories are objects in a file, and numbers here."""
    if plain["kind"] == "interval":
        low, high = plain["low"], plain["high"]
        return Interval(plain["column"], -math.inf if low is None else low, math.inf if high is None else high)
    return read_predicate(finite(plain), ("undo",))
