"""Where a CSV goes wrong: line numbers for pyarrow's complaints, and the mistakes that it lets pass."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from shlex import quote

import pyarrow as pa
import pyarrow.compute as pc

from conceptrules.rules.errors import InputError

_CONVERSION = re.compile(
    r"In CSV column #(\d+): Row #(\d+): CSV conversion error to (\w+).*?: invalid value '(.*)'", re.S
)
_PARSING = re.compile(r"Row #(\d+): (.*)", re.S)
# What pyarrow reads as a number in CSV.
_NUMBER = r"(?i)^\s*[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|nan|inf|infinity)\s*$"
NEARLY_ALL = 0.9  # of the values of a column: what the few others are does not change what it is meant to be
_MEANT = {"double": "numbers", "bool": "true or false", "date32": "dates such as 2021-03-05"}


def check_text(name: str, data: bytes, delimiter: str) -> None:
    """UTF-8, with at least a header, and no quote left open (pyarrow would swallow the rest of the file)."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}, line {line}: the text is not UTF-8; save the file as UTF-8") from None
    if not data.strip():
        raise InputError(f"{name} is empty; it needs a row of column names, then rows of values")
    # Quotes come in pairs, inside fields too; only an odd number of them is worth a slow look.
    if data.count(b'"') % 2:
        _check_quotes(name, data, delimiter)


def header(data: bytes, delimiter: str) -> list[str]:
    """The names in the first row that is not blank."""
    return next(row for _, row in _rows(data, delimiter))


def explained(error: Exception, name: str, data: bytes, delimiter: str) -> InputError:
    """pyarrow's error with the line of the file, the name of the column and the value."""
    text = str(error)
    if match := _CONVERSION.search(text):
        column, row, kind, value = match.groups()
        where = f"line {_line(data, delimiter, int(row))}: column {header(data, delimiter)[int(column)]!r}"
        return InputError(f"{name}, {where} should hold {_MEANT.get(kind, kind)}, found {value!r}")
    if match := _PARSING.search(text):
        row, problem = match.groups()
        return InputError(f"{name}, line {_line(data, delimiter, int(row))}: {problem}")
    return InputError(f"{name} is not valid CSV: {text}")


def are_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Which texts are numbers; null where there is none."""
    return pc.match_substring_regex(column, _NUMBER)


def words_among_numbers(column: pa.ChunkedArray, name: str, data: bytes, delimiter: str) -> str | None:
    """What to tell the user of a column of text if nearly all of it is numbers; `column` has all rows of `data`."""
    numeric = are_numbers(column)
    values, numbers = len(column) - column.null_count, pc.sum(numeric).as_py() or 0
    if not NEARLY_ALL * values <= numbers < values:
        return None
    row = pc.index(numeric, False).as_py()
    return (
        f"column {name!r} is text, but {numbers} of {values} values are numbers; the first other value is "
        f"{column[row].as_py()!r} (line {_line(data, delimiter, row + 2)}); leave the field empty if that means "
        f"missing, or say --kind {quote(f'{name}=category')} if the column is meant to be text"
    )


def _check_quotes(name: str, data: bytes, delimiter: str) -> None:
    line = 1
    try:
        for end, _ in _rows(data, delimiter, strict=True):
            line = end + 1
    except csv.Error:
        raise InputError(f"{name}, line {line}: a quote is opened and not closed") from None


def _line(data: bytes, delimiter: str, row: int) -> int:
    """The line on which a row ends; rows are counted from 1, the header being the first, blank lines not at all."""
    return next((line for number, (line, _) in enumerate(_rows(data, delimiter), start=1) if number == row), row)


def _rows(data: bytes, delimiter: str, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    lines = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline="")
    reader = csv.reader(lines, delimiter=delimiter, strict=strict)
    return ((reader.line_num, row) for row in reader if row)
