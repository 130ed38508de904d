"""What a policy means for cards; clauses that cannot be kept while learning are refused by name."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

import numpy as np

from conceptrules.learn.checks import choose_least_rows, list_limits
from conceptrules.learn.points.constraints import CardConstraints, make_constraints
from conceptrules.learn.points.settings import CardSettings, NumberSettings, check_classes
from conceptrules.learn.task import Task
from conceptrules.logic.policies.proof import check_contradictions
from conceptrules.model.errors import InputError
from conceptrules.model.policy import Cost, Fair, Implies, LeastRows, Locked, Monotone, Policy
from conceptrules.model.policy.policy import check_policy
from conceptrules.model.policy.reach import reach_derived

Settings = TypeVar("Settings", bound=CardSettings)


def apply_policy(task: Task[Settings], weight: float) -> Task[Settings]:
    """Return a task whose cards all satisfy its policy, and whose settings fit its classes.

    `weight` is that of all rows of the table, of which those of the task may be a sample.
    """
    check_classes(task.settings, task.classes)
    policy = task.constraints.policy
    if task.settings.usual_support:
        task = replace(task, settings=replace(task.settings, least_rows=_choose_support(task, weight)))
    if policy is None:
        return task
    columns = tuple(bins.column for bins in task.table.bins)
    policy = check_policy(policy, columns, task.classes, scorecard=True)
    _check_clauses(policy)
    check_contradictions(policy, columns, task.classes)
    limits = list_limits(task.settings, policy)
    least = find_least_rows(policy) or task.settings.least_rows
    outputs = len(task.classes) if len(task.classes) > 2 else 1
    constraints = make_constraints(policy, task.table, task.classes, outputs)
    settings = replace(task.settings, **limits, least_rows=least, constraints=constraints)  # type: ignore[arg-type]
    _check_kept(policy, settings, constraints, task)
    # A condition on false and true has a side as well, where the column has a direction.
    sided = [task.table.bins[column].column.kind == "boolean" for column in range(len(columns))]
    monotone = {clause.column for clause in reach_derived(policy, columns).of_kind(Monotone)}
    sided = [flag and column.name in monotone for flag, column in zip(sided, columns, strict=True)]
    ordered = np.where(sided, 1, task.columns.ordered)
    return replace(task, settings=settings, columns=task.columns._replace(ordered=ordered))


def _choose_support(task: Task[Settings], weight: float) -> float:
    """Return the least rows of the task that a rule covers unless the user says it.

    Rules of cards are added up, so that a wrong one bends the scores of all rows it covers: they need more rows.
    """
    learned = float(task.unweigh(task.rows.mass).sum())
    if isinstance(task.settings, NumberSettings):
        return choose_least_rows(learned)
    return math.ceil(math.sqrt(weight) / 4) * learned / weight


def find_least_rows(policy: Policy | None) -> float:
    """Return the least rows of a rule that a policy asks for."""
    clauses = () if policy is None else policy.of_kind(LeastRows)
    return max((float(clause.rows) for clause in clauses), default=0.0)


def _check_clauses(policy: Policy) -> None:
    """Raise an `InputError` if there is a clause that cards cannot keep."""
    for clause in policy.clauses:
        decides = isinstance(clause, Locked) and clause.mode == "decides"
        if isinstance(clause, Implies | Fair | Cost) or decides:
            raise InputError(
                f"{clause.name}: a scorecard cannot be learned under this clause, although `prove` can tell whether it "
                "keeps it; take it out, or use ConceptRuleClassifier"
            )


def _check_kept(policy: Policy, settings: CardSettings, constraints: CardConstraints, task: Task[Settings]) -> None:
    """Raise an `InputError` if there is no room for the locked rules, or no unit for their points."""
    edges = sum(each.rule.count_edges(task.table) + len(each.paying) for each in constraints.kept)
    if edges > settings.edges:
        raise InputError(f"max_edges = {settings.edges}, but the locked rules have {edges}; allow more")
    asked = {column for each in constraints.kept for column in each.rule.columns}
    if len(asked) > (settings.max_columns or len(asked)):
        raise InputError(
            f"max_columns = {settings.max_columns}, but the locked rules ask about {len(asked)}; allow more"
        )
    for clause in policy.of_kind(Locked):
        if isinstance(settings, NumberSettings) and clause.points and settings.step is None:
            raise InputError(
                f"{clause.name}: its points have no unit; give `step`, what a point adds to the prediction"
            )
        largest = max(map(abs, clause.points), default=0)
        if not isinstance(settings, NumberSettings) and largest > settings.max_points:
            raise InputError(f"{clause.name} has {largest} points, but max_points = {settings.max_points}; allow more")
