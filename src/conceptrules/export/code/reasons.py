"""Reasons in exported code: the tables that it looks them up in.

`RuleNetwork.reasons` says what reasons are; the code finds the same ones, the four that weigh most.
"""

from __future__ import annotations

from dataclasses import dataclass

from conceptrules.explain.reason_columns import ReasonColumn, list_reason_columns
from conceptrules.explain.reasons import list_choices
from conceptrules.model.errors import InputError
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.text import rule_text, word
from conceptrules.tables.prediction import compile_plan


@dataclass(frozen=True, slots=True)
class PayingRule:
    """A rule of a scorecard as one column sees it."""

    rule: int
    """Its number."""
    points: tuple[int, ...]
    own: tuple[tuple[int, bool], ...]
    """Which of the column's tests have to hold or not, by their place."""
    rest: tuple[Literal, ...]
    """The conditions on other columns."""


@dataclass(frozen=True, slots=True)
class CostingColumn:
    """A column that can cost a row points."""

    column: ReasonColumn
    tests: tuple[int, ...]
    """The numbers of its tests."""
    cells: tuple[tuple[bool, ...], ...]
    """Which tests hold for the values that the row is compared with."""
    numbers: tuple[int, ...]
    """The numbers of these values, as the column counts them."""
    rules: tuple[PayingRule, ...]


@dataclass(frozen=True, slots=True)
class DecidingRule:
    """A rule of a class: its text, its number, and each condition with the number of its column."""

    text: str
    rule: int
    conditions: tuple[tuple[Literal, int], ...]
    possible: bool
    """Whether any row satisfies it, as far as its conditions contradict each other."""


@dataclass(frozen=True, slots=True)
class DecidingClass:
    """A class that rules can decide for, with its place in the network."""

    index: int
    label: str
    rules: tuple[DecidingRule, ...]


@dataclass(frozen=True, slots=True)
class ReasonTables:
    """What the code looks reasons up in: the columns of a scorecard, or the classes in the order of their priority."""

    columns: tuple[CostingColumn, ...] = ()
    classes: tuple[DecidingClass, ...] = ()
    default: str = ""
    said: tuple[ReasonColumn, ...] = ()
    """The used columns of rules, in the order of the table."""


def list_reason_tables(network: RuleNetwork) -> ReasonTables:
    """Return the tables of a network of one level."""
    if len(network.levels) > 1:
        raise InputError("reasons are exported for networks of one level; leave them out, or ask network.reasons")
    used = [column.name for column in network.columns if column.name in network.used_columns]
    plan = compile_plan(network)
    said = {each.column.name: each for each in list_reason_columns(network, plan)}
    rules = network.levels[0].rules

    if network.head is not None:
        choices = list_choices(network, plan, list(said.values()), "best")
        columns = []
        for (name, tests), (cells, numbers) in zip(network.used_columns.items(), choices, strict=True):
            paying = []
            for number, (rule, points) in enumerate(zip(rules, network.head.points, strict=True)):
                own = tuple((tests.index(i.index), not i.negated) for i in rule.literals if i.index in tests)
                if own:
                    rest = tuple(each for each in rule.literals if each.index not in tests)
                    paying.append(PayingRule(number, points, own, rest))
            bits = tuple(tuple(map(bool, cell)) for cell in cells.tolist())
            columns.append(CostingColumn(said[name], tuple(tests), bits, tuple(numbers), tuple(paying)))
        return ReasonTables(columns=tuple(columns))
    column_of = [predicate.column for predicate in network.predicates]

    def describe(rule: int) -> DecidingRule:
        literals = sorted(rules[rule].literals)
        conditions = tuple((each, used.index(column_of[each.index])) for each in literals)
        possible = not any(~each in literals for each in literals)
        return DecidingRule(rule_text(network, 0, rule), rule, conditions, possible)

    classes = tuple(
        DecidingClass(kind, word(network.classes[kind]), tuple(map(describe, network.levels[0].concepts[kind].rules)))
        for kind in network.priority_indices
    )
    return ReasonTables(classes=classes, default=word(network.default), said=tuple(said[name] for name in used))
