"""How a table of text is written, where it is not the usual way."""

from __future__ import annotations

from dataclasses import dataclass

from conceptrules.model.errors import InputError

_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}


@dataclass(frozen=True, slots=True)
class TextFormat:
    """What stands between fields, and which words mean that a value is missing."""

    delimiter: str | None = None
    """One character; None goes by the name of the file."""
    missing: tuple[str, ...] = ("",)
    """The words that mean missing, the empty field among them."""


USUAL = TextFormat()


def text_format(delimiter: str, missing: str) -> TextFormat:
    """Read `--delimiter` and `--missing NA,?`; both are empty where they are not given.

    >>> text_format("tab", "NA,?")
    TextFormat(delimiter='\\t', missing=('', 'NA', '?'))
    """
    found = _NAMES.get(delimiter, delimiter)
    if len(found) > 1 or found in ('"', "\n", "\r") or not found.isascii():
        raise InputError(f"--delimiter {delimiter!r} should be one character, such as ; or |, or the word tab")
    words = [word.strip() for word in missing.split(",")] if missing else []
    return TextFormat(found or None, tuple(dict.fromkeys(["", *words])))
