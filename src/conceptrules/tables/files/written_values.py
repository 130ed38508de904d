"""Values as people write them: 01.03.2024, 3/1/2024, 1 Mar 2024, with or without a time of day, and <0.5 or >100."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

NEARLY_ALL = 0.9  # of the values of a column: what the few others are does not change what it is meant to be
# What pyarrow reads as a number in CSV.
_NUMBER = r"(?i)^\s*[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|nan|inf|infinity)\s*$"
_CENSORED = re.compile(r"\s*([<>])\s*(=?)\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*")
_TIME = r"(?:,?[ T]\s*(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?\s*(?P<half>[ap]m)?)?"
_FORMS = tuple(
    re.compile(rf"\s*{date}{_TIME}\s*", re.IGNORECASE)
    for date in (
        r"(?P<year>\d{4})(?P<between>[-/.])(?P<month>\d{1,2})(?P=between)(?P<day>\d{1,2})",
        r"(?P<first>\d{1,2})(?P<between>[-/.])(?P<second_number>\d{1,2})(?P=between)(?P<year>\d{4})",
        r"(?P<day>\d{1,2})[-. ]\s*(?P<name>[a-z]{3,9})[-., ]\s*(?P<year>\d{4})",
        r"(?P<name>[a-z]{3,9})\.? (?P<day>\d{1,2}),? (?P<year>\d{4})",
    )
)
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_Parts = Mapping[str, str | None]


def are_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return which texts are numbers; null where there is none."""
    return pc.match_substring_regex(column, _NUMBER)


def parse_censored(text: str) -> float | None:
    """Return what stands for a censored value: the limit, less or more by half of its last digit; None for other text.

    A value keeps its place in the order, whatever the other rows are, and cut points stay short.

    >>> parse_censored("<0.5"), parse_censored("> 100"), parse_censored(">=100"), parse_censored("low")
    (0.45, 100.5, 100.0, None)
    """
    match = _CENSORED.fullmatch(text)
    if match is None:
        return None
    side, equal, written = match.groups()
    limit = Decimal(written)
    half = Decimal(5).scaleb(int(limit.as_tuple().exponent) - 1) * (not equal)
    return float(limit - half if side == "<" else limit + half)


def read_censored_numbers(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, int, str] | None:
    """Return a column of text as numbers, how many are censored, and the first of these.

    Return None if a text is neither a number nor censored, or none is censored.
    """
    encoded = column.combine_chunks().dictionary_encode()
    texts, plain = encoded.dictionary.to_pylist(), are_numbers(encoded.dictionary)
    pairs = zip(texts, plain.to_pylist(), strict=True)
    values = [float(text) if number else parse_censored(text) for text, number in pairs]
    if None in values or pc.all(plain).as_py():
        return None
    first = texts[pc.index(plain, False).as_py()]
    count = pc.invert(plain).take(encoded.indices).true_count
    return pa.chunked_array([pa.array(values, pa.float64()).take(encoded.indices)]), count, first


@dataclass(frozen=True, slots=True)
class WrittenDates:
    """What a column of text is, read as dates."""

    values: pa.ChunkedArray | None
    """The dates; None where some text is not a date, or could be read in two ways."""
    ambiguous: str = ""
    """A text that could be day/month or month/day, where all others could be too."""
    first_other: str = ""
    """The first text that is not a date, where others are."""
    share: float = 1.0
    """The share of the texts that are dates."""


def read_dates(column: pa.ChunkedArray, day_first: bool | None = None) -> WrittenDates:
    """Read a column of text as dates, or as dates and times where any text has a time.

    In 3/4/2024 and 3-4-2024 the other rows have to show which number is the month, unless `day_first` does; 3.4.2024
    always begins with the day.
    """
    encoded = column.combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    if not any(map(_match, texts[:5])):
        return WrittenDates(None, share=0.0)
    matches = list(map(_match, texts))
    parts = [match for match in matches if match is not None]
    order = _find_order(parts) if day_first is None else day_first
    if order is None and any(map(_is_ambiguous, parts)):
        ambiguous = (text for text, match in zip(texts, matches, strict=True) if match and _is_ambiguous(match))
        return WrittenDates(None, ambiguous=next(ambiguous))
    moments = [None if match is None else _to_moment(match, bool(order)) for match in matches]
    dates = [moment for moment in moments if moment is not None]
    if len(dates) < len(texts):
        return WrittenDates(None, first_other=texts[moments.index(None)], share=len(dates) / len(texts))
    timed = any(match["hour"] for match in parts)
    values = pa.array(dates, pa.timestamp("s")) if timed else pa.array([each.date() for each in dates], pa.date32())
    return WrittenDates(pa.chunked_array([values.take(encoded.indices)]))


def is_date(text: str) -> bool:
    """Return whether a text is a date, in whatever order of day and month."""
    parts = _match(text)
    return parts is not None and (_to_moment(parts, True) or _to_moment(parts, False)) is not None


def _match(text: str) -> _Parts | None:
    match = next(filter(None, (form.fullmatch(text) for form in _FORMS)), None)
    return match and dict.fromkeys(("first", "second_number", "name", "month", "between")) | match.groupdict()


def _is_ambiguous(parts: _Parts) -> bool:
    """Return whether the order of day and month is open."""
    return parts["first"] is not None and parts["between"] != "."


def _find_order(parts: Sequence[_Parts]) -> bool | None:
    """Return whether days come first, judging by the numbers of a column; None if both orders fit, or neither."""
    ambiguous = [each for each in parts if _is_ambiguous(each)]
    day_first = all(int(each["second_number"] or 0) <= 12 for each in ambiguous)
    month_first = all(int(each["first"] or 0) <= 12 for each in ambiguous)
    return day_first if day_first != month_first else None


def _to_moment(parts: _Parts, day_first: bool) -> dt.datetime | None:
    """Return the date and time; None if there is no such day."""
    year, hour, minute, second = (int(parts[name] or 0) for name in ("year", "hour", "minute", "second"))
    if parts["half"]:
        hour = hour % 12 + 12 * (parts["half"].lower() == "pm")
    if parts["first"] is not None:
        first, other = int(parts["first"]), int(parts["second_number"] or 0)
        day, month = (first, other) if day_first or parts["between"] == "." else (other, first)
    else:
        day, month = int(parts["day"] or 0), _read_month(parts)
    try:
        return dt.datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None


def _read_month(parts: _Parts) -> int:
    """Return the number of a month, which may be written by its name or the beginning of it; 0 if there is none."""
    if parts["name"] is None:
        return int(parts["month"] or 0)
    name = parts["name"].lower()
    return next((number for number, month in enumerate(_MONTHS, 1) if month.startswith(name)), 0)
