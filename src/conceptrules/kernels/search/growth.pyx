"""A new rule from nothing: always the condition that informs the most about who gains and who loses.

The sum of gains alone is a bad guide at the beginning, where nearly all rows lose: it would ask for a handful of rows.
Information (as in FOIL) asks for many rows that gain among few that lose; of all lengths the best by the sum is kept.
"""

from libc.math cimport INFINITY, log

from conceptrules.kernels.search.conditions cimport may_join
from conceptrules.kernels.search.views cimport ABOVE, AT_MOST, CODES, LONGEST, copy_rule

cdef enum:
    # Forms of a condition: up to a bin or above it, one category or all others, all that gain more often than before.
    _AT_MOST
    _ABOVE
    _ONE
    _ALL_BUT
    _BETTER


cdef struct Informing:
    double information
    int form
    Py_ssize_t bin


cdef struct Within:
    # Of the rows where the rule holds now: what they gain, what they lose, and the log of the share of gain in both.
    double up
    double down
    double log_share


cdef inline double _information(double up, double down, double log_share) noexcept nogil:
    """What it tells to keep so much gain and so much loss: the gain, times how much larger its share is than before."""
    return up * (log(up / (up + down)) - log_share) if up > 0 else -INFINITY


cdef inline bint _gains_more(double up, double down, double log_share) noexcept nogil:
    return up > 0 and log(up / (up + down)) > log_share


cdef inline void _consider(
    Informing *best, Within within, double up, double down, int form, Py_ssize_t bin
) noexcept nogil:
    """Keep a condition if it informs more than the best one until now, and leaves out any row at all."""
    cdef double information = _information(up, down, within.log_share)
    if information > best.information and (up < within.up or down < within.down):
        best.information, best.form, best.bin = information, form, bin


cdef Informing _most_informing(
    const double[::1] ups,
    const double[::1] downs,
    Py_ssize_t bins,
    int ordered,
    Py_ssize_t seed,
    bint negation,
    int may_ask,
    Within within,
) noexcept nogil:
    """Return the condition on a column that informs the most, from histograms of gain and of loss."""
    cdef double up = 0.0, down = 0.0, all_up = 0.0, all_down = 0.0, information
    cdef Py_ssize_t b, kept = 0
    cdef Informing best
    best.information, best.form, best.bin = 0.0, _AT_MOST, 0
    if ordered:
        for b in range(bins):
            all_up += ups[b]
            all_down += downs[b]
        for b in range(bins - 1):
            up += ups[b]
            down += downs[b]
            if may_ask & AT_MOST and seed <= b and seed != bins:
                _consider(&best, within, up, down, _AT_MOST, b)
            if may_ask & ABOVE and (seed < 0 or seed > b) and seed != bins:
                _consider(&best, within, all_up - up, all_down - down, _ABOVE, b)
        if ordered == 1:
            return best
        up, down = 0.0, 0.0
    for b in range(bins):
        if (seed < 0 or b == seed) and (bins > 1 or negation):
            _consider(&best, within, ups[b], downs[b], _ONE, b)
        if negation and b != seed:
            information = _information(within.up - ups[b], within.down - downs[b], within.log_share)
            if information > best.information and (ups[b] > 0 or downs[b] > 0):
                best.information, best.form, best.bin = information, _ALL_BUT, b
        if b == seed or _gains_more(ups[b], downs[b], within.log_share):
            up += ups[b]
            down += downs[b]
            kept += 1
    # All bins together are those that are not missing.
    if seed != bins and (kept < bins or negation):
        _consider(&best, within, up, down, _BETTER, 0)
    return best


cdef void _narrow(
    const double[::1] ups,
    const double[::1] downs,
    Py_ssize_t bins,
    double log_share,
    Py_ssize_t seed,
    Informing condition,
    uint8_t[::1] allowed,
) noexcept nogil:
    """Forbid the codes that a condition forbids."""
    cdef Py_ssize_t b
    cdef bint keeps
    for b in range(CODES):
        if condition.form == _AT_MOST:
            keeps = b <= condition.bin
        elif condition.form == _ABOVE:
            keeps = condition.bin < b < bins
        elif condition.form == _ONE:
            keeps = b == condition.bin
        elif condition.form == _ALL_BUT:
            keeps = b != condition.bin
        else:
            keeps = b < bins and (b == seed or _gains_more(ups[b], downs[b], log_share))
        if not keeps:
            allowed[b] = 0


