"""A policy as plain values, the way a TOML file or a model file holds it, and back."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, replace
from typing import Any, BinaryIO, NoReturn, get_args

from conceptrules.model.errors import InputError, shortened
from conceptrules.model.policy.clauses import (
    KINDS,
    LABEL,
    LABELS,
    Apart,
    Banned,
    Bounds,
    Clause,
    Implies,
    LeastPrecision,
    Limit,
    Locked,
    Monotone,
    Size,
    check_order,
)
from conceptrules.model.policy.policy import Domain, Policy
from conceptrules.model.policy.triggers import Trigger
from conceptrules.model.predicate import Value

MAX_BYTES = 1_000_000
MAX_CLAUSES = 10_000
MAX_RULES = 500
"""Rules in words: each of them is proved, and compared with the others."""
Plain = Mapping[str, Any]
_LIMITS = {f"{Limit.key}_{size}": size for size in get_args(Size)}
_KEYS = {key: kind for kind in KINDS for key in (_LIMITS if kind is Limit else (kind.key,))}


def read_text(stream: BinaryIO) -> str:
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
    _check_keys(keys, "the policy", (*_KEYS, "order", "better", "confidence", "domain", "monitor", "relations"))
    order = _read_order(keys, "")
    check_order("order", order)
    clauses: list[Clause] = []
    for key, kind in _KEYS.items():
        if key in keys:
            clauses += _read_clauses(kind, keys[key], key)
        if len(clauses) > MAX_CLAUSES:
            raise InputError(f"{key}: more than {MAX_CLAUSES:,} clauses; a policy is what people can read")
    clauses = [replace(c, order=c.order or order) if isinstance(c, Monotone) else c for c in clauses]
    if "confidence" in keys:
        if "min_precision" not in keys:
            raise InputError("confidence goes with min_precision; give both, or take it out")
        sure = keys["confidence"]
        clauses = [replace(c, confidence=sure) if isinstance(c, LeastPrecision) else c for c in clauses]
    domain = _read_domain(keys.get("domain", {}))
    rules = sum(isinstance(c, Locked | Banned | Implies | Bounds) for c in clauses) + len(domain.impossible)
    if rules > MAX_RULES:
        raise InputError(f"{rules:,} rules in words; a policy can have {MAX_RULES}")
    stated = enumerate(_list(keys.get("monitor", ()), "monitor"))
    triggers = tuple(_read_trigger(item, f"monitor[{number}]") for number, item in stated)
    relations = tuple(_text(relation, "relations") for relation in _list(keys.get("relations", ()), "relations"))
    return Policy(tuple(clauses), domain, triggers, relations)


def _read_trigger(value: object, at: str) -> Trigger:
    table = _table(value, at)
    _check_keys(table, at, ("when", "confidence", "of", "within"))
    if "when" not in table:
        _fail(at, "'when' is missing; write when = 'psi > 0.25'")
    return Trigger(**table)


def to_plain(policy: Policy) -> dict[str, Any]:
    """Return a policy as plain values: `from_plain` gives it back."""
    keys: dict[str, Any] = {}
    for clause in policy.clauses:
        values: dict[str, Any]
        values = {name: _plain_value(getattr(clause, field.name)) for name, field in _file_names(type(clause)).items()}
        first, *rest = values.values()
        match clause:
            case Limit():
                keys[clause.name] = clause.most
            case LeastPrecision(confidence=confidence):
                keys |= {clause.key: first} | ({} if confidence is None else {"confidence": confidence})
            case Monotone():
                column = values.pop("column")
                if len(clause.order) == 1:
                    values["better"] = values.pop("order")[0]
                keys.setdefault(clause.key, {})[column] = values
            case Clause(shape="by column"):
                keys.setdefault(clause.key, {})[first] = rest[0]
            case Clause(shape="list"):
                keys.setdefault(clause.key, []).append([first, *rest] if rest else first)
            case Clause(shape="tables"):
                unsaid: tuple[object, ...] = (
                    (None, [], math.inf, -math.inf) if isinstance(clause, Bounds) else (None, [])
                )
                stated = {name: value for name, value in values.items() if value not in unsaid}
                keys.setdefault(clause.key, []).append(stated)
            case _:
                keys[clause.key] = first
    domain = policy.domain
    if domain != Domain():
        ranges = {name: [low, high] for name, low, high in domain.ranges}
        rest_of_domain = {name: _plain_value(getattr(domain, name)) for name in ("missing", "unseen", "impossible")}
        keys["domain"] = {"ranges": ranges, **rest_of_domain}
    if policy.triggers:
        names = ("when", "confidence", "of", "within")
        keys["monitor"] = [{name: getattr(trigger, name) for name in names} for trigger in policy.triggers]
    if policy.relations:
        keys["relations"] = list(policy.relations)
    return keys


def _plain_value(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _file_names(kind: type[Clause]) -> dict[str, Field[Any]]:
    """Return the fields of a kind of clauses by what a file calls them."""
    return {kind.aliases.get(field.name, field.name): field for field in fields(kind)}


def _read_clauses(kind: type[Clause], value: object, key: str) -> Iterator[Clause]:
    """Yield the clauses that stand under a key of a policy."""
    first, *rest = fields(kind)
    if kind is Limit:
        yield Limit(_LIMITS[key], value)  # type: ignore[arg-type]  # the clause checks it
    elif kind is Monotone:
        yield from _read_monotone(value, key)
    elif kind.shape == "by column":
        for column, item in _table(value, key).items():
            yield kind(column, _read_field(rest[0], item, f"{key}.{column}"))  # type: ignore[call-arg]
    elif kind is Apart:
        for item in _list(value, key):
            pair = [_text(name, key) for name in _list(item, key)]
            if len(pair) != 2:
                _fail(key, f"expected pairs of columns, [['age', 'sex']], found {pair}")
            yield Apart(*pair)
    elif kind.shape == "list":
        for item in _list(value, key):
            yield kind(_text(item, key))  # type: ignore[call-arg]
    elif kind.shape == "tables":
        for number, item in enumerate(_list(value, key)):
            yield _read_table(kind, item, f"{key}[{number}]")
    else:
        yield kind(_read_field(first, value, key))  # type: ignore[call-arg]


def _read_table(kind: type[Clause], value: object, at: str) -> Clause:
    """Return a clause whose fields stand in a table under their names."""
    table, names = _table(value, at), _file_names(kind)
    _check_keys(table, at, tuple(names))
    needed = [name for name, field in names.items() if field.default is MISSING]
    for name in needed:
        if name not in table:
            _fail(at, f"{name!r} is missing; write {', '.join(needed)}")
    return kind(**{field.name: _read_field(field, table[name], at) for name, field in names.items() if name in table})


def _read_monotone(value: object, key: str) -> Iterator[Clause]:
    """Yield the clauses of a table that gives each column its direction, or a table with more."""
    for column, item in _table(value, key).items():
        at = f"{key}.{column}"
        table: dict[str, Any] = {"direction": item} if isinstance(item, str) else _table(item, at)
        _check_keys(table, at, ("direction", "order", "better", "missing"))
        direction = table.get("direction") or _fail(at, "no direction is given; write direction = 'up' or 'down'")
        yield Monotone(column, direction, _read_order(table, f"{at}."), table.get("missing", "incomparable"))


def _read_order(table: Plain, prefix: str) -> tuple[Value, ...]:
    """Return the classes from the worst to the best, or only the better one."""
    if "better" not in table:
        return _classes(table.get("order", ()), f"{prefix}order")
    if "order" in table:
        _fail(f"{prefix}better", "the order of the classes is given too; write one of the two")
    return (_label(table["better"], f"{prefix}better"),)


def _read_field(field: Field[Any], value: object, at: str) -> object:
    """Return the value of a field; numbers and words to choose from are checked by the clause itself."""
    if field.type == "str":
        return _text(value, at)
    if field.type in LABEL:
        return _label(value, at)
    return _classes(value, at) if field.type == LABELS else value


def _read_domain(value: object) -> Domain:
    table = _table(value, "domain")
    _check_keys(table, "domain", ("ranges", "missing", "unseen", "impossible"))
    ranges = []
    for column, ends in _table(table.get("ranges", {}), "domain.ranges").items():
        pair = _list(ends, f"domain.ranges.{column}")
        if len(pair) != 2:
            _fail(f"domain.ranges.{column}", f"expected the least and the greatest value, [0, 120], found {pair}")
        ranges.append((column, *pair))
    missing = table.get("missing", True)
    if not isinstance(missing, bool):
        missing = tuple(_text(name, "domain.missing") for name in _list(missing, "domain.missing"))
    unseen = table.get("unseen", True)
    if not isinstance(unseen, bool):
        _fail("domain.unseen", f"expected true or false, found {unseen!r}")
    rules = tuple(_text(rule, "domain.impossible") for rule in _list(table.get("impossible", ()), "domain.impossible"))
    return Domain(tuple(ranges), missing, unseen, rules)


# Plain values


_ELSEWHERE = {
    "max_columns": "it is an option of scorecards: max_columns= in Python, --max-columns on the command line",
    "max_rule_length": "a policy calls it 'max_literals'",
}
"""What learners have and policies do not, and where it is."""


def _fail(at: str, message: str) -> NoReturn:
    raise InputError(f"{at}: {shortened(message, 500)}")


def _check_keys(value: Plain, at: str, keys: Sequence[str]) -> None:
    for key in value:
        if key not in keys:
            near = difflib.get_close_matches(str(key), keys, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it can have {', '.join(keys)}"
            hint = _ELSEWHERE.get(str(key), hint)
            _fail(at, f"there is no key {key!r}; {hint}")


def _table(value: object, at: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        _fail(at, f"expected a table ([{at}] in TOML), found {value!r}")
    return dict(value)


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
