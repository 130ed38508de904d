"""From a network to JSON, one node a line. `decode` is the way back.

`_flat` writes a piece of JSON on one line, `_list` and `_object` give each item a line of its own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping

from conceptrules.rules.network import Concept, Level, Rule, RuleNetwork, Statistics
from conceptrules.rules.predicate import Column, Equals, Interval, Missing, Predicate, Value

FORMAT = "conceptrules"
VERSION = 1


def dumps(network: RuleNetwork) -> str:
    """The network as text; `loads` gives back an equal one, with its statistics."""
    fields = {
        "format": _flat(FORMAT),
        "version": _flat(VERSION),
        "classes": _flat([_value(value) for value in network.classes]),
        "priority": _flat([_value(value) for value in network.priority]),
        "default": _flat(_value(network.default)),
        "columns": _list(map(_column, network.columns)),
        "predicates": _list(map(_predicate, network.predicates)),
        "levels": _list(map(_level, network.levels)),
        "statistics": "null" if network.statistics is None else _statistics(network.statistics),
    }
    # What UTF-8 cannot hold (half of a surrogate pair) becomes \udc80, which is how JSON writes it.
    return _object(fields).encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def _column(column: Column) -> str:
    categories = [_value(value) for value in column.categories]
    return _flat({"name": column.name, "kind": column.kind, "categories": categories, "missing": column.missing})


def _predicate(predicate: Predicate) -> str:
    match predicate:
        case Interval(column=column, low=low, high=high):
            return _flat({"kind": "interval", "column": column, "low": _number(low), "high": _number(high)})
        case Equals(column=column, value=value):
            return _flat({"kind": "equals", "column": column, "value": _value(value)})
        case Missing(column=column):
            return _flat({"kind": "missing", "column": column})
    raise AssertionError(predicate)


def _level(level: Level) -> str:
    return _object({"rules": _list(map(_rule, level.rules)), "concepts": _list(map(_concept, level.concepts))})


def _rule(rule: Rule) -> str:
    yes = [int(literal.index) for literal in rule.literals if not literal.negated]
    no = [int(literal.index) for literal in rule.literals if literal.negated]
    return _flat({"all": yes, "none": no})


def _concept(concept: Concept) -> str:
    return _flat({"any": [int(rule) for rule in concept.rules]})


def _statistics(statistics: Statistics) -> str:
    covered = (_list(map(_numbers, level)) for level in statistics.covered)
    patterns = (f'{{"fires": {_flat(fires)}, "rows": {_numbers(rows)}}}' for fires, rows in statistics.patterns)
    return _object({"rows": _numbers(statistics.rows), "covered": _list(covered), "patterns": _list(patterns)})


def _numbers(values: Iterable[float]) -> str:
    return _flat([_number(value) for value in values])


def _number(value: float) -> float | None:
    """Whole numbers without `.0`; an infinity is a bound that is not there, since JSON has none."""
    if math.isinf(value):
        return None
    return int(value) if value == round(value) and abs(value) < 2**53 else value


def _value(value: Value) -> object:
    return {"infinity": value > 0} if isinstance(value, float) and math.isinf(value) else value


def _flat(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _list(items: Iterable[str]) -> str:
    return _block("[", items, "]")


def _object(items: Mapping[str, str]) -> str:
    return _block("{", (f'"{key}": {item}' for key, item in items.items()), "}")


def _block(start: str, items: Iterable[str], end: str) -> str:
    body = ",\n".join(items).replace("\n", "\n ")
    return f"{start}\n {body}\n{end}" if body else start + end
