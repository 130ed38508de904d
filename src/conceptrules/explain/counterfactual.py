"""Counterfactuals: the smallest change of a row that gives it another class, and whether it is proved smallest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from conceptrules.explain.column_options import Example, Option, list_options, make_example
from conceptrules.explain.counterfactual_search import (
    Budget,
    FreeColumn,
    Question,
    SmallestChange,
    States,
    find_smallest_change,
    may_lead,
    split_sides,
)
from conceptrules.model.derived import require_own_columns
from conceptrules.model.errors import InputError
from conceptrules.model.heads import require_decision
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.tables.prediction import compile_plan, decide
from conceptrules.tables.table import nearest, open_row, read_row

LIMIT = 1_000_000  # states; two to three seconds on a network of a few hundred edges


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
    """The fewest columns to change for another class.

    Of several such changes it is the one that flips fewest predicates.
    """

    changes: tuple[ColumnChange, ...]
    """The columns to change; empty where the search ended before it found any change."""
    label: Value | None
    """The class that the changed row gets; None if there are no changes."""
    proved: bool
    """Whether it is proved that no change of fewer columns exists; otherwise the search reached its limit."""
    at_least: int
    """A lower bound that is proved: no change of fewer columns than this gives another class."""
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
    """Find the smallest change of a row that gives it another class.

    The search is exact: a change of the fewest columns, and a proof that fewer will not do.

    Parameters
    ----------
    network : RuleNetwork
        The network that decides.
    row : row
        A dictionary, a list of values, a row of a pandas table, or a table with one row.
    fixed : iterable of str, default=()
        The columns that have to stay as they are.
    to : class label, optional
        The class that the changed row is to get; by default, any other class will do.
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
        If `fixed` names an unknown column, `to` is no other class of the network, or `row` is not one row.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
    >>> counterfactual = find_counterfactual(network, {"age": 30})
    >>> counterfactual.label, counterfactual.changes[0].after, counterfactual.changes[0].example, counterfactual.proved
    ('old', 'age > 41', 42, True)
    """
    require_decision(network, "the search for a counterfactual")
    require_own_columns(network.columns, "the search for a counterfactual")
    for name, value in (("limit", limit), ("seconds", 0 if seconds is None else seconds)):
        if not isinstance(value, Real) or not value >= 0:
            raise InputError(f"{name} is {value!r}; give a number that is not negative")
    frozen = check_fixed(network, fixed)
    table = open_row(row)
    allowed = check_target(network, network.classes[int(decide(network, table)[0])], to)
    used = _used_columns(network, read_row(network.columns, table))
    free = [index for index, options in used if network.columns[index].name not in frozen and len(options) > 1]
    question = _ask(network, used, free, allowed)
    budget = Budget(limit, seconds)
    result = find_smallest_change(question, budget)
    if result is None:
        return None
    changes = () if result.state is None else _list_changes(network, dict(used), free, result.state)
    return Counterfactual(
        changes, _find_label(network, question, result), result.proved, result.at_least, budget.visited
    )


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


def check_target(network: RuleNetwork, label: Value, to: Value | None) -> frozenset[int]:
    """Return the classes, as indices, that a change may lead to."""
    if to is None:
        return frozenset(range(len(network.classes))) - {network.classes.index(label)}
    if to not in network.classes:
        names = [str(name) for name in network.classes]
        raise InputError(f"to={to!r} is not a class of the network; {nearest(str(to), names)}")
    if to == label:
        raise InputError(f"the row gets the class {to!r} already; name another one with `to`, or none")
    return frozenset({network.classes.index(to)})


def _used_columns(network: RuleNetwork, values: Sequence[Value | None]) -> list[tuple[int, list[Option]]]:
    """Return the numbers of the used columns, with what the row could say there."""
    dropped = {name for name, _ in network.training.categories_dropped} if network.training else set()
    return [
        (index, list_options(network.columns[index], predicates, values[index], network.columns[index].name in dropped))
        for index, predicates in compile_plan(network).used
    ]


def _ask(
    network: RuleNetwork, used: Sequence[tuple[int, list[Option]]], free: Sequence[int], allowed: frozenset[int]
) -> Question:
    plan = compile_plan(network)
    bits = {index: np.array([option.bits for option in options], dtype=np.bool_) for index, options in used}
    parts = tuple(FreeColumn.of(bits[index]) if index in free else options[0].bits for index, options in used)
    predicates = sum(len(of_column) for _, of_column in plan.used)
    return Question(split_sides(plan.levels, predicates), plan.order, plan.default, allowed, parts)


def _list_changes(
    network: RuleNetwork, used: dict[int, list[Option]], free: Sequence[int], state: States
) -> tuple[ColumnChange, ...]:
    changes = []
    for index, number in zip(free, state, strict=True):
        if number:
            column, now, then = network.columns[index], used[index][0], used[index][int(number)]
            changes.append(
                ColumnChange(column.name, now.text, then.text, then.sample, make_example(column, then.value))
            )
    return tuple(changes)


def _find_label(network: RuleNetwork, question: Question, result: SmallestChange) -> Value | None:
    if result.state is None:
        return None
    for index in question.allowed:
        if may_lead(replace(question, allowed=frozenset({index})), result.state[None])[0]:
            return network.classes[index]
    raise AssertionError(result.state)
