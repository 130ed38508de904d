"""One pass over the rows, and the best condition of every column is known.

Rows on which a rule holds add what they gain to the histogram of every column; rows on which just one condition fails
add theirs to the histogram of that condition's column. So a column's histogram says what the rule would gain in each
bin if it asked nothing of the column, and the best threshold, interval or set of categories follows from sums over it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.compiling import kernel
from conceptrules.kernels.search.values import ABOVE, AT_MOST, GAP, PRESENT, SETS, WITHIN

_STEPS = 40
"""Changes of one rule in a row, at most."""
_RUN, _ONE, _SET, _BUT, _MISSING, _KNOWN = range(6)


@kernel()
def scan(
    rows: Any,
    columns: Any,
    active: Any,
    listed: Any,
    gain: Any,
    column: Any,
    allowed: Any,
    length: Any,
    inside: Any,
    beside: Any,
) -> Any:
    """Fill the histograms: `inside` of rows where the rule holds, `beside` of rows where one condition fails.

    Returns what the rule gains.
    """
    codes, start = rows.codes, columns.start
    for b in range(len(inside)):
        inside[b] = 0.0
        beside[b] = 0.0
    total = 0.0
    for a in range(listed):
        i = active[a]
        failed = -1
        for k in range(length):
            if allowed[k, codes[i, column[k]]] == 0:
                if failed >= 0:
                    failed = -2
                    break
                failed = k
        if failed == -1:
            total += gain[i]
            for j in range(codes.shape[1]):
                inside[start[j] + codes[i, j]] += gain[i]
        elif failed >= 0:
            j = column[failed]
            beside[start[j] + codes[i, j]] += gain[i]
    return total


@kernel(inline="always")
def _best_run(gains: Any, bins: Any, penalty: Any, seed: Any, may_ask: Any, found: Any) -> Any:
    """The best threshold or interval; with a seed, one that holds in its bin."""
    best = -np.inf
    total = 0.0
    for b in range(bins - 1 if may_ask & AT_MOST else 0):  # x <= cut
        total += gains[b]
        if seed <= b and total - penalty > best:
            best = total - penalty
            found[0], found[1], found[2], found[3] = _RUN, 0, b, 1
    total = 0.0
    for b in range(bins - 1 if may_ask & ABOVE else 0, 0, -1):  # x > cut
        total += gains[b]
        if (seed < 0 or seed >= b) and total - penalty > best:
            best = total - penalty
            found[0], found[1], found[2], found[3] = _RUN, b, bins - 1, 1
    if not may_ask & WITHIN:
        return best
    if seed < 0:  # low < x <= high: the maximal subarray
        total, low = 0.0, 1
        for b in range(1, bins - 1):
            if total <= 0:
                total, low = 0.0, b
            total += gains[b]
            if total - 2 * penalty > best:
                best = total - 2 * penalty
                found[0], found[1], found[2], found[3] = _RUN, low, b, 2
    elif 0 < seed < bins - 1:
        left, low, total = -np.inf, seed, 0.0
        for b in range(seed, 0, -1):
            total += gains[b]
            if total > left:
                left, low = total, b
        right, high, total = 0.0, seed, 0.0
        for b in range(seed + 1, bins - 1):
            total += gains[b]
            if total > right:
                right, high = total, b
        if left + right - 2 * penalty > best:
            best = left + right - 2 * penalty
            found[0], found[1], found[2], found[3] = _RUN, low, high, 2
    return best


@kernel(inline="always")
def _best_set(
    gains: Any, bins: Any, gaps: Any, penalty: Any, seed: Any, categories: Any, negation: Any, best: Any, found: Any
) -> Any:
    """The best set of categories, or the best set to leave out; every category has to pay its own edge.

    `best` is the gain of the best condition until now, which stays in `found` unless a set is better.
    """
    total, taken, top, least = 0.0, 0, 0, -1
    for b in range(bins):
        if gains[b] > penalty or b == seed:
            total += gains[b] - penalty
            taken += 1
        if gains[b] > gains[top]:
            top = b
        if b != seed and (least < 0 or gains[b] < gains[least]):
            least = b
    left_out = -1
    if taken == bins and bins > 1:  # all of them are `not missing`, another form
        left_out = least
        total -= gains[least] - penalty
        taken -= 1
    if taken == 0 and seed < 0 and bins > 1 and gains[top] - penalty > best:
        best = gains[top] - penalty
        found[0], found[1], found[3] = _ONE, top, 1
    elif 0 < taken <= categories and taken < bins and total > best:
        best = total
        found[0], found[1], found[3] = _SET, left_out, taken
    if negation:
        total, taken = gains[bins] if gaps else 0.0, 0
        for b in range(bins):
            if gains[b] < -penalty and b != seed:
                total -= penalty
                taken += 1
            else:
                total += gains[b]
        if 0 < taken <= categories and taken < bins + gaps and total > best:
            best = total
            found[0], found[3] = _BUT, taken
    return best


@kernel()
def best_condition(
    gains: Any,
    bins: Any,
    gaps: Any,
    askable: Any,
    ordered: Any,
    penalty: Any,
    seed: Any,
    categories: Any,
    negation: Any,
    may_ask: Any,
    found: Any,
) -> Any:
    """Return the gain of the best condition on a column, less its penalty; -inf if there is none.

    `gains` are those of the bins, and behind them that of missing values. The condition holds in the bin `seed`, if
    that is not negative. `found` says which condition it is: its form, two places, and its edges.
    """
    best = -np.inf
    known = 0.0
    for b in range(bins):
        known += gains[b]
    if seed != bins and ordered and bins > 1:
        best = _best_run(gains, bins, penalty, seed, may_ask, found)
    if seed != bins and ordered != 1 and may_ask & SETS:
        best = _best_set(gains, bins, gaps, penalty, seed, categories, negation, best, found)
    if askable:
        if may_ask & GAP and (seed < 0 or seed == bins) and gains[bins] - penalty > best:
            best = gains[bins] - penalty
            found[0], found[3] = _MISSING, 1
        if may_ask & PRESENT and negation and seed != bins and known - penalty > best:
            best = known - penalty
            found[0], found[3] = _KNOWN, 1
    return best


@kernel()
def write_condition(gains: Any, bins: Any, penalty: Any, seed: Any, found: Any, allowed: Any) -> Any:
    """Write where the condition `found` holds."""
    form, low, high = found[0], found[1], found[2]
    if form == _RUN:
        # A cut goes to the middle of the bins that tell nothing here, as far from the rows on both sides as it can be.
        if high < bins - 1:
            end = high + 1
            while end < bins - 1 and gains[end] == 0:
                end += 1
            high += (end - high - 1) // 2
        if low > 0:
            end = low - 1
            while end > 0 and gains[end] == 0:
                end -= 1
            low -= (low - end - 1) // 2
    for b in range(len(allowed)):
        inside = b < bins
        if form == _RUN:
            allowed[b] = low <= b <= high
        elif form == _ONE:
            allowed[b] = b == low
        elif form == _SET:
            allowed[b] = inside and b != low and (gains[b] > penalty or b == seed)
        elif form == _BUT:
            allowed[b] = not (inside and gains[b] < -penalty and b != seed)
        elif form == _MISSING:
            allowed[b] = b == bins
        else:
            allowed[b] = inside


@kernel()
def may_join(columns: Any, j: Any, column: Any, length: Any) -> Any:
    """Return whether a column may meet those of a rule."""
    if columns.apart.size:
        for k in range(length):
            if columns.apart[j, column[k]]:
                return False
    return True


@kernel()
def climb(
    rows: Any,
    columns: Any,
    limits: Any,
    c: Any,
    active: Any,
    listed: Any,
    gain: Any,
    seed_row: Any,
    column: Any,
    allowed: Any,
    size: Any,
    length: Any,
    inside: Any,
    beside: Any,
    slot: Any,
) -> Any:
    """Put, change or drop one condition after another while what a rule gains less its penalty rises.

    The rule is of class `c`. With a seed row (not -1) every condition holds on that row.
    Returns the number of conditions, and the value.
    """
    found, chosen = np.zeros(4, np.int64), np.zeros(4, np.int64)
    for j in range(len(slot)):
        slot[j] = -1
    for k in range(length):
        slot[column[k]] = k
    value = 0.0
    for _ in range(_STEPS):
        value = scan(rows, columns, active, listed, gain, column, allowed, length, inside, beside)
        spent, used = 0.0, 0
        for k in range(length):
            spent += limits.penalty * size[k] * columns.cost[column[k]]
            used += size[k]
        value -= spent
        best, where, drop = value + 1e-12 + abs(value) * 1e-9, -1, False
        for j in range(len(slot)):
            at, bins, k = columns.start[j], columns.bins[j], slot[j]
            penalty, without, room = limits.penalty * columns.cost[j], spent, limits.conditions - used
            if k >= 0:
                without -= penalty * size[k]
                room += size[k]
                total = -without
                for b in range(at, at + bins + 1):
                    inside[b] += beside[b]
                    total += inside[b]
                if total > best:
                    best, where, drop = total, j, True
            if room < 1 or columns.may_ask[c, j] == 0 or (k < 0 and length == len(column)):
                continue
            if k < 0 and not may_join(columns, j, column, length):
                continue
            seed = np.int64(-1) if seed_row < 0 else np.int64(rows.codes[seed_row, j])
            gained = best_condition(
                inside[at : at + bins + 1], bins, columns.gaps[j], columns.askable[j], columns.ordered[j],
                penalty, seed,
                min(limits.categories, room), limits.negation, columns.may_ask[c, j], found,
            )  # fmt: skip
            if gained - without > best and found[3] <= room:
                best, where, drop = gained - without, j, False
                for f in range(4):
                    chosen[f] = found[f]
        if where < 0:
            break
        k = slot[where]
        if drop:
            length -= 1
            slot[where] = -1
            if k != length:
                column[k], size[k] = column[length], size[length]
                slot[column[k]] = k
                for b in range(allowed.shape[1]):
                    allowed[k, b] = allowed[length, b]
        else:
            if k < 0:
                k = length
                length += 1
                column[k], slot[where] = where, k
            at, bins = columns.start[where], columns.bins[where]
            seed = np.int64(-1) if seed_row < 0 else np.int64(rows.codes[seed_row, where])
            write_condition(
                inside[at : at + bins + 1], bins, limits.penalty * columns.cost[where], seed, chosen, allowed[k]
            )
            size[k] = chosen[3]
        value = best
    return length, value
