"""What changed, in words: the cells of a column, and the test that a rule's change comes from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from conceptrules.model.network import Cell, Literal, RuleNetwork
from conceptrules.model.predicate import Interval, Predicate, holds
from conceptrules.model.text import category_word, column_word, literal_text, percent, predicate_text, word
from conceptrules.monitor.figures import Figure, times_text
from conceptrules.monitor.monitoring import RuleDrift, Shift

_NAMED = 4  # categories that a cell lists; the others are "other values"
_TINY = 1e-4  # a share that an empty bin is taken to have
_ALIKE = 0.1  # in logarithms: a test that is so nearly as frequent as before explains nothing


def cell_text(network: RuleNetwork, cell: Cell) -> str:
    """Return the values of a column that the rules do not tell apart, as text."""
    column = next(each for each in network.columns if each.name == cell.column)
    name = column_word(column)
    if cell.gap:
        return f"{name} is missing" if column.ordered else f"{name} is missing or unknown"
    tests = [network.predicates[index] for index in network.used_columns[cell.column]]
    if column.ordered:
        bounds = [-math.inf, *range_ends(tests)]
        ranges: list[tuple[float, float]] = []
        for low, high in pairwise(bounds):
            if _holding(tests, high) == set(cell.holds):
                joined = ranges and ranges[-1][1] == low
                ranges[-1:] = [(ranges[-1][0], high)] if joined else [*ranges[-1:], (low, high)]
        return " or ".join(predicate_text(Interval(column.name, *pair), column) for pair in ranges) or f"other {name}"
    values = [value for value in column.categories if _holding(tests, value) == set(cell.holds)]
    if not cell.holds and len(values) != 1:
        return f"other {name}"
    listed = [category_word(column, value) for value in values[:_NAMED]] + ["..."] * (len(values) > _NAMED)
    return f"{name} = {listed[0]}" if len(values) == 1 else f"{name} in {{{', '.join(listed)}}}"


def range_ends(tests: Sequence[Predicate]) -> list[float]:
    """Return the largest value of each range that predicates on an ordered column cut it into, ascending."""
    ends = {end for test in tests if isinstance(test, Interval) for end in (test.low, test.high)}
    return sorted((ends | {math.inf}) - {-math.inf})


def _holding(tests: Sequence[Predicate], value: float | str | bool) -> set[Predicate]:
    return {test for test in tests if holds(test, value)}


def explain_change(
    network: RuleNetwork, level: int, rule: int, before: Sequence[Cell], now: Sequence[Cell], more: bool
) -> str:
    """Return the test of a rule that became rarer or more frequent most, in words; empty where nobody can say."""
    if level or not (before and now):
        return ""
    changes = []
    for literal in network.levels[0].rules[rule].literals:
        old, new = _literal_share(network, literal, before), _literal_share(network, literal, now)
        change = math.log((new + 1e-9) / (old + 1e-9)) * (1 if more else -1)
        changes.append((change, f"{literal_text(network, 0, literal)} is {times_text(new, old)}"))
    change, text = max(changes, default=(0.0, ""))
    if change > _ALIKE:
        return text
    if len(changes) < 2:
        return ""
    return f"its tests are about as frequent, but hold together {'more' if more else 'less'} often"


def _literal_share(network: RuleNetwork, literal: Literal, cells: Sequence[Cell]) -> float:
    test = network.predicates[literal.index]
    rows = [(cell.rows, (test in cell.holds) != literal.negated) for cell in cells if cell.column == test.column]
    return sum(weight for weight, holding in rows if holding) / (sum(weight for weight, _ in rows) or 1)


def pattern_text(network: RuleNetwork, pattern: Sequence[bool]) -> str:
    """Return which classes fire, as text."""
    return " and ".join(word(label) for label, fires in zip(network.classes, pattern, strict=True) if fires) or "none"


def score_text(low: int | None, high: int | None) -> str:
    """Return a range of scores as text; it does not include `low`.

    >>> score_text(None, 3), score_text(3, 7), score_text(7, None)
    ('up to 3', 'over 3 to 7', 'over 7')
    """
    if high is None:
        return "all" if low is None else f"over {low:,}"
    return f"up to {high:,}" if low is None else f"over {low:,} to {high:,}"


def list_changes(rules: Sequence[RuleDrift], shifts: Sequence[Shift], basis: str) -> Iterator[tuple[float, str]]:
    """Yield what changed more than by chance: its index, and a sentence. `basis` is what it is compared with."""
    where = "in training" if basis == "training" else "in the reference"
    for rule in rules:
        if rule.index is not None and rule.index.changed:
            because = f": {rule.why}" if rule.why else ""
            shares = f"{_percent(rule.holds.value)} of rows, {where} for {_percent(rule.holds.trained or 0.0)}"
            yield rule.index.value, f"{rule.name} ({rule.text}) holds for {shares}{because}"
        right = rule.precision
        if right is not None and rule.precision_index is not None and rule.precision_index.changed:
            shares = f"{_percent(right.value)} of its rows, {where} on {_percent(right.trained or 0.0)}"
            yield rule.precision_index.value, f"{rule.name} ({rule.text}) is right on {shares}"
    for shift in shifts:
        if shift.index.changed:
            text, before, now = max(shift.bins, key=_move)
            what = f"column {word(shift.of)}" if shift.index.name == "csi" else shift.of
            moved = f"{text} makes up {_percent(now)}, {where} {_percent(before)}"
            yield shift.index.value, f"{what} moved by {shift.index.value:.2g}: {moved}"


def accuracy_text(figure: Figure, basis: str) -> str:
    """Return how the share of right answers changed, in words."""
    where = "in training" if basis == "training" else "in the reference"
    return f"{_percent(figure.value)} of the answers are right, {where} {_percent(figure.trained or 0.0)}"


def _move(each: tuple[str, float, float]) -> float:
    """Return what a bin adds to the index, but for the smoothing."""
    _, before, now = each
    return (now - before) * math.log((now + _TINY) / (before + _TINY))


def _percent(share: float) -> str:
    return f"{share:.1%}" if 0.01 <= share <= 0.99 else percent(share)
