"""What takes an edit back: the rules and settings that differ, as plain values that say each literal exactly.

The text of a rule does not: 27 < age <= 41 can be one predicate or two.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from conceptrules.edit.rules import added, removed
from conceptrules.io.decode import read_predicate
from conceptrules.io.encode import predicate_fields
from conceptrules.io.governance import finite
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, Rule, RuleNetwork
from conceptrules.model.policy.plain import from_plain, to_plain
from conceptrules.model.predicate import Interval, Predicate

Plain = dict[str, Any]


def inverse_of(before: RuleNetwork, after: RuleNetwork) -> Plain:
    """Return what leads from the network after an edit to the one before it."""
    result: Plain = {"drop": _more(after, before), "add": _more(before, after)}
    if before.priority != after.priority:
        result["priority"] = list(before.priority)
    if before.default != after.default:
        result["default"] = before.default
    if before.policy != after.policy:
        result["policy"] = None if before.policy is None else to_plain(before.policy)
    if before.names != after.names:
        result["names"] = dict(before.names)
    return result


def apply_inverse(network: RuleNetwork, plain: Plain) -> RuleNetwork:
    """Return the network with the rules dropped and added, and the settings put back."""
    try:
        for level, concept, literals in plain["drop"]:
            network, wanted = _literals(network, level, literals)
            rules = network.levels[level].rules
            network = removed(network, (level, concept), rules.index(Rule(tuple(wanted))))
        for level, concept, literals in plain["add"]:
            network, wanted = _literals(network, level, literals)
            network = added(network, (level, concept), wanted)
    except (ValueError, IndexError, KeyError, TypeError):
        raise InputError("the network was changed since, by something that is not on its trail") from None
    network = replace(network, priority=tuple(plain.get("priority", network.priority)), statistics=None)
    network = replace(network, default=plain.get("default", network.default))
    network = replace(network, names=tuple(plain.get("names", dict(network.names)).items()))
    if "policy" in plain:
        network = replace(network, policy=None if plain["policy"] is None else from_plain(plain["policy"]))
    return network


def _more(one: RuleNetwork, other: RuleNetwork) -> list[Any]:
    """Return the rules, with their places, that only the first network has."""
    result = []
    for number, (level, theirs) in enumerate(zip(one.levels, other.levels, strict=True)):
        for place, (concept, same) in enumerate(zip(level.concepts, theirs.concepts, strict=True)):
            known = [_rule(other, number, theirs.rules[rule]) for rule in same.rules]
            mine = [_rule(one, number, level.rules[rule]) for rule in concept.rules]
            result += [[number, place, rule] for rule in mine if rule not in known]
    return result


def _rule(network: RuleNetwork, level: int, rule: Rule) -> list[Plain]:
    found: list[Plain] = []
    for literal in rule.literals:
        said: Plain = {"concept": literal.index} if level else dict(predicate_fields(network.predicates[literal.index]))
        found.append({"negated": literal.negated, **said})
    return sorted(found, key=repr)


def _literals(network: RuleNetwork, level: int, plain: list[Plain]) -> tuple[RuleNetwork, list[Literal]]:
    found = []
    for one in plain:
        rest = {key: value for key, value in one.items() if key != "negated"}
        if level:
            found.append(Literal(rest["concept"], one["negated"]))
            continue
        predicate = _predicate(rest)
        if predicate not in network.predicates:
            network = replace(network, predicates=(*network.predicates, predicate))
        found.append(Literal(network.predicates.index(predicate), one["negated"]))
    return network, found


def _predicate(plain: Plain) -> Predicate:
    """Read a predicate; infinities among its categories are objects in a file, and numbers here."""
    if plain["kind"] == "interval":
        low, high = plain["low"], plain["high"]
        return Interval(plain["column"], -math.inf if low is None else low, math.inf if high is None else high)
    return read_predicate(finite(plain), ("undo",))
