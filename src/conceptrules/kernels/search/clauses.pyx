"""Clauses of a policy that are about rows: what a rule has to cover, and how alike groups are treated."""

from libc.math cimport INFINITY, floor, sqrt
from libc.stdint cimport uint8_t

from conceptrules.kernels.search.views cimport holds

cdef double _UNIT = 1e-9  # rates that differ by less are the same: sums in another order differ by less than that
cdef double _SAME = 0.9  # a rule with so many of its rows in a banned region is a banned rule with other bounds


cpdef double lower_bound(double right, double total, double deviations) noexcept nogil:
    """Return the lower end of the Wilson interval of a share, so many standard deviations wide."""
    cdef double share, squared, spread
    if total <= 0:
        return 0.0
    share, squared = right / total, deviations * deviations
    spread = deviations * sqrt((share * (1 - share) + squared / (4 * total)) / total)
    return (share + squared / (2 * total) - spread) / (1 + squared / total)


cpdef bint may_stand(RowsView rows, LimitsView limits, int64_t c, Rule rule) noexcept nogil:
    """Return whether a rule of class `c` covers enough rows, and enough of its class among them, and is not banned."""
    cdef const int64_t[::1] column
    cdef const uint8_t[:, ::1] allowed
    cdef Py_ssize_t b, i, k, covered, inside
    cdef double total = 0.0, right = 0.0
    for b in range(limits.bans.owner.shape[0]):
        if limits.bans.owner[b] == c:
            covered = inside = 0
            column, allowed = limits.bans.column[b], limits.bans.allowed[b]
            for i in range(rows.codes.shape[0]):
                if holds(rows.codes, i, rule.column, rule.allowed, rule.length):
                    covered += 1
                    inside += holds(rows.codes, i, column, allowed, limits.bans.length[b])
            if inside >= _SAME * covered:
                return False
    if limits.least_rows <= 0 and limits.least_precision <= 0:
        return True
    for i in range(rows.raw.shape[0]):
        if holds(rows.codes, i, rule.column, rule.allowed, rule.length):
            right += rows.raw[i, c]
            for k in range(rows.raw.shape[1]):
                total += rows.raw[i, k]
    if total < limits.least_rows:
        return False
    return lower_bound(right, total, limits.deviations) >= limits.least_precision


cpdef double unfairness(const double[::1] rates, GroupsView groups) noexcept nogil:
    """Return how far the rates of groups are beyond what is allowed, at the worst clause, in whole billionths."""
    cdef double worst = 0.0, low, high
    cdef Py_ssize_t f, g
    for f in range(groups.slack.shape[0]):
        low, high = INFINITY, -INFINITY
        for g in range(groups.first[f], groups.first[f + 1]):
            if groups.total[g] > 0:
                low, high = min(low, rates[g]), max(high, rates[g])
        if low <= high:
            worst = max(worst, groups.factor[f] * high - low - groups.slack[f])
    return floor(worst / _UNIT + 0.5) * _UNIT


cpdef void price_groups(const double[::1] rates, GroupsView groups, double price, double[::1] prices) noexcept nogil:
    """Write what one more unit of each group's rate is worth: the highest rate costs the price, the lowest earns it."""
    cdef Py_ssize_t f, g, low, high
    prices[:] = 0.0
    for f in range(groups.slack.shape[0]):
        low = high = -1
        for g in range(groups.first[f], groups.first[f + 1]):
            if groups.total[g] > 0 and (low < 0 or rates[g] < rates[low]):
                low = g
            if groups.total[g] > 0 and (high < 0 or rates[g] > rates[high]):
                high = g
        if low != high:
            prices[low] += price
            prices[high] -= price * groups.factor[f]
