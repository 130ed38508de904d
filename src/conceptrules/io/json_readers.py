"""Readers of JSON values: each takes a value and `at`, the keys that lead to it, for the error where it is wrong.

`finite` and `infinite` turn infinities, which JSON does not have, into objects and back.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

from conceptrules.model.errors import InputError, shortened
from conceptrules.model.predicate import Value

T = TypeVar("T")
At = tuple[str | int, ...]


def items(read: Callable[[object, At], T], value: object, at: At) -> tuple[T, ...]:
    """Read a list, each item by `read`."""
    if not isinstance(value, list):
        wrong(value, at, "a list")
    return tuple([read(item, (*at, number)) for number, item in enumerate(value)])


def fields(value: object, at: At, keys: Sequence[str]) -> list[object]:
    """Return the values of an object with just these keys."""
    if not isinstance(value, dict):
        wrong(value, at, f"an object with {', '.join(keys)}")
    for key in keys:
        if key not in value:
            raise InputError(f"{place(at)} has no {key!r}")
    if len(value) > len(keys):
        key = next(key for key in value if key not in keys)
        raise InputError(
            f"{place(at)} has a {shortened(key)!r} that this version does not know; it knows {', '.join(keys)}"
        )
    return [value[key] for key in keys]


def values(value: object, at: At) -> tuple[Value, ...]:
    """Read a list of categories or classes."""
    return items(one_value, value, at)


def one_value(value: object, at: At) -> Value:
    """Read a category or a class."""
    if isinstance(value, dict):
        (positive,) = fields(value, at, ("infinity",))
        return math.inf if flag(positive, (*at, "infinity")) else -math.inf
    if isinstance(value, float) and math.isinf(value):
        wrong(value, at, 'a number within range ({"infinity": true} is written for infinity)')
    return value if isinstance(value, str | int | float) else wrong(value, at, "text, a number, true or false")


def counts(value: object, at: At) -> tuple[float, ...]:
    """Read a list of numbers from 0 up."""
    return items(count, value, at)


def count(value: object, at: At) -> float:
    """Read a number from 0 up."""
    result = number(value, at)
    return result if result >= 0 else wrong(value, at, "a number from 0 up")


def share(value: object, at: At) -> float:
    """Read a number from 0 to 1, such as a score."""
    result = number(value, at)
    return result if 0 <= result <= 1 else wrong(value, at, "a number from 0 to 1")


def number(value: object, at: At) -> float:
    """Read a finite number."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max:
        return float(value)
    wrong(value, at, "a finite number")


def index(value: object, at: At) -> int:
    """Read a whole number from 0 up."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    wrong(value, at, "a whole number from 0 up")


def whole(value: object, at: At) -> int:
    """Read a whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else wrong(value, at, "a whole number")


def optional(read: Callable[[object, At], T], value: object, at: At) -> T | None:
    """Read a value that may be null."""
    return None if value is None else read(value, at)


def mapping(value: object, at: At) -> dict[str, Any]:
    """Read an object whose keys are free."""
    return value if isinstance(value, dict) else wrong(value, at, "an object")


def text(value: object, at: At) -> str:
    """Read a text."""
    return value if isinstance(value, str) else wrong(value, at, "text")


def flag(value: object, at: At) -> bool:
    """Read true or false."""
    return value if isinstance(value, bool) else wrong(value, at, "true or false")


def wrong(value: object, at: At, expected: str) -> NoReturn:
    """Raise an `InputError` that says where the value is, what was expected and what was found."""
    raise InputError(f"{place(at)} must be {expected}, found {_describe(value)}")


def place(at: At) -> str:
    """Return the keys that lead to a value as text.

    >>> place(("levels", 0, "rules"))
    'levels[0].rules'
    """
    return "".join(f"[{key}]" if isinstance(key, int) else f".{shortened(key)}" for key in at)[1:] or "the model"


def _describe(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return shortened(json.dumps(value[:60] if isinstance(value, str) else value))


def finite(value: Any) -> Any:
    """Return plain values with infinities as objects, since JSON has none."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return {"infinity": value > 0} if isinstance(value, float) and math.isinf(value) else value


def infinite(value: Any) -> Any:
    """Return plain values with the objects that stand for infinities as numbers again."""
    if isinstance(value, dict):
        if set(value) == {"infinity"} and isinstance(value["infinity"], bool):
            return math.inf if value["infinity"] else -math.inf
        return {key: infinite(item) for key, item in value.items()}
    return [infinite(item) for item in value] if isinstance(value, list) else value
