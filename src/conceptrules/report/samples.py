"""Rows to start from: made up from the rules, so that the file can travel; real ones only where asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as Choice

import numpy as np

from conceptrules.draw.appearance import shorten
from conceptrules.logic.probe_rows import deciding_rows
from conceptrules.model.evaluation import decide_fired, layers, pack, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value, holds
from conceptrules.model.text import word
from conceptrules.model.values import label_text
from conceptrules.report.form_fields import Field
from conceptrules.report.rule_list import rule_name
from conceptrules.report.sentences import LONGEST
from conceptrules.tables.prediction import predict
from conceptrules.tables.table import Table, read_row

OTHER = -1
_RULES = 5  # of a class, that are tried for a row
_REAL = 6  # right ones, and as many wrong ones

Raw = list[Value | None]


@dataclass(frozen=True, slots=True)
class Sample:
    """A row in the terms of the form."""

    title: str
    note: str
    values: tuple[float | None, ...]
    """For each column a number, or the place of a category among the options, -1 for any other; None is missing."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """What a made-up row shall show: this class answers, this rule of the last level holds, so many classes fire."""

    title: str
    note: str
    answer: int | None
    """The class; None for any."""
    rule: int | None = None
    fire: Choice["none", "one", "several", "any"] = "any"


def made_up(network: RuleNetwork, fields: Sequence[Field]) -> tuple[Sample, ...]:
    """Make up a row for each class and, where there can be one, for a rule that is often wrong, no class, several."""
    rows = [[row[column.name] for column in network.columns] for row in deciding_rows(network)]
    rows = rows or [[_typical(field) for field in fields]]
    seen = _Seen.of(network, rows)
    found: dict[str, Sample] = {}
    for wish in _wishes(network):
        places = seen.fitting(wish)
        if len(places) and wish.title not in found:
            calm = _calmed(network, fields, rows[int(places[0])], wish)
            found[wish.title] = Sample(wish.title, wish.note, _in_form(calm, fields))
    return tuple(found.values())


def real(network: RuleNetwork, fields: Sequence[Field], table: Table, y: Sequence[Value]) -> tuple[Sample, ...]:
    """Return rows of the table that got the right class and rows that got the wrong one, of as many kinds as can be."""
    answers = predict(network, table).tolist()
    kinds: dict[tuple[str, str], list[int]] = {}
    for place, (true, answer) in enumerate(zip(y, answers, strict=True)):
        kinds.setdefault((label_text(true), label_text(answer)), []).append(place)
    wrong = _in_turn([places for (true, answer), places in kinds.items() if true != answer])
    right = _in_turn([places for (true, answer), places in kinds.items() if true == answer])
    return tuple(_real(network, fields, table, place, y[place], answers[place]) for place in [*right, *wrong])


def _real(
    network: RuleNetwork, fields: Sequence[Field], table: Table, place: int, true: Value, answer: Value
) -> Sample:
    outcome = "right" if label_text(true) == label_text(answer) else "wrong"
    row = read_row(network.columns, table.take(np.array([place])))
    given = {column.name: value for column, value in zip(network.columns, row, strict=True)}
    values = [given[field.name] for field in fields]
    is_, said = (shorten(word(label), LONGEST) for label in (true, answer))
    note = f"A row of the data. Its class is {is_}; the model answers {said}."
    return Sample(f"Row {place + 1}, {outcome}: {is_}", note, _in_form(values, fields))


def _in_turn(kinds: Sequence[Sequence[int]]) -> list[int]:
    """Return the first of each kind, then the second of each, and so on."""
    longest = max(map(len, kinds), default=0)
    return [places[turn] for turn in range(longest) for places in kinds if turn < len(places)][:_REAL]


def _wishes(network: RuleNetwork) -> Iterator[_Wish]:
    top = len(network.levels) - 1
    for index in network.priority_indices:
        name = network.classes[index]
        rules = sorted(network.levels[top].concepts[index].rules, key=lambda rule: -_rows(network, rule))[:_RULES]
        title = shorten(word(name), LONGEST)
        for rule in rules:
            note = f"Made up: {rule_name(top, rule)} holds, and only {title} fires."
            yield _Wish(f"Answer {title}", note, index, rule, "one")
        for rule in rules:
            note = f"Made up: {rule_name(top, rule)} holds, and {title} wins."
            yield _Wish(f"Answer {title}", note, index, rule)
    for index, rule, right in _worst(network):
        number, title = rule_name(top, rule), shorten(word(network.classes[index]), LONGEST)
        note = f"Made up: {number} says {title}, but is right on only {right:.0%} of its training rows."
        yield _Wish(f"Often wrong, by {number}", note, index, rule)
    yield _Wish(
        "No class fires", "Made up: no class fires, so this is the answer for everything else.", None, None, "none"
    )
    note = "Made up: several classes fire, and the first of them wins."
    yield _Wish("Several classes fire", note, None, None, "several")


def _rows(network: RuleNetwork, rule: int) -> float:
    return sum(network.statistics.covered[-1][rule]) if network.statistics else 0.0


def _worst(network: RuleNetwork) -> list[tuple[int, int, float]]:
    """Return the class, the rule of the last level that is right least often, and how often."""
    if network.statistics is None:
        return []
    covered = network.statistics.covered[-1]
    shares = [
        (covered[rule][index] / sum(covered[rule]), index, rule)
        for index, concept in enumerate(network.levels[-1].concepts)
        for rule in concept.rules
        if sum(covered[rule])
    ]
    return [(index, rule, share) for share, index, rule in sorted(shares)[:1] if share < 0.99]


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What holds on some rows."""

    rules: np.ndarray
    fires: np.ndarray
    answers: np.ndarray

    @staticmethod
    def of(network: RuleNetwork, rows: Sequence[Raw]) -> _Seen:
        """Return what holds on raw rows."""
        bits = np.array([_bits(network, row) for row in rows], dtype=bool).reshape(len(rows), len(network.predicates))
        return _Seen.of_bits(network, bits)

    @staticmethod
    def of_bits(network: RuleNetwork, bits: np.ndarray) -> _Seen:
        """Return what holds on rows whose predicates are known."""
        hidden = layers(network, pack(bits))
        fires = unpack(hidden[-1])
        return _Seen(unpack(hidden[-2]), fires, decide_fired(network, fires))

    def fitting(self, wish: _Wish) -> np.ndarray:
        """Return the rows that show what is wished for."""
        count = self.fires.sum(axis=1)
        fits = {"none": count == 0, "one": count == 1, "several": count > 1, "any": count >= 0}[wish.fire]
        if wish.answer is not None:
            fits &= (self.answers == wish.answer) & self.rules[:, wish.rule]
        return np.flatnonzero(fits)


