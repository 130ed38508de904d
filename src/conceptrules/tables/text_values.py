"""Text that stands for other values: ISO dates and times, and numbers with a mark such as $1,234.50, 12.3% or 0,5.

Plain digits stay text: they may be codes. A column is read so only if every text of it is written in the same way.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

from conceptrules.model.predicate import EPOCH, Kind
from conceptrules.model.values import to_plain_moment

_ISO = re.compile(r"\d{4}-\d\d-\d\d(?P<time>[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?")
_PERCENT = re.compile(r"(?P<sign>[+-]?)(?P<number>[\d.,]+) ?%")
_MONEY = re.compile(r"(?P<sign>[+-]?)((?P<unit>[$£¥€]) ?(?P<number>[\d.,]+)|(?P<before>[\d.,]+) ?(?P<after>[$£¥€]))")
_COMMA = re.compile(r"(?P<sign>[+-]?)(?P<number>[\d.]*\d,[\d.,]*\d)")
_PLAIN = re.compile(r"\d+(\.\d+)?")
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_DECIMAL_COMMA = re.compile(r"(\d+|\d{1,3}(\.\d{3})+),\d+")
_MICROSECOND = dt.timedelta(microseconds=1)


def find_written_kind(texts: Iterable[str]) -> Kind | None:
    """Return what all of these texts stand for; None if that is nothing but themselves, or there are none.

    >>> find_written_kind(["2024-01-05", "2024-02-29"]), find_written_kind(["2024-01-05 14:30"])
    ('date', 'datetime')
    >>> find_written_kind(["$1,234.50", "$7"]), find_written_kind(["12.3%", "7"]), find_written_kind(["7", "8"])
    ('number', None, None)
    """
    styles = set[str]()
    for text in texts:  # up to the first that stands for itself, for a column may have very many
        style = _find_style(text)
        if style is None:
            return None
        styles.add(style)
    if not styles:
        return None
    if styles <= {"date", "datetime"}:
        return "datetime" if "datetime" in styles else "date"
    return "number" if len(styles) == 1 else None


def read_written(text: str) -> float:
    """Return the number, or the microseconds since 1970, that a text of `find_written_kind` stands for.

    >>> [read_written(text) for text in ("$1,234.50", "-12,5 %", "1.234,50")], read_written("1970-01-02")
    ([1234.5, -12.5, 1234.5], 86400000000.0)
    """
    if _ISO.fullmatch(text):
        return float((to_plain_moment(dt.datetime.fromisoformat(text)) - EPOCH) // _MICROSECOND)
    number = _read_marked(text)
    assert number is not None
    return number[1]


def _find_style(text: str) -> str | None:
    match = _ISO.fullmatch(text)
    if match:
        try:
            dt.datetime.fromisoformat(text)
        except ValueError:  # no such day
            return None
        return "datetime" if match["time"] else "date"
    number = _read_marked(text)
    return number and number[0]


def _read_marked(text: str) -> tuple[str, float] | None:
    """Return the mark of a number and its value; None for other text, and where a comma may mean two things."""
    for mark, form in (("%", _PERCENT), ("money", _MONEY), (",", _COMMA)):
        match = form.fullmatch(text.strip())
        if match is None:
            continue
        parts = match.groupdict()
        unit = parts.get("unit") or parts.get("after")
        value = _read_digits(parts.get("before") or parts["number"], unit)
        return None if value is None else (unit or mark, -value if parts["sign"] == "-" else value)
    return None


def _read_digits(digits: str, unit: str | None) -> float | None:
    if _PLAIN.fullmatch(digits):
        return None if unit == "€" and re.fullmatch(r"\d{1,3}\.\d{3}", digits) else float(digits)
    # 1,234 is a thousand and more in dollars, but may be little more than one elsewhere.
    if _THOUSANDS.fullmatch(digits) and ("." in digits or digits.count(",") > 1 or unit in ("$", "£", "¥")):
        return float(digits.replace(",", ""))
    if _DECIMAL_COMMA.fullmatch(digits) and not _THOUSANDS.fullmatch(digits):
        return float(digits.replace(".", "").replace(",", "."))
    return None
