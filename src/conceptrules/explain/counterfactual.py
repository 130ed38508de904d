"""Counterfactuals: the smallest change of a row that gives it another answer, and whether it is proved smallest."""

from __future__ import annotations

import math
import operator
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from conceptrules.explain.column_options import Example, list_options, make_example
from conceptrules.explain.counterfactual_search import (
    Budget,
    ClassGoal,
    FreeColumn,
    Goal,
    Question,
    ScoreGoal,
    find_smallest_change,
    split_sides,
)
from conceptrules.explain.tied_columns import ColumnOption, Used, group_columns, is_tied, list_tied_options
from conceptrules.model.derived import Length, Mention, Relation
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import class_nodes, first_firing
from conceptrules.model.heads import Points
from conceptrules.model.network import Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.scoring import answer_scores, score_bits, score_numbers
from conceptrules.model.text import value_text
from conceptrules.tables.prediction import PredictionPlan, compile_plan, predict
from conceptrules.tables.table import nearest, open_row, read_row

LIMIT = 1_000_000  # states; two to three seconds on a network of a few hundred edges
_COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_BOUND = re.compile(r"\s*(>=|<=|>|<)\s*(\S+)\s*")


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """The change of one column."""

    column: str
    """The name of the column."""
    before: str
    """What the row says now, as text: `age = 30`."""
    after: str
    """What it has to say instead, as text: `41 < age <= 52`."""
    sample: str | None
    """The example as text; None where no other value would do."""
    example: Example
    """A value that does, as a table would hold it; None is a missing value."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """The fewest columns to change for another answer.

    Of several such changes it is the one that flips fewest predicates.
    """

    changes: tuple[ColumnChange, ...]
    """The columns to change; empty where the search ended before it found any change."""
    label: Value | None
    """The class that the changed row gets, or the number that is predicted; None if there are no changes."""
    proved: bool
    """Whether it is proved that no change of fewer columns exists; otherwise the search reached its limit."""
    at_least: int
    """A lower bound that is proved: no change of fewer columns than this will do."""
    visited: int
    """How many states the search looked at."""
    limits: str = ""
    """What was not tried, as a sentence, where relations or words tie columns to one another."""


def find_counterfactual(
    network: RuleNetwork,
    row: Any,
    *,
    fixed: Iterable[str] = (),
    to: Value | None = None,
    limit: int = LIMIT,
    seconds: float | None = None,
) -> Counterfactual | None:
    """Find the smallest change of a row that gives it another class, or a number that is large or small enough.

    The search is exact: a change of the fewest columns, and a proof that fewer will not do.

    Parameters
    ----------
    network : RuleNetwork
        The network that decides.
    row : row
        A dictionary, a list of values, a row of a pandas table, or a table with one row.
    fixed : iterable of str, default=()
        The columns that have to stay as they are.
    to : class label or str, optional
        The class that the changed row is to get; by default, any other class will do. For a network that predicts a
        number, what it is to be, such as ``">= 300"`` or ``"< 20"``.
    limit : int, default=1_000_000
        The most states to look at. A search that ends there says so.
    seconds : float, optional
        The longest time to search; by default there is no limit.

    Returns
    -------
    Counterfactual or None
        The smallest change; None if it is proved that no change gives another class.

    Raises
    ------
    InputError
        If `fixed` names an unknown column, `to` is no other answer of the network, or `row` is not one row.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
    >>> counterfactual = find_counterfactual(network, {"age": 30})
    >>> counterfactual.label, counterfactual.changes[0].after, counterfactual.changes[0].example, counterfactual.proved
    ('old', 'age > 41', 42, True)
    """
    for name, value in (("limit", limit), ("seconds", 0 if seconds is None else seconds)):
        if not isinstance(value, Real) or not value >= 0:
            raise InputError(f"{name} is {value!r}; give a number that is not negative")
    frozen = check_fixed(network, fixed)
    table = open_row(row)
    goal = make_goal(network, predict(network, table).tolist()[0], to)
    plan, values = compile_plan(network), read_row(network.columns, table)
    groups = group_columns(network, plan.used)
    options = [_list_options(network, [plan.used[index] for index in group], values, frozen) for group in groups]
    free = [number for number, known in enumerate(options) if len(known) > 1]
    parts = tuple(_read_part(known) for known in options)
    levels = _order_predicates(plan, groups)
    question = Question(split_sides(levels, sum(len(tests) for _, tests in plan.used)), goal, parts)
    budget = Budget(limit, seconds)
    result = find_smallest_change(question, budget)
    limits, least = _find_limits(network, plan)
    if result is None:
        return Counterfactual((), None, False, least, budget.visited, limits) if limits else None
    state = dict(zip(free, () if result.state is None else result.state.tolist(), strict=False))
    changed = {number: options[number][choice] for number, choice in state.items() if choice}
    changes = tuple(_describe_change(network, values, each) for each in changed.values())
    label = None
    if result.state is not None:
        bits = [bit for number, known in enumerate(options) for bit in changed.get(number, known[0]).option.bits]
        label = _answer_bits(network, levels, bits)
    at_least = min(result.at_least, least) if limits else result.at_least
    proved = result.proved and len(changes) == at_least
    return Counterfactual(changes, label, proved, at_least, budget.visited, limits)


def find_counterfactuals(
    network: RuleNetwork,
    row: Any,
    count: int,
    *,
    fixed: Iterable[str] = (),
    to: Value | None = None,
    limit: int = LIMIT,
    seconds: float | None = None,
) -> tuple[Counterfactual, ...]:
    """Find several changes of a row that give it another class, those of the fewest columns first.

    The first is that of `find_counterfactual`, which explains the parameters. Each further one is the smallest change
    that does without some column of an earlier one.
    """
    frozen = check_fixed(network, fixed)
    results: list[Counterfactual] = []
    best: dict[frozenset[str], Counterfactual | None] = {}  # by the columns that stay
    open_sets = [frozen]
    while len(results) < count and open_sets:
        for stays in open_sets:
            if stays not in best:
                best[stays] = find_counterfactual(network, row, fixed=stays, to=to, limit=limit, seconds=seconds)
        changes = [(len(each.changes), stays) for stays in open_sets if (each := best[stays]) and each.changes]
        if not changes:
            break
        _, stays = min(changes, key=lambda change: change[0])
        smallest = best[stays]
        assert smallest is not None
        if smallest not in results:
            results.append(smallest)
        open_sets.remove(stays)
        open_sets += [stays | {change.column} for change in smallest.changes if stays | {change.column} not in best]
    return tuple(results)


def immutable_columns(network: RuleNetwork) -> tuple[str, ...]:
    """Return the columns that the learner was told cannot change, such as a date of birth."""
    declared = dict(network.training.settings).get("immutable") if network.training else None
    names = (declared,) if isinstance(declared, str) else declared if isinstance(declared, tuple) else ()
    known = {column.name for column in network.columns}
    return tuple(name for name in map(str, names) if name in known)


def check_fixed(network: RuleNetwork, fixed: Iterable[str]) -> frozenset[str]:
    """Return the names of the columns that are to stay, and of those that cannot change; check that they exist."""
    names = [column.name for column in network.columns]
    fixed = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    for name in fixed:
        if name not in names:
            near = nearest(str(name), names)
            raise InputError(f"fixed names column {name!r}, which the network does not have; {near}")
    return frozenset((*fixed, *immutable_columns(network)))


def make_goal(network: RuleNetwork, answer: Value, to: Value | None) -> Goal:
    """Return what a changed row is to be answered: another class than now, or `to`."""
    head = network.head
    if head is not None and head.step is not None:
        return _make_number_goal(head, float(answer), to)
    if to is not None and to not in network.classes:
        names = [str(name) for name in network.classes]
        raise InputError(f"to={to!r} is not a class of the network; {nearest(str(to), names)}")
    if to == answer:
        raise InputError(f"the row gets the class {to!r} already; name another one with `to`, or none")
    allowed = {network.classes.index(answer)} ^ set(range(len(network.classes)))
    if to is not None:
        allowed = {network.classes.index(to)}
    if head is None:
        return ClassGoal(network.priority_indices, network.default_index, frozenset(allowed))
    points, base = np.array(head.points, np.float64).reshape(-1, head.outputs).T, np.array(head.base, np.float64)
    if head.outputs == 1:
        least = head.cutoff - base
        return ScoreGoal(((points, least) if 1 in allowed else (-points, 1 - least),))
    base += head.offsets
    ways = []
    for label in sorted(allowed):
        rivals = np.delete(np.arange(head.outputs), label)
        ways.append((points[label] - points[rivals], base[rivals] - base[label] + (rivals < label)))
    return ScoreGoal(tuple(ways))


def has_answer(network: RuleNetwork, answer: Value, to: Value | None) -> bool:
    """Return whether an answer is what is asked for already, so that there is nothing to change."""
    if to is None or network.classes:
        return to == answer
    sign, bound = _read_bound(to)
    return bool(_COMPARISONS[sign](float(answer), bound))


def _read_bound(to: object) -> tuple[str, float]:
    """Return the sign and the number of what a prediction is to be."""
    parts = _BOUND.fullmatch(to) if isinstance(to, str) else None
    with suppress(ValueError):
        if parts and not math.isnan(bound := float(parts[2])):
            return parts[1], bound
    raise InputError(f"to is {to!r}; say what the number is to be, such as '>= 300' or '< 20'")


def _make_number_goal(head: Points, answer: float, to: object) -> Goal:
    """Return the sum of points from which on, or up to which, the number that is predicted is as it is to be."""
    sign, bound = _read_bound(to)
    if _COMPARISONS[sign](answer, bound):
        raise InputError(f"the row gets {answer:.10g} already, which is {to}; ask for something else")
    ((low, high),) = head.bounds

    def reaches(score: int) -> bool:
        value = float(score_numbers(head, np.array([[score]]))[0])
        return value >= bound if sign in (">=", "<") else value > bound

    first = bisect_left(range(low, high + 1), True, key=reaches) + low  # numbers rise with the score
    points, least = np.array(head.points, np.float64).reshape(-1, 1).T, np.array([first - head.base[0]], np.float64)
    return ScoreGoal(((points, least) if sign in (">=", ">") else (-points, 1 - least),))


def _list_options(
    network: RuleNetwork, used: Used, row: Sequence[Value | None], frozen: frozenset[str]
) -> list[ColumnOption]:
    """Return what the row could say in columns that change together, first what it says now."""
    if is_tied(network, used):
        values = {column.name: value for column, value in zip(network.columns, row, strict=True)}
        return list_tied_options(network, used, values, frozen)
    ((index, predicates),) = used
    column = network.columns[index]
    dropped = {name for name, _ in network.training.categories_dropped} if network.training else set()
    options = list_options(column, predicates, row[index], column.name in dropped)
    return [ColumnOption(column, option) for option in (options[:1] if column.name in frozen else options)]


def _read_part(options: Sequence[ColumnOption]) -> FreeColumn | tuple[bool, ...]:
    bits = np.array([each.option.bits for each in options], dtype=np.bool_)
    return FreeColumn.of(bits) if len(options) > 1 else options[0].option.bits


def _order_predicates(plan: PredictionPlan, groups: Sequence[Sequence[int]]) -> tuple[Level, ...]:
    """Return the levels of a plan whose predicates come group by group."""
    starts = np.cumsum([0, *(len(tests) for _, tests in plan.used)]).tolist()
    order = [index for group in groups for column in group for index in range(starts[column], starts[column + 1])]
    number = {old: new for new, old in enumerate(order)}
    first = plan.levels[0]
    rules = tuple(Rule(tuple(Literal(number[i.index], i.negated) for i in rule.literals)) for rule in first.rules)
    return (replace(first, rules=rules), *plan.levels[1:])


def _find_limits(network: RuleNetwork, plan: PredictionPlan) -> tuple[str, int]:
    """Return what is not tried, and of how many columns all changes are tried, and one more."""
    kinds = {type(network.columns[index].derivation) for index, _ in plan.used}
    if kinds & {Mention, Length}:
        return "Of a text, words were left out; no text is invented.", 1
    return ("Of the columns of a relation, one at a time was changed.", 2) if Relation in kinds else ("", 0)


def _describe_change(network: RuleNetwork, row: Sequence[Value | None], changed: ColumnOption) -> ColumnChange:
    column, then = changed.column, changed.option
    before = row[[each.name for each in network.columns].index(column.name)]
    return ColumnChange(
        column.name, value_text(column, before), then.text, then.sample, make_example(column, then.value)
    )


def _answer_bits(network: RuleNetwork, levels: Sequence[Level], bits: Sequence[bool]) -> Value:
    """Return the answer where these predicates hold."""
    nodes = np.array([class_nodes(levels, list(map(int, bits)), 1)], dtype=np.bool_)
    head = network.head
    if head is None:
        return network.classes[int(first_firing(nodes, network.priority_indices, network.default_index)[0])]
    scores = score_bits(head, nodes)
    if head.step is None:
        return network.classes[int(answer_scores(head, scores)[0])]
    return float(score_numbers(head, scores)[0])
