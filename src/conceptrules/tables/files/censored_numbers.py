"""Numbers beyond what could be measured, written as their limit: <0.5 and >100."""

from __future__ import annotations

import re
from decimal import Decimal

import pyarrow as pa

from conceptrules.tables.files.csv_errors import are_numbers

_CENSORED = re.compile(r"\s*([<>])\s*(=?)\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*")


def number(text: str) -> float | None:
    """Return what stands for a censored value: the limit, less or more by half of its last digit; None for other text.

    A value keeps its place in the order, whatever the other rows are, and cut points stay short.

    >>> number("<0.5"), number("> 100"), number(">=100"), number("low")
    (0.45, 100.5, 100.0, None)
    """
    match = _CENSORED.fullmatch(text)
    if match is None:
        return None
    side, equal, written = match.groups()
    limit = Decimal(written)
    half = Decimal(5).scaleb(int(limit.as_tuple().exponent) - 1) * (not equal)
    return float(limit - half if side == "<" else limit + half)


def read_numbers(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, int, str] | None:
    """Return a column of text as numbers, how many are censored, and the first of these; None if no text is so."""
    encoded = column.combine_chunks().dictionary_encode()
    texts = pa.chunked_array([encoded.dictionary])
    values: list[float | None] = []
    first = ""
    for text, numeric in zip(texts.to_pylist(), are_numbers(texts).to_pylist(), strict=True):
        value = None if text is None else float(text) if numeric else number(text)
        if value is None and text is not None:
            return None
        first = first or ("" if numeric or text is None else text)
        values.append(value)
    if not first:
        return None
    censored = pa.array([text is not None and number(text) is not None for text in texts.to_pylist()])
    count = censored.take(encoded.indices).true_count
    return pa.chunked_array([pa.array(values, pa.float64()).take(encoded.indices)]), count, first
