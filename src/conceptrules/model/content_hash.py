"""Which network this is: a hash of all that decides, and of nothing else."""

from __future__ import annotations

import hashlib
import json
import math

from conceptrules.model.network import Concept, Level, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf, Predicate, Value


def content_hash(network: RuleNetwork) -> str:
    """Return a hash of all that decides: columns, predicates, levels, classes, priority and default.

    Statistics and training do not count: the rules are the same before and after they are measured.

    >>> from conceptrules.model.network import Concept, Level
    >>> content_hash(RuleNetwork((), (), (Level((), (Concept(),)),), ("a",)))[:15]
    'sha256:fb9ad5ee'
    """
    # Everything outside ASCII is written as an escape, so half of a surrogate pair has a hash too.
    text = json.dumps(_deciding(network), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return f"sha256:{hashlib.sha256(text.encode('ascii')).hexdigest()}"


def _deciding(network: RuleNetwork) -> dict[str, object]:
    """Return what is hashed, in a form of its own: a new version of the model file leaves the hashes as they are."""
    return {
        "classes": [_value(value) for value in network.classes],
        "priority": [_value(value) for value in network.priority],
        "default": _value(network.default),
        "columns": [_column(column) for column in network.columns],
        "predicates": [_predicate(predicate) for predicate in network.predicates],
        "levels": [_level(level) for level in network.levels],
    }


def _column(column: Column) -> list[object]:
    return [column.name, column.kind, [_value(value) for value in column.categories], bool(column.missing)]


def _predicate(predicate: Predicate) -> list[object]:
    match predicate:
        case Interval(column=column, low=low, high=high):
            return ["interval", column, _bound(low), _bound(high)]
        case Equals(column=column, value=value):
            return ["equals", column, _value(value)]
        case OneOf(column=column, values=values):
            return ["one_of", column, [_value(value) for value in values]]
        case Missing(column=column):
            return ["missing", column]
    raise AssertionError(predicate)


def _level(level: Level) -> list[object]:
    return [[_rule(rule) for rule in level.rules], [_concept(concept) for concept in level.concepts]]


def _rule(rule: Rule) -> list[object]:
    return [[int(literal.index), bool(literal.negated)] for literal in rule.literals]


def _concept(concept: Concept) -> list[int]:
    return [int(rule) for rule in concept.rules]


def _bound(value: float) -> float | None:
    """Return a bound; + 0.0 makes 0 of -0, which bounds the same numbers."""
    return None if math.isinf(value) else value + 0.0


def _value(value: Value) -> object:
    return {"infinity": value > 0} if isinstance(value, float) and math.isinf(value) else value
