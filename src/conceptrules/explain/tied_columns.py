"""What a row could say in columns that relations and words tie to one another.

One changes `debt` or `income`, not `debt / income`. So an option of tied columns is a change of one of them, and says
what all predicates hold then. A text may lose words; no text is ever invented.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from conceptrules.explain.column_options import Option, list_cells
from conceptrules.model.derived import Derivation, Mention, Relation, derive, find_spans
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Interval, Predicate, Value, finite_bounds, holds
from conceptrules.model.text import value_text, word

_LONG = 8
"""Characters of a number that people would not choose."""
Values = Mapping[str, Value | None]
Used = Sequence[tuple[int, tuple[Predicate, ...]]]
"""The numbers of used columns, with their predicates."""


@dataclass(frozen=True, slots=True)
class ColumnOption:
    """A change of one column, or none."""

    column: Column
    option: Option
    """What the column says then, and which predicates of all tied columns hold."""


def group_columns(network: RuleNetwork, used: Used) -> list[list[int]]:
    """Return the places of used columns that change together: those that are worked out from a column, and itself."""
    groups: list[tuple[set[str], list[int]]] = []
    for position, (index, _) in enumerate(used):
        names, positions = set(_list_sources(network.columns[index])), [position]
        for group in [group for group in groups if group[0] & names]:
            groups.remove(group)
            names, positions = names | group[0], [*group[1], *positions]
        groups.append((names, positions))
    return sorted((sorted(places) for _, places in groups), key=min)


def mark_texts(network: RuleNetwork, row: Sequence[Value | None]) -> tuple[str, ...]:
    """Return the free texts of a row, with the words in brackets that rules ask about."""
    marked = []
    used = [column.derivation for column in network.asked_derived]
    for column, value in zip(network.columns, row, strict=True):
        mentions = (each for each in used if isinstance(each, Mention) and each.column == column.name)
        terms = [term for mention in mentions for term in mention.terms]
        if terms and isinstance(value, str):
            ends = [0, *(end for span in find_spans(value, terms) for end in span), len(value)]
            parts = [value[start:end] for start, end in pairwise(ends)]
            parts[1::2] = [f"[{part}]" for part in parts[1::2]]
            marked.append(f"{word(column.name)}: {''.join(parts)}")
    return tuple(marked)


def is_tied(network: RuleNetwork, used: Used) -> bool:
    """Return whether some of these columns are worked out from others."""
    return any(network.columns[index].derivation is not None for index, _ in used)


def list_tied_options(network: RuleNetwork, used: Used, values: Values, frozen: frozenset[str]) -> list[ColumnOption]:
    """Return what a row could say in tied columns, one of them changed at a time; what it says now comes first.

    Then come the options that flip fewest predicates, and of these the nearest.
    """
    names = {name for index, _ in used for name in _list_sources(network.columns[index])}
    sources = [column for column in network.own_columns if column.name in names]

    def find_bits(row: Values) -> tuple[bool, ...]:
        columns = ((network.columns[index], predicates) for index, predicates in used)
        read = ((_read(column, row), predicates) for column, predicates in columns)
        return tuple(holds(predicate, value) for value, predicates in read for predicate in predicates)

    now = find_bits(values)
    options = [ColumnOption(sources[0], Option(values[sources[0].name], "", None, now))]
    for column in sources:
        if column.name not in frozen:
            for option in _list_changes(network, column, used, values):
                changed = replace(option, bits=find_bits({**values, column.name: option.value}))
                options.append(ColumnOption(column, changed))
    distinct: dict[tuple[bool, ...], ColumnOption] = {}

    def measure(each: ColumnOption) -> tuple[int, bool, float]:
        before, after = values[each.column.name], each.option.value
        flips = sum(a != b for a, b in zip(now, each.option.bits, strict=True))
        if not isinstance(before, float) or not isinstance(after, float):
            return flips, after is None, 0.0
        odd = after < 0 <= before or len(repr(after)) > _LONG  # below 0 many columns cannot be
        return flips, odd, abs(after - before) / (1 + abs(before)) if after != before else 0.0

    for each in sorted(options, key=measure):
        distinct.setdefault(each.option.bits, each)
    return list(distinct.values())


def _list_sources(column: Column) -> tuple[str, ...]:
    return (column.name,) if column.derivation is None else column.derivation.columns


def _read(column: Column, row: Values) -> Value | None:
    derivation = column.derivation
    return row[column.name] if derivation is None else derive(derivation, [row[name] for name in derivation.columns])


def _list_changes(network: RuleNetwork, column: Column, used: Used, values: Values) -> Iterator[Option]:
    tests = [
        (network.columns[index].derivation, predicates)
        for index, predicates in used
        if column.name in _list_sources(network.columns[index])
    ]
    if column.kind == "text":
        yield from _leave_words_out(column, values[column.name], [derivation for derivation, _ in tests])
        return
    cuts = {cut for derivation, predicates in tests for cut in _list_cuts(column, derivation, predicates, values)}
    bounds = [Interval(column.name, high=cut) for cut in sorted(cuts) if math.isfinite(cut)]
    for option in list_cells(column, bounds, values[column.name], False):
        yield replace(option, text=value_text(column, option.value), sample=None)


def _list_cuts(
    column: Column, derivation: Derivation | None, predicates: Sequence[Predicate], values: Values
) -> Iterator[float]:
    """Yield where the predicates on a column, or on what is worked out from it, begin or cease to hold."""
    if not isinstance(derivation, Relation):
        yield from finite_bounds(predicates)
        return
    is_left = derivation.left == column.name
    other = values[derivation.right if is_left else derivation.left]
    if not isinstance(other, float):
        return
    if derivation.operator == "/" and not is_left:
        yield from (-1.0, 0.0)
    if derivation.operator == "<":
        yield from (math.nextafter(other, -math.inf), other)
    for cut in finite_bounds(predicates):
        if derivation.operator == "-":
            yield from _cut_below(cut + other if is_left else other - cut)
        elif is_left:
            yield from _cut_below(cut * other)
        elif cut:
            yield from (*_cut_below(other / cut), other / cut / 2)  # between the two it has the sign of the cut


def _cut_below(cut: float) -> tuple[float, ...]:
    """Return a cut, and such that a value just below it, and one with few digits, has a cell of its own.

    Where the relation falls as the column rises, a cell has its upper end in the cell above.
    """
    return cut, math.nextafter(cut, -math.inf), cut - max(abs(cut), 1.0) / 100


def _leave_words_out(column: Column, text: Value | None, derivations: Sequence[Derivation | None]) -> Iterator[Option]:
    """Yield the text without the words of a mention, or of all of them."""
    if not isinstance(text, str):
        return
    sets = [each.terms for each in derivations if isinstance(each, Mention)]
    sets += [(term,) for terms in sets for term in terms]
    sets.append(tuple(dict.fromkeys(term for terms in sets for term in terms)))
    for terms in dict.fromkeys(sets):
        spans = find_spans(text, terms)
        if spans:
            ends = [0, *(end for span in spans for end in span), len(text)]
            left = " ".join(filter(None, (text[a:b].strip() for a, b in zip(ends[::2], ends[1::2], strict=True))))
            words = " and ".join(dict.fromkeys(f'"{text[a:b]}"' for a, b in spans))
            yield Option(left, f"{word(column.name)} without {words}", None, ())
