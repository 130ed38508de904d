"""Rows recognised by their hashes, so that a report can tell training rows from new ones without holding any row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Column
from conceptrules.model.values import label_text
from conceptrules.tables.column_values import ColumnValues, check_readable, numbers_of
from conceptrules.tables.dictionary import encoded
from conceptrules.tables.table import Table, open_table, positions

Hashes = NDArray[np.uint64]
SIZE = 1024  # 8 kB in the file; an estimated share is off by about 0.03 where a sample holds 1024 of the given rows


def row_hashes(columns: Sequence[Column], table: Any, labels: Iterable[object]) -> Hashes:
    """Return a hash of each row with its label: of values as `columns` read them, whatever kind of table holds them.

    The hashes are the same in every process and on every machine.

    >>> row_hashes([Column("age")], [[30], [30.0]], ["old", "old"]).tolist()
    [12687542544355078247, 12687542544355078247]
    """
    opened, hashes = open_table(table), label_hashes(labels)
    if len(hashes) != opened.rows:
        raise InputError(f"the table has {opened.rows} rows, but there are {len(hashes)} labels; give one for each row")
    return labelled_row_hashes(columns, opened, hashes)


def label_hashes(labels: Iterable[object]) -> Hashes:
    """Return a hash of each label."""
    return _each(_listed(labels), label_text)


def labelled_row_hashes(columns: Sequence[Column], opened: Table, hashes: Hashes) -> Hashes:
    """Return what `row_hashes` does of rows the hashes of whose labels are known."""
    for column, position in zip(columns, positions(columns, opened), strict=True):
        if opened.rows:
            cells = opened.cells(position)
            check_readable(cells, column)
            hashes = _mixed(hashes * np.uint64(31) + cells.by_row(_cell_hashes(column, cells)))
    return hashes


def sketch(hashes: Hashes, size: int = SIZE) -> tuple[int, ...]:
    """Return the smallest of the distinct hashes, sorted: a sample of the rows that depends on nothing but the rows."""
    return tuple(np.unique(hashes)[:size].tolist())


def overlap(sketch: Sequence[int], distinct: int, hashes: Hashes) -> tuple[float, int] | None:
    """Return the share of rows that the sketch was made of, and how many rows tell; None if none does.

    A sketch of all `distinct` hashes tells of every row, another of the rows whose hash is in its range.
    """
    if not len(hashes) or not distinct:
        return None
    known = np.array(sketch, dtype=np.uint64)
    if len(known) < distinct:
        hashes = hashes[hashes <= known.max()] if len(known) else hashes[:0]
    return (float(np.isin(hashes, known).mean()), len(hashes)) if len(hashes) else None


def _listed(labels: Iterable[Any]) -> list[Any]:
    listed: list[Any] = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    return listed


def _cell_hashes(column: Column, cells: ColumnValues) -> Hashes:
    if column.ordered:
        numbers = numbers_of(cells) + 0.0  # 0 of -0
        numbers[cells.missing] = np.nan  # of all the ways to write NaN, one
        return _mixed(numbers.view(np.uint64))
    if cells.values.dtype != object:
        codes, values = encoded(cells.values)
        return _each(values.tolist(), _category_text)[codes]
    return _each(cells.values.tolist(), _category_text)


def _category_text(value: Any) -> str:
    """Return a text that is the same for 1, 1.0 and True, but another for the text 1."""
    if value is None or value != value:  # noqa: PLR0124
        return "missing"
    if isinstance(value, str):
        return f"text {value}"
    return f"number {value!r}" if isinstance(value, float) and not value.is_integer() else f"number {int(value)}"


def _each(values: list[Any], text: Callable[[Any], str]) -> Hashes:
    """Return the hash of the text of each value; each different value is hashed once."""
    known = {value: _hash(text(value)) for value in set(values)}
    return np.fromiter(map(known.__getitem__, values), dtype=np.uint64, count=len(values))


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _mixed(hashes: Hashes) -> Hashes:
    """Return hashes every bit of which depends on every bit given (the finaliser of SplitMix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))
