"""Where the rows of a CSV text end, without reading its fields."""

from __future__ import annotations

import re
from functools import lru_cache

BOM = b"\xef\xbb\xbf"


def end_of_rows(data: bytes, delimiter: str) -> int:
    """Return where the last complete row ends. Only quotes can hide the end of a line; reading them takes 10 ms per MB.

    A carriage return at the end of the data is left for later: the second half of that end of line may follow.
    """
    if b'"' not in data:
        return max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
    rows, end = _rows(delimiter), 0
    while match := rows.match(data, end):
        end = match.end()
    return end


def after_header(data: bytes, delimiter: str) -> int:
    """Return where the first row that is not blank ends."""
    blank = len(data) - len(data.lstrip(b"\r\n"))
    match = _row(delimiter).match(data, blank)
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
def _row(delimiter: str) -> re.Pattern[bytes]:
    return re.compile(_row_pattern(delimiter), re.DOTALL)


@lru_cache
def _rows(delimiter: str) -> re.Pattern[bytes]:
    # Not `*+`: until Python 3.11.4, that leaves a part of the row behind that does not match.
    return re.compile(rb"(?:%b){1,1000}" % _row_pattern(delimiter), re.DOTALL)
