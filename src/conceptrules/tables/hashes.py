"""Hashes of rows: they distinguish training rows from new ones, and count different rows, without keeping any row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.predicate import Column
from conceptrules.model.values import label_text
from conceptrules.tables.column_values import ColumnValues, encode_values, to_numbers
from conceptrules.tables.table import Table, list_labels, open_table, read_columns

Hashes = NDArray[np.uint64]
SKETCH_SIZE = (
    1024  # 8 kB in the file; an estimated share is off by about 0.03 where a sample holds 1024 of the given rows
)


def hash_rows(columns: Sequence[Column], table: Any, labels: Iterable[object]) -> Hashes:
    """Return a hash of each row with its label: of values as `columns` read them, whatever kind of table holds them.

    The hashes are the same in every process and on every machine.

    >>> hash_rows([Column("age")], [[30], [30.0]], ["old", "old"]).tolist()
    [12687542544355078247, 12687542544355078247]
    """
    opened = open_table(table)
    return hash_labelled_rows(columns, opened, hash_labels(list_labels(labels, opened.rows)))


def hash_labels(labels: Iterable[object]) -> Hashes:
    """Return a hash of each label."""
    return _hash_texts(list_labels(labels), label_text)


def hash_labelled_rows(columns: Sequence[Column], opened: Table, hashes: Hashes) -> Hashes:
    """Return what `hash_rows` does of rows the hashes of whose labels are known."""
    for column, cells in read_columns([column for column in columns if column.derivation is None], opened):
        hashes = _mix(hashes * np.uint64(31) + cells.by_row(_hash_cells(column, cells)))
    return hashes


def hash_cells(cells: ColumnValues) -> Hashes:
    """Return a hash of the value of each row."""
    return cells.by_row(_hash_cells(Column(cells.name, cells.family or "category"), cells))


def sketch(hashes: Hashes, size: int = SKETCH_SIZE) -> tuple[int, ...]:
    """Return the smallest of the distinct hashes, sorted: a sample of the rows that depends on nothing but the rows."""
    return tuple(np.unique(hashes)[:size].tolist())


def estimate_overlap(sketch: Sequence[int], distinct: int, hashes: Hashes) -> tuple[float, int] | None:
    """Return the share of rows that the sketch was made of, and how many rows could be judged; None if none could.

    With a sketch of all `distinct` hashes every row can be judged, otherwise the rows whose hash is in its range.
    """
    if not len(hashes) or not distinct:
        return None
    known = np.array(sketch, dtype=np.uint64)
    if len(known) < distinct:
        hashes = hashes[hashes <= known.max()] if len(known) else hashes[:0]
    return (float(np.isin(hashes, known).mean()), len(hashes)) if len(hashes) else None


def _hash_cells(column: Column, cells: ColumnValues) -> Hashes:
    if column.ordered:
        numbers = to_numbers(cells) + 0.0  # 0 of -0
        numbers[cells.missing] = np.nan  # of all the ways to write NaN, one
        return _mix(numbers.view(np.uint64))
    if cells.values.dtype != object:
        codes, values = encode_values(cells.values)
        return _hash_texts(values.tolist(), _category_text)[codes]
    return _hash_texts(cells.values.tolist(), _category_text)


def _category_text(value: Any) -> str:
    """Return a text that is the same for 1, 1.0 and True, but another for the text 1."""
    if value is None or value != value:  # noqa: PLR0124
        return "missing"
    if isinstance(value, str):
        return f"text {value}"
    return f"number {value!r}" if isinstance(value, float) and not value.is_integer() else f"number {int(value)}"


def _hash_texts(values: list[Any], text: Callable[[Any], str]) -> Hashes:
    """Return the hash of the text of each value; each different value is hashed once."""
    known = {value: hash_text(text(value)) for value in set(values)}
    return np.fromiter(map(known.__getitem__, values), dtype=np.uint64, count=len(values))


def hash_text(text: str) -> int:
    """Return a hash of a text, the same in every process and on every machine."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _mix(hashes: Hashes) -> Hashes:
    """Return hashes in which every bit depends on every bit before (the finaliser of SplitMix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))


MAX_KEPT = 1 << 16
"""With this many, the estimated number of different hashes is right to half a percent."""


@dataclass(slots=True, eq=False)
class SmallestHashes:
    """The smallest of the different hashes that were added, sorted."""

    kept: Hashes = field(default_factory=lambda: np.zeros(0, np.uint64))

    def add(self, hashes: Hashes) -> None:
        """Add hashes, in any order, of which some may be known already."""
        if len(self.kept) == MAX_KEPT:
            hashes = hashes[hashes < self.kept[-1]]
        if len(hashes):
            # NumPy's `unique` hashes whole numbers, which takes ten times as long as sorting where most are different.
            both = np.sort(np.concatenate([self.kept, hashes]))
            self.kept = both[np.append(True, both[1:] != both[:-1])][:MAX_KEPT].copy()

    @property
    def n_distinct(self) -> int:
        """How many different ones there are; an estimate where there are more than are kept."""
        return len(self.kept) if len(self.kept) < MAX_KEPT else round((MAX_KEPT - 1) * 2.0**64 / float(self.kept[-1]))
