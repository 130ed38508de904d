"""Rows made from a network itself, to try it on: every cut point and category, every rule firing and just failing.

A column's values fall into cells that no predicate tells apart; a set of cells is an integer with a bit for each. A row
that makes a node hold is found by going down from the node, and each wish narrows the cells that are left.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from conceptrules.logic.probe_values import probe_values
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import (
    Column,
    Interval,
    Predicate,
    Value,
    holds,
)

Row = dict[str, Value | None]
CellMasks = Mapping[str, int]
Wish = tuple[int, int, bool]
"""A node of h(layer) that is to have a value: (layer, index, value). Predicates are layer 0."""

# Linked lists, since the branches of a search share their ends.
_Chain = tuple[Wish, "_Chain"] | None
_Choices = tuple[list[Wish], "_Choices"] | None
_Open = tuple[_Chain, _Choices, CellMasks]

_STEPS = 5_000  # of the search for one row; beyond that the node is left to chance


def covering_rows(network: RuleNetwork, limit: int = 10_000) -> list[Row]:
    """Return rows that try every part of a network; they are the same each time.

    A row has a value for each column, as `Column` reads it, and None where it is missing. At first come the rows that
    make each rule hold and fail by one literal, each class be the answer, and each value of each column occur; then, up
    to `limit` rows in all, each value of a column where the rule that tests it would hold, and rows at random. What no
    row can be (a rule that contradicts itself) is left out.
    """
    space = _space(network)
    found: dict[tuple[object, ...], Row] = {}
    needed = [*_decisive(network, space), *_each_value(space)]
    for row in needed:
        found.setdefault(_key(row), row)
    possible = math.prod(len(values) for values in space.values.values())
    more = islice(_more(network, space), 4 * limit)  # rows at random repeat themselves
    while len(found) < min(limit, possible) and (extra := next(more, None)) is not None:
        found.setdefault(_key(extra), extra)
    return list(found.values())


def deciding_rows(network: RuleNetwork) -> list[Row]:
    """Return the first of `covering_rows`: each rule as it holds and as it just fails, each class as the answer."""
    return list(_decisive(network, _space(network)))


@dataclass(slots=True)
class _Space:
    """The values of each column in use, and where each predicate holds among them."""

    columns: tuple[Column, ...]
    values: dict[str, list[Value | None]]
    holds: list[int]
    network: RuleNetwork
    random: Random = field(default_factory=lambda: Random(0))
    full: dict[str, int] = field(default_factory=dict)
    known: dict[tuple[str, int], list[Value | None]] = field(default_factory=dict)
    """The values of sets of cells that were asked for."""

    def row(self, cells: CellMasks) -> Row:
        """Return a row out of these cells."""
        row: Row = dict.fromkeys(column.name for column in self.columns)
        for name, mask in cells.items():
            row[name] = self.random.choice(self._allowed(name, mask))
        return row

    def _allowed(self, name: str, mask: int) -> list[Value | None]:
        if (name, mask) not in self.known:
            values = self.values[name]
            bits = f"{mask:b}"[::-1]  # shifting a long number once for each value would take the square of the time
            self.known[name, mask] = [value for value, bit in zip(values, bits, strict=False) if bit == "1"]
        return self.known[name, mask]


def _space(network: RuleNetwork) -> _Space:
    wanted, used = set(network.used_predicates), network.used_columns
    values = {
        column.name: probe_values(column, [network.predicates[index] for index in used[column.name]])
        for column in network.columns
        if column.name in used
    }
    rising = {name: _rising(some) for name, some in values.items()}
    places = [
        _places(predicate, values[predicate.column], rising[predicate.column]) if index in wanted else 0
        for index, predicate in enumerate(network.predicates)
    ]
    full = {name: (1 << len(some)) - 1 for name, some in values.items()}
    return _Space(network.columns, values, places, network, full=full)


def _rising(values: Sequence[Value | None]) -> list[float]:
    """Return the numbers that the values begin with, as long as they rise."""
    numbers: list[float] = []
    for value in values:
        if not isinstance(value, float) or not (not numbers or numbers[-1] < value):
            break
        numbers.append(value)
    return numbers


def _places(predicate: Predicate, values: Sequence[Value | None], rising: Sequence[float]) -> int:
    """Return where a predicate holds, with a bit for each value.

    In numbers that rise, an interval is looked up: thousands of cut points make millions of pairs with the values.
    """
    found, start = 0, 0
    if isinstance(predicate, Interval):
        start = len(rising)
        first = 0 if predicate.low == -math.inf else bisect_right(rising, predicate.low)
        found = (1 << bisect_right(rising, predicate.high)) - (1 << first)
    return found | sum(holds(predicate, value) << place for place, value in enumerate(values[start:], start))


def _decisive(network: RuleNetwork, space: _Space) -> Iterator[Row]:
    """Yield each rule as it holds and as it just fails, each class as the answer, and a row on which none fires."""
    for level, index in _rules(network):
        yield from _tried(space, [(2 * level + 1, index, True)])
        wishes = _literal_wishes(network, level, index)
        for place, (layer, node, value) in enumerate(wishes):
            yield from _tried(space, [*wishes[:place], (layer, node, not value), *wishes[place + 1 :]])
    top = 2 * len(network.levels)
    order = network.priority_indices
    for place, index in enumerate(order):
        yield from _tried(space, [(top, index, True), *((top, other, False) for other in order[:place])])
        yield from _tried(space, [(top, index, True), *((top, other, True) for other in order[place + 1 :][:1])])
    yield from _tried(space, [(top, index, False) for index in order])


def _each_value(space: _Space) -> Iterator[Row]:
    for name, values in space.values.items():
        for place in range(len(values)):
            yield space.row({**space.full, name: 1 << place})


def _more(network: RuleNetwork, space: _Space) -> Iterator[Row]:
    for level, index in _rules(network):
        cells = _found(space, [(2 * level + 1, index, True)])
        if cells is not None:
            yield from _varied(space, cells)
    while space.values:
        yield space.row(space.full)


def _varied(space: _Space, cells: CellMasks) -> Iterator[Row]:
    """Yield the row with each value of each column that matters to it."""
    for name in [name for name in cells if cells[name] != space.full[name]]:
        for place in range(len(space.values[name])):
            yield space.row({**cells, name: 1 << place})


def _rules(network: RuleNetwork) -> Iterator[tuple[int, int]]:
    for number, level in enumerate(network.levels):
        for index in range(len(level.rules)):
            yield number, index


def _literal_wishes(network: RuleNetwork, level: int, index: int) -> list[Wish]:
    return [_wish(literal, 2 * level) for literal in network.levels[level].rules[index].literals]


def _wish(literal: Literal, layer: int) -> Wish:
    return layer, literal.index, not literal.negated


def _tried(space: _Space, wishes: Sequence[Wish]) -> Iterator[Row]:
    cells = _found(space, wishes)
    if cells is not None:
        yield space.row(cells)


def _found(space: _Space, wishes: Sequence[Wish]) -> CellMasks | None:
    """Return cells of all columns whose rows fulfil the wishes; None if there are none, or the search is too long."""
    stack: list[_Open] = [(_chained(wishes, None), None, space.full)]
    for _ in range(_STEPS):
        if not stack:
            return None
        sure, choices, cells = stack.pop()
        if sure is not None:
            stack += _settle(space, sure, choices, cells)
        elif choices is not None:
            options, choices = choices
            met = any(_is_met(space, wish, cells) for wish in options)
            stack += (
                [((wish, None), choices, cells) for wish in reversed(options)] if not met else [(None, choices, cells)]
            )
        else:
            return cells
    return None


def _settle(space: _Space, sure: _Chain, choices: _Choices, cells: CellMasks) -> list[_Open]:
    """Settle one wish: it narrows the cells, comes down to wishes on the layer below, or to a choice."""
    assert sure is not None
    (layer, index, value), rest = sure
    if layer == 0:
        name = space.network.predicates[index].column
        left = cells[name] & (space.holds[index] if value else ~space.holds[index])
        return [(rest, choices, {**cells, name: left})] if left else []
    below, needs_all = _below(space.network, layer, index, value)
    return [(_chained(below, rest), choices, cells)] if needs_all else [(rest, (below, choices), cells)]


def _is_met(space: _Space, wish: Wish, cells: CellMasks) -> bool:
    """Return whether a wish on a predicate asks for nothing more, so that there is no need to try it."""
    layer, index, value = wish
    if layer:
        return False
    left = cells[space.network.predicates[index].column]
    return not left & (~space.holds[index] if value else space.holds[index])


def _chained(wishes: Sequence[Wish], rest: _Chain) -> _Chain:
    for wish in reversed(wishes):
        rest = (wish, rest)
    return rest


def _below(network: RuleNetwork, layer: int, index: int, value: bool) -> tuple[list[Wish], bool]:
    """Return what a wish comes down to one layer lower, and whether all of that is needed or any one of it."""
    level = network.levels[(layer - 1) // 2]
    if layer % 2 == 0:
        return [(layer - 1, rule, value) for rule in level.concepts[index].rules], not value
    literals = [_wish(literal, layer - 1) for literal in level.rules[index].literals]
    return (literals, True) if value else ([(low, node, not wanted) for low, node, wanted in literals], False)


def _key(row: Row) -> tuple[object, ...]:
    """Return a key that tells 0 from -0 and NaN from None."""
    return tuple(map(repr, row.values()))
