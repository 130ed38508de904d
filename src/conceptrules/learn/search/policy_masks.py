"""What a policy means for the search: what rules of each class may ask, what is fixed, and how large a network may be.

Every network that the search can reach then satisfies the clauses. For a column that the decision must not fall in:
with two classes, rules of the better one ask only `x > cut` of it and those of the worse one only `x <= cut`. With more
classes, all rules ask only `x > cut`, the best class comes first and the worst is the default; or the mirror image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from conceptrules.kernels.search.values import ABOVE, ANYTHING, AT_MOST, GAP, PRESENT, Columns, Rules
from conceptrules.learn.binned_table import BinnedTable
from conceptrules.learn.checks import list_limits
from conceptrules.learn.search.locked_rules import LockedRules, code_banned_rules, code_locked_rules, list_kept_rules
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.logic.column_cells import lies_inside
from conceptrules.logic.policies.proof import check_contradictions
from conceptrules.model.errors import InputError
from conceptrules.model.policy import (
    Apart,
    Banned,
    Cost,
    Default,
    Independent,
    LeastPrecision,
    LeastRows,
    Locked,
    Monotone,
    OnlyFor,
    Policy,
    Priority,
)
from conceptrules.model.policy.policy import check_policy, read_banned_rule
from conceptrules.model.policy.reach import reach_derived
from conceptrules.model.predicate import Value

if TYPE_CHECKING:
    from conceptrules.learn.task import Task

    SearchTask = Task[SearchSettings]


@dataclass(frozen=True, slots=True)
class Start:
    """The priority and the default that a policy asks for; None: those that the rows suggest."""

    priority: tuple[int, ...] | None = None
    default: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Constraints:
    """What a policy asks of every network of a search, besides what its columns and settings say."""

    policy: Policy | None = None
    """The policy, as far as the rows of the task can keep it."""
    start: Start = Start()
    locked: LockedRules | None = None
    banned: Rules | None = None
    expected_rates: tuple[float, ...] = ()
    """For each clause about groups, the rate to expect."""


def apply_policy(task: SearchTask) -> SearchTask:
    """Return a task whose networks all satisfy its policy."""
    policy = task.constraints.policy
    if policy is None:
        return task
    columns = tuple(bins.column for bins in task.table.bins)
    policy = check_policy(policy, columns, task.classes)
    check_contradictions(policy, columns, task.classes)
    start = _choose_start(policy, task.classes, task.rows.mass.sum(axis=0).tolist())
    asked = mask_columns(task.columns, task.table, task.classes, reach_derived(policy, columns), start)
    locked = code_locked_rules(task.table, task.classes, policy) if list_kept_rules(policy) else None
    settings = _limit_settings(task.settings, policy, start)
    if locked is not None:
        _check_locked(policy, task, asked, locked.rules)
        _check_banned(policy, task, locked)
        edges = int(locked.rules.size.sum()) + len(locked.tests)
        if settings.max_edges is not None and edges > settings.max_edges:
            raise InputError(f"max_edges = {settings.max_edges}, but the locked rules have {edges}; allow more")
    return replace(
        task,
        columns=asked,
        settings=settings,
        constraints=replace(
            task.constraints,
            start=start,
            locked=locked,
            banned=code_banned_rules(task.table, task.classes, policy) if policy.of_kind(Banned) else None,
        ),
    )


def _check_locked(policy: Policy, task: SearchTask, columns: Columns, rules: Rules) -> None:
    """Raise an `InputError` if a locked rule asks what rules of its class may not ask."""
    for number, clause in enumerate(list_kept_rules(policy)):
        for condition in range(rules.length[number]):
            column = rules.column[number, condition]
            asked, bins = columns.may_ask[rules.owner[number], column], columns.bins[column]
            holding = rules.allowed[number, condition, : bins + 1].astype(int)
            lowest = not asked & (GAP if asked & ABOVE else PRESENT)  # a missing value is below all others
            steps = np.diff([holding[-1], *holding[:-1]] if lowest else holding[:-1])
            if asked != ANYTHING and (not asked or (steps < 0 if asked & ABOVE else steps > 0).any()):
                name = task.table.bins[column].column.name
                limiting = " and ".join(_list_limiting_clauses(policy, name))
                raise InputError(
                    f"{clause.name} contradicts {limiting}: no rule of {clause.label!r} may ask that of {name!r}"
                )


def _list_limiting_clauses(policy: Policy, column: str) -> list[str]:
    """Return the names of the clauses that limit what rules may ask of a column."""
    kinds = Monotone | Independent | OnlyFor
    return [clause.name for clause in policy.clauses if isinstance(clause, kinds) and clause.column == column]


def _check_banned(policy: Policy, task: SearchTask, locked: LockedRules) -> None:
    """Raise an `InputError` if a locked rule lies inside a banned one."""
    columns = tuple(bins.column for bins in task.table.bins)
    for rule, tests in zip(list_kept_rules(policy), locked.tests, strict=True):
        for ban in policy.of_kind(Banned):
            if rule.label == ban.label and lies_inside(columns, tests, read_banned_rule(ban, columns)):
                raise InputError(f"{rule.name} contradicts {ban.name}; unlock the rule, or take out the ban")


def mask_columns(
    columns: Columns, table: BinnedTable, classes: Sequence[Value], policy: Policy, start: Start
) -> Columns:
    """Return the columns with what rules of each class may ask of them, at what cost, and which are kept apart."""
    position = {bins.column.name: number for number, bins in enumerate(table.bins)}
    may_ask, cost, ordered = columns.may_ask.copy(), columns.cost.copy(), columns.ordered.copy()
    pairs = policy.of_kind(Apart)
    apart = np.zeros((len(position), len(position)) if pairs else (0, 0), np.bool_)
    for pair in pairs:
        first, second = position[pair.first], position[pair.second]
        apart[first, second] = apart[second, first] = True
    for independent in policy.of_kind(Independent):
        if independent.column in position:  # it is not, if the column is forbidden
            may_ask[:, position[independent.column]] = 0
    for only in policy.of_kind(OnlyFor):
        excluded = [number for number, label in enumerate(classes) if label not in only.classes]
        may_ask[excluded, position[only.column]] = 0
    for priced in policy.of_kind(Cost):
        cost[position[priced.column]] = priced.cost
    for monotone in policy.of_kind(Monotone):
        ordered[position[monotone.column]] = True  # false and true have an order here
        derived = table.bins[position[monotone.column]].column.derivation is not None
        for number, rising in enumerate(_find_rising_classes(monotone, classes, start)):
            sides = _choose_sides(monotone, rising)  # where a difference is missing, it may be so by infinities
            may_ask[number, position[monotone.column]] &= sides & (ABOVE | AT_MOST) if derived else sides
    return columns._replace(may_ask=may_ask, cost=cost, ordered=ordered, apart=apart)


def _limit_settings(settings: SearchSettings, policy: Policy, start: Start) -> SearchSettings:
    """Return the settings within the limits of a policy."""
    limits = list_limits(settings, policy)
    cheap = [clause for clause in policy.of_kind(Cost) if clause.cost < 1]
    if cheap and (limits.get("max_edges") or settings.max_edges):
        raise InputError(f"{cheap[0].name}: costs below 1 and a limit of edges do not go together; raise all costs")
    precise = policy.of_kind(LeastPrecision)
    return replace(
        settings,
        **limits,  # type: ignore[arg-type]
        fixed_priority=start.priority is not None,
        fixed_default=start.default is not None,
        least_rows=max(settings.least_rows, *(float(clause.rows) for clause in policy.of_kind(LeastRows)), 0.0),
        least_precision=max((float(clause.precision) for clause in precise), default=0.0),
        deviations=max((NormalDist().inv_cdf(clause.confidence or 0.5) for clause in precise), default=0.0),
    )


def _choose_start(policy: Policy, classes: Sequence[Value], mass: Sequence[float]) -> Start:
    default = next((classes.index(clause.label) for clause in policy.of_kind(Default)), None)
    priority = next((tuple(map(classes.index, clause.classes)) for clause in policy.of_kind(Priority)), None)
    deciding = {classes.index(rule.label): rule for rule in list_kept_rules(policy) if rule.mode == "decides"}
    if len(deciding) > 1:
        a, b = list(deciding.values())[:2]
        raise InputError(
            f"{_name_clause(policy, a)} and {_name_clause(policy, b)}: rules that decide are learned around for one "
            f"class only, not for {a.label!r} and {b.label!r}; lock those of the other without mode = 'decides'"
        )
    for first_class, clause in deciding.items():
        if priority is not None and priority[0] != first_class:
            raise InputError(
                f"{_name_clause(policy, clause)} contradicts priority: a rule that decides belongs to the class that "
                "comes first"
            )
        rest = [label for label in np.argsort(mass, kind="stable").tolist() if label != first_class]
        priority = priority or (first_class, *rest)
    if len(classes) == 2 or not policy.of_kind(Monotone):
        return Start(priority, default)
    first, *rest = policy.of_kind(Monotone)
    for other in rest:
        if other.order != first.order:
            raise InputError(f"{other.name} and {first.name} order the classes differently; give one order")
    ranks = [classes.index(label) for label in first.order]
    up, down = (tuple(reversed(ranks)), ranks[0]), (tuple(ranks), ranks[-1])
    ways = [up, down] if mass[ranks[0]] >= mass[ranks[-1]] else [down, up]
    for way, last in ways:
        if priority in (None, way) and default in (None, last):
            return Start(way, last)
    raise InputError(
        f"{first.name}: for more than two classes, the priority has to be from the best to the worst with the worst as "
        "default, or the other way round; take the clauses of priority and default out"
    )


def _name_clause(policy: Policy, rule: Locked) -> str:
    """Return the name of the clause that a rule to keep comes from."""
    return rule.name if rule in policy.of_kind(Locked) else f"implies.{rule.rule}"


def _find_rising_classes(clause: Monotone, classes: Sequence[Value], start: Start) -> list[bool]:
    """Return for each class whether its rules may only begin to hold as the column rises, or else only cease to."""
    best, up = clause.order[-1], clause.direction == "up"
    if len(classes) == 2:
        return [(label == best) == up for label in classes]
    assert start.priority is not None
    best_first = classes[start.priority[0]] == best
    return [best_first == up] * len(classes)


def _choose_sides(clause: Monotone, rising: bool) -> int:
    """Return what may be asked of the column; a missing value has no rank, or is lower than all others.

    `x <= cut` does not hold on a missing value, so if that is the lowest, it also begins to hold as the column rises.
    """
    if clause.missing == "lowest":
        return ABOVE | PRESENT if rising else GAP
    return (ABOVE if rising else AT_MOST) | GAP | PRESENT
