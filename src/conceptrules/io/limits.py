"""How large a model file may be: checked on its bytes, before anything is made of them."""

from __future__ import annotations

from collections.abc import Iterable

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
