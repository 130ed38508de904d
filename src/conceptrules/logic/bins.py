"""The rules of a scorecard that ask about one column only, as bins of which at most one holds on a row.

`debt > 20: +3` and `debt > 40: +2` add up to 5 where debt is above 40: a reader has to know that both hold. As bins
they say `20 < debt <= 40: +3` and `debt > 40: +5`, as people know it of scorecards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

from conceptrules.logic.canonical import drop_unused_predicates
from conceptrules.logic.column_cells import unseen_category
from conceptrules.model.errors import InputError
from conceptrules.model.network import Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import (
    Column,
    Equals,
    Interval,
    Missing,
    Predicate,
    Value,
    finite_bounds,
    holds,
    named_categories,
    one_of,
    size_of,
)

Vector = tuple[int, ...]
Bins = list[tuple[Predicate, Vector]]
Scored = tuple[Rule, Vector]


def split_into_bins(network: RuleNetwork) -> RuleNetwork:
    """Return a scorecard in which at most one of the rules that ask about one column only holds on a row.

    All scores stay the same, on all rows that there can be; the base may take a constant. The card can have more edges
    than before, and rules with more points. Cards with concepts below their rules stay as they are.

    Parameters
    ----------
    network : RuleNetwork
        A scorecard.

    Returns
    -------
    RuleNetwork
        The same scores. Where rules change, the figures of training rows are left out: `measure` counts them again.

    Raises
    ------
    InputError
        If the network is no scorecard.

    Examples
    --------
    >>> from conceptrules.model import Points
    >>> debt, cuts = Column("debt"), [Interval("debt", 20), Interval("debt", 40)]
    >>> head = Points([[3], [2]], [0], cutoff=4, probabilities=[(0, 0.1), (4, 0.5)])
    >>> level = Level([Rule([Literal(0)]), Rule([Literal(1)])], ())
    >>> card = RuleNetwork([debt], cuts, [level], ["no", "yes"], head=head)
    >>> bins = split_into_bins(card)
    >>> bins.predicates, bins.head.points
    ((Interval(column='debt', low=20.0, high=40.0), Interval(column='debt', low=40.0, high=inf)), ((3,), (5,)))
    """
    head = network.head
    if head is None:
        raise InputError("only the rules of a scorecard can be bins; this network has no points")
    if len(network.levels) > 1:
        return network
    rules = list(zip(network.levels[0].rules, head.points, strict=True))
    owners = [_only_column(network, rule) for rule, _ in rules]
    bins, base = dict[str, Bins](), head.base
    for column in network.columns:
        own = [pair for pair, owner in zip(rules, owners, strict=True) if owner == column.name]
        if len(own) > 1 and _overlap(network, column, own):
            bins[column.name], constant = _make_bins(network, column, own)
            base = _add(base, constant)
    return _replace_rules(network, rules, owners, bins, base) if bins else network


def _replace_rules(
    network: RuleNetwork,
    rules: Sequence[Scored],
    owners: Sequence[str | None],
    bins: dict[str, Bins],
    base: Vector,
) -> RuleNetwork:
    """Return the card with the bins of some columns where the first rule of the column was."""
    assert network.head is not None
    predicates, made, left = list(network.predicates), list[Scored](), dict(bins)
    for pair, owner in zip(rules, owners, strict=True):
        if owner is None or owner not in bins:
            made.append(pair)
        for predicate, points in left.pop(owner, []) if owner is not None else []:
            made.append((Rule((Literal(len(predicates)),)), points))
            predicates.append(predicate)
    head = replace(network.head, points=tuple(points for _, points in made), base=base)
    level = Level(tuple(rule for rule, _ in made), ())
    split = replace(network, predicates=tuple(predicates), levels=(level,), head=head, statistics=None)
    return drop_unused_predicates(split)


def _only_column(network: RuleNetwork, rule: Rule) -> str | None:
    """Return the only column that a rule asks about; None where it asks about several, or about nothing."""
    names = {network.predicates[literal.index].column for literal in rule.literals}
    return names.pop() if len(names) == 1 else None


def _count(points: Vector) -> int:
    return sum(value != 0 for value in points)


def _add(points: Vector, more: Vector) -> Vector:
    return tuple(a + b for a, b in zip(points, more, strict=True))


def _overlap(network: RuleNetwork, column: Column, rules: Sequence[Scored]) -> bool:
    """Return whether two rules of a column hold on some value of it."""
    tests = _tests_of(network, rules)
    values: list[Value | None] = [*finite_bounds(tests), math.inf, None] if column.ordered else [True, False, None]
    if not column.ordered and column.kind != "boolean":
        values = [*named_categories(tests), unseen_category(named_categories(tests)), None]
    return any(sum(_holds(network, rule, value) for rule, _ in rules) > 1 for value in values)


def _tests_of(network: RuleNetwork, rules: Sequence[Scored]) -> list[Predicate]:
    return [network.predicates[literal.index] for rule, _ in rules for literal in rule.literals]


def _holds(network: RuleNetwork, rule: Rule, value: Value | None) -> bool:
    return all(holds(network.predicates[each.index], value) != each.negated for each in rule.literals)


def _make_bins(network: RuleNetwork, column: Column, rules: Sequence[Scored]) -> tuple[Bins, Vector]:
    """Return the bins of a column with their points, and what all values of the column get besides."""
    none = (0,) * len(rules[0][1])
    tests = _tests_of(network, rules)

    def total(value: Value | None) -> Vector:
        """Return the points of the rules that hold on a value."""
        points = [points for rule, points in rules if _holds(network, rule, value)]
        return tuple(map(sum, zip(none, *points, strict=True)))

    if column.ordered:
        bins = _cut(column, finite_bounds(tests), total)
    elif column.kind == "boolean":
        bins = [(Equals(column.name, value), total(value)) for value in (False, True)]
    else:
        bins = _group(column, named_categories(tests), total)
    bins.append((Missing(column.name), total(None)))
    constants = list(dict.fromkeys([none, *(points for _, points in bins)]))
    if not column.ordered and column.kind != "boolean":  # no bin can hold on all the categories that no rule names
        constants = [total(unseen_category(named_categories(tests)))]
    # What is left of the bins, for each constant that can be moved to the base; of equal ones, the first: 0.
    moved = [_subtract(bins, constant) for constant in constants]
    edges = [sum(size_of(predicate, column) + _count(points) for predicate, points in left) for left in moved]
    best = edges.index(min(edges))
    return moved[best], constants[best]


def _cut(column: Column, cuts: Sequence[float], total: Callable[[Value | None], Vector]) -> Bins:
    """Return intervals with their points; neighbours with the same points are one. An upper end stands for its cell."""
    bins: Bins = []
    low = -math.inf
    for points, highs in groupby([*cuts, math.inf], key=total):
        *_, high = highs
        bins.append((Interval(column.name, low, high), points))
        low = high
    return bins


def _group(column: Column, categories: Sequence[Value], total: Callable[[Value | None], Vector]) -> Bins:
    """Return the categories as sets of those with the same points."""
    sets: dict[Vector, list[Value]] = {}
    for category in categories:
        sets.setdefault(total(category), []).append(category)
    return [
        (one_of(column, values) if len(values) > 1 else Equals(column.name, values[0]), points)
        for points, values in sets.items()
    ]


def _subtract(bins: Bins, constant: Vector) -> Bins:
    """Return the bins with so many points less, without those that then have none."""
    less = tuple(-value for value in constant)
    left = [(predicate, _add(points, less)) for predicate, points in bins]
    return [(predicate, points) for predicate, points in left if any(points)]
