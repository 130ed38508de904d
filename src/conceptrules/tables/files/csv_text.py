"""The text of a CSV: where its rows end, on which line a row is, and what is wrong with it.

Lines and quotes are looked at only as far as errors and whole rows need it; pyarrow reads the values.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from conceptrules.model.errors import InputError

BOM = b"\xef\xbb\xbf"
_CONVERSION = re.compile(
    r"In CSV column #(\d+): Row #(\d+): CSV conversion error to (\w+).*?: invalid value '(.*)'", re.S
)
_PARSING = re.compile(r"Row #(\d+): (.*)", re.S)
_EXPECTED = {"double": "numbers", "bool": "true or false"}


@dataclass(frozen=True, slots=True)
class CsvText:
    """Some rows of a file, with the header above them."""

    name: str
    """The file."""
    data: bytes
    delimiter: str
    lines_before: int = 0
    """How many more lines of the file there are above the rows."""

    def check(self) -> None:
        """Raise unless this is UTF-8 with a header and without an open quote, which would swallow the rest."""
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1 + self.lines_before
            hint = "save it so, or say --encoding cp1252 or the like"
            raise InputError(f"{self.name}, line {line}: the text is not UTF-8; {hint}") from None
        if not self.data.strip():
            raise InputError(f"{self.name} is empty; it needs a row of column names, then rows of values")
        # Quotes come in pairs, inside fields too; only an odd number of them is worth a slow look.
        if self.data.count(b'"') % 2:
            closed = self.data.removeprefix(BOM).rstrip(b"\r\n") + b"\n"
            end = end_of_rows(closed, self.delimiter)
            if end < len(closed):
                line = self.lines_before + count_lines(closed[:end]) + 1
                raise InputError(f"{self.name}, line {line}: a quote is opened and not closed")

    def header(self) -> list[str]:
        """Return the names in the first row that is not blank."""
        return next(row for _, row in self._rows())

    def line_of(self, row: int) -> int:
        """Return the line of the file on which a row ends; the header is row 1, and blank lines do not count."""
        lines = (line for number, (line, _) in enumerate(self._rows(), start=1) if number == row)
        return self.lines_before + next(lines, row)

    def explain(self, error: Exception) -> InputError:
        """Return pyarrow's error with the line of the file, the name of the column and the value."""
        message = str(error)
        if match := _CONVERSION.search(message):
            column, row, kind, value = match.groups()
            return self.value_error(int(row), self.header()[int(column)], _EXPECTED.get(kind, kind), value)
        if match := _PARSING.search(message):
            row, problem = match.groups()
            return InputError(f"{self.name}, line {self.line_of(int(row))}: {problem}")
        return InputError(f"{self.name} is not valid CSV: {message}")

    def value_error(self, row: int, column: str, expected: str, value: str) -> InputError:
        """Return the error that a column holds a value other than expected."""
        return InputError(
            f"{self.name}, line {self.line_of(row)}: column {column!r} should hold {expected}, found {value!r}"
        )

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the fields of each row with the line on which it ends."""
        lines = io.TextIOWrapper(io.BytesIO(self.data), "utf-8-sig", newline="")
        reader = csv.reader(lines, delimiter=self.delimiter)
        return ((reader.line_num, row) for row in reader if row)


def end_of_rows(data: bytes, delimiter: str) -> int:
    """Return where the last complete row ends. Only quotes can hide the end of a line; reading them takes 10 ms per MB.

    A carriage return at the end of the data is left for later: the second half of that end of line may follow.
    """
    if b'"' not in data:
        return max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
    rows, end = _rows_pattern(delimiter), 0
    while match := rows.match(data, end):
        end = match.end()
    return end


def end_of_header(data: bytes, delimiter: str) -> int:
    """Return where the first row that is not blank ends."""
    blank = len(data) - len(data.lstrip(b"\r\n"))
    match = re.compile(_row_pattern(delimiter), re.DOTALL).match(data, blank)
    return match.end() if match else len(data)


def count_lines(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _row_pattern(delimiter: str) -> bytes:
    """Return the pattern of a row. A quote counts only where a field begins, as in pyarrow."""
    d = re.escape(delimiter.encode())
    quoted = rb'"[^"]*+(?:""[^"]*+)*+"[^%b\r\n]*+' % d
    field = rb'(?:%b|[^"%b\r\n][^%b\r\n]*+|(?=[%b\r\n]))' % (quoted, d, d, d)
    return rb"%b(?:%b%b)*+(?:\r\n|\r(?=.)|\n)" % (field, d, field)


@lru_cache
def _rows_pattern(delimiter: str) -> re.Pattern[bytes]:
    # Not `*+`: until Python 3.11.4, that leaves a part of the row behind that does not match.
    return re.compile(rb"(?:%b){1,1000}" % _row_pattern(delimiter), re.DOTALL)
