"""The form of "try a row": what can be entered in each column, and rows to start from.

These rows are made up from the rules, so that the file can travel; they are real ones only where asked for.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest

import numpy as np
from numpy.typing import NDArray

from conceptrules.draw.appearance import shorten
from conceptrules.logic.column_cells import ColumnCells, cell_numbers, raw_value, unseen_category
from conceptrules.logic.probe_rows import covering_rows
from conceptrules.logic.solver import CellFormulas, Undecided
from conceptrules.model.card import output_names
from conceptrules.model.derived import Relation
from conceptrules.model.evaluation import layers_plain
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Kind, Predicate, Value, finite_bounds, holds, known_categories
from conceptrules.model.scoring import score_bits
from conceptrules.model.text import rule_name, value_word, word
from conceptrules.model.values import label_text
from conceptrules.report.sentences import LONGEST
from conceptrules.tables.prediction import predict
from conceptrules.tables.table import Table, read_row

DAY = 86_400_000_000.0  # microseconds
OTHER = -1
_MADE_UP = 500  # rows that are looked through for plain ones, where rules ask about relations and words
_MOST_RULES = 5  # of a class, that are tried for a row
_MOST_REAL_ROWS = 6  # right ones, and as many wrong ones
_MOST_CLASSES = 12  # that have a made-up row
_WORK = 200_000  # parts of formulas to look at for one made-up row


@dataclass(frozen=True, slots=True)
class Field(Column):
    """One column of the form."""

    number: int = 0
    """Its place among the columns of the network."""
    options: tuple[Value, ...] = ()
    """The categories, in their order."""
    open: bool = False
    """Whether there are categories besides the options, as far as is known."""
    cuts: tuple[float, ...] = ()
    """Where a predicate in use begins or ends, ascending."""
    ends: tuple[float, float] = (0.0, 1.0)
    """The ends of the slider: a bit beyond the cuts, since the file says nothing about the range of the data."""

    @property
    def cut_texts(self) -> list[str]:
        """The cuts as text."""
        return [value_word(self, cut) for cut in self.cuts]


def form_fields(network: RuleNetwork) -> tuple[Field, ...]:
    """Return a field for each column of the table, in a network whose rules ask about all of them."""
    dropped = {name for name, _ in network.training.categories_dropped} if network.training else set()
    fields = []
    used = network.used_columns
    for number, column in enumerate(network.own_columns):
        predicates = [network.predicates[index] for index in used.get(column.name, ())]
        field = Field(column.name, column.kind, column.categories, column.missing, number=number)
        if column.ordered:
            cuts = finite_bounds(predicates)
            guess = () if cuts else _guess_range(network, column)
            ends = (0.0, 2 * guess[0]) if guess else slider_ends(cuts, column.kind)
            field = replace(field, cuts=cuts or guess, ends=ends)
        else:
            is_open = column.kind == "category" and (column.name in dropped or not column.categories)
            field = replace(field, options=_options(column, predicates), open=is_open)
        fields.append(field)
    return tuple(fields)


def _guess_range(network: RuleNetwork, column: Column) -> tuple[float, ...]:
    """Return a value in the middle of what a column may hold that rules ask about only as part of a relation."""
    for each in network.columns:
        if isinstance(each.derivation, Relation) and column.name in each.derivation.columns and column.kind == "number":
            cuts = finite_bounds(network.predicates[index] for index in network.used_columns[each.name]) or (0.0,)
            middle, is_left = cuts[len(cuts) // 2], each.derivation.left == column.name
            if each.derivation.operator == "/":  # with a denominator of 100
                return (100.0 * abs(middle) if is_left and middle else 100.0,)
            return (max(abs(middle), 1.0) * (2.0 if is_left else 1.0),)
    return ()


def _options(column: Column, predicates: Sequence[Predicate]) -> tuple[Value, ...]:
    """Return what a row can hold: text or numbers, whichever the first category is."""
    if column.kind == "boolean":
        return (False, True)
    known = known_categories(column, predicates)
    return tuple(value for value in known if isinstance(value, str) == isinstance(known[0], str))


def slider_ends(cuts: Sequence[float], kind: Kind) -> tuple[float, float]:
    """Return ends as far beyond the outer cuts as these are from their neighbours; not below 0 if all cuts are above.

    >>> slider_ends([27.0, 41.0], "number"), slider_ends([10.0], "number")
    ((13.0, 55.0), (5.0, 15.0))
    """
    if not cuts:
        return (0.0, 30 * DAY) if kind != "number" else (0.0, 1.0)
    near = 30 * DAY if kind in ("date", "datetime") else abs(cuts[0]) / 2 or 1.0
    below = cuts[1] - cuts[0] if len(cuts) > 1 else near
    above = cuts[-1] - cuts[-2] if len(cuts) > 1 else near
    low = cuts[0] - below
    if kind in ("number", "duration") and cuts[0] > 0:
        low = max(low, 0.0)
    return max(low, -sys.float_info.max), min(cuts[-1] + above, sys.float_info.max)


@dataclass(frozen=True, slots=True)
class Sample:
    """A row in the terms of the form."""

    title: str
    note: str
    values: tuple[float | str | None, ...]
    """For each column a number, a text, or the place of a category among the options, -1 for any other; None is
    missing."""


def make_up_samples(network: RuleNetwork, fields: Sequence[Field]) -> tuple[Sample, ...]:
    """Make up a row for each class and, where there can be one, for a rule that is often wrong, no class, several.

    Each column has the plainest of the values that will do. Of a scorecard, the rows have low and high scores.
    """
    if any(column.derivation is not None for column in network.columns):
        return tuple(_pick_made_up_rows(network, fields))
    if network.head is not None:
        return tuple(_make_up_scores(network, fields, network.head))
    pool = CellFormulas({field.name: ColumnCells(field, tuple(_list_values(field))) for field in fields}, sys.maxsize)
    goals = list(_list_goals(network, pool))
    samples: dict[str, Sample] = {}
    for title, note, formula in goals:
        cells = None
        if title not in samples:
            pool.work = _WORK
            with suppress(Undecided):
                cells = pool.find_cells([formula])
        if cells is not None:
            plainest = {name: cell_numbers(cells.get(name, 1))[0] for name in pool.cells}
            row = [column.values[plainest[name]] for name, column in pool.cells.items()]
            samples[title] = Sample(title, note, to_form(row, fields))
    return tuple(samples.values())


def _pick_made_up_rows(network: RuleNetwork, fields: Sequence[Field]) -> Iterator[Sample]:
    """Yield the plainest row of each answer, of rows that try every relation and word; of numbers, the ends."""
    rows = covering_rows(network, _MADE_UP)
    columns = {column.name: column for column in network.own_columns}
    raw = [{name: raw_value(column, row[name]) for name, column in columns.items()} for row in rows]
    answers = predict(network, raw).tolist()

    def measure(number: int) -> tuple[int, int]:
        values = rows[number].values()
        odd = sum(value is None or (isinstance(value, float) and not 1e-6 < abs(value) < 1e17) for value in values)
        return odd, sum(len(str(value)) for value in values)

    order = sorted(range(len(rows)), key=measure)
    ends = network.classes or (min(answers), max(answers))
    for answer in ends[:_MOST_CLASSES]:
        number = next((number for number in order if answers[number] == answer), None)
        if number is not None:
            title = shorten(f"{answer:.6g}" if isinstance(answer, float) else word(answer), LONGEST)
            values = to_form([rows[number][field.name] for field in fields], fields)
            yield Sample(f"Answer {title}", f"Made up: the model answers {title}.", values)


def _make_up_scores(network: RuleNetwork, fields: Sequence[Field], head: Points) -> Iterator[Sample]:
    """Yield a row with a middle value in each column, and rows that raise one score, column by column."""
    values = [list(_list_values(field)) for field in fields]
    middle = [options[0] for options in values]
    yield Sample("In the middle", "Made up: each column has a value in its middle.", to_form(middle, fields))
    (name,) = output_names(network) if head.outputs == 1 else ("",)
    if head.outputs == 1:
        goals = [
            (f"Low {name}", "lowers the score", np.array([-1])),
            (f"High {name}", "raises the score", np.array([1])),
        ]
    else:
        signs = 2 * np.eye(head.outputs, dtype=np.int64) - 1
        goals = [
            (word(label), "raises the points of this class", signs[kind]) for kind, label in enumerate(network.classes)
        ][:_MOST_CLASSES]
    for title, verb, sign in goals:
        row = _climb(network, head, values, sign)
        note = f"Made up: column by column, the value that most {verb}."
        yield Sample(shorten(title, LONGEST), note, to_form(row, fields))


def _climb(
    network: RuleNetwork, head: Points, values: Sequence[Sequence[Value | None]], sign: NDArray[np.int64]
) -> list[Value | None]:
    """Return a row for which no other value of one column gives a larger sum of the scores with these signs."""
    row = [options[0] for options in values]
    number = {column.name: number for number, column in enumerate(network.columns)}
    bits = np.array([[holds(test, row[number[test.column]]) for test in network.predicates]], np.bool_)
    largest, better = -math.inf, True
    while better:
        better = False
        for column, options in zip(network.columns, values, strict=True):
            own = [index for index, test in enumerate(network.predicates) if test.column == column.name]
            tried = np.repeat(bits, len(options), axis=0)
            tried[:, own] = [[holds(network.predicates[index], value) for index in own] for value in options]
            sums = score_bits(head, layers_plain(network, tried)[-2]) @ sign
            best = int(np.argmax(sums))
            if sums[best] > largest:
                largest, better = sums[best], True
                row[number[column.name]], bits = options[best], tried[[best]]
    return row


def _list_values(field: Field) -> Iterator[Value | None]:
    """Yield a value of each cell of a column, the most typical one first, a missing one last."""
    if field.ordered:
        typical = len(field.cuts) // 2
        cells = sorted(range(len(field.cuts) + 1), key=lambda cell: cell != typical)
        yield from (_between(field, cell) for cell in cells)
    else:
        yield from field.options
        if field.kind != "boolean":
            yield unseen_category(field.options)
    yield None


def pick_real_samples(
    network: RuleNetwork, fields: Sequence[Field], table: Table, y: Sequence[Value]
) -> tuple[Sample, ...]:
    """Return rows of the table that got the right class and rows that got the wrong one, of as many kinds as can be.

    Where a number is predicted, they are rows from the smallest prediction to the largest, then those furthest off.
    """
    if not network.classes:
        return _pick_real_numbers(network, fields, table, np.array(y, np.float64))
    answers = predict(network, table).tolist()
    kinds: dict[tuple[str, str], list[int]] = {}
    for row, (true, answer) in enumerate(zip(y, answers, strict=True)):
        kinds.setdefault((label_text(true), label_text(answer)), []).append(row)
    samples = []
    for outcome in ("right", "wrong"):
        alike = [rows for (true, answer), rows in kinds.items() if (true == answer) == (outcome == "right")]
        for row in _take_in_turn(alike):
            true, answer = (shorten(word(label), LONGEST) for label in (y[row], answers[row]))
            note = f"A row of the data. Its class is {true}; the model answers {answer}."
            samples.append(Sample(f"Row {row + 1}, {outcome}: {true}", note, _read_values(network, fields, table, row)))
    return tuple(samples)


def _pick_real_numbers(
    network: RuleNetwork, fields: Sequence[Field], table: Table, truth: NDArray[np.float64]
) -> tuple[Sample, ...]:
    predicted = predict(network, table)
    spread = np.argsort(predicted, kind="stable")[np.linspace(0, len(truth) - 1, _MOST_REAL_ROWS).round().astype(int)]
    furthest = np.argsort(-np.abs(predicted - truth), kind="stable")[:_MOST_REAL_ROWS]
    samples = []
    for row in dict.fromkeys([*spread.tolist(), *furthest.tolist()]):
        note = f"A row of the data. Its number is {truth[row]:.6g}; the model predicts {predicted[row]:.6g}."
        samples.append(Sample(f"Row {row + 1}: {truth[row]:.6g}", note, _read_values(network, fields, table, row)))
    return tuple(samples)


def _read_values(
    network: RuleNetwork, fields: Sequence[Field], table: Table, row: int
) -> tuple[float | str | None, ...]:
    cells = read_row(network.columns, table.take(np.array([row])))
    by_name = {column.name: value for column, value in zip(network.columns, cells, strict=True)}
    return to_form([by_name[field.name] for field in fields], fields)


def _take_in_turn(kinds: Sequence[Sequence[int]]) -> list[int]:
    """Return the first of each kind, then the second of each, and so on."""
    turns = zip_longest(*kinds)
    return [row for turn in turns for row in turn if row is not None][:_MOST_REAL_ROWS]


def _list_goals(network: RuleNetwork, pool: CellFormulas) -> Iterator[tuple[str, str, int]]:
    """Yield what a made-up row shall show: its title, a note, and the formula of such rows."""
    top = len(network.levels) - 1
    *_, rules, fires = pool.layers(network)
    order = network.priority_indices
    silent = [pool.negate(formula) for formula in fires]

    def wins(index: int, rule: int) -> int:
        return pool.all([rules[rule], *(silent[higher] for higher in order[: order.index(index)])])

    for index in order:
        own = network.levels[top].concepts[index].rules
        most = sorted(own, key=lambda rule: -_covered_rows(network, rule))[:_MOST_RULES]
        title = shorten(word(network.classes[index]), LONGEST)
        all_else_silent = [silent[other] for other in order if other != index]
        for rule in most:
            note = f"Made up: {rule_name(top, rule)} holds, and only {title} fires."
            yield f"Answer {title}", note, pool.all([rules[rule], *all_else_silent])
        for rule in most:
            note = f"Made up: {rule_name(top, rule)} holds, and {title} wins."
            yield f"Answer {title}", note, wins(index, rule)
    for index, rule, right in _find_worst_rule(network):
        number, title = rule_name(top, rule), shorten(word(network.classes[index]), LONGEST)
        note = f"Made up: {number} says {title}, but is right on only {right:.0%} of its training rows."
        yield f"Often wrong, by {number}", note, wins(index, rule)
    note = "Made up: no class fires, so this is the answer for everything else."
    yield "No class fires", note, pool.all(silent)
    note = "Made up: several classes fire, and the first of them wins."
    yield "Several classes fire", note, pool.any(map(pool.all, combinations(fires, 2)))


def _covered_rows(network: RuleNetwork, rule: int) -> float:
    return sum(network.statistics.covered[-1][rule]) if network.statistics else 0.0


def _find_worst_rule(network: RuleNetwork) -> list[tuple[int, int, float]]:
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


def _between(field: Field, cell: int) -> float:
    """Return a number with few digits in this cell of the column."""
    stops = [field.ends[0], *field.cuts, field.ends[1]]
    low, high = stops[cell], stops[cell + 1]
    if not low < high:  # no room beyond the largest number
        return math.inf if cell else high
    middle = low / 2 + high / 2
    near = [math.floor(middle / DAY) * DAY, math.floor(high)] if field.kind != "number" else []
    if field.kind == "number" and all((2 * cut).is_integer() for cut in field.cuts):
        near = [round(middle), math.floor(high)]
    near += [float(f"{middle:.{digits}g}") for digits in range(1, 17)]
    return float(next((value for value in near if low < value <= high), high))


def to_form(row: Sequence[Value | None], fields: Sequence[Field]) -> tuple[float | str | None, ...]:
    """Return a row in the terms of the form, as in a `Sample`."""
    return tuple(_to_field(field, row[field.number]) for field in fields)


def _to_field(field: Field, value: Value | None) -> float | str | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if field.kind == "text":
        return str(value)
    if field.ordered:
        assert not isinstance(value, str)
        return float(value)
    return field.options.index(value) if value in field.options else OTHER
