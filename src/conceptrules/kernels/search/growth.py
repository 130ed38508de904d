"""A new rule from nothing: always the condition that informs the most about who gains and who loses.

The sum of gains alone is a bad guide at the beginning, where nearly all rows lose: it would ask for a handful of rows.
Information (as in FOIL) asks for many rows that gain among few that lose; of all lengths the best by the sum is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.compiling import kernel
from conceptrules.kernels.search.histograms import may_join
from conceptrules.kernels.search.values import ABOVE, AT_MOST, CODES, LONGEST

_LEFT, _RIGHT, _ONE, _BUT, _BETTER = range(5)


@kernel()
def copy_rule(column: Any, allowed: Any, size: Any, length: Any, to_column: Any, to_allowed: Any, to_size: Any) -> Any:
    """Copy the conditions of a rule."""
    for k in range(length):
        to_column[k], to_size[k] = column[k], size[k]
        for b in range(CODES):
            to_allowed[k, b] = allowed[k, b]


@kernel(inline="always")
def _information(up: Any, down: Any, before: Any) -> Any:
    """What it tells to keep so much gain and so much loss; `before` is the log of the share of gain until now."""
    return up * (np.log(up / (up + down)) - before) if up > 0 else -np.inf


@kernel()
def _most_informing(
    ups: Any,
    downs: Any,
    bins: Any,
    gaps: Any,
    ordered: Any,
    seed: Any,
    negation: Any,
    may_ask: Any,
    total_up: Any,
    total_down: Any,
    before: Any,
    found: Any,
) -> Any:
    """Return how much the best condition on a column informs; `found` says which it is."""
    best, up, down, kept = 0.0, 0.0, 0.0, 0
    if ordered:
        all_up, all_down = 0.0, 0.0
        for b in range(bins):
            all_up += ups[b]
            all_down += downs[b]
        for b in range(bins - 1):
            up += ups[b]
            down += downs[b]
            if may_ask & AT_MOST and seed <= b and seed != bins:
                told = _information(up, down, before)
                if told > best and (up < total_up or down < total_down):
                    best, found[0], found[1] = told, _LEFT, b
            if may_ask & ABOVE and (seed < 0 or seed > b) and seed != bins:
                told = _information(all_up - up, all_down - down, before)
                if told > best and (all_up - up < total_up or all_down - down < total_down):
                    best, found[0], found[1] = told, _RIGHT, b
        if ordered == 1:
            return best
        up, down = 0.0, 0.0
    for b in range(bins):
        if (seed < 0 or b == seed) and (bins > 1 or negation):
            told = _information(ups[b], downs[b], before)
            if told > best and (ups[b] < total_up or downs[b] < total_down):
                best, found[0], found[1] = told, _ONE, b
        if negation and b != seed:
            told = _information(total_up - ups[b], total_down - downs[b], before)
            if told > best and (ups[b] > 0 or downs[b] > 0):
                best, found[0], found[1] = told, _BUT, b
        if b == seed or (ups[b] > 0 and np.log(ups[b] / (ups[b] + downs[b])) > before):
            up += ups[b]
            down += downs[b]
            kept += 1
    # All bins together are those that are not missing.
    if seed != bins and (kept < bins or negation) and (up < total_up or down < total_down):
        told = _information(up, down, before)
        if told > best:
            best, found[0], found[1] = told, _BETTER, 0
    return best


@kernel(inline="always")
def _narrow(ups: Any, downs: Any, bins: Any, before: Any, seed: Any, found: Any, allowed: Any) -> Any:
    """Forbid the codes that the condition `found` forbids."""
    form, place = found[0], found[1]
    for b in range(CODES):
        if form == _LEFT:
            keeps = b <= place
        elif form == _RIGHT:
            keeps = place < b < bins
        elif form == _ONE:
            keeps = b == place
        elif form == _BUT:
            keeps = b != place
        else:
            keeps = b < bins and (b == seed or (ups[b] > 0 and np.log(ups[b] / (ups[b] + downs[b])) > before))
        if not keeps:
            allowed[b] = 0


@kernel()
def edges_of(allowed: Any, bins: Any, ordered: Any) -> Any:
    """Return the edges of a condition: its bounds, or the categories that it names."""
    held, runs = 0, 0
    for b in range(bins):
        held += allowed[b]
        runs += allowed[b] and (b == 0 or not allowed[b - 1])
    if ordered == 1 or (ordered == 2 and runs == 1 and not allowed[bins]):
        return max((allowed[0] == 0) + (allowed[bins - 1] == 0), 1)
    return bins - held if allowed[bins] and held < bins else held


@kernel(inline="always")
def _weigh(rows: Any, columns: Any, within: Any, inside: Any, gain: Any, ups: Any, downs: Any) -> Any:
    """Fill the histograms of what the rows within the rule gain and lose. Returns the sums."""
    codes, start = rows.codes, columns.start
    for b in range(len(ups)):
        ups[b], downs[b] = 0.0, 0.0
    up, down = 0.0, 0.0
    for a in range(inside):
        i = within[a]
        if gain[i] > 0:
            up += gain[i]
            for j in range(codes.shape[1]):
                ups[start[j] + codes[i, j]] += gain[i]
        else:
            down -= gain[i]
            for j in range(codes.shape[1]):
                downs[start[j] + codes[i, j]] -= gain[i]
    return up, down


@kernel(inline="always")
def _still_within(rows: Any, column: Any, allowed: Any, within: Any, inside: Any) -> Any:
    """Leave out the rows where a condition fails. Returns how many stay."""
    kept = 0
    for a in range(inside):
        if allowed[rows.codes[within[a], column]]:
            within[kept] = within[a]
            kept += 1
    return kept


@kernel()
def grow(
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
    ups: Any,
    downs: Any,
    slot: Any,
    within: Any,
) -> Any:
    """Grow a rule of class `c` around a row, or around none (-1).

    Returns the number of its conditions, and what it is worth.
    """
    codes, start = rows.codes, columns.start
    best_column, best_size = np.zeros(LONGEST, np.int64), np.zeros(LONGEST, np.int64)
    best_allowed = np.zeros((LONGEST, CODES), np.uint8)
    found, chosen = np.zeros(2, np.int64), np.zeros(2, np.int64)
    length, best_length, best, edges, inside = 0, 0, 0.0, 0, listed
    for j in range(len(slot)):
        slot[j] = -1
    for a in range(listed):  # at first, all rows that gain or lose are within the rule
        within[a] = active[a]
    for _ in range(limits.conditions):
        up, down = _weigh(rows, columns, within, inside, gain, ups, downs)
        worth = up - down - limits.penalty * edges
        if length and worth > best:
            best, best_length = worth, length
            copy_rule(column, allowed, size, length, best_column, best_allowed, best_size)
        if up <= 0 or down <= 0 or up <= best or edges >= limits.conditions:
            break
        before, most, where = np.log(up / (up + down)), 0.0, -1
        for j in range(len(slot)):
            if columns.may_ask[c, j] == 0 or (slot[j] < 0 and length == LONGEST):
                continue
            if slot[j] < 0 and not may_join(columns, j, column, length):
                continue
            at, bins = start[j], columns.bins[j]
            seed = np.int64(-1) if seed_row < 0 else np.int64(codes[seed_row, j])
            told = _most_informing(
                ups[at : at + bins + 1], downs[at : at + bins + 1], bins, columns.gaps[j], columns.ordered[j], seed,
                limits.negation, columns.may_ask[c, j], up, down, before, found,
            )  # fmt: skip
            if told > most:
                most, where, chosen[0], chosen[1] = told, j, found[0], found[1]
        if where < 0:
            break
        k = slot[where]
        at, bins = start[where], columns.bins[where]
        if k < 0:
            k = length
            length += 1
            slot[where], column[k], size[k] = k, where, 0
            for b in range(CODES):
                allowed[k, b] = 1
        seed = np.int64(-1) if seed_row < 0 else np.int64(codes[seed_row, where])
        _narrow(ups[at : at + bins + 1], downs[at : at + bins + 1], bins, before, seed, chosen, allowed[k])
        edges -= size[k]
        size[k] = edges_of(allowed[k], bins, columns.ordered[where])
        edges += size[k]
        inside = _still_within(rows, where, allowed[k], within, inside)
        if edges > limits.conditions:
            break
    copy_rule(best_column, best_allowed, best_size, best_length, column, allowed, size)
    return best_length, best
