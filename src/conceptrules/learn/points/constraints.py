"""What a policy asks of the rules of a card: signs of their weights, rules that are kept, and rules that are banned.

A card is monotone in a column if every rule is: it asks for the upper values of the column and its weight says so, or
for the lower ones and its weight says the opposite. Rounding and merging of rules keep signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.points.reference import NEVER
from conceptrules.learn.binned_table import BinnedTable
from conceptrules.learn.points.growth import CodedRule
from conceptrules.learn.points.settings import CardSettings
from conceptrules.learn.search.locked_rules import code_rules
from conceptrules.logic.column_cells import lies_inside
from conceptrules.model.errors import InputError
from conceptrules.model.policy import Apart, Banned, Independent, Locked, Monotone, Policy
from conceptrules.model.policy.policy import read_banned_rule, read_known_rule
from conceptrules.model.policy.reach import reach_derived
from conceptrules.model.predicate import Value
from conceptrules.model.rule_reader import Stated, condition_texts, network_of_tests

Signs = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class KeptRule:
    """A locked rule, which is on every card."""

    rule: CodedRule
    points: tuple[int, ...]
    """For each output; none: those that are learned."""
    signs: tuple[int, ...]
    """The sign that its weight for each output has to have; 0: any, and `NEVER`: it has none."""
    paying: tuple[int, ...]
    """The outputs that it has points for; of those that are learned, at least one."""

    def settle(self, points: NDArray[np.int64], weights: Floats) -> NDArray[np.int64]:
        """Return its points, from those that rounding leaves: a rule without any would not be there."""
        if self.points:
            return np.array(self.points, np.int64)
        if points[list(self.paying)].any():
            return points
        output = max(self.paying, key=lambda each: abs(weights[each]))
        settled = points.copy()
        settled[output] = self.signs[output] or (1 if weights[output] >= 0 else -1)
        return settled


@dataclass(frozen=True, slots=True, eq=False)
class CardConstraints:
    """What rules of a card have to be like."""

    direction: Signs
    """[output, column]: whether a weight rises (1) or falls (-1) with the column; 0: as it likes, and `NEVER`: no rule
    of this output asks about the column."""
    lowest: NDArray[np.bool_]
    """[column]: whether a missing value counts as lower than all others."""
    kept: tuple[KeptRule, ...] = ()
    apart: tuple[tuple[int, int], ...] = ()
    """Columns that do not meet in a rule."""
    table: BinnedTable | None = None
    banned: tuple[tuple[Stated, ...], ...] = ()
    """Regions that no rule may lie inside."""

    @property
    def required(self) -> Signs:
        """[output, column, 3]: what `find_conditions` asks for."""
        up = self.direction
        free = (up == 0) | (up == NEVER)
        below = np.where(self.lowest & (up != 0), NEVER, np.where(free, up, -up))
        gap = np.where(up == NEVER, NEVER, np.where(self.lowest, -up, 0))
        if self.table is not None:  # where a difference is missing, it may be so by infinities
            gap = np.where(free | [bins.column.derivation is None for bins in self.table.bins], gap, NEVER)
        return np.ascontiguousarray(np.stack([below, up, gap], axis=2))

    def find_sign(self, rule: CodedRule, output: int) -> int:
        """Return the sign that the weight of a rule has to have; 0: any, and `NEVER`: the rule may not be there."""
        signs = set[int]()
        for column, allowed in zip(rule.columns, rule.allowed, strict=True):
            up = int(self.direction[output, column])
            if up == NEVER:
                return NEVER
            if up:
                assert self.table is not None
                bins = self.table.bins[column].count
                holds = allowed[:bins].astype(int)
                steps = np.diff(holds if not self.lowest[column] else np.concatenate([allowed[bins : bins + 1], holds]))
                signs |= {up * int(step) for step in steps if step}
        return 0 if not signs else signs.pop() if len(signs) == 1 else NEVER

    def forbids(self, rule: CodedRule) -> bool:
        """Return whether a rule has columns that may not meet, or lies inside a banned one."""
        if any(first in rule.columns and second in rule.columns for first, second in self.apart):
            return True
        if not self.banned:
            return False
        assert self.table is not None
        tests = [
            Stated(*test)
            for column, allowed in zip(rule.columns, rule.allowed, strict=True)
            for test in self.table.bins[column].state_tests(allowed)
        ]
        columns = [bins.column for bins in self.table.bins]
        return any(lies_inside(columns, tests, region) for region in self.banned)


def list_kept_rules(settings: CardSettings) -> tuple[KeptRule, ...]:
    """Return the locked rules, which are the first ones of every card."""
    return () if settings.constraints is None else settings.constraints.kept


def make_constraints(policy: Policy, table: BinnedTable, classes: Sequence[Value], outputs: int) -> CardConstraints:
    """Return what a policy asks of rules, or raise an `InputError` if locked rules contradict it.

    The clauses have the whole order of the classes.
    """
    names = {bins.column.name: number for number, bins in enumerate(table.bins)}
    direction, lowest = np.zeros((outputs, len(names)), np.int64), np.zeros(len(names), np.bool_)
    asked = reach_derived(policy, [bins.column for bins in table.bins])
    for monotone in asked.of_kind(Monotone):
        column, up = names[monotone.column], 1 if monotone.direction == "up" else -1
        lowest[column] = monotone.missing == "lowest" and policy.domain.can_miss(monotone.column)
        if outputs == 1:
            direction[0, column] = -up if classes and monotone.order[-1] != classes[1] else up
            continue
        for output, label in enumerate(classes):  # of several classes, only the worst and the best one gain or lose
            sides = {monotone.order[0]: -up, monotone.order[-1]: up}
            direction[output, column] = sides.get(label, NEVER)
    for independent in asked.of_kind(Independent):
        if independent.column in names:
            direction[:, names[independent.column]] = NEVER
    columns = [bins.column for bins in table.bins]
    constraints = CardConstraints(
        direction,
        lowest,
        apart=tuple((names[pair.first], names[pair.second]) for pair in asked.of_kind(Apart)),
        table=table,
        banned=tuple(read_banned_rule(clause, columns) for clause in policy.of_kind(Banned)),
    )
    kept = tuple(_list_kept(policy, table, classes, constraints))
    return replace(constraints, kept=kept)


def _list_kept(
    policy: Policy, table: BinnedTable, classes: Sequence[Value], constraints: CardConstraints
) -> Iterator[KeptRule]:
    columns = [bins.column for bins in table.bins]
    for clause in policy.of_kind(Locked):
        tests = read_known_rule(clause.name, clause.rule, columns)
        coded = code_rules(table, [0], [tests])
        count = int(coded.length[0])
        order = np.argsort(coded.column[0, :count])
        rule = CodedRule(tuple(coded.column[0, order].tolist()), np.ascontiguousarray(coded.allowed[0, order]))
        _check_words(clause, rule, tests, table)
        if constraints.forbids(rule):
            raise InputError(
                f"{clause.name} contradicts another clause: it lies inside a banned rule, or has two columns that are "
                "kept apart; unlock the rule, or take that clause out"
            )
        signs = [constraints.find_sign(rule, output) for output in range(len(constraints.direction))]
        signs = _join_label(clause, classes, signs)
        asked = range(len(signs)) if clause.label is None or len(signs) == 1 else [list(classes).index(clause.label)]
        paying = [output for output in asked if signs[output] != NEVER and (not clause.points or clause.points[output])]
        points = clause.points or (0,) * len(signs)
        wrong = any(value * sign < 0 or (value and sign == NEVER) for value, sign in zip(points, signs, strict=True))
        if wrong or not paying:
            _refuse_kept(clause, policy, rule, table, wrong)
        yield KeptRule(rule, clause.points, tuple(signs), tuple(paying))


def _check_words(clause: Locked, rule: CodedRule, tests: Sequence[Stated], table: BinnedTable) -> None:
    """Raise an `InputError` unless the bins of the table can say the rule as it was written."""
    columns = [bins.column for bins in table.bins]
    said = [
        Stated(*test)
        for column, allowed in zip(rule.columns, rule.allowed, strict=True)
        for test in table.bins[column].state_tests(allowed)
    ]
    texts = []
    for each in (tests, said):
        alone = network_of_tests(each, columns)
        texts.append(condition_texts(alone, 0, alone.levels[0].rules[0].literals))
    if texts[0] != texts[1]:
        words = " and ".join(sorted(texts[1]))
        raise InputError(f"{clause.name}: a card can be learned around this rule only if it is written as: {words}")


def _join_label(clause: Locked, classes: Sequence[Value], signs: Sequence[int]) -> list[int]:
    """Return the signs with those that the class of a locked rule asks for."""
    if clause.label is None:
        return list(signs)
    number = list(classes).index(clause.label)
    several = [int(output == number) for output in range(len(signs))]
    asked = several if len(signs) > 1 else [1 if number else -1]
    return [
        own or sign if not (own and sign and own != sign) else NEVER for own, sign in zip(asked, signs, strict=True)
    ]


def _refuse_kept(clause: Locked, policy: Policy, rule: CodedRule, table: BinnedTable, points: bool) -> NoReturn:
    """Raise an `InputError` for a locked rule that is not monotone itself, with its points or for its class."""
    asked = {table.bins[column].column.name for column in rule.columns}
    limiting = [each.name for each in policy.of_kind(Monotone) if each.column in asked]
    limiting += [each.name for each in policy.of_kind(Independent) if each.column in asked]
    if not limiting:
        raise InputError(
            f"{clause.name}: its points are not in favour of {clause.label!r}; change the points or the class"
        )
    fix = "ask it for one side of the column only"
    if points or clause.label is not None:
        fix = "give it points of the other sign, or none" if points else "give it another class, or none"
    raise InputError(
        f"{clause.name} contradicts {' and '.join(limiting)}: as the column rises, a card with this rule would go the "
        f"other way; {fix}, or take one of the clauses out"
    )
