"""Groups of people that a policy wants to be treated alike: who is in which, and how differently they are treated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Groups
from conceptrules.logic.policies.clause_checks import read_groups
from conceptrules.model.errors import InputError
from conceptrules.model.policy import Fair, Policy
from conceptrules.model.predicate import Value
from conceptrules.tables.table import open_table

Names = Mapping[str, NDArray[Any]]
"""For each column of groups, the name of each row's group; None where it is missing."""


def group_names(policy: Policy | None, *tables: Any) -> Names:
    """Return the groups of the rows, by the columns of the clauses, each from the first table that has it."""
    clauses = () if policy is None else policy.of_kind(Fair)
    opened = [open_table(table) for table in tables if table is not None] if clauses else []
    rows = {table.rows for table in opened}
    if len(rows) > 1:
        raise InputError(f"policy_data has {opened[-1].rows} rows; X has {opened[0].rows}, and needs as many")
    found = {}
    for clause in clauses:
        table = next((one for one in opened if clause.column in one.names), None)
        if table is None:
            raise InputError(
                f"{clause.name}: the table has no column {clause.column!r}; give it in policy_data, a table with a row "
                "for each row of X"
            )
        found[clause.column] = read_groups(table, clause.column)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class GroupMembers:
    """Which rows of a table count in which group."""

    counted: NDArray[np.bool_]
    """[row, group]; the groups of each clause stand one after another."""
    clauses: tuple[Fair, ...]
    """The clause of each group."""
    classes: tuple[Value, ...]
    expected: tuple[float, ...]
    """For each clause, a rate to reckon with: the share of its class, or a half of the rows that are all of it."""

    def some(self, chosen: NDArray[Any] | slice) -> GroupMembers:
        """Return the groups of some of the rows."""
        return replace(self, counted=self.counted[chosen])

    def groups(self, place: NDArray[np.intp], size: int, weight: NDArray[np.float64]) -> Groups:
        """Return the groups of merged rows; `place` says in which of them each row of the table is."""
        share = np.zeros((size, len(self.clauses)))
        for number, counted in enumerate(self.counted.T):
            share[:, number] = np.bincount(place[counted], weight[counted], size)
        total = share.sum(axis=0)
        bounds = list(dict.fromkeys(self.clauses))
        ratio = np.array([clause.measure == "selection_ratio" for clause in bounds])
        bound = np.array([clause.bound for clause in bounds], np.float64)
        return Groups(
            share / np.where(total > 0, total, 1.0),
            total,
            np.array([self.classes.index(clause.positive) for clause in self.clauses], np.int64),
            np.array([self.clauses.index(clause) for clause in bounds] + [len(self.clauses)], np.int64),
            np.where(ratio, bound, 1.0),
            np.where(ratio, 0.0, bound),
        )


def group_members(
    policy: Policy | None, names: Names, target: NDArray[np.int64], classes: Sequence[Value]
) -> GroupMembers | None:
    """Return who counts in which group; None where the policy has no groups."""
    counted: list[NDArray[np.bool_]] = []
    clauses: list[Fair] = []
    for clause in () if policy is None else policy.of_kind(Fair):
        if clause.positive not in classes:
            raise InputError(f"{clause.name}: there is no class {clause.positive!r}")
        named = names[clause.column]
        among = np.ones(len(target), np.bool_)
        if clause.measure == "true_positive_rate":
            among = target == list(classes).index(clause.positive)
        for name in sorted({one for one in named.tolist() if one is not None}):
            counted.append(among & (named == name))
            clauses.append(clause)
    if not clauses:
        return None
    expected = [
        0.5 if one.measure == "true_positive_rate" else float(np.mean(target == list(classes).index(one.positive)))
        for one in dict.fromkeys(clauses)
    ]
    return GroupMembers(np.stack(counted, axis=1), tuple(clauses), tuple(classes), tuple(expected))


def rates_of(groups: Groups, answers: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the share of each group that gets its class."""
    rates: NDArray[np.float64] = (groups.share * (answers[:, None] == groups.positive)).sum(axis=0)
    return rates


def excess(groups: Groups, rates: NDArray[np.float64], total: NDArray[np.float64], errors: float = 0.0) -> float:
    """Return how far rates are beyond what is allowed, at the worst clause; negative: they are within.

    What so many standard errors explain is taken off; `total` is how many rows each rate is of.
    """
    worst = -np.inf
    for number, (factor, slack) in enumerate(zip(groups.factor, groups.slack, strict=True)):
        own = np.arange(groups.first[number], groups.first[number + 1])
        own = own[total[own] > 0]
        if len(own):
            low, high = own[rates[own].argmin()], own[rates[own].argmax()]
            error = _error(rates[low], total[low], rates[high], total[high])
            worst = max(worst, float(factor * rates[high] - rates[low] - slack - errors * error))
    return worst


def closer(groups: Groups, expected: Sequence[float]) -> Groups:
    """Return groups that have to be closer together by a standard error, so that other rows keep the bound too.

    `expected` are the rates of the clauses, as far as they are known before. At most half of what is allowed is given
    away: groups may be small.
    """
    factors, slacks = groups.factor.copy(), groups.slack.copy()
    for number, rate in enumerate(expected):
        own = np.arange(groups.first[number], groups.first[number + 1])
        smallest = np.sort(groups.total[own[groups.total[own] > 0]])[:2]
        if len(smallest) == 2 and rate > 0:
            error = _error(rate, smallest[0], rate, smallest[1])
            slacks[number] = max(slacks[number] - error, slacks[number] / 2)
            if factors[number] < 1:
                factors[number] = min(factors[number] + error / rate, (1 + factors[number]) / 2)
    return groups._replace(factor=factors, slack=slacks)


def _error(one: float, rows: float, other: float, others: float) -> float:
    """Return the standard error of the difference of two rates."""
    variances = one * (1 - one) / rows + other * (1 - other) / others
    return float(max(variances, 0.0) ** 0.5)  # a sum of shares may be a little more than 1
