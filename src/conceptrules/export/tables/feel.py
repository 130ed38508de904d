"""Entries of DMN tables: sets of values as unary tests of FEEL, and what tests of others say as sets."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal

from conceptrules.export.inputs import Family
from conceptrules.export.tables.value_sets import ALL, EVERYTHING, ValueSet, asks_nothing
from conceptrules.model.errors import InputError, shortened
from conceptrules.model.predicate import EPOCH, Column, Kind, Value

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_SPAN = (-719_162 * _DAY, 2_932_896 * _DAY - 1)
"""The first and the last moment that a date of FEEL can be: years 1 to 9999."""
TYPES: dict[Kind, str] = {"number": "number", "date": "date", "datetime": "dateTime", "duration": "dayTimeDuration",
                          "boolean": "boolean"}  # fmt: skip
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)|(?P<sign><=|>=|<|>|=)
    |(?P<dots>\.\.)|(?P<mark>[\[\](),@])|(?P<word>date\ and\ time|[^\W\d]\w*)|(?P<dash>-))""",
    re.VERBOSE,
)
_DURATION = re.compile(r"(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,6})?)S)?)?")


def decimal_text(number: float) -> str:
    """Return a number with all its digits, since FEEL before DMN 1.4 has no exponents: 0.0000001.

    >>> decimal_text(1e-7), decimal_text(41.0)
    ('0.0000001', '41')
    """
    if math.isinf(number):
        raise InputError(f"there is no infinite number in a decision table, and the network has {number!r}")
    whole = abs(number) >= 2**53  # of which all digits are said, so that it is read as the same whole number
    text = f"{Decimal(number) if whole else Decimal(repr(number)):f}"
    return text.removesuffix(".0") if "." in text else text


