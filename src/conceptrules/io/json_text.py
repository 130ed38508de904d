"""From text to the values of JSON. What is too large, too deep, or not quite JSON is refused."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import NoReturn

from conceptrules.io.limits import MAX_DEPTH, check_parts, check_size
from conceptrules.model.errors import InputError

_TOO_DEEP = "not a conceptrules model: brackets are nested too deeply"
# A text that is never closed goes to the end: were it no match, each quote in it would be tried in turn, for minutes.
STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_REST = re.compile(r"[^][{}]+")


def parsed(text: str) -> object:
    """Return the value that a text of JSON holds, or raise an `InputError`."""
    check_size(len(text))
    check_parts(text)
    _check_depth(text)
    try:
        value: object = json.loads(text, object_pairs_hook=_unique, parse_constant=_not_json)
    except RecursionError:
        raise InputError(_TOO_DEEP) from None
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise InputError(f"there is more after the end of the model, in line {error.lineno}; take it out") from None
        if _cut_short(text, error.pos):
            raise InputError(f"the model ends too early, in line {error.lineno}; copy or save it again") from None
        raise InputError(f"not a conceptrules model: no JSON in line {error.lineno} ({error.msg})") from None
    except InputError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise InputError(f"not a conceptrules model: {error}") from None
    return value


def _check_depth(text: str) -> None:
    """Refuse deep nesting: innermost brackets are taken away, and of a proper model nothing is left."""
    brackets = _REST.sub("", STRING.sub("", text))
    for _ in range(MAX_DEPTH):
        brackets = brackets.replace("[]", "").replace("{}", "")
    if brackets.count("[") + brackets.count("{") > MAX_DEPTH:
        raise InputError(_TOO_DEEP)


def _cut_short(text: str, position: int) -> bool:
    text = text.rstrip()
    return text.startswith("{") and (position >= len(text) or not text.endswith("}"))


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        repeated, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise InputError(f"{repeated!r} is given twice in one object")
    return result


def _not_json(name: str) -> NoReturn:
    raise InputError(f"{name} is not a number in JSON")