cpdef Py_ssize_t edges_of(const uint8_t[::1] allowed, Py_ssize_t bins, int ordered) noexcept nogil:
    """Return the edges of a condition: its bounds, or the categories that it names."""
    cdef Py_ssize_t b, count = 0, runs = 0
    for b in range(bins):
        count += allowed[b]
        runs += allowed[b] != 0 and (b == 0 or allowed[b - 1] == 0)
    if ordered == 1 or (ordered == 2 and runs == 1 and not allowed[bins]):
        return max((allowed[0] == 0) + (allowed[bins - 1] == 0), 1)
    return bins - count if allowed[bins] and count < bins else count


cdef Within _weigh(GainedRows gained, Py_ssize_t inside) noexcept nogil:
    """Fill the histograms of what the rows within the rule gain and lose, and return the sums."""
    cdef const uint8_t[:, ::1] codes = gained.rows.codes
    cdef const int64_t[::1] start = gained.columns.start
    cdef const double[::1] gain = gained.gain
    cdef double[::1] ups = gained.inside
    cdef double[::1] downs = gained.beside
    cdef Py_ssize_t a, i, j
    cdef Within sums
    sums.up = sums.down = sums.log_share = 0.0
    ups[:] = 0.0
    downs[:] = 0.0
    for a in range(inside):
        i = gained.within[a]
        if gain[i] > 0:
            sums.up += gain[i]
            for j in range(codes.shape[1]):
                ups[start[j] + codes[i, j]] += gain[i]
        else:
            sums.down -= gain[i]
            for j in range(codes.shape[1]):
                downs[start[j] + codes[i, j]] -= gain[i]
    if sums.up > 0:
        sums.log_share = log(sums.up / (sums.up + sums.down))
    return sums


cdef Py_ssize_t _keep_within(
    GainedRows gained, Py_ssize_t j, const uint8_t[::1] allowed, Py_ssize_t inside
) noexcept nogil:
    """Leave out the rows where a condition on a column fails. Returns how many stay."""
    cdef Py_ssize_t a, kept = 0
    for a in range(inside):
        if allowed[gained.rows.codes[gained.within[a], j]]:
            gained.within[kept] = gained.within[a]
            kept += 1
    return kept


cpdef double grow(GainedRows gained, int64_t c, Py_ssize_t seed_row, Rule rule) noexcept nogil:
    """Grow a rule of class `c` around a row, or around none (-1); it may end without a condition. Returns its value."""
    cdef const uint8_t[:, ::1] codes = gained.rows.codes
    cdef int64_t[::1] slot = gained.slot
    cdef double best = 0.0, worth, most
    cdef Py_ssize_t edges = 0, inside = gained.listed, j, k, where, seed, start, end
    cdef Within within
    cdef Informing condition, chosen
    gained.best.length = rule.length = 0
    slot[:] = -1
    gained.within[:inside] = gained.active[:inside]  # at first, all rows that gain or lose are within the rule
    for _ in range(gained.limits.conditions):
        within = _weigh(gained, inside)
        worth = within.up - within.down - gained.limits.penalty * edges
        if rule.length and worth > best:
            best = worth
            copy_rule(rule, gained.best)
        if within.up <= 0 or within.down <= 0 or within.up <= best or edges >= gained.limits.conditions:
            break
        most, where = 0.0, -1
        for j in range(slot.shape[0]):
            if gained.columns.may_ask[c, j] == 0 or (slot[j] < 0 and rule.length == LONGEST):
                continue
            if slot[j] < 0 and not may_join(gained.columns, j, rule):
                continue
            start, end = gained.columns.start[j], gained.columns.start[j + 1]
            seed = -1 if seed_row < 0 else codes[seed_row, j]
            condition = _most_informing(
                gained.inside[start:end], gained.beside[start:end], gained.columns.bins[j],
                <int>gained.columns.ordered[j], seed, gained.limits.negation, gained.columns.may_ask[c, j], within,
            )
            if condition.information > most:
                most, where, chosen = condition.information, j, condition
        if where < 0:
            break
        k = slot[where]
        if k < 0:
            k = rule.length
            rule.length += 1
            slot[where], rule.column[k], rule.size[k] = k, where, 0
            rule.allowed[k, :] = 1
        start, end = gained.columns.start[where], gained.columns.start[where + 1]
        seed = -1 if seed_row < 0 else codes[seed_row, where]
        _narrow(
            gained.inside[start:end], gained.beside[start:end], gained.columns.bins[where], within.log_share, seed,
            chosen, rule.allowed[k],
        )
        edges -= rule.size[k]
        rule.size[k] = edges_of(rule.allowed[k], gained.columns.bins[where], <int>gained.columns.ordered[where])
        edges += rule.size[k]
        inside = _keep_within(gained, where, rule.allowed[k], inside)
        if edges > gained.limits.conditions:
            break
    copy_rule(gained.best, rule)
    return best
