"""Which values other languages can hold exactly: text as UTF-8, numbers as float64."""

from __future__ import annotations

from conceptrules.model.predicate import Value


def is_utf8(text: str) -> bool:
    """Return whether text can be written as UTF-8; half of a surrogate pair cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_double(value: Value) -> bool:
    """Return whether float64 holds the number exactly."""
    try:
        return float(value) == value
    except OverflowError:
        return False
