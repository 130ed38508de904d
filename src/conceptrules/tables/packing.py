"""The predicates of one column on all its rows: a plain version that defines it, and the same straight into words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.evaluation import Bits, octets_for, words_of
from conceptrules.model.predicate import (
    Equals,
    Interval,
    Missing,
    OneOf,
    Predicate,
    Value,
    finite_bounds,
    named_categories,
)
from conceptrules.tables.column_values import ColumnValues, to_codes, to_numbers
from conceptrules.tables.dictionary import expand_to_rows

Octets = NDArray[np.uint8]
# So many rows are compared with all bounds while they are in the cache (256 KB of float64). A multiple of 8.
_BLOCK = 1 << 15


def column_bits(predicates: Sequence[Predicate], cells: ColumnValues) -> Bits:
    """Return where each predicate of a column holds, value by value: (predicates, values)."""
    bits = np.zeros((len(predicates), len(cells.values)), dtype=np.bool_)
    categories = named_categories(predicates)
    places = {value: place for place, value in enumerate(categories)}
    codes = to_codes(cells, categories) if categories else np.empty(0, dtype=np.intp)
    ordered = any(isinstance(predicate, Interval) for predicate in predicates)
    numbers = to_numbers(cells) if ordered else None
    for row, predicate in zip(bits, predicates, strict=True):
        match predicate:
            case Missing():
                row[:] = cells.missing
            case Equals(value=value):
                row[:] = codes == places[value]
            case OneOf(values=values):
                row[:] = np.isin(codes, [places[value] for value in values])
            case Interval(low=low, high=high):
                assert numbers is not None
                # As `holds` reads it: an unbounded side takes the infinity of that side too.
                row[:] = (numbers <= high) & ((low == -np.inf) | (numbers > low))
    return bits


def column_words(predicates: Sequence[Predicate], cells: ColumnValues) -> NDArray[np.uint64]:
    """Return `column_bits` row by row and packed: (predicates, words)."""
    if cells.values.dtype.kind != "O" and cells.codes is None:
        return words_of(_number_octets(predicates, cells))
    octets = octets_for(len(predicates), len(cells))
    for row, holds in zip(octets, column_bits(predicates, cells), strict=True):
        _write(row, holds if cells.codes is None else expand_to_rows(holds, cells.codes))
    return words_of(octets)


def _write(octets: Octets, bits: Bits) -> None:
    packed = np.packbits(bits, bitorder="little")
    octets[: len(packed)] = packed


def _number_octets(predicates: Sequence[Predicate], cells: ColumnValues) -> Octets:
    """Return the octets of a column of numbers, booleans, dates or durations: one comparison for each bound."""
    octets, missing = octets_for(len(predicates), len(cells)), octets_for(1, len(cells))[0]
    _write(missing, cells.missing)
    present = octets_for(1, len(cells))[0]
    _write(present, ~cells.missing)
    bounds = finite_bounds(predicates)
    up_to = dict(zip(bounds, _compare_with_bounds(bounds, cells), strict=True))
    for row, predicate in zip(octets, predicates, strict=True):
        match predicate:
            case Missing():
                row[:] = missing
            case Equals(value=value):
                _write(row, _find_equal(cells.values, value))
            case OneOf(values=values):
                _write(row, np.logical_or.reduce([_find_equal(cells.values, value) for value in values]))
            case Interval(low=low, high=high):
                above = ~up_to[low] if low in up_to else present
                np.bitwise_and(up_to.get(high, present), above, out=row)
                np.bitwise_and(row, present, out=row)
    return octets


def _compare_with_bounds(bounds: Sequence[float], cells: ColumnValues) -> Octets:
    """Return where the values are at most each bound, (bounds, octets); on missing values, anything."""
    octets = octets_for(len(bounds), len(cells))
    values = cells.values.view(np.int64) if cells.values.dtype.kind in "mM" else cells.values
    for start in range(0, len(values) if bounds else 0, _BLOCK):
        numbers = values[start : start + _BLOCK].astype(np.float64)
        for row, bound in zip(octets, bounds, strict=True):
            _write(row[start // 8 :], numbers <= bound)
    return octets


def _find_equal(values: NDArray[Any], value: Value) -> Bits:
    """Return what Python's `==` says, number by number; NumPy would round the value to the type of the column."""
    never = np.zeros(len(values), dtype=np.bool_)
    if isinstance(value, str) or values.dtype.kind in "mM":
        return never
    try:
        near = float(value) if values.dtype.kind == "f" else int(value)
    except OverflowError:
        return never
    if near != value or (values.dtype.kind == "b" and near not in (0, 1)):
        return never
    return np.asarray(values == (np.float64(near) if isinstance(near, float) else near))
