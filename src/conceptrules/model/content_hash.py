"""Which network this is: a hash of all that decides, and of nothing else."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable

from conceptrules.model.derived import plain_derivation
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value


def content_hash(network: RuleNetwork) -> str:
    """Return a hash of all that decides: columns, predicates, levels, classes, and priority and default or points.

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
        "classes": _values(network.classes),
        **_deciding_head(network),
        "columns": [
            [column.name, column.kind, _values(column.categories), bool(column.missing)]
            # Columns that the table has are hashed as they were before there were derived ones.
            + ([] if column.derivation is None else [plain_derivation(column.derivation)])
            for column in network.columns
        ],
        "predicates": [_predicate(predicate) for predicate in network.predicates],
        "levels": [
            [
                [[[int(literal.index), bool(literal.negated)] for literal in rule.literals] for rule in level.rules],
                [[int(rule) for rule in concept.rules] for concept in level.concepts],
            ]
            for level in network.levels
        ],
    }


def _deciding_head(network: RuleNetwork) -> dict[str, object]:
    head = network.head
    if head is None:
        return {"priority": _values(network.priority), "default": _value(network.default)}
    return {
        "points": head.points,
        "base": head.base,
        "cutoff": head.cutoff,
        "probabilities": head.probabilities,
        "unit": head.unit,
        "offsets": head.offsets,
        # Hashes of scorecards that were written before there was a step stay as they are.
        **({} if head.step is None else {"step": head.step}),
        **({} if head.link == "identity" else {"link": head.link}),
    }


def _predicate(predicate: Predicate) -> list[object]:
    match predicate:
        case Interval(column=column, low=low, high=high):
            return ["interval", column, _bound(low), _bound(high)]
        case Equals(column=column, value=value):
            return ["equals", column, _value(value)]
        case OneOf(column=column, values=values):
            return ["one_of", column, _values(values)]
        case Missing(column=column):
            return ["missing", column]
    raise AssertionError(predicate)


def _bound(value: float) -> float | None:
    """Return a bound; + 0.0 makes 0 of -0, which bounds the same numbers."""
    return None if math.isinf(value) else value + 0.0


def _value(value: Value) -> object:
    return {"infinity": value > 0} if isinstance(value, float) and math.isinf(value) else value


def _values(values: Iterable[Value]) -> list[object]:
    return [_value(value) for value in values]
