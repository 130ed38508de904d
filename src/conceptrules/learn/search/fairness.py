"""Groups of people that a policy wants to be treated alike: who is in which, and how differently they are treated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.shards import Shard
from conceptrules.kernels.search.values import Groups
from conceptrules.model.errors import InputError
from conceptrules.model.policy import Fair, Policy
from conceptrules.model.predicate import Value


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

    def merge(self, row: NDArray[np.intp], count: int, weight: NDArray[np.float64]) -> Groups:
        """Return the groups of merged rows; `row` is the merged row that each row belongs to."""
        share = np.zeros((count, len(self.clauses)))
        for number, counted in enumerate(self.counted.T):
            share[:, number] = np.bincount(row[counted], weight[counted], count)
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


def find_group_members(
    policy: Policy | None, names: Mapping[str, Sequence[str]], rows: Shard, classes: Sequence[Value]
) -> GroupMembers | None:
    """Return who counts in which group; None where the policy has no groups. `names` are the groups of each column."""
    fair = () if policy is None else policy.of_kind(Fair)
    counted: list[NDArray[np.bool_]] = []
    clauses: list[Fair] = []
    expected: list[float] = []
    for clause in fair:
        if clause.positive not in classes:
            raise InputError(f"{clause.name}: there is no class {clause.positive!r}")
        positive = rows.target == list(classes).index(clause.positive)
        only_positive = clause.measure == "true_positive_rate"
        code = rows.member[:, list(names).index(clause.column)]
        for number in range(len(names[clause.column])):
            counted.append((code == number) & (positive | (not only_positive)))
            clauses.append(clause)
        if clause in clauses:
            expected.append(0.5 if only_positive else float(rows.weight[positive].sum() / rows.weight.sum()))
    if not clauses:
        return None
    return GroupMembers(np.stack(counted, axis=1), tuple(clauses), tuple(classes), tuple(expected))


def compute_rates(groups: Groups, answers: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the share of each group that gets its class."""
    rates: NDArray[np.float64] = (groups.share * (answers[:, None] == groups.positive)).sum(axis=0)
    return rates


def measure_violation(
    groups: Groups, rates: NDArray[np.float64], total: NDArray[np.float64], errors: float = 0.0
) -> float:
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


def tighten_bounds(groups: Groups, expected: Sequence[float]) -> Groups:
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
