"""The predicates of one column on all its rows, packed into words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.evaluation import Bits, octets_for, words_of
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, named_categories
from conceptrules.tables.column_values import ColumnValues, expand_to_rows, to_codes, to_numbers

# So many rows are compared with all bounds while they are in the cache (256 KB of float64). A multiple of 8.
_BLOCK = 1 << 15


def column_words(predicates: Sequence[Predicate], cells: ColumnValues) -> NDArray[np.uint64]:
    """Return where each predicate of a column holds, row by row and packed: (predicates, words)."""
    octets = octets_for(len(predicates), len(cells))
    if cells.codes is not None:
        for row, holds in zip(octets, _evaluate(predicates, cells), strict=True):
            _write(row, expand_to_rows(holds, cells.codes))
        return words_of(octets)
    for start in range(0, len(cells), _BLOCK):
        for row, holds in zip(octets, _evaluate(predicates, cells.take(slice(start, start + _BLOCK))), strict=True):
            _write(row[start // 8 :], holds)
    return words_of(octets)


def _write(octets: NDArray[np.uint8], bits: Bits) -> None:
    packed = np.packbits(bits, bitorder="little")
    octets[: len(packed)] = packed


def _evaluate(predicates: Sequence[Predicate], cells: ColumnValues) -> Iterator[Bits]:
    """Yield for each predicate where it holds, value by value: what `holds` says of each value."""
    categories = named_categories(predicates)
    code_of = {value: code for code, value in enumerate(categories)}
    codes = to_codes(cells, categories) if categories else np.empty(0, dtype=np.intp)
    ordered = any(isinstance(predicate, Interval) for predicate in predicates)
    numbers = to_numbers(cells) if ordered else np.empty(0)
    for predicate in predicates:
        match predicate:
            case Missing():
                yield cells.missing
            case Equals(value=value):
                yield codes == code_of[value]
            case OneOf(values=values):
                yield np.isin(codes, [code_of[value] for value in values])
            case Interval(low=low, high=high):
                # An unbounded side takes the infinity of that side too.
                yield (numbers <= high) & (numbers > low) if low > -np.inf else numbers <= high
