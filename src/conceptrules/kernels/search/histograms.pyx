"""One pass over the rows, and the best condition of every column is known; the best of all is put in, again and again.

Rows on which a rule holds add what they gain to the histogram of every column; rows on which just one condition fails
add theirs to the histogram of that condition's column. So a column's histogram says what the rule would gain in each
bin if it asked nothing of the column, and the best threshold, interval or set of categories follows from sums over it.
A boosted tree needs the histograms of the rows of a leaf, too, but only to split it further; with those that just fail,
a condition that was chosen too early can be changed or dropped.
"""

from libc.stdint cimport uint8_t

import numpy as np

from conceptrules.kernels.search.conditions cimport (
    Condition,
    ConditionLimits,
    best_condition,
    may_join,
    write_condition,
)

cdef enum:
    _STEPS = 40  # changes of one rule in a row, at most


cdef class GainedRows:
    def __init__(self, RowsView rows, ColumnsView columns, LimitsView limits, gain=None, active=None):
        size = rows.codes.shape[0]
        self.rows, self.columns, self.limits = rows, columns, limits
        self.gain = np.zeros(size) if gain is None else gain
        self.active = np.zeros(size, np.int64) if active is None else active
        self.listed = 0 if active is None else len(active)
        self.inside, self.beside = np.zeros((2, columns.start[columns.start.shape[0] - 1]))
        self.slot, self.within = np.zeros(rows.codes.shape[1], np.int64), np.zeros(size, np.int64)
        self.best = Rule()

    def histograms(self):
        """Return both histograms."""
        return np.asarray(self.inside), np.asarray(self.beside)


cpdef double scan(GainedRows gained, Rule rule) noexcept nogil:
    """Fill the histograms: `inside` of rows where the rule holds, `beside` of rows where one condition fails.

    Returns what the rule gains.
    """
    cdef const uint8_t[:, ::1] codes = gained.rows.codes
    cdef const int64_t[::1] start = gained.columns.start
    cdef const double[::1] gain = gained.gain
    cdef const int64_t[::1] active = gained.active
    cdef const int64_t[::1] column = rule.column
    cdef const uint8_t[:, ::1] allowed = rule.allowed
    cdef double[::1] inside = gained.inside
    cdef double[::1] beside = gained.beside
    cdef Py_ssize_t a, i, j, k, failed
    cdef double total = 0.0
    inside[:] = 0.0
    beside[:] = 0.0
    for a in range(gained.listed):
        i = active[a]
        failed = -1
        for k in range(rule.length):
            if allowed[k, codes[i, column[k]]] == 0:
                if failed >= 0:
                    failed = -2  # two conditions fail: a change of one does not bring the row in
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


cpdef double climb(GainedRows gained, int64_t c, Py_ssize_t seed_row, Rule rule) noexcept nogil:
    """Put, change or drop one condition after another while what a rule gains less its penalty rises.

    The rule is of class `c`. With a seed row (not -1) every condition holds on that row. Returns the value.
    """
    cdef const uint8_t[:, ::1] codes = gained.rows.codes
    cdef int64_t[::1] slot = gained.slot
    cdef double[::1] inside = gained.inside
    cdef double penalty_of_edge = gained.limits.penalty
    cdef double value = 0.0, spent, without, best, total
    cdef Py_ssize_t used, room, b, j, k, at, where
    cdef bint drop
    cdef Condition condition, chosen
    cdef ConditionLimits limits
    limits.negation = gained.limits.negation
    slot[:] = -1
    for k in range(rule.length):
        slot[rule.column[k]] = k
    for _ in range(_STEPS):
        value = scan(gained, rule)
        spent, used = 0.0, 0
        for k in range(rule.length):
            spent += penalty_of_edge * rule.size[k] * gained.columns.cost[rule.column[k]]
            used += rule.size[k]
        value -= spent
        best, where, drop = value + 1e-12 + abs(value) * 1e-9, -1, False
        for j in range(slot.shape[0]):
            at, k = gained.columns.start[j], slot[j]
            limits.penalty = penalty_of_edge * gained.columns.cost[j]
            without, room = spent, gained.limits.conditions - used
            if k >= 0:  # without its condition, the column's histogram has the rows where only that one fails, too
                without -= limits.penalty * rule.size[k]
                room += rule.size[k]
                total = -without
                for b in range(at, gained.columns.start[j + 1]):
                    inside[b] += gained.beside[b]
                    total += inside[b]
                if total > best:
                    best, where, drop = total, j, True
            limits.may_ask = gained.columns.may_ask[c, j]
            if room < 1 or limits.may_ask == 0 or (k < 0 and rule.length == rule.column.shape[0]):
                continue
            if k < 0 and not may_join(gained.columns, j, rule):
                continue
            limits.seed = -1 if seed_row < 0 else codes[seed_row, j]
            limits.categories = min(gained.limits.categories, room)
            condition = best_condition(
                inside[at : gained.columns.start[j + 1]], gained.columns.bins[j], gained.columns.gaps[j],
                gained.columns.askable[j], <int>gained.columns.ordered[j], limits,
            )
            if condition.gain - without > best and condition.edges <= room:
                best, where, drop, chosen = condition.gain - without, j, False, condition
        if where < 0:
            break
        k = slot[where]
        if drop:  # the last condition takes the free slot
            rule.length -= 1
            slot[where] = -1
            if k != rule.length:
                rule.column[k], rule.size[k] = rule.column[rule.length], rule.size[rule.length]
                rule.allowed[k] = rule.allowed[rule.length]
                slot[rule.column[k]] = k
        else:
            if k < 0:
                k = rule.length
                rule.length += 1
                rule.column[k], slot[where] = where, k
            write_condition(
                inside[gained.columns.start[where] : gained.columns.start[where + 1]], gained.columns.bins[where],
                penalty_of_edge * gained.columns.cost[where], -1 if seed_row < 0 else codes[seed_row, where], chosen,
                rule.allowed[k],
            )
            rule.size[k] = chosen.edges
        value = best
    return value
