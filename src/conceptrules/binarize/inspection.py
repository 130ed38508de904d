"""What a person would want to know about a table before learning from it, found while its columns are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.predicate import Column
from conceptrules.model.text import plural, word
from conceptrules.tables.column_values import ColumnValues, codes_of, numbers_of
from conceptrules.tables.table import Table

Topic = Choice["leak", "identifier", "date", "constant", "categories", "duplicate", "class"]
_MANY = 100  # categories; a rule that names one of so many says little about the others
_HANDFUL = 10  # rows of a class: fewer than that are too few to learn it, or to tell whether it was learned
_LOOKED_AT = 1_000  # rows, evenly spread, that columns must share before all rows are compared


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about a table that is worth a look before learning from it."""

    topic: Topic
    """What it is about: a copy of the target ("leak"), "identifier", "date", "constant", "categories", "duplicate" or
    "class"."""
    columns: tuple[str, ...]
    """The columns that it is about; none if it is about classes."""
    text: str
    """What was found, in words."""

    def __str__(self) -> str:
        return f"{self.topic}: {self.text}"


def many_categories(column: Column, dropped: int) -> Finding | None:
    """Return that a column has very many categories, if so."""
    count = len(column.categories) + dropped
    if column.kind != "category" or count <= _MANY:
        return None
    return Finding("categories", (column.name,), f"column {column.name!r} has {count:,} categories")


def rare_classes(class_rows: Mapping[Any, int]) -> Iterator[Finding]:
    """Yield the classes that have only a handful of rows."""
    for label, rows in class_rows.items():
        if 0 < rows < _HANDFUL:
            yield Finding("class", (), f"class {word(label)} has only {plural(rows, 'row')}")


def sample(cells: ColumnValues, column: Column) -> bytes | None:
    """Return what some rows of a column hold, evenly spread, so that equal columns have equal samples.

    None of a column whose categories are nearly all different: any two of these would be alike.
    """
    if not column.ordered and len(column.categories) * 2 > len(cells):
        return None
    rows = slice(None, None, max(1, len(cells) // _LOOKED_AT))
    if cells.codes is None:
        some = replace(cells, values=cells.values[rows], missing=cells.missing[rows])
    else:
        some = replace(cells, codes=cells.codes[rows])
    return _rows(some, column).tobytes()


def duplicates(table: Table, samples: Mapping[Column, bytes | None]) -> Iterator[Finding]:
    """Yield the columns that hold on every row what an earlier one holds; the names of categories may differ."""
    alike: dict[bytes, list[Column]] = {}
    for column, held in samples.items():
        if held is None:
            continue
        others = alike.setdefault(held, [])
        first = next((one for one in others if np.array_equal(_all(table, one), _all(table, column), True)), None)
        if first is None:
            others.append(column)
        else:
            names = first.name, column.name
            yield Finding("duplicate", names, f"columns {names[0]!r} and {names[1]!r} say the same on every row")


def _all(table: Table, column: Column) -> NDArray[np.float64]:
    return _rows(table.cells(table.names.index(column.name)), column)


def _rows(cells: ColumnValues, column: Column) -> NDArray[np.float64]:
    """Return categories in the order in which they appear, so that f, m and 0, 1 are alike, and numbers as they are.

    A few numbers on many rows are categories too, such as the years of school beside the school.
    """
    rows = cells.by_row(numbers_of(cells) if column.ordered else codes_of(cells, column.categories))
    distinct, first, codes = np.unique(rows, return_index=True, return_inverse=True)
    if column.ordered and (len(distinct) > _MANY or len(distinct) * 10 > len(rows)):
        return rows + 0.0  # -0.0 is 0.0
    return np.argsort(np.argsort(first))[codes].astype(np.float64)
