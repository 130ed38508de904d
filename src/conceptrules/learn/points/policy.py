"""What a policy means for cards; clauses that they cannot keep yet are refused by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from conceptrules.learn.points.settings import CardSettings, check_classes
from conceptrules.learn.task import Task
from conceptrules.model.errors import InputError
from conceptrules.model.policy import Forbidden, LeastRows, Limit, Policy
from conceptrules.model.policy.policy import check_policy

Settings = TypeVar("Settings", bound=CardSettings)
_LIMITS = {"edges": "max_edges", "literals": "max_rule_length"}


def apply_policy(task: Task[Settings]) -> Task[Settings]:
    """Return a task whose cards all satisfy its policy, and whose settings fit its classes."""
    check_classes(task.settings, task.classes)
    policy = task.constraints.policy
    if policy is None:
        return task
    check_policy(policy, tuple(bins.column for bins in task.table.bins), task.classes)
    _check_clauses(policy)
    limits: dict[str, int] = {}
    for limit in policy.of_kind(Limit):
        known = getattr(task.settings, _LIMITS[limit.of])
        limits[_LIMITS[limit.of]] = limit.most if known is None else min(known, limit.most)
    least = max((float(clause.rows) for clause in policy.of_kind(LeastRows)), default=0.0)
    return replace(task, settings=replace(task.settings, **limits, least_rows=least))  # type: ignore[arg-type]


def _check_clauses(policy: Policy) -> None:
    """Raise an `InputError` if there is a clause that cards cannot keep."""
    for clause in policy.clauses:
        if not isinstance(clause, Forbidden | LeastRows | Limit) or getattr(clause, "of", "edges") == "rules":
            raise InputError(
                f"{clause.name}: scorecards cannot keep this clause yet; they keep forbidden columns, least rows, and "
                "the most edges and literals. Take it out, or use ConceptRuleClassifier"
            )
