"""What the studio shows of rules and columns, as values: cards, the decision table, histograms with cut points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from conceptrules.edit.operations import move_bound
from conceptrules.explain.rule_coverage import measure_rule
from conceptrules.model.card import amount_text, bin_text, list_points, positive_text, read_card
from conceptrules.model.conditions import conditions
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Locked, Policy
from conceptrules.model.precision import interval_text
from conceptrules.model.predicate import Column, Predicate, Value, finite_bounds, run_of
from conceptrules.model.rule_reader import Stated, read_bound, read_rule, text_of_tests
from conceptrules.model.text import (
    concept_name,
    condition_text,
    find_column,
    given_name,
    percent,
    plural,
    rule_name,
    rule_text,
    value_word,
    word,
)
from conceptrules.report.charts import Chart, Series
from conceptrules.studio.session import Session, SessionRows

_BINS = 40
_DAY = 86_400e6
_YEAR = 365.2425 * _DAY
_UNITS = {"date": (_YEAR, 1970.0, "year"), "datetime": (_YEAR, 1970.0, "year"), "duration": (_DAY, 0.0, "days")}


@dataclass(frozen=True, slots=True)
class ConditionView:
    """A condition of a rule."""

    text: str
    column: str
    """The column that it asks about; empty for a concept."""
    short: str
    """The condition without the name of its column."""
    cuts: tuple[str, ...]
    """Its cut points, as rules show them."""


@dataclass(frozen=True, slots=True)
class RuleView:
    """A rule, with what the given rows say of it."""

    name: str
    """Its number, such as R1.3."""
    text: str
    label: Value | None
    """Its class or concept; None of a scorecard."""
    owner: str
    """The same, in words."""
    answer: str
    """What holds where it does: its points, its class or its concept, in words."""
    title: str
    """What people call it; empty if it has no name."""
    conditions: tuple[ConditionView, ...]
    points: str
    """Its points, as the card shows them; empty of other rules."""
    group: str
    """The only column that a line of a card asks about, under which it stands; otherwise empty."""
    figures: tuple[str, ...]
    """What it covers and decides, in words."""
    locked: bool


def list_rules(session: Session, column: str = "", owner: str = "", words: str = "") -> list[RuleView]:
    """Return the rules, those of the class that wins first; of a scorecard by column. Filters that are empty let all
    pass."""
    needle = words.strip().casefold()
    return [
        view
        for view in _view_rules(session)
        if (not column or any(condition.column == column for condition in view.conditions))
        and (not owner or view.owner == owner)
        and (not needle or needle in f"{view.name} {view.text} {view.title}".casefold())
    ]


def list_owners(network: RuleNetwork) -> Sequence[tuple[str, Value | None]]:
    """Return what rules can be for, in words and as a value: classes by priority, and concepts."""
    if network.head is not None:
        return [("the card", None)]
    concepts = [
        concept_name(level, index)
        for level in range(len(network.levels) - 1)
        for index in range(len(network.levels[level].concepts))
    ]
    return [(word(label), label) for label in network.priority] + [(name, name) for name in concepts]


def _view_rules(session: Session) -> Iterator[RuleView]:
    network, last = session.measured, len(session.network.levels) - 1
    if network.head is not None:
        card = read_card(network)
        lines = [line for group in (*card.groups, card.mixed) for line in group]
        yield from (_view_rule(network, last, line.rule, None, "the card") for line in lines)
    for label in network.priority:
        kind = network.classes.index(label)
        covered = network.statistics.covered[last] if network.statistics else None
        rules = network.levels[last].concepts[kind].rules
        for rule in sorted(rules, key=lambda rule: -sum(covered[rule])) if covered else rules:
            yield _view_rule(network, last, rule, label, word(label), kind)
    for level in reversed(range(last)):
        for index, concept in enumerate(network.levels[level].concepts):
            name = concept_name(level, index)
            yield from (_view_rule(network, level, rule, name, name) for rule in concept.rules)


def _view_rule(
    network: RuleNetwork, level: int, rule: int, label: Value | None, owner: str, kind: int | None = None
) -> RuleView:
    text = rule_text(network, level, rule)
    top = level == len(network.levels) - 1
    locks = (network.policy or Policy()).of_kind(Locked)
    views = tuple(_view_conditions(network, level, rule))
    names = {view.column for view in views}
    points = list_points(network, rule) if network.head is not None and top else ""
    return RuleView(
        name=rule_name(level, rule),
        text=text,
        label=label,
        owner=owner,
        answer=points or say_answer(network, owner, top),
        title=given_name(network, text),
        conditions=views,
        points=points,
        group=min(names) if len(names) == 1 and network.head is not None else "",
        figures=tuple(_describe_figures(network, level, rule, kind)),
        locked=any(lock.rule == text and lock.label in (None, label) for lock in locks),
    )


def _describe_figures(network: RuleNetwork, level: int, rule: int, kind: int | None) -> Iterator[str]:
    known = measure_rule(network, level, rule, kind)
    if known is None:
        return
    yield f"{plural(known.rows, 'row')} ({percent(known.share)})"
    if known.precision is not None:
        answer = say_answer(network, word(known.label))
        yield f"{percent(known.precision)} of them {answer} {interval_text(known.interval)}"
    if known.contested and known.decided is not None:
        yield f"decides {plural(known.decided, 'row')}"


def _view_conditions(network: RuleNetwork, level: int, rule: int) -> Iterator[ConditionView]:
    for condition in conditions(network, level, network.levels[level].rules[rule].literals):
        text = condition_text(network, level, condition)
        if level:
            yield ConditionView(text, "", text, ())
            continue
        tests = [network.predicates[literal.index] for literal in condition.literals]
        column = find_column(network, tests[0].column)
        short = text if column.derivation else bin_text(network, condition.literals, condition.both)
        yield ConditionView(text, column.name, short, tuple(_list_cuts(column, tests)))


def _list_cuts(column: Column, tests: Sequence[Predicate]) -> Iterator[str]:
    """Yield the cut points of tests, as rules show them."""
    if column.kind == "ordinal":
        runs = [run for test in tests if (run := run_of(test, column)) is not None]
        ends = sorted({end for run in runs for end in run if 0 < end < len(column.categories)})
        yield from (value_word(column, column.categories[end - 1]) for end in ends)
    elif column.ordered:
        yield from (value_word(column, cut) for cut in finite_bounds(tests))


def say_answer(network: RuleNetwork, label: str, top: bool = True) -> str:
    """Return a class in words, with the name of the column that is predicted if it has one."""
    return f"{word(network.target)} = {label}" if network.target and top else label


def count_rules_at_cut(network: RuleNetwork, column: str, cut: str) -> int:
    """Return how many rules have a cut point."""
    return sum(
        any(view.column == column and cut in view.cuts for view in _view_conditions(network, 0, rule))
        for rule in range(len(network.levels[0].rules))
    )


def move_cut_of_rule(network: RuleNetwork, rule: str, column: str, old: str, new: str) -> str:
    """Return the text of a rule with one cut point moved, in this rule only."""
    known = find_column(network, column)
    ends = read_bound(known, old), read_bound(known, new)
    tests = [
        Stated(move_bound(test.predicate, known, *ends), test.negated) for test in read_rule(rule, network.columns)
    ]
    return text_of_tests(tests, network.columns)


def cut_text(network: RuleNetwork, column: str, place: float) -> str:
    """Return a cut point at a place of a slider as rules show it."""
    return value_word(find_column(network, column), place)


# The decision table


@dataclass(frozen=True, slots=True)
class TableView:
    """Rules as lines of a table: a cell for each column that some rule asks about."""

    headings: tuple[str, ...]
    lines: tuple[tuple[RuleView, tuple[str, ...]], ...]


def view_table(rules: Sequence[RuleView]) -> TableView:
    """Return rules as a decision table; conditions on the same column are in one cell."""
    names = tuple(dict.fromkeys(condition.column for rule in rules for condition in rule.conditions))
    lines = [
        (rule, tuple("; ".join(each.short for each in rule.conditions if each.column == name) for name in names))
        for rule in rules
    ]
    return TableView(tuple(name or "concepts" for name in names), tuple(lines))


# A column


@dataclass(frozen=True, slots=True)
class Histogram:
    """The values of an ordered column of the given rows, with a cut point."""

    chart: Chart
    low: float
    """The least value that a slider needs."""
    high: float
    step: float
    missing: int
    """The rows without a value."""


def make_histogram(network: RuleNetwork, rows: SessionRows, name: str, cut: str) -> Histogram:
    """Return the histogram of a column, by class where there are two, and where a cut point is in it."""
    column = find_column(network, name)
    values = _read_numbers(rows, column)
    known = values[~np.isnan(values)]
    place = read_bound(column, cut)
    low, high = np.quantile(known, [0.005, 0.995]).tolist() if len(known) else (place - 1, place + 1)
    low, high = min(low, place), max(high, place)
    if low == high:
        low, high = low - 1, high + 1
    unit, start, noun = _UNITS.get(column.kind, (1.0, 0.0, ""))
    edges = np.linspace(low, high, _BINS + 1)
    everything = np.histogram(known, edges)[0]
    series = [_bars(edges / unit + start, everything, 0, "all rows")]
    if rows.labels is not None and len(network.classes) == 2:
        wanted = np.array([str(label) == str(network.classes[1]) for label in rows.labels])
        chosen = values[wanted & ~np.isnan(values)]
        series.append(_bars(edges / unit + start, np.histogram(chosen, edges)[0], 1, word(network.classes[1])))
    top = float(everything.max(initial=1))
    series.append(Series("line", ((place / unit + start, 0.0), (place / unit + start, top)), 2, f"the cut {cut}"))
    chart = Chart(f"{name} in the given rows", "", f"{name} ({noun})" if noun else name, "rows", tuple(series))
    step = _slider_step(known, high - low) if column.kind == "number" else _DAY
    least, most = (
        step * np.floor(low / step),
        step * np.ceil(high / step),
    )  # a slider goes in steps from its least value
    return Histogram(chart, float(least), float(most), step, int(np.isnan(values).sum()))


def _read_numbers(rows: SessionRows, column: Column) -> np.ndarray:
    cells = rows.table.cells(rows.table.names.index(column.name)).to_list(ordered=True)
    return np.array([np.nan if value is None else float(value) for value in cells])


def _bars(edges: np.ndarray, counts: np.ndarray, colour: int, name: str) -> Series:
    points = zip(edges[:-1].tolist(), edges[1:].tolist(), map(float, counts.tolist()), strict=True)
    return Series("bars", tuple(points), colour, name)


def _slider_step(known: np.ndarray, width: float) -> float:
    """Return the step of a slider: 1 where values are whole, and otherwise a power of ten near a hundredth."""
    if bool(np.all(known == np.floor(known))):
        return float(max(1, 10 ** int(np.floor(np.log10(width / 200)))) if width > 200 else 1)
    return float(10.0 ** np.floor(np.log10(width / 100)))


def describe_points(network: RuleNetwork) -> str:
    """Return what the points of a rule count in, for the label of a field."""
    head = network.head
    if head is None or head.step is None:
        return "points"
    return (
        f"what it multiplies {network.target or 'the number'} by"
        if head.link == "log"
        else (f"what it adds to {network.target or 'the number'}, in steps of {amount_text(1, head.step, head.link)}")
    )


def explain_points(network: RuleNetwork) -> str:
    """Return what more points of a rule mean, where that goes without saying for nobody."""
    head = network.head
    if head is None or not head.probabilities:
        return ""
    answer = positive_text(network)
    return f"More points make {answer} likelier; it is the answer from a score of {head.cutoff} on."