def literal_text(value: Value) -> str:
    """Return a category or a class as FEEL says it."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else decimal_text(value)


def say_set(values: ValueSet, kind: Kind) -> str:
    """Return a set as unary tests.

    >>> say_set(ValueSet(ranges=((-math.inf, 27.0), (41.0, math.inf)), missing=True), "number")
    '<= 27, > 41, null'
    """
    if asks_nothing(values):
        return "-"
    listed = [literal_text(value) for value in values.values]
    if values.ranges == (ALL,) or values.excluded:
        return f"not({', '.join([*listed, *([] if values.missing else ['null'])])})"
    return ", ".join([*(_say_range(*each, kind) for each in values.ranges), *listed, *["null"] * values.missing])


def _say_range(low: float, high: float, kind: Kind) -> str:
    if math.isinf(low):
        return f"<= {say_bound(high, kind)}"
    return f"> {say_bound(low, kind)}" if math.isinf(high) else f"({say_bound(low, kind)}..{say_bound(high, kind)}]"


def say_bound(bound: float, kind: Kind) -> str:
    """Return a bound as FEEL says it: a number, a date, a date and time, a duration."""
    if kind == "number":
        return decimal_text(bound)
    if kind == "duration":
        whole = abs(int(bound))
        days, rest = divmod(whole, _DAY)
        seconds = f"{Decimal(rest) / _SECOND:f}"
        return f'duration("{"-" * (bound < 0)}P{days}DT{seconds}S")'
    moment = EPOCH + dt.timedelta(microseconds=int(bound))
    return f'date("{moment.date()}")' if kind == "date" else f'date and time("{moment.isoformat()}")'


def whole_moments(values: ValueSet, kind: Kind) -> ValueSet:
    """Return a set with bounds that FEEL can say: whole microseconds, whole days of dates, within its calendar.

    Nothing finer is in a table, so no row passes that did not before.
    """
    if kind not in ("date", "datetime", "duration"):
        return values
    step = _DAY if kind == "date" else 1
    low, high = _SPAN if kind != "duration" else (-(10**20), 10**20)

    def floor(bound: float) -> float:
        if math.isinf(bound):
            return bound
        return -math.inf if bound < low else math.inf if bound >= high else float(math.floor(bound / step) * step)

    ranges = [(floor(a), floor(b)) for a, b in values.ranges]
    return ValueSet(ranges=tuple((a, b) for a, b in ranges if a < b), missing=values.missing)


# Reading


class FeelReader:
    """Reads one entry of a table."""

    def __init__(self, text: str, column: Column, family: Family) -> None:
        self.text, self.column, self.family = text, column, family
        self.tokens = list(self._split())
        self.place = 0

    def _split(self) -> Iterator[tuple[str, str]]:
        place, text = 0, self.text.rstrip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                yield "junk", text[place:]
                return
            yield match.lastgroup, match[match.lastgroup]
            place = match.end()

    def _error(self) -> InputError:
        return InputError(
            f"{shortened(self.text.strip(), 80)!r} is none of what a rule can say: a comparison, a range, a list of "
            "values, not(...), null or -"
        )

    def _next(self, *kinds: str) -> str:
        if self.place == len(self.tokens) or self.tokens[self.place][0] not in kinds:
            raise self._error()
        self.place += 1
        return self.tokens[self.place - 1][1]

    def _take(self, text: str) -> bool:
        if (
            self.place < len(self.tokens)
            and self.tokens[self.place][1] == text
            and self.tokens[self.place][0] != "text"
        ):
            self.place += 1
            return True
        return False

    def read(self) -> ValueSet:
        """Return the set of values that the whole entry says."""
        if not self.tokens or self._take("-"):
            result = EVERYTHING
        elif self.tokens[0][1] == "not" and self.tokens[1:2] == [("mark", "(")]:
            self.place = 2
            result = self._invert(self._list())
            if not self._take(")"):
                raise self._error()
        else:
            result = self._list()
        if self.place < len(self.tokens):
            raise self._error()
        return result

    def _invert(self, values: ValueSet) -> ValueSet:
        """Return what is not in a set. A comparison with a missing value is null in FEEL, and so is its negation."""
        inverse = ~values
        return ValueSet(inverse.ranges, inverse.values, inverse.excluded, inverse.missing and not self.compares)

    def _list(self) -> ValueSet:
        result = self._test()
        while self._take(","):
            result |= self._test()
        return result

    compares = False

    def _test(self) -> ValueSet:
        kind, text = self.tokens[self.place] if self.place < len(self.tokens) else ("", "")
        if text == "null" and kind == "word":
            self.place += 1
            return ValueSet(missing=True)
        if kind == "sign":
            self.place += 1
            if text != "=":
                bound = self._bound()
                below, above = math.nextafter(bound, -math.inf), (-math.inf, math.inf)
                ends = {
                    "<=": (above[0], bound),
                    ">": (bound, above[1]),
                    "<": (above[0], below),
                    ">=": (below, above[1]),
                }
                return ValueSet(ranges=(ends[text],))
        elif text in ("[", "(", "]") and kind == "mark":
            self.place += 1
            low = self._bound()
            self._next("dots")
            high = self._bound()
            low = math.nextafter(low, -math.inf) if text == "[" else low
            high = high if self._next("mark") == "]" else math.nextafter(high, -math.inf)
            if not low < high:
                raise InputError(f"no value is in the range {shortened(self.text.strip(), 80)!r}")
            return ValueSet(ranges=((low, high),))
        if self.family == "ordered":
            bound = self._bound(compares=False)
            return ValueSet(ranges=((math.nextafter(bound, -math.inf), bound),))
        return ValueSet(values=(self.value(),))

    def _bound(self, compares: bool = True) -> float:
        """Return a number, or a moment in microseconds."""
        self.compares = self.compares or compares
        if self.family != "ordered":
            raise InputError(
                f"{shortened(self.text.strip(), 80)!r} compares {self.column.name!r}, which is no number or date; "
                "write values, or give the input the type number"
            )
        if self.column.kind == "number":
            return float(self._next("number"))
        if not self._take("@"):
            if self._next("word") not in ("date", "date and time", "duration") or not self._take("("):
                raise self._error()
            text = json.loads(self._next("text"))
            if not self._take(")"):
                raise self._error()
        else:
            text = json.loads(self._next("text"))
        try:
            return float(read_duration(text) if self.column.kind == "duration" else read_moment(text))
        except (ValueError, OverflowError):
            raise InputError(f"{text!r} is no {self.column.kind} with a place among the values of rules") from None

    def value(self) -> Value:
        """Return a text, a number, true or false."""
        text = self._next("text", "number", "word")
        if text in ("true", "false"):
            return text == "true"
        if text.startswith('"'):
            try:
                return str(json.loads(text, strict=False))
            except ValueError:
                raise self._error() from None
        if not text[-1:].isdigit():
            raise self._error()
        number = Decimal(text)
        return int(number) if number == number.to_integral_value() else float(number)


def read_moment(text: str) -> int:
    """Return a date, or a date and time, of FEEL in microseconds since 1970."""
    moment = dt.datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
    return (moment - EPOCH) // dt.timedelta(microseconds=1)


def read_duration(text: str) -> int:
    """Return a duration of FEEL, of days to seconds, in microseconds."""
    match = _DURATION.fullmatch(text)
    if match is None or not any(match.groups()[1:]):
        raise ValueError(text)
    days, hours, minutes = (int(part or 0) for part in match.groups()[1:4])
    whole = ((days * 24 + hours) * 60 + minutes) * 60 * _SECOND + int(Decimal(match[5] or 0) * _SECOND)
    return -whole if match[1] else whole
