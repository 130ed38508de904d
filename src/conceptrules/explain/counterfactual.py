"""Counterfactuals: the smallest change of a row that gives it another answer, and whether it is proved smallest."""

from __future__ import annotations

import math
import operator
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from conceptrules.explain.column_options import Example, Option, list_options, make_example
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
from conceptrules.model.derived import require_own_columns
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import class_nodes, first_firing
from conceptrules.model.heads import Points
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.scoring import answer_scores, score_bits, score_numbers
from conceptrules.tables.prediction import compile_plan, predict
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
    require_own_columns(network.columns, "the search for a counterfactual")
    for name, value in (("limit", limit), ("seconds", 0 if seconds is None else seconds)):
        if not isinstance(value, Real) or not value >= 0:
            raise InputError(f"{name} is {value!r}; give a number that is not negative")
    frozen = check_fixed(network, fixed)
    table = open_row(row)
    goal = make_goal(network, predict(network, table).tolist()[0], to)
    used = _used_columns(network, read_row(network.columns, table))
    free = [index for index, options in used if network.columns[index].name not in frozen and len(options) > 1]
    parts = tuple(_read_part(options, index in free) for index, options in used)
    plan = compile_plan(network)
    question = Question(split_sides(plan.levels, sum(len(tests) for _, tests in plan.used)), goal, parts)
    budget = Budget(limit, seconds)
    result = find_smallest_change(question, budget)
    if result is None:
        return None
    state = dict(zip(free, () if result.state is None else result.state.tolist(), strict=False))
    changes = tuple(_list_changes(network, dict(used), state))
    label = None if result.state is None else _answer_state(network, used, state)
    return Counterfactual(changes, label, result.proved, result.at_least, budget.visited)


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
    found: dict[frozenset[str], Counterfactual | None] = {}
    open_sets = [frozen]
    while len(results) < count and open_sets:
        for stays in open_sets:
            if stays not in found:
                found[stays] = find_counterfactual(network, row, fixed=stays, to=to, limit=limit, seconds=seconds)
        changes = [(len(each.changes), stays) for stays in open_sets if (each := found[stays]) and each.changes]
        if not changes:
            break
        _, stays = min(changes, key=lambda change: change[0])
        best = found[stays]
        assert best is not None
        if best not in results:
            results.append(best)
        open_sets.remove(stays)
        open_sets += [stays | {change.column} for change in best.changes if stays | {change.column} not in found]
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
        others = np.delete(np.arange(head.outputs), label)
        ways.append((points[label] - points[others], base[others] - base[label] + (others < label)))
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


def _used_columns(network: RuleNetwork, values: Sequence[Value | None]) -> list[tuple[int, list[Option]]]:
    """Return the numbers of the used columns, with what the row could say there."""
    dropped = {name for name, _ in network.training.categories_dropped} if network.training else set()
    return [
        (index, list_options(network.columns[index], predicates, values[index], network.columns[index].name in dropped))
        for index, predicates in compile_plan(network).used
    ]


def _read_part(options: Sequence[Option], free: bool) -> FreeColumn | tuple[bool, ...]:
    return FreeColumn.of(np.array([option.bits for option in options], dtype=np.bool_)) if free else options[0].bits


def _list_changes(network: RuleNetwork, used: dict[int, list[Option]], state: dict[int, int]) -> Iterator[ColumnChange]:
    for index, number in state.items():
        if number:
            column, now, then = network.columns[index], used[index][0], used[index][number]
            yield ColumnChange(column.name, now.text, then.text, then.sample, make_example(column, then.value))


def _answer_state(network: RuleNetwork, used: Sequence[tuple[int, list[Option]]], state: dict[int, int]) -> Value:
    """Return the answer where the columns say these options."""
    bits = [int(bit) for index, options in used for bit in options[state.get(index, 0)].bits]
    nodes = np.array([class_nodes(compile_plan(network).levels, bits, 1)], dtype=np.bool_)
    head = network.head
    if head is None:
        return network.classes[int(first_firing(nodes, network.priority_indices, network.default_index)[0])]
    scores = score_bits(head, nodes)
    if head.step is None:
        return network.classes[int(answer_scores(head, scores)[0])]
    return float(score_numbers(head, scores)[0])
