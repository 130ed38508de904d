"""Where a CSV goes wrong: line numbers for pyarrow's complaints, and the mistakes that it lets pass."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from shlex import quote
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from conceptrules.model.errors import InputError
from conceptrules.tables.files import row_ends
from conceptrules.tables.files.written_dates import is_date

_CONVERSION = re.compile(
    r"In CSV column #(\d+): Row #(\d+): CSV conversion error to (\w+).*?: invalid value '(.*)'", re.S
)
_PARSING = re.compile(r"Row #(\d+): (.*)", re.S)
# What pyarrow reads as a number in CSV.
_NUMBER = r"(?i)^\s*[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|nan|inf|infinity)\s*$"
NEARLY_ALL = 0.9  # of the values of a column: what the few others are does not change what it is meant to be
_MEANT = {"double": "numbers", "bool": "true or false"}
# Kinds that are left to pyarrow to recognise, and what it recognises as them.
MOMENTS = {
    "date": "dates such as 2021-03-05",
    "datetime": "dates and times such as 2021-03-05 14:30",
    "duration": "times of day such as 14:30:00",
}
_CLOCKS = (pa.time32("s"),)
_TIMES = (pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("s", "UTC"), pa.timestamp("ns", "UTC"))


def check_text(name: str, data: bytes, delimiter: str, before: int = 0) -> None:
    """Raise unless the text is UTF-8, has a header and leaves no quote open (which would swallow the rest of the file).

    `before`, here and below, is how many lines of the file there are before `data`.
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1 + before
        raise InputError(f"{name}, line {line}: the text is not UTF-8; save the file as UTF-8") from None
    if not data.strip():
        raise InputError(f"{name} is empty; it needs a row of column names, then rows of values")
    # Quotes come in pairs, inside fields too; only an odd number of them is worth a slow look.
    if data.count(b'"') % 2:
        _check_quotes(name, data, delimiter, before)


def header(data: bytes, delimiter: str) -> list[str]:
    """Return the names in the first row that is not blank."""
    return next(row for _, row in _rows(data, delimiter))


def explained(error: Exception, name: str, data: bytes, delimiter: str, before: int = 0) -> InputError:
    """Return pyarrow's error with the line of the file, the name of the column and the value."""
    text = str(error)
    if match := _CONVERSION.search(text):
        column, row, kind, value = match.groups()
        where = f"line {before + _line(data, delimiter, int(row))}: column {header(data, delimiter)[int(column)]!r}"
        return InputError(f"{name}, {where} should hold {_MEANT.get(kind, kind)}, found {value!r}")
    if match := _PARSING.search(text):
        row, problem = match.groups()
        return InputError(f"{name}, line {before + _line(data, delimiter, int(row))}: {problem}")
    return InputError(f"{name} is not valid CSV: {text}")


def are_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return which texts are numbers; null where there is none."""
    return pc.match_substring_regex(column, _NUMBER)


def words_among_numbers(column: pa.ChunkedArray, name: str, data: bytes, delimiter: str) -> str | None:
    """Return what to tell the user if nearly all of a column of text is numbers; `column` has all rows of `data`."""
    numeric = are_numbers(column)
    values, numbers = len(column) - column.null_count, pc.sum(numeric).as_py() or 0
    if not NEARLY_ALL * values <= numbers < values:
        return None
    row = pc.index(numeric, False).as_py()
    return (
        f"column {name!r} is text, but {numbers} of {values} values are numbers; the first other value is "
        f"{column[row].as_py()!r} (line {_line(data, delimiter, row + 2)}); if that means missing, say "
        f"--missing {quote(str(column[row].as_py()))}; if the column is meant to be text, say --kind "
        f"{quote(f'{name}=category')}"
    )


def no_moment(
    column: pa.ChunkedArray, name: str, kind: str, where: str, data: bytes, delimiter: str, before: int
) -> InputError:
    """Return what is wrong with text that should hold times: the first value that is no time, or a mix of zones."""
    values = column.to_pylist()
    row = next((row for row, value in enumerate(values) if value is not None and not _reads_as(value, kind)), None)
    if row is None:
        return InputError(f"{where}: column {name!r} has values with a time zone and values without; make them alike")
    line = before + _line(data, delimiter, row + 2)
    return InputError(f"{where}, line {line}: column {name!r} should hold {MOMENTS[kind]}, found {values[row]!r}")


def no_number(
    column: pa.ChunkedArray,
    name: str,
    where: str,
    data: bytes,
    delimiter: str,
    before: int,
    reads: Callable[[str], Any],
) -> InputError:
    """Return what is wrong with text that should hold numbers; `reads` tells other texts that can be read as some."""
    values, numeric = column.to_pylist(), are_numbers(column).to_pylist()
    row = next(row for row, value in enumerate(values) if numeric[row] is False and reads(value) is None)
    line = before + _line(data, delimiter, row + 2)
    return InputError(f"{where}, line {line}: column {name!r} should hold numbers, found {values[row]!r}")


def _reads_as(value: str, kind: str) -> bool:
    if kind != "duration" and is_date(value):
        return True
    return any(_casts(value, kind_of) for kind_of in (_CLOCKS if kind == "duration" else _TIMES))


def _casts(value: str, kind: pa.DataType) -> bool:
    try:
        pa.scalar(value.strip(" \t")).cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def _check_quotes(name: str, data: bytes, delimiter: str, before: int) -> None:
    closed = data.removeprefix(row_ends.BOM).rstrip(b"\r\n") + b"\n"
    end = row_ends.end_of_rows(closed, delimiter)
    if end < len(closed):
        line = before + row_ends.count_lines(closed[:end]) + 1
        raise InputError(f"{name}, line {line}: a quote is opened and not closed")


def _line(data: bytes, delimiter: str, row: int) -> int:
    """Return the line on which a row ends; rows count from 1, the header is the first, blank lines do not count."""
    return next((line for number, (line, _) in enumerate(_rows(data, delimiter), start=1) if number == row), row)


def _rows(data: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    lines = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline="")
    reader = csv.reader(lines, delimiter=delimiter)
    return ((reader.line_num, row) for row in reader if row)
