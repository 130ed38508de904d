"""Rows made from a network itself, to try it on: every cut point and category, every rule firing and just failing.

A column's values fall into cells on which all predicates agree; a set of cells is an integer with a bit for each. The
solver finds the cells that make a node hold, and a row is drawn out of them at random.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random

from conceptrules.logic.column_cells import ColumnCells
from conceptrules.logic.solver import CellFormulas, Undecided
from conceptrules.model.derived import Derivation, Mention, Relation
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import (
    Column,
    Kind,
    Predicate,
    Value,
    finite_bounds,
    named_categories,
)

Row = dict[str, Value | None]
CellMasks = Mapping[str, int]

_WORK = 100_000  # parts of formulas to look at for one row; beyond that the node is left to chance
_DAY = 86_400e6
# Python's datetimes, less a day at each end for float64 to round into; whole numbers that float64 can hold.
_SPAN: dict[Kind, tuple[float, float]] = {
    "date": (-719_161 * _DAY, 2_932_895 * _DAY),
    "datetime": (-719_161 * _DAY, 2_932_895 * _DAY),
    "duration": (-(2.0**53), 2.0**53),
}
_LEAST, _MOST = -(2**63), 2**63 - 1


def covering_rows(network: RuleNetwork, limit: int = 10_000) -> list[Row]:
    """Return rows that try every part of a network; they are the same each time.

    A row has a value for each column, as `Column` reads it, and None where it is missing. At first come the rows that
    make each rule hold and fail by one literal, each class be the answer, and each value of each column occur; then, up
    to `limit` rows in all, each value of a column where the rule that tests it would hold, and rows at random. What no
    row can be (a rule that contradicts itself) is left out.
    """
    search = _RowSearch(network)
    rows: dict[tuple[object, ...], Row] = {}
    for row in _list_deciding(network, search):
        rows.setdefault(_key_of(row), row)
    for name, values in search.values.items():
        for cell in range(len(values)):
            row = search.draw_row({**search.full, name: 1 << cell})
            rows.setdefault(_key_of(row), row)
    derived = any(column.derivation is not None for column in network.columns)
    possible = limit if derived else math.prod(map(len, search.values.values()))
    more = islice(_vary_rows(network, search), (1 if derived else 4) * limit)  # rows at random repeat themselves
    while len(rows) < min(limit, possible) and (extra := next(more, None)) is not None:
        rows.setdefault(_key_of(extra), extra)
    return list(rows.values())


class _RowSearch:
    """The values of each column in use, where each predicate holds among them, and the search for rows."""

    def __init__(self, network: RuleNetwork) -> None:
        self.network, self.random = network, Random(0)
        used = network.used_columns
        tests = {name: [network.predicates[index] for index in indices] for name, indices in used.items()}
        cells = {
            column.name: ColumnCells(column, tuple(probe_values(column, tests[column.name])))
            for column in network.columns
            if column.name in used
        }
        self.values = {name: column.values for name, column in cells.items()}
        self.full = {name: (1 << len(values)) - 1 for name, values in self.values.items()}
        self.pool = CellFormulas(cells, sys.maxsize)
        self.layers = self.pool.layers(network)
        self._sources = {
            column.name: _values_of_source(column)
            for column in network.own_columns
            if any(column.name in each.derivation.columns for each in network.columns if each.derivation)
        }
        self._allowed: dict[tuple[str, int], list[Value | None]] = {}

    def draw_row(self, cells: CellMasks) -> Row:
        """Return a row out of these cells."""
        row: Row = dict.fromkeys(column.name for column in self.network.columns)
        row |= {name: self.random.choice(values) for name, values in self._sources.items()}
        for name, mask in cells.items():
            if (name, mask) not in self._allowed:
                bits = f"{mask:b}"[::-1]  # shifting a long number once for each value would take the square of the time
                pairs = zip(self.values[name], bits, strict=False)
                self._allowed[name, mask] = [value for value, bit in pairs if bit == "1"]
            row[name] = self.random.choice(self._allowed[name, mask])
        for column in self.network.columns:
            if column.derivation is not None:
                value = row.pop(column.name)
                if column.name in cells and self.random.random() < 0.8:
                    self._suit(row, column.derivation, value)
        return row

    def _suit(self, row: Row, derivation: Derivation, value: Value | None) -> None:
        """Change what a derived column is worked out from, so that it holds about this value."""
        name = derivation.columns[0]
        if isinstance(derivation, Relation):
            right = row[derivation.right]
            if value is None or not isinstance(right, float) or not math.isfinite(right):
                row[name] = None if value is None else row[name]
            elif derivation.operator == "<":
                row[name] = right - 1.0 if value else right
            else:
                row[name] = float(value) + right if derivation.operator == "-" else float(value) * right
        elif isinstance(derivation, Mention):
            row[name] = f"{row[name] or ''} {self.random.choice(derivation.terms).upper()}!" if value else row[name]
        elif value is None or 0 <= float(value) < 1000:
            row[name] = None if value is None else (str(row[name] or "") + "é" * 1000)[: int(value)]

    def find_row(self, formulas: Iterable[int]) -> list[Row]:
        """Return a row that makes the formulas true, in a list; an empty list if none is found."""
        cells = self.find_cells(formulas)
        return [] if cells is None else [self.draw_row(cells)]

    def find_cells(self, formulas: Iterable[int]) -> CellMasks | None:
        """Return cells of all columns whose rows make the formulas true; None if there are none, or it takes long."""
        self.pool.work = _WORK
        try:
            cells = self.pool.find_cells(formulas)
        except Undecided:
            return None
        finally:
            self.pool.work = sys.maxsize  # what is built between questions does not count
        return None if cells is None else self.full | cells


def _list_deciding(network: RuleNetwork, search: _RowSearch) -> Iterator[Row]:
    """Yield each rule as it holds and as it just fails, each class as the answer, and a row on which none fires."""
    for depth, level in enumerate(network.levels):
        for rule in level.rules:
            literals = search.pool.signed(search.layers[2 * depth], rule.literals)
            yield from search.find_row(literals)
            for number, literal in enumerate(literals):
                yield from search.find_row([*literals[:number], search.pool.negate(literal), *literals[number + 1 :]])
    fires = [search.layers[-1][index] for index in network.priority_indices]
    silent = [search.pool.negate(formula) for formula in fires]
    for rank, formula in enumerate(fires):
        yield from search.find_row([formula, *silent[:rank]])
        yield from search.find_row([formula, *fires[rank + 1 :][:1]])
    yield from search.find_row(silent)


def _vary_rows(network: RuleNetwork, search: _RowSearch) -> Iterator[Row]:
    """Yield for each rule a row on which it holds, with each value of each column that matters; then rows at random."""
    for depth, level in enumerate(network.levels):
        for index in range(len(level.rules)):
            cells = search.find_cells([search.layers[2 * depth + 1][index]]) or {}
            for name in [name for name in cells if cells[name] != search.full[name]]:
                for cell in range(len(search.values[name])):
                    yield search.draw_row({**cells, name: 1 << cell})
    while search.values:
        yield search.draw_row(search.full)


def _key_of(row: Row) -> tuple[object, ...]:
    """Return a key that differs for 0 and -0, and for NaN and None."""
    return tuple(map(repr, row.values()))


# Values to try a column with


def _values_of_source(column: Column) -> list[Value | None]:
    """Return values of a column that others are worked out from."""
    if column.kind == "text":
        return ["", "Not good.", "not  GOOD, refund", "❤️ 7x", "re-fund\tnot\ngood", "never seen", None]
    if column.kind == "number":
        return [0.0, -0.0, 1.0, -2.5, 40.0, 1e6, math.inf, -math.inf, None]
    return [0.0, _DAY, 40 * _DAY, None]


def probe_values(column: Column, predicates: Sequence[Predicate]) -> list[Value | None]:
    """Return values on all sides of all the predicates of a column, and what could be taken for one of its categories.

    None comes last.

    >>> probe_values(Column("ok", "boolean"), [])
    [True, False, None]
    """
    if column.kind == "number":
        ends = (-math.inf, math.inf)
        around = {near for bound in finite_bounds(predicates) for near in (bound, *_neighbours(bound))}
        return [*sorted(around | {0.0, 1.0, *ends}), -0.0, math.nan, None]
    if column.ordered:
        return [*_moments_around(finite_bounds(predicates), column.kind), None]
    if column.kind == "boolean":
        return [True, False, None]
    return [*_categories_around(column, named_categories(predicates)), None]


def _neighbours(number: float) -> tuple[float, float]:
    return math.nextafter(number, -math.inf), math.nextafter(number, math.inf)


def _moments_around(bounds: Sequence[float], kind: Kind) -> list[float]:
    """Return whole microseconds around the bounds, since tables hold nothing finer."""
    low, high = _SPAN[kind]
    around = {0.0, low, high}
    for bound in bounds:
        if low <= bound <= high:
            floor = float(math.floor(bound))
            below, above = _neighbours(floor)
            around |= {floor, math.floor(below), math.ceil(above), floor - 1, floor + 1}
    return [float(value) for value in sorted(around) if low <= value <= high]


def _categories_around(column: Column, named: Sequence[Value]) -> list[Value]:
    """Return the categories, then values that are not among them but could be taken for them.

    Texts with other case or with blanks at the end are equal in some databases. Numbers stay within 64 bits if all the
    categories are whole numbers within them.
    """
    known: dict[Value, None] = dict.fromkeys([*named, *column.categories])
    first = next(iter([*column.categories, *named]), "")
    if isinstance(first, str):
        words = [value for value in known if isinstance(value, str)]
        alike = [near for text in words if text in named for near in (text + " ", text.upper(), text.lower())]
        return [*words, *(near for near in dict.fromkeys([*alike, "never seen", ""]) if near not in known)]
    numbers = [value for value in known if not isinstance(value, str)]
    near_numbers: list[int | float] = [value + step for value in numbers for step in (-1, 1)]
    if not all(isinstance(value, int) for value in numbers):
        near_numbers = [*(number for number in near_numbers if math.isfinite(number)), 0.5]
    elif all(_LEAST <= value <= _MOST for value in numbers):
        near_numbers = [number for number in near_numbers if _LEAST <= number <= _MOST]
    return [*numbers, *(value for value in near_numbers if value not in known)]
