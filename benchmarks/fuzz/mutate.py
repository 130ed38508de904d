"""Ways to damage a model file: its bytes, its words, its values."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

Random = random.Random
# A text that never ends is one token: to try again at each quote in it would take forever.
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|[a-z]+|[][{}:,]|\s+')
WORDS = [
    b"NaN", b"Infinity", b"-1", b"1e999", b"-0.0", b"1e-400", b"null", b"true", b'""', b"[]", b"{}", b"[[[[[[]]]]]]",
    b"\xff", b"\x00", b'"\\ud800"', b"9" * 400, b"9" * 5000, b"0.1", b"18446744073709551616", b"'", b"/*", b"\\", b",",
]  # fmt: skip
PIECES = [b'\\"', b'"', b"\\", b"[", b'{"a":', b" ", b"\n", b"\\u0000", b"9", b"1,", b'"a",', b"[],", b"{},"]
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2, 3, 1.5, -0.0, 2**53, 2**64, 10**400, 1e308, "", "x", "C1.1", "always", "\ud800",
    "\0", [], {}, [[]], [None], [0], [1.0], {"infinity": True}, {"infinity": 0}, {"a": 1}, "a" * 1000, [0] * 1000,
]  # fmt: skip


def mutants(seeds: list[bytes], count: int, seed: int) -> Iterator[bytes]:
    """The same ones for the same seed."""
    rng = Random(seed)
    for _ in range(count):
        text = rng.choice(seeds)
        for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
            text = rng.choice(WAYS)(rng, text)
        yield text


def flip(rng: Random, text: bytes) -> bytes:
    place = _place(rng, text)
    return text[:place] + bytes([rng.randrange(256)]) + text[place + 1 :]


def delete(rng: Random, text: bytes) -> bytes:
    start = _place(rng, text)
    return text[:start] + text[start + rng.choice([1, 2, 10, 100, len(text)]) :]


def duplicate(rng: Random, text: bytes) -> bytes:
    start = _place(rng, text)
    part = text[start : start + rng.choice([1, 5, 50, 500])]
    return text[:start] + part * rng.choice([2, 3, 50]) + text[start + len(part) :]


def swap_tokens(rng: Random, text: bytes) -> bytes:
    tokens = TOKEN.findall(text)
    if len(tokens) < 2:
        return text
    one, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    tokens[one], tokens[other] = tokens[other], tokens[one]
    return b"".join(tokens)


def replace_token(rng: Random, text: bytes) -> bytes:
    tokens = TOKEN.findall(text) or [b""]
    tokens[rng.randrange(len(tokens))] = rng.choice(WORDS)
    return b"".join(tokens)


def grow_number(rng: Random, text: bytes) -> bytes:
    numbers = list(re.finditer(rb"\d+", text))
    if not numbers:
        return text
    end = rng.choice(numbers).end()
    return text[:end] + rng.choice([b"0", b"9" * 20, b"e300", b"e999", b".5", b"9" * 5000]) + text[end:]


def insert_word(rng: Random, text: bytes) -> bytes:
    place = _place(rng, text)
    return text[:place] + rng.choice(WORDS) + text[place:]


def pile_up(rng: Random, text: bytes) -> bytes:
    """Very many of one short piece: a text that never ends, brackets, blanks. Such files make careless readers slow."""
    place = _place(rng, text)
    piece = rng.choice(
        [b'\\"', b'"', b"\\", b"[", b'{"a":', b" ", b"\n", b"\\u0000", b"9", b"1,", b'"a",', b"[],", b"{},"]
    )
    return text[:place] + piece * rng.choice([100, 1000, 10_000, 100_000]) + text[place:]


def replace_value(rng: Random, text: bytes) -> bytes:
    return _changed(rng, text, lambda holder, key, _: holder.__setitem__(key, rng.choice(VALUES)))


def delete_value(rng: Random, text: bytes) -> bytes:
    return _changed(rng, text, lambda holder, key, _: holder.__delitem__(key))


def exchange_values(rng: Random, text: bytes) -> bytes:
    def exchange(holder: Any, key: Any, places: list[tuple[Any, Any]]) -> None:
        other, place = rng.choice(places)
        holder[key], other[place] = other[place], holder[key]

    return _changed(rng, text, exchange)


def repeat_item(rng: Random, text: bytes) -> bytes:
    def repeat(holder: Any, key: Any, _: Any) -> None:
        if isinstance(holder, list):
            holder.insert(key, holder[key])
        else:
            holder[str(key) + rng.choice(["", "2", "\0"])] = holder[key]

    return _changed(rng, text, repeat)


def shift_number(rng: Random, text: bytes) -> bytes:
    def shift(holder: Any, key: Any, _: Any) -> None:
        if isinstance(holder[key], int | float):
            holder[key] = holder[key] + rng.choice([-1, 1, 0.5, 1e300])

    return _changed(rng, text, shift)


def nest(rng: Random, text: bytes) -> bytes:
    depth = rng.choice([1, 5, 40, 2000])
    place = _place(rng, text)
    return text[:place] + b"[" * depth + b"]" * rng.choice([depth, 0]) + text[place:]


def drop_hash(rng: Random, text: bytes) -> bytes:
    """So that what follows is not refused for the hash alone."""
    return re.sub(rb' "hash": "[^"]*",\n', b"", text)


def _changed(rng: Random, text: bytes, change: Callable[[Any, Any, list[tuple[Any, Any]]], None]) -> bytes:
    """With one value of the parsed model changed; text that is no JSON stays as it is."""
    try:
        model = json.loads(text)
    except (ValueError, RecursionError):
        return text
    places = list(_places(model)) if isinstance(model, dict | list) else []
    if not places:
        return text
    holder, key = rng.choice(places)
    change(holder, key, places)
    try:
        return json.dumps(model, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):  # a value that now holds itself
        return text


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    stack = [value]
    while stack:
        holder = stack.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            yield holder, key
            if isinstance(holder[key], dict | list):
                stack.append(holder[key])


def _place(rng: Random, text: bytes) -> int:
    return rng.randrange(len(text) + 1)


WAYS: list[Callable[[Random, bytes], bytes]] = [
    flip, delete, duplicate, swap_tokens, replace_token, grow_number, insert_word, pile_up, replace_value,
    replace_value, delete_value, exchange_values, repeat_item, shift_number, nest, drop_hash, drop_hash,
]  # fmt: skip