def _bits(network: RuleNetwork, row: Raw) -> list[bool]:
    values = {column.name: value for column, value in zip(network.columns, row, strict=True)}
    return [holds(predicate, values[predicate.column]) for predicate in network.predicates]


def _calmed(network: RuleNetwork, fields: Sequence[Field], row: Raw, wish: _Wish) -> Raw:
    """Return the row with a plain value wherever that leaves what it shall show as it is."""

    def fits(tried: Raw) -> bool:
        return len(_Seen.of(network, [tried]).fitting(wish)) > 0

    calm = _typical_where_it_can_be(fields, row, fits)
    for field in fields:
        better = (value for value in _plainer(field, calm[field.number]) if fits(_with(calm, field, value)))
        calm = _with(calm, field, next(better, calm[field.number]))
    return calm


def _typical_where_it_can_be(fields: Sequence[Field], row: Raw, fits: Callable[[Raw], bool]) -> Raw:
    """Make all columns typical if that fits, else one half of them after the other: few tries even for 500 columns."""
    tried = list(row)
    for field in fields:
        tried[field.number] = _typical(field)
    if fits(tried):
        return tried
    if len(fields) < 2:
        return row
    half = len(fields) // 2
    return _typical_where_it_can_be(fields[half:], _typical_where_it_can_be(fields[:half], row, fits), fits)


def _with(row: Raw, field: Field, value: Value | None) -> Raw:
    return [*row[: field.number], value, *row[field.number + 1 :]]


def _typical(field: Field) -> Value | None:
    if not field.ordered:
        return field.options[0] if field.options else None
    return _between(field, len(field.cuts) // 2)


def _plainer(field: Field, value: Value | None) -> list[Value]:
    """Return what would read better: any known value than none, the middle of a cell than its edge."""
    if not field.ordered:
        return [] if value in field.options else list(field.options[:6])
    if value is None or isinstance(value, str) or math.isnan(value):
        return [_between(field, cell) for cell in range(len(field.cuts) + 1)]
    middle = _between(field, sum(value > cut for cut in field.cuts))
    return [middle] if middle != value else []


def _between(field: Field, cell: int) -> float:
    """Return a number with few digits in this cell of the column."""
    stops = [field.ends[0], *field.cuts, field.ends[1]]
    low, high = stops[cell], stops[cell + 1]
    if not low < high:  # no room beyond the largest number
        return math.inf if cell else high
    middle = low / 2 + high / 2
    day = 86_400e6
    near = [math.floor(middle / day) * day, math.floor(high)] if field.kind != "number" else []
    if field.kind == "number" and all((2 * cut).is_integer() for cut in field.cuts):
        near = [round(middle), math.floor(high)]
    near += [float(f"{middle:.{digits}g}") for digits in range(1, 17)]
    return float(next((value for value in near if low < value <= high), high))


def _in_form(row: Sequence[Value | None], fields: Sequence[Field]) -> tuple[float | None, ...]:
    return tuple(_entered(field, row[field.number]) for field in fields)


def _entered(field: Field, value: Value | None) -> float | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if field.ordered:
        assert not isinstance(value, str)
        return float(value)
    return field.options.index(value) if value in field.options else OTHER
