"""The clauses that need no proof: those that are read off the rules themselves, and those about given rows."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.logic.column_cells import rules_inside, rules_like
from conceptrules.logic.policies.counterexamples import GivenRows
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.policy import (
    Apart,
    Banned,
    Clause,
    Default,
    Fair,
    Forbidden,
    LeastPrecision,
    LeastRows,
    Limit,
    Locked,
    OnlyFor,
    Priority,
    Signatures,
)
from conceptrules.model.policy.policy import read_banned_rule, read_known_rule
from conceptrules.model.precision import wilson_interval
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import nearest_name
from conceptrules.model.statistics import asked_columns, edges, with_statistics
from conceptrules.model.text import number_text, percent, plural, rule_text, word
from conceptrules.model.trail import find_break, list_signatures, signature_text
from conceptrules.tables.groups import check_groups, read_groups
from conceptrules.tables.prediction import decide
from conceptrules.tables.table import read_used_bits

_ROUNDING = 1e-9  # sums of fractions depend on their order


# Clauses about the rules


def is_structural(clause: Clause) -> bool:
    """Return whether the rules alone decide if a clause holds."""
    kinds = (Forbidden, Apart, OnlyFor, Banned, Default, Priority, Limit)
    return isinstance(clause, kinds) or (isinstance(clause, Locked) and clause.mode == "keep")


def find_violation(clause: Clause, network: RuleNetwork) -> str | None:
    """Return why the rules of a network violate a structural clause; None if they do not."""
    assert is_structural(clause)
    return next(_list_violations(clause, network), None)


def _list_asked_columns(network: RuleNetwork) -> list[list[frozenset[str]]]:
    """Return the columns that each rule asks about, and those that derived ones among them are worked out from."""
    sources = {column.name: column.derivation.columns for column in network.columns if column.derivation}
    return [
        [asked.union(*(sources.get(name, ()) for name in asked)) for asked in level] for level in asked_columns(network)
    ]


def _list_violations(clause: Clause, network: RuleNetwork) -> Iterator[str]:
    last = len(network.levels) - 1
    match clause:
        case Forbidden(column=column):
            yield from _list_rules_with(network, {column})
        case Apart(first=first, second=second):
            yield from _list_rules_with(network, {first, second})
        case OnlyFor(column=column, classes=classes):
            rules = _list_asked_columns(network)[-1]
            for label, concept in zip(network.classes, network.levels[-1].concepts, strict=True):
                if label not in classes:
                    asking = (rule_text(network, last, rule) for rule in concept.rules if column in rules[rule])
                    yield from (f"this rule of {word(label)} does too: {text}" for text in asking)
        case Default(label=label) if network.default != label:
            yield f"the default is {word(network.default)}"
        case Priority(classes=classes) if network.priority != classes:
            yield f"the priority is {', '.join(map(word, network.priority))}"
        case Limit(of="literals", most=most):
            for depth, level in enumerate(network.levels):
                lengths = [len(rule.literals) for rule in level.rules]
                long = (index for index, length in enumerate(lengths) if length > most)
                yield from (f"this rule has {lengths[index]}: {rule_text(network, depth, index)}" for index in long)
        case Limit(of=unit, most=most):
            size = edges(network) if unit == "edges" else sum(len(level.rules) for level in network.levels)
            yield from [f"the network has {plural(size, unit[:-1])}"] if size > most else []
        case Locked():
            lost = find_lost_rule(clause, network)
            yield from [] if lost is None else [lost]
        case Banned(label=label):
            inside = rules_inside(network, read_banned_rule(clause, network.columns))
            back = (rule for rule in inside if _has_rule(network, {rule}, label))
            yield from (f"this rule does: {rule_text(network, 0, rule)}" for rule in back)


def find_lost_rule(clause: Locked, network: RuleNetwork) -> str | None:
    """Return why a locked rule is not there; None if its class has one that says the same, column by column.

    In a network of several levels, concepts pass it on: some rule of the class holds wherever the concept does.
    """
    rules = set(rules_like(network, read_known_rule(clause.name, clause.rule, network.columns)))
    if clause.points and rules:
        assert network.head is not None
        points = tuple(map(sum, zip(*(network.head.points[rule] for rule in rules), strict=True)))
        if points != clause.points:
            return f"the rule has {' and '.join(f'{value:+,}' for value in points)} points"
    if _has_rule(network, rules, clause.label):
        return None
    owner = "the card" if clause.label is None else word(clause.label)
    return f"{owner} has no such rule" + (" with points in its favour" if rules and network.head is not None else "")


def _has_rule(network: RuleNetwork, rules: set[int], label: Value | None) -> bool:
    """Return whether a class has one of these rules of the first level, or a concept that passes one on.

    The rules of a scorecard are those of a class if they have points in favour of it, together, and without a class if
    any of them has points.
    """
    if network.head is None:
        return label in _classes_with(network, rules)
    totals = [sum(network.head.points[rule][output] for rule in rules) for output in range(network.head.outputs)]
    if label is None:
        return any(totals)
    number = network.classes.index(label)
    if len(network.classes) == 2:
        return totals[0] * (1 if number else -1) > 0
    return totals[number] > 0


def _classes_with(network: RuleNetwork, rules: set[int]) -> list[Value]:
    """Return the classes that have one of these rules of the first level, or a concept that passes one on."""
    concepts: set[int] = set()
    for depth, level in enumerate(network.levels):
        if depth:
            passing = {(Literal(index),) for index in concepts}
            rules = {index for index, rule in enumerate(level.rules) if rule.literals in passing}
        concepts = {index for index, concept in enumerate(level.concepts) if rules & set(concept.rules)}
    return [network.classes[index] for index in concepts]


def _list_rules_with(network: RuleNetwork, columns: set[str]) -> Iterator[str]:
    for depth, rules in enumerate(_list_asked_columns(network)):
        asking = (index for index, tested in enumerate(rules) if columns <= tested)
        yield from (f"this rule does: {rule_text(network, depth, index)}" for index in asking)


def check_signatures(clause: Signatures, network: RuleNetwork) -> tuple[bool | None, str]:
    """Return whether enough people signed the network as it is, and who they are; None while some are missing."""
    broken = find_break(network.trail)
    signed = [] if broken else list_signatures(network)
    people = {entry.who.casefold(): signature_text(entry) for entry in signed}
    names = ", ".join(people.values()) or f"nobody{', as the trail is broken' if broken else ''}"
    enough = len(people) >= clause.least
    return enough or None, f"{'' if enough else f'{len(people)} of {clause.least} so far: '}signed by {names}"


# Clauses about rows


def check_rows(
    clause: LeastRows | LeastPrecision | Fair, network: RuleNetwork, rows: GivenRows | None
) -> tuple[bool | None, str]:
    """Return whether a clause about rows holds on them, and the reason; None if that cannot be decided.

    Without rows, those count that the statistics of the network were counted on.
    """
    if isinstance(clause, Fair):
        if rows is None:
            return None, "needs rows; give some with the column of the groups"
        fair, rates = _check_fairness(clause, network, rows)
        return fair, f"{rates}, on {rows.table.rows:,} rows"
    if rows is None and network.statistics is None:
        return None, "needs rows and their classes; there are no rows"
    basis = "the rows that the statistics of the model were counted on"
    if rows is not None:
        bits = read_used_bits(network, rows.table)
        if rows.labels is None and isinstance(clause, LeastPrecision):
            return None, "needs rows and their classes; there are no classes of the rows"
        y = np.zeros(rows.table.rows, dtype=np.intp) if rows.labels is None else np.array(rows.labels, dtype=np.intp)
        network = with_statistics(network, bits, np.maximum(y, 0), (y >= 0).astype(float))
        basis = f"{rows.table.rows:,} rows"
    weak = _find_small_rule(clause, network) if isinstance(clause, LeastRows) else _find_imprecise_rule(clause, network)
    return weak is None, f"on {basis}" if weak is None else f"{weak}, on {basis}"


def _find_small_rule(clause: LeastRows, network: RuleNetwork) -> str | None:
    assert network.statistics is not None
    for depth, rules in enumerate(network.statistics.covered):
        for index, counts in enumerate(rules):
            if sum(counts) < clause.rows - _ROUNDING * max(clause.rows, 1):
                return f"this rule covers {plural(sum(counts), 'row')}: {rule_text(network, depth, index)}"
    return None


def _find_imprecise_rule(clause: LeastPrecision, network: RuleNetwork) -> str | None:
    assert network.statistics is not None
    covered = network.statistics.covered[-1]
    for index, concept in enumerate(network.levels[-1].concepts):
        for rule in concept.rules:
            share = lower_bound(covered[rule][index], sum(covered[rule]), clause.confidence)
            if share < clause.precision - _ROUNDING:
                text = rule_text(network, len(network.levels) - 1, rule)
                return f"this rule of {word(network.classes[index])} reaches {number_text(round(share, 4))}: {text}"
    return None


def lower_bound(right: float, rows: float, confidence: float | None) -> float:
    """Return the share of right rows, or the lower end of its one-sided Wilson interval.

    >>> lower_bound(8, 10, None), round(lower_bound(8, 10, 0.95), 3)
    (0.8, 0.541)
    """
    if confidence is None:
        return right / rows if rows else 0.0
    ends = wilson_interval(right, rows, NormalDist().inv_cdf(confidence))
    return 0.0 if ends is None else ends[0]


def _check_fairness(clause: Fair, network: RuleNetwork, rows: GivenRows) -> tuple[bool, str]:
    if clause.column not in rows.table.names:
        known = nearest_name(clause.column, rows.table.names)
        raise InputError(f"{clause.name}: the data have no column {clause.column!r}; {known}")
    if clause.measure == "true_positive_rate" and rows.labels is None:
        raise InputError(f"{clause.name}: true positive rates need the class of each row; give labels (--target)")
    positive = network.classes.index(clause.positive)
    answered = decide(network, rows.table) == positive
    counted = np.ones(len(answered))
    if clause.measure == "true_positive_rate":
        counted = np.array(rows.labels) == positive
    groups = read_groups(rows.table, clause.column)
    check_groups(clause.column, set(groups.tolist()) - {None}, f"fair.{clause.column}")
    return compare_groups(clause, groups, answered, counted)


def compare_groups(
    clause: Fair, groups: NDArray[Any], answered: NDArray[np.bool_], weight: NDArray[Any]
) -> tuple[bool, str]:
    """Return whether groups get an answer alike enough, and the rates of the two that differ most.

    Rows of weight 0 do not count.
    """
    rates = {}
    for group in sorted({group for group in groups if group is not None}):
        own = np.where(groups == group, weight, 0.0)
        if own.sum() > 0:
            rates[group] = float((own * answered).sum() / own.sum())
    if len(rates) < 2:
        return True, f"there is only {plural(len(rates), 'group')} of {word(clause.column)}"
    low = min(rates, key=rates.__getitem__)
    high = max((group for group in rates if group != low), key=rates.__getitem__)
    text = f"{word(high)} {percent(rates[high])}, {word(low)} {percent(rates[low])}"
    if clause.measure == "selection_ratio":
        ratio = rates[low] / rates[high] if rates[high] else 1.0
        return ratio >= clause.bound - _ROUNDING, f"{text}: a ratio of {ratio:.4f}"
    gap = rates[high] - rates[low]
    return gap <= clause.bound + _ROUNDING, f"{text}: a difference of {gap:.4f}"
