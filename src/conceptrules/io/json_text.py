"""From text to the values of JSON. What is too large, too deep, or not quite JSON is refused.

Sizes are checked on the bytes, before anything is made of them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import NoReturn

from conceptrules.model.errors import InputError

# The largest files that are read, or refused, within a second whatever they hold. Parts are values, keys, and escapes
# in text. A network of 10,000 edges takes 0.3 MB and 30,000 parts without its statistics.
MAX_BYTES = 16 * 2**20
MAX_PARTS = 500_000
# A model nests 6 deep; Python's own limit on recursion depends on who calls.
MAX_DEPTH = 32
# Text gets a random hash, that of a number is known: a file can choose 100,000 categories that all share one, and to
# see that they differ would take minutes. So pairs of numbers in one list are counted: one column of 5,000 categories
# that are numbers is still read, or 400 columns of 256.
MAX_PAIRS = 27_000_000
_TOO_DEEP = "not a conceptrules model: brackets are nested too deeply"
# A text that is never closed goes to the end: were it no match, each quote in it would be tried in turn, for minutes.
STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_REST = re.compile(r"[^][{}]+")


def check_size(size: int) -> None:
    """Raise an `InputError` if a file has more bytes than a model can have."""
    if size > MAX_BYTES:
        raise InputError(f"larger than a model can be: {size:,} bytes, at most {MAX_BYTES:,} are read")


def check_parts(text: str) -> None:
    """Raise an `InputError` if a text has too many parts: commas, colons, opening brackets and escapes.

    Those inside text count as well.
    """
    parts = sum(map(text.count, ",:[{\\"))
    if parts > MAX_PARTS:
        raise InputError(f"larger than a model can be: {parts:,} parts, at most {MAX_PARTS:,} are read")


def check_numbers(lists: Iterable[object]) -> None:
    """Raise an `InputError` if lists of classes or categories, of whatever type, hold too many numbers."""
    numbers = [sum(not isinstance(value, str) for value in values) for values in lists if isinstance(values, list)]
    if sum(count * count for count in numbers) > MAX_PAIRS:
        raise InputError(
            f"too many categories or classes that are numbers: up to {max(numbers):,} in one list; turn them into text"
        )


def parse_json(text: str) -> object:
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
