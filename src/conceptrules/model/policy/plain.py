"""A policy as plain values, the way a TOML file or a model file holds it, and back."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, NoReturn

from conceptrules.model.errors import InputError, shortened
from conceptrules.model.policy.clauses import (
    Apart,
    Banned,
    Clause,
    Cost,
    Default,
    Fair,
    Forbidden,
    Implies,
    Independent,
    LeastPrecision,
    LeastRows,
    Limit,
    Locked,
    Monotone,
    OnlyFor,
    Priority,
    check_order,
)
from conceptrules.model.policy.domain import Domain
from conceptrules.model.policy.policy import Policy
from conceptrules.model.predicate import Value

MAX_BYTES = 1_000_000
MAX_CLAUSES = 10_000
MAX_RULES = 500
"""Rules in words: each of them is proved, and compared with the others."""
Plain = Mapping[str, Any]


def limited(stream: BinaryIO) -> str:
    """Return the text of a policy file, or raise an `InputError` before more is read than a policy can have."""
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f"larger than a policy can be: at most {MAX_BYTES:,} bytes are read")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("not text (UTF-8): it is damaged, or no policy") from None


def from_toml(text: str) -> Policy:
    """Return the policy of a TOML text."""
    try:
        keys = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a plain ValueError
        raise InputError(f"not a policy: no TOML ({error})") from None
    return from_plain(keys)


def from_plain(keys: Plain) -> Policy:
    """Return the policy that plain values say."""
    _known(keys, "the policy", (*_READERS, "order", "confidence", "domain"))
    order = _classes(keys.get("order", ()), "order")
    check_order("order", order)
    found: list[Clause] = []
    for key, read in _READERS.items():
        if key in keys:
            found += read(keys[key], key)
        if len(found) > MAX_CLAUSES:
            raise InputError(f"{key}: more than {MAX_CLAUSES:,} clauses; a policy is what people can read")
    found = [
        Monotone(c.column, c.direction, c.order or order, c.missing) if isinstance(c, Monotone) else c for c in found
    ]
    if "confidence" in keys:
        if "min_precision" not in keys:
            raise InputError("confidence goes with min_precision; give both, or take it out")
        found = [LeastPrecision(c.precision, keys["confidence"]) if isinstance(c, LeastPrecision) else c for c in found]
    domain = _domain(keys.get("domain", {}))
    rules = sum(isinstance(c, Locked | Banned | Implies) for c in found) + len(domain.impossible)
    if rules > MAX_RULES:
        raise InputError(f"{rules:,} rules in words; a policy can have {MAX_RULES}")
    return Policy(tuple(found), domain)


def to_plain(policy: Policy) -> dict[str, Any]:
    """Return a policy as plain values: `from_plain` gives it back."""
    keys: dict[str, Any] = {}
    for clause in policy.clauses:
        for key, value in _WRITERS[type(clause)](clause).items():
            if isinstance(value, dict):
                keys.setdefault(key, {}).update(value)
            else:
                keys[key] = keys.get(key, []) + value if isinstance(value, list) else value
    domain = policy.domain
    if domain != Domain():
        missing_in = domain.missing if isinstance(domain.missing, bool) else list(domain.missing)
        ranges = {name: [low, high] for name, low, high in domain.ranges}
        keys["domain"] = {
            "ranges": ranges,
            "missing": missing_in,
            "unseen": domain.unseen,
            "impossible": list(domain.impossible),
        }
    return keys


_WRITERS: dict[type[Clause], Callable[[Any], dict[str, Any]]] = {
    Monotone: lambda one: {
        "monotone": {one.column: {"direction": one.direction, "order": list(one.order), "missing": one.missing}}
    },
    Independent: lambda one: {"independent": [one.column]},
    Forbidden: lambda one: {"forbidden": [one.column]},
    Apart: lambda one: {"apart": [[one.first, one.second]]},
    OnlyFor: lambda one: {"only_for": {one.column: list(one.classes)}},
    Cost: lambda one: {"cost": {one.column: one.cost}},
    Locked: lambda one: {"locked": [{"rule": one.rule, "class": one.label, "mode": one.mode}]},
    Banned: lambda one: {"banned": [{"rule": one.rule, "class": one.label}]},
    Default: lambda one: {"default": one.label},
    Priority: lambda one: {"priority": list(one.classes)},
    Limit: lambda one: {f"max_{one.of}": one.most},
    LeastRows: lambda one: {"min_rows": one.rows},
    LeastPrecision: lambda one: {
        "min_precision": one.precision,
        **({} if one.confidence is None else {"confidence": one.confidence}),
    },
    Fair: lambda one: {
        "fair": [{"column": one.column, "positive": one.positive, "bound": one.bound, "measure": one.measure}]
    },
    Implies: lambda one: {"implies": [{"if": one.rule, "then": one.label}]},
}


# The readers of the keys, in the order in which clauses are listed


def _monotone(value: object, at: str) -> list[Clause]:
    found: list[Clause] = []
    for column, told in _table(value, at).items():
        place = f"{at}.{column}"
        asked: dict[str, Any] = {"direction": told} if isinstance(told, str) else _table(told, place)
        _known(asked, place, ("direction", "order", "missing"))
        direction = asked.get("direction") or _fail(place, "no direction is given; write direction = 'up' or 'down'")
        order = _classes(asked.get("order", ()), f"{place}.order")
        found.append(Monotone(column, direction, order, asked.get("missing", "incomparable")))
    return found


def _columns(kind: Callable[[str], Clause]) -> Callable[[object, str], list[Clause]]:
    return lambda value, at: [kind(_text(item, at)) for item in _list(value, at)]


def _apart(value: object, at: str) -> list[Clause]:
    found: list[Clause] = []
    for item in _list(value, at):
        pair = [_text(name, at) for name in _list(item, at)]
        if len(pair) != 2:
            _fail(at, f"expected pairs of columns, [['age', 'sex']], found {pair}")
        found.append(Apart(*pair))
    return found


def _only_for(value: object, at: str) -> list[Clause]:
    return [OnlyFor(column, _classes(some, f"{at}.{column}")) for column, some in _table(value, at).items()]


def _cost(value: object, at: str) -> list[Clause]:
    return [Cost(column, cost) for column, cost in _table(value, at).items()]


def _locked(value: object, at: str) -> list[Clause]:
    found: list[Clause] = []
    for place, told in _tables(value, at, ("rule", "class", "mode"), ("rule", "class")):
        found.append(Locked(_text(told["rule"], place), _label(told["class"], place), told.get("mode", "keep")))
    return found


def _banned(value: object, at: str) -> list[Clause]:
    return [
        Banned(_text(told["rule"], place), _label(told["class"], place))
        for place, told in _tables(value, at, ("rule", "class"), ("rule", "class"))
    ]


def _fair(value: object, at: str) -> list[Clause]:
    keys = ("column", "positive", "bound", "measure")
    found: list[Clause] = []
    for place, told in _tables(value, at, keys, keys[:3]):
        positive, measure = _label(told["positive"], place), told.get("measure", "positive_rate")
        found.append(Fair(_text(told["column"], place), positive, told["bound"], measure))
    return found


def _implies(value: object, at: str) -> list[Clause]:
    return [
        Implies(_text(told["if"], place), _label(told["then"], place))
        for place, told in _tables(value, at, ("if", "then"), ("if", "then"))
    ]


_READERS: dict[str, Callable[[Any, str], list[Clause]]] = {
    "monotone": _monotone,
    "independent": _columns(Independent),
    "forbidden": _columns(Forbidden),
    "apart": _apart,
    "only_for": _only_for,
    "cost": _cost,
    "locked": _locked,
    "banned": _banned,
    "default": lambda value, at: [Default(_label(value, at))],
    "priority": lambda value, at: [Priority(_classes(value, at))],
    "max_edges": lambda value, at: [Limit("edges", value)],
    "max_rules": lambda value, at: [Limit("rules", value)],
    "max_literals": lambda value, at: [Limit("literals", value)],
    "min_rows": lambda value, at: [LeastRows(value)],
    "min_precision": lambda value, at: [LeastPrecision(value)],
    "fair": _fair,
    "implies": _implies,
}


def _domain(value: object) -> Domain:
    told = _table(value, "domain")
    _known(told, "domain", ("ranges", "missing", "unseen", "impossible"))
    ranges = []
    for column, ends in _table(told.get("ranges", {}), "domain.ranges").items():
        pair = _list(ends, f"domain.ranges.{column}")
        if len(pair) != 2:
            _fail(f"domain.ranges.{column}", f"expected the least and the greatest value, [0, 120], found {pair}")
        ranges.append((column, *pair))
    missing = told.get("missing", True)
    if not isinstance(missing, bool):
        missing = tuple(_text(name, "domain.missing") for name in _list(missing, "domain.missing"))
    unseen = told.get("unseen", True)
    if not isinstance(unseen, bool):
        _fail("domain.unseen", f"expected true or false, found {unseen!r}")
    rules = tuple(_text(rule, "domain.impossible") for rule in _list(told.get("impossible", ()), "domain.impossible"))
    return Domain(tuple(ranges), missing, unseen, rules)


# Plain values


def _fail(at: str, message: str) -> NoReturn:
    raise InputError(f"{at}: {shortened(message, 500)}")


def _known(value: Plain, at: str, keys: tuple[str, ...]) -> None:
    for key in value:
        if key not in keys:
            near = difflib.get_close_matches(str(key), keys, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it can have {', '.join(keys)}"
            _fail(at, f"there is no key {key!r}; {hint}")


def _table(value: object, at: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        _fail(at, f"expected a table ([{at}] in TOML), found {value!r}")
    return dict(value)


def _tables(value: object, at: str, keys: tuple[str, ...], needed: tuple[str, ...]) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for number, item in enumerate(_list(value, at)):
        place = f"{at}[{number}]"
        told = _table(item, place)
        _known(told, place, keys)
        for key in needed:
            if key not in told:
                _fail(place, f"{key!r} is missing; write {', '.join(needed)}")
        found.append((place, told))
    return found


def _list(value: object, at: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        _fail(at, f"expected a list, found {value!r}; put it in square brackets")
    return list(value)


def _text(value: object, at: str) -> str:
    return value if isinstance(value, str) else _fail(at, f"expected text, found {value!r}; put it in quotes")


def _label(value: object, at: str) -> Value:
    if isinstance(value, str | int | float) and value == value:  # noqa: PLR0124
        return value
    _fail(at, f"expected a class (text, a number, true or false), found {value!r}")


def _classes(value: object, at: str) -> tuple[Value, ...]:
    return tuple(_label(item, at) for item in _list(value, at))
