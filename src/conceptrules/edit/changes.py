"""What leads from one network to another, as plain values: rules to drop and to add, and settings.

It takes an edit back, and puts rules that were learned again in the place of others. Each literal is said exactly: the
text of a rule would not do, since 27 < age <= 41 can be one predicate or two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from conceptrules.edit.operations import KINDS, Operation
from conceptrules.edit.rules import CARD, Conflict, add_rule, normalise, remove_rule
from conceptrules.io.decode import read_column, read_predicate
from conceptrules.io.encode import column_fields, predicate_fields
from conceptrules.io.json_readers import finite
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, Rule, RuleNetwork
from conceptrules.model.policy.plain import from_plain as policy_from_plain
from conceptrules.model.policy.plain import to_plain as policy_to_plain
from conceptrules.model.predicate import Interval, Predicate, Value
from conceptrules.model.provenance import read_case
from conceptrules.model.reason_codes import list_cases, plain_reason_codes, read_reason_codes
from conceptrules.model.text import plural

Plain = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TakeRules(Operation):
    """Put rules that come from elsewhere in the place of others: learned again, or written as a table."""

    kind = "take-rules"
    source: str
    """Where the rules come from, in words: "learned again", "rules.xlsx"."""
    changes: Plain
    """What leads to them, as `find_changes` returns it."""

    @property
    def text(self) -> str:
        added, dropped = (len(self.changes.get(key, ())) for key in ("add", "drop"))
        return f"take rules from elsewhere ({self.source}): {plural(added, 'rule')} added, {dropped} dropped"

    def apply(self, network: RuleNetwork) -> RuleNetwork:
        try:
            return apply_changes(network, self.changes)
        except InputError:
            raise Conflict("the rules that these take the place of are not there") from None


KINDS[TakeRules.kind] = TakeRules


def take_rules(network: RuleNetwork, other: RuleNetwork, source: str) -> TakeRules:
    """Return the edit that puts the rules of another network in the place of its own.

    The policy, the names, the reason codes of columns that are still there and the test cases stay as they are.

    Parameters
    ----------
    network : RuleNetwork
        The network to edit.
    other : RuleNetwork
        The network that has the rules.
    source : str
        Where they come from, in words; the trail keeps it.

    Returns
    -------
    TakeRules
        The edit.

    Raises
    ------
    InputError
        If the two networks are not of a kind, have other classes, or more than one level.
    """
    if (network.head is None) != (other.head is None) or set(network.classes) != set(other.classes):
        raise InputError("the rules are for other classes, or only one of the two networks has points")
    if max(len(network.levels), len(other.levels)) > 1:
        raise InputError("only the rules of networks of one level can be put in the place of others")
    before, other = normalise(network), _order_classes(other, network.classes)
    kept: dict[str, Any] = {name: getattr(before, name) for name in ("policy", "names", "cases")}
    cases = {column.name: list_cases(column) for column in other.columns}
    kept["reason_codes"] = tuple(each for each in before.reason_codes if each.case in cases.get(each.column, ()))
    target = normalise(replace(other, **kept))
    changes = find_changes(before, target)
    if changes == {"drop": [], "add": []}:
        raise Conflict("these are the rules that the network has", already=True)
    return TakeRules(source, changes)


def _order_classes(network: RuleNetwork, classes: tuple[Value, ...]) -> RuleNetwork:
    """Return a network that decides by rules with its classes in this order; points of a card go by its own order."""
    if network.classes == classes or network.head is not None:
        return network
    (level,) = network.levels
    concepts = tuple(level.concepts[network.classes.index(label)] for label in classes)
    return replace(network, classes=classes, levels=(replace(level, concepts=concepts),), statistics=None)


def find_changes(network: RuleNetwork, target: RuleNetwork) -> Plain:
    """Return what leads from a network to another one, both in normal form."""
    changes: Plain = {"drop": _rules_only_in(network, target), "add": _rules_only_in(target, network)}
    if target.columns != network.columns:
        changes["columns"] = [column_fields(column) for column in target.columns]
    if target.priority != network.priority:
        changes["priority"] = list(target.priority)
    if target.default != network.default:
        changes["default"] = target.default
    if target.policy != network.policy:
        changes["policy"] = None if target.policy is None else policy_to_plain(target.policy)
    if target.classes != network.classes:
        changes["classes"] = list(target.classes)
    if target.head is not None and network.head is not None:
        changed = [name for name in _SETTINGS if getattr(target.head, name) != getattr(network.head, name)]
        if changed:
            changes["head"] = {name: _plain_setting(getattr(target.head, name)) for name in changed}
    if target.names != network.names:
        changes["names"] = dict(target.names)
    if target.reason_codes != network.reason_codes:
        changes["reason_codes"] = plain_reason_codes(target.reason_codes)
    if target.cases != network.cases:
        changes["cases"] = [case.plain() for case in target.cases]
    return changes


def apply_changes(network: RuleNetwork, changes: Plain) -> RuleNetwork:
    """Return the network with the rules dropped and added, and the settings changed."""
    try:
        for level, concept, plain in changes["drop"]:
            network, literals = _read_literals(network, level, plain)
            index = network.levels[level].rules.index(Rule(tuple(literals)))
            network = remove_rule(network, (level, _read_owner(concept)), index)
        if "columns" in changes:
            columns = tuple(read_column(finite(column), ("columns",)) for column in changes["columns"])
            network = replace(normalise(network), columns=columns)
        for level, concept, plain in changes["add"]:
            network, literals = _read_literals(network, level, plain)
            points = concept if isinstance(concept, list | tuple) else ()
            network = add_rule(network, (level, _read_owner(concept)), literals, points)
        if network.head is not None:
            classes = tuple(changes.get("classes", network.classes))
            network = replace(network, classes=classes, head=replace(network.head, **changes.get("head", {})))
    except (ValueError, IndexError, KeyError, TypeError):
        raise InputError("the network was changed since, by something that is not on its trail") from None
    policy, settings = changes.get("policy"), {"columns", "head", "priority", "default", "classes"}
    decides = changes["drop"] or changes["add"] or settings & set(changes)
    return replace(
        network,
        priority=tuple(changes.get("priority", network.priority)),
        default=changes.get("default", network.default),
        names=tuple(changes.get("names", dict(network.names)).items()),
        policy=policy_from_plain(policy) if policy is not None else None if "policy" in changes else network.policy,
        reason_codes=read_reason_codes(changes.get("reason_codes", plain_reason_codes(network.reason_codes))),
        cases=tuple(map(read_case, changes["cases"])) if "cases" in changes else network.cases,
        statistics=None if decides else network.statistics,
    )


_SETTINGS = ("base", "cutoff", "probabilities", "unit", "offsets", "step", "link")


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
