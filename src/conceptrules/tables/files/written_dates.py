"""Dates as people write them: 01.03.2024, 3/1/2024, 1 Mar 2024, with or without a time of day."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

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


@dataclass(frozen=True, slots=True)
class Dates:
    """What a column of text is, read as dates."""

    values: pa.ChunkedArray | None
    """The dates; None where the text is none, or could be read in two ways."""
    unsure: str = ""
    """A text that could be day/month or month/day, where all others could be too."""
    other: str = ""
    """The first text that is no date, where others are."""
    share: float = 1.0
    """The share of the texts that are dates."""


NONE = Dates(None, share=0.0)


def read_dates(column: pa.ChunkedArray, day_first: bool | None = None) -> Dates:
    """Read a column of text as dates, or as dates and times where any text has a time.

    In 3/4/2024 and 3-4-2024 the column has to tell which number is the month, unless `day_first` does; 3.4.2024 always
    begins with the day.
    """
    encoded = column.combine_chunks().dictionary_encode()
    texts = [text for text in encoded.dictionary.to_pylist() if text is not None]
    if not texts or not any(map(_match, texts[:5])):
        return NONE
    found = {text: _match(text) for text in texts}
    parts = [each for each in found.values() if each is not None]
    order = _day_first(parts) if day_first is None else day_first
    if order is None and any(map(_either, parts)):
        return Dates(None, unsure=next(text for text, each in found.items() if each is not None and _either(each)))
    moments = {text: None if each is None else _moment(each, bool(order)) for text, each in found.items()}
    wrong = [text for text in texts if moments[text] is None]
    if wrong:
        return Dates(None, other=wrong[0], share=1 - len(wrong) / len(texts))
    timed = any(each["hour"] for each in parts)
    values = [
        moments.get(text) if timed or text is None else _date(moments[text]) for text in encoded.dictionary.to_pylist()
    ]
    plain = pa.array(values, pa.timestamp("s") if timed else pa.date32()).take(encoded.indices)
    return Dates(pa.chunked_array([plain]))


def is_date(text: str) -> bool:
    """Return whether a text is a date, in whatever order of day and month."""
    parts = _match(text)
    return parts is not None and (_moment(parts, True) or _moment(parts, False)) is not None


def _match(text: str) -> _Parts | None:
    match = next(filter(None, (form.fullmatch(text) for form in _FORMS)), None)
    return (
        match
        and {"first": None, "second_number": None, "name": None, "month": None, "between": None} | match.groupdict()
    )


def _either(parts: _Parts) -> bool:
    """Return whether the order of day and month is open."""
    return parts["first"] is not None and parts["between"] != "."


def _day_first(parts: Sequence[_Parts]) -> bool | None:
    """Return which order the numbers of a column leave; None if both or neither."""
    open_ = [each for each in parts if _either(each)]
    day_first = all(int(each["second_number"] or 0) <= 12 for each in open_)
    month_first = all(int(each["first"] or 0) <= 12 for each in open_)
    return day_first if day_first != month_first else None


def _moment(parts: _Parts, day_first: bool) -> dt.datetime | None:
    """Return the date and time; None if there is no such day."""
    numbers = {name: int(parts[name] or 0) for name in ("year", "hour", "minute", "second")}
    hour = numbers["hour"] % 12 + 12 * (parts["half"].lower() == "pm") if parts["half"] else numbers["hour"]
    if parts["first"] is not None:
        first, second = int(parts["first"]), int(parts["second_number"] or 0)
        day, month = (first, second) if day_first or parts["between"] == "." else (second, first)
    else:
        day, month = int(parts["day"] or 0), _month(parts)
    try:
        return dt.datetime(numbers["year"], month, day, hour, numbers["minute"], numbers["second"])
    except ValueError:
        return None


def _month(parts: _Parts) -> int:
    """Return the number of a month by its name or the beginning of it; 0 if there is none."""
    if parts["name"] is None:
        return int(parts["month"] or 0)
    name = parts["name"].lower()
    return next((number for number, month in enumerate(_MONTHS, 1) if month.startswith(name)), 0)


def _date(moment: dt.datetime | None) -> dt.date | None:
    return moment and moment.date()
