"""From JSON to a network. Whatever the text is, the answer is a network or an `InputError` that says where it errs.

Each reader takes a piece of JSON and `at`, the place where it stands.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn, TypeVar

from conceptrules.rules.encode import FORMAT, VERSION
from conceptrules.rules.errors import InputError
from conceptrules.rules.network import Concept, Level, Literal, Rule, RuleNetwork, Statistics
from conceptrules.rules.predicate import KINDS, Column, Equals, Interval, Missing, Predicate, Value

T = TypeVar("T")


def loads(text: str) -> RuleNetwork:
    """The network that `dumps` wrote."""
    model = _parsed(text)
    if not isinstance(model, dict) or model.get("format") != FORMAT:
        raise InputError(f'not a conceptrules model: it does not say "format": "{FORMAT}"')
    version = _index(model.get("version"), "version") or _wrong(0, "version", "1 or more")
    if version > VERSION:
        raise InputError(f"the model has version {version}, this conceptrules reads up to {VERSION}; update it")
    return _network(model)


def _parsed(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_not_json)
    except RecursionError:
        raise InputError("not a conceptrules model: brackets are nested too deeply") from None
    except json.JSONDecodeError as error:
        if _cut_short(text, error.pos):
            raise InputError(f"the model ends too early, in line {error.lineno}; copy or save it again") from None
        raise InputError(f"not a conceptrules model: no JSON in line {error.lineno} ({error.msg})") from None
    except InputError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise InputError(f"not a conceptrules model: {error}") from None


def _cut_short(text: str, position: int) -> bool:
    text = text.rstrip()
    return text.startswith("{") and (position >= len(text) or not text.endswith("}"))


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        raise InputError(f"{next(name for name in names if names.count(name) > 1)!r} is given twice in one object")
    return result


def _not_json(name: str) -> NoReturn:
    raise InputError(f"{name} is not a number in JSON")


def _network(value: object) -> RuleNetwork:
    keys = ("format", "version", "classes", "priority", "default", "columns", "predicates", "levels", "statistics")
    _, _, classes, priority, default, columns, predicates, levels, statistics = _object(value, "the model", keys)
    return RuleNetwork(
        columns=_list(_column, columns, "columns"),
        predicates=_list(_predicate, predicates, "predicates"),
        levels=_list(_level, levels, "levels"),
        classes=_list(_value, classes, "classes"),
        priority=_list(_value, priority, "priority"),
        default=_value(default, "default"),
        statistics=None if statistics is None else _statistics(statistics, "statistics"),
    )


def _column(value: object, at: str) -> Column:
    name, kind, categories, missing = _object(value, at, ("name", "kind", "categories", "missing"))
    for known in KINDS:
        if kind == known:
            values = _list(_value, categories, f"{at}.categories")
            return Column(_text(name, f"{at}.name"), known, values, _flag(missing, f"{at}.missing"))
    _wrong(kind, f"{at}.kind", f"one of {', '.join(KINDS)}")


def _predicate(value: object, at: str) -> Predicate:
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind == "interval":
        _, column, low, high = _object(value, at, ("kind", "column", "low", "high"))
        bounds = _bound(low, -math.inf, f"{at}.low"), _bound(high, math.inf, f"{at}.high")
        return Interval(_text(column, f"{at}.column"), *bounds)
    if kind == "equals":
        _, column, wanted = _object(value, at, ("kind", "column", "value"))
        return Equals(_text(column, f"{at}.column"), _value(wanted, f"{at}.value"))
    if kind == "missing":
        _, column = _object(value, at, ("kind", "column"))
        return Missing(_text(column, f"{at}.column"))
    _wrong(kind, f"{at}.kind", "interval, equals or missing")


def _level(value: object, at: str) -> Level:
    rules, concepts = _object(value, at, ("rules", "concepts"))
    return Level(_list(_rule, rules, f"{at}.rules"), _list(_concept, concepts, f"{at}.concepts"))


def _rule(value: object, at: str) -> Rule:
    yes, no = _object(value, at, ("all", "none"))
    negated = map(partial(Literal, negated=True), _list(_index, no, f"{at}.none"))
    return Rule((*map(Literal, _list(_index, yes, f"{at}.all")), *negated))


def _concept(value: object, at: str) -> Concept:
    (rules,) = _object(value, at, ("any",))
    return Concept(_list(_index, rules, f"{at}.any"))


def _statistics(value: object, at: str) -> Statistics:
    rows, covered, patterns = _object(value, at, ("rows", "covered", "patterns"))
    by_rule = partial(_list, _counts)
    return Statistics(
        _counts(rows, f"{at}.rows"),
        _list(by_rule, covered, f"{at}.covered"),
        _list(_pattern, patterns, f"{at}.patterns"),
    )


def _pattern(value: object, at: str) -> tuple[tuple[bool, ...], tuple[float, ...]]:
    fires, rows = _object(value, at, ("fires", "rows"))
    return _list(_flag, fires, f"{at}.fires"), _counts(rows, f"{at}.rows")


def _counts(value: object, at: str) -> tuple[float, ...]:
    return _list(_count, value, at)


def _count(value: object, at: str) -> float:
    number = _number(value, at)
    return number if number >= 0 else _wrong(value, at, "a number from 0 up")


def _bound(value: object, absent: float, at: str) -> float:
    return absent if value is None else _number(value, at)


def _number(value: object, at: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max:
        return float(value)
    _wrong(value, at, "a finite number")


def _index(value: object, at: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    _wrong(value, at, "a whole number from 0 up")


def _value(value: object, at: str) -> Value:
    if isinstance(value, dict):
        (positive,) = _object(value, at, ("infinity",))
        return math.inf if _flag(positive, f"{at}.infinity") else -math.inf
    return value if isinstance(value, str | int | float) else _wrong(value, at, "text, a number, true or false")


def _text(value: object, at: str) -> str:
    return value if isinstance(value, str) else _wrong(value, at, "text")


def _flag(value: object, at: str) -> bool:
    return value if isinstance(value, bool) else _wrong(value, at, "true or false")


def _list(read: Callable[[object, str], T], value: object, at: str) -> tuple[T, ...]:
    if not isinstance(value, list):
        _wrong(value, at, "a list")
    return tuple(read(item, f"{at}[{number}]") for number, item in enumerate(value))


def _object(value: object, at: str, keys: Sequence[str]) -> list[object]:
    """The values of an object with just these keys."""
    if not isinstance(value, dict):
        _wrong(value, at, f"an object with {', '.join(keys)}")
    for key in keys:
        if key not in value:
            raise InputError(f"{at} has no {key!r}")
    for key in value:
        if key not in keys:
            raise InputError(f"{at} has a {key!r} that this version does not know; it knows {', '.join(keys)}")
    return [value[key] for key in keys]


def _wrong(found: object, at: str, expected: str) -> NoReturn:
    text = json.dumps(found)
    raise InputError(f"{at} must be {expected}, found {text if len(text) <= 60 else text[:57] + '...'}")
