"""Clauses of a policy that are about rows: what a rule has to cover, and how alike groups are treated."""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.compiling import kernel
from conceptrules.kernels.search.coverage import holds

_UNIT = 1e-9
"""Rates that differ by less are the same: sums in another order differ by less than that."""
_SAME = 0.9
"""A rule with so many of its rows in a banned region is a banned rule with other bounds."""


@kernel()
def lower_bound(right: Any, total: Any, deviations: Any) -> Any:
    """Return the lower end of the Wilson interval of a share, so many standard deviations wide."""
    if total <= 0:
        return 0.0
    share, squared = right / total, deviations * deviations
    spread = deviations * np.sqrt((share * (1 - share) + squared / (4 * total)) / total)
    return (share + squared / (2 * total) - spread) / (1 + squared / total)


@kernel()
def may_stand(rows: Any, limits: Any, c: Any, column: Any, allowed: Any, length: Any) -> Any:
    """Return whether a rule of class `c` covers enough rows, and enough of its class among them, and is not banned."""
    bans = limits.bans
    for b in range(len(bans.owner)):
        if bans.owner[b] == c:
            covered, inside = 0, 0
            for i in range(len(rows.codes)):
                if holds(rows.codes, i, column, allowed, length):
                    covered += 1
                    inside += holds(rows.codes, i, bans.column[b], bans.allowed[b], bans.length[b])
            if inside >= _SAME * covered:
                return False
    if limits.least_rows <= 0 and limits.least_precision <= 0:
        return True
    total, right = 0.0, 0.0
    for i in range(len(rows.raw)):
        if holds(rows.codes, i, column, allowed, length):
            right += rows.raw[i, c]
            for k in range(rows.raw.shape[1]):
                total += rows.raw[i, k]
    if total < limits.least_rows:
        return False
    return lower_bound(right, total, limits.deviations) >= limits.least_precision


@kernel()
def unfairness(rates: Any, groups: Any) -> Any:
    """Return how far the rates of groups are beyond what is allowed, at the worst clause, in whole billionths."""
    worst = 0.0
    for f in range(len(groups.slack)):
        low, high = np.inf, -np.inf
        for g in range(groups.first[f], groups.first[f + 1]):
            if groups.total[g] > 0:
                low, high = min(low, rates[g]), max(high, rates[g])
        if low <= high:
            worst = max(worst, groups.factor[f] * high - low - groups.slack[f])
    return np.floor(worst / _UNIT + 0.5) * _UNIT


@kernel()
def price_groups(rates: Any, groups: Any, price: Any, prices: Any) -> Any:
    """Write what one more unit of each group's rate is worth: the highest rate costs the price, the lowest earns it."""
    for g in range(len(prices)):
        prices[g] = 0.0
    for f in range(len(groups.slack)):
        low, high = -1, -1
        for g in range(groups.first[f], groups.first[f + 1]):
            if groups.total[g] > 0 and (low < 0 or rates[g] < rates[low]):
                low = g
            if groups.total[g] > 0 and (high < 0 or rates[g] > rates[high]):
                high = g
        if low != high:
            prices[low] += price
            prices[high] -= price * groups.factor[f]
