"""How tables are written to files: the format by the end of a name, and the ways in which a text may differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conceptrules.model.errors import InputError

STREAM = "-"
"""The name of standard input and standard output."""
DELIMITERS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
PARQUET = ".parquet"


def table_suffix(name: str) -> str:
    """Return the end of the name that says how a table is read."""
    return known_suffix(name, (*DELIMITERS, PARQUET))


def known_suffix(name: str, known: Sequence[str]) -> str:
    """Return which of these ends a name has, or raise an error that lists them."""
    for suffix in known:
        if name.lower().endswith(suffix):
            return suffix
    raise InputError(f"{name}: the name must end in one of {', '.join(known)}, or be {STREAM} for a stream of CSV")


_ORDERS = {"": None, "day-first": True, "month-first": False}
_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}


@dataclass(frozen=True, slots=True)
class TextFormat:
    """What stands between fields, and which words mean that a value is missing."""

    delimiter: str | None = None
    """One character; None goes by the name of the file."""
    missing: tuple[str, ...] = ("",)
    """The words that mean missing, the empty field among them."""
    day_first: bool | None = None
    """Whether 3/4/2024 is a day in April; None: the other dates of the column decide."""
    encoding: str = "utf-8"
    """How the characters are written, under Python's names."""


USUAL = TextFormat()


def text_format(delimiter: str, missing: str, dates: str = "", encoding: str = "") -> TextFormat:
    """Read `--delimiter`, `--missing NA,?`, `--dates day-first` and `--encoding cp1252`; all may be empty.

    >>> text_format("tab", "NA,?", "day-first")
    TextFormat(delimiter='\\t', missing=('', 'NA', '?'), day_first=True, encoding='utf-8')
    """
    character = _NAMES.get(delimiter, delimiter)
    if len(character) > 1 or character in ('"', "\n", "\r") or not character.isascii():
        raise InputError(f"--delimiter {delimiter!r} should be one character, such as ; or |, or the word tab")
    words = [word.strip() for word in missing.split(",")] if missing else []
    if dates not in _ORDERS:
        raise InputError(f"--dates {dates!r} is unknown; use day-first or month-first")
    try:
        "".encode(encoding or "utf-8")
    except LookupError:
        raise InputError(f"--encoding {encoding!r} is unknown; use cp1252, latin-1, utf-16 or the like") from None
    return TextFormat(character or None, tuple(dict.fromkeys(["", *words])), _ORDERS[dates], encoding or "utf-8")
