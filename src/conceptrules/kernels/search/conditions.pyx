"""The best condition on one column, from a histogram of what the rows of each bin gain.

It is the split finding of a boosted tree, with two differences. A condition keeps one side only, so its gain is a sum
over the bins where it holds; and every edge that a reader has to read costs a penalty: one for a threshold, two for an
interval, one for each category that is named.
"""

from libc.math cimport INFINITY

from conceptrules.kernels.search.views cimport ABOVE, AT_MOST, GAP, PRESENT, SETS, WITHIN


cdef inline Condition _better(
    Condition best, double gain, int form, Py_ssize_t low, Py_ssize_t high, Py_ssize_t edges
) noexcept nogil:
    """Return a condition if it gains more than the best one until now, else that one. Of equals the first one stays."""
    if gain > best.gain:
        best.gain, best.form, best.low, best.high, best.edges = gain, form, low, high, edges
    return best


cdef Condition _best_run(
    const double[::1] gains, Py_ssize_t bins, ConditionLimits limits, Condition best
) noexcept nogil:
    """The best threshold or interval; with a seed, one that holds in its bin."""
    cdef double total, left, right, penalty = limits.penalty
    cdef Py_ssize_t b, low, high, seed = limits.seed
    if limits.may_ask & AT_MOST:  # x <= cut
        total = 0.0
        for b in range(bins - 1):
            total += gains[b]
            if seed <= b:
                best = _better(best, total - penalty, RUN, 0, b, 1)
    if limits.may_ask & ABOVE:  # x > cut
        total = 0.0
        for b in range(bins - 1, 0, -1):
            total += gains[b]
            if seed < 0 or seed >= b:
                best = _better(best, total - penalty, RUN, b, bins - 1, 1)
    if not limits.may_ask & WITHIN:
        return best
    if seed < 0:  # low < x <= high: the maximal subarray, in one pass (Kadane)
        total, low = 0.0, 1
        for b in range(1, bins - 1):
            if total <= 0:
                total, low = 0.0, b
            total += gains[b]
            best = _better(best, total - 2 * penalty, RUN, low, b, 2)
    elif 0 < seed < bins - 1:  # the best way to the left of the seed, and the best to the right
        left, low, total = -INFINITY, seed, 0.0
        for b in range(seed, 0, -1):
            total += gains[b]
            if total > left:
                left, low = total, b
        right, high, total = 0.0, seed, 0.0
        for b in range(seed + 1, bins - 1):
            total += gains[b]
            if total > right:
                right, high = total, b
        best = _better(best, left + right - 2 * penalty, RUN, low, high, 2)
    return best


cdef Condition _best_set(
    const double[::1] gains, Py_ssize_t bins, bint gaps, ConditionLimits limits, Condition best
) noexcept nogil:
    """The best set of categories, or the best set to leave out; every category has to pay its own edge.

    No sorting as in a boosted tree: a category is in the set if it gains more than its edge costs.
    """
    cdef double total = 0.0, penalty = limits.penalty
    cdef Py_ssize_t b, taken = 0, top = 0, least = -1, left_out = -1, seed = limits.seed
    for b in range(bins):
        if gains[b] > penalty or b == seed:
            total += gains[b] - penalty
            taken += 1
        if gains[b] > gains[top]:
            top = b
        if b != seed and (least < 0 or gains[b] < gains[least]):
            least = b
    if taken == bins and bins > 1:  # all of them are `not missing`, another form
        left_out = least
        total -= gains[least] - penalty
        taken -= 1
    if taken == 0 and seed < 0 and bins > 1:
        best = _better(best, gains[top] - penalty, ONE, top, top, 1)
    elif 0 < taken <= limits.categories and taken < bins:
        best = _better(best, total, SET, left_out, 0, taken)
    if limits.negation:
        total, taken = gains[bins] if gaps else 0.0, 0
        for b in range(bins):
            if gains[b] < -penalty and b != seed:
                total -= penalty
                taken += 1
            else:
                total += gains[b]
        if 0 < taken <= limits.categories and taken < bins + gaps:
            best = _better(best, total, ALL_BUT, 0, 0, taken)
    return best


cpdef Condition best_condition(
    const double[::1] gains, Py_ssize_t bins, bint gaps, bint askable, int ordered, ConditionLimits limits
) noexcept nogil:
    """Return the best condition on a column.

    `gains` are those of the bins, and behind them that of missing values.
    """
    cdef Py_ssize_t b, seed = limits.seed
    cdef double known = 0.0
    cdef Condition best
    best.gain, best.form, best.low, best.high, best.edges = -INFINITY, RUN, 0, 0, 0
    for b in range(bins):
        known += gains[b]
    if seed != bins and ordered and bins > 1:
        best = _best_run(gains, bins, limits, best)
    if seed != bins and ordered != 1 and limits.may_ask & SETS:
        best = _best_set(gains, bins, gaps, limits, best)
    if askable:
        if limits.may_ask & GAP and (seed < 0 or seed == bins):
            best = _better(best, gains[bins] - limits.penalty, IS_MISSING, 0, 0, 1)
        if limits.may_ask & PRESENT and limits.negation and seed != bins:
            best = _better(best, known - limits.penalty, NOT_MISSING, 0, 0, 1)
    return best


cpdef void write_condition(
    const double[::1] gains,
    Py_ssize_t bins,
    double penalty,
    Py_ssize_t seed,
    Condition condition,
    uint8_t[::1] allowed,
) noexcept nogil:
    """Write the codes where a condition holds, 1 or 0 for each."""
    cdef Py_ssize_t b, end, low = condition.low, high = condition.high
    cdef bint known
    if condition.form == RUN:
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
    for b in range(allowed.shape[0]):
        known = b < bins
        if condition.form == RUN:
            allowed[b] = low <= b <= high
        elif condition.form == ONE:
            allowed[b] = b == low
        elif condition.form == SET:
            allowed[b] = known and b != low and (gains[b] > penalty or b == seed)
        elif condition.form == ALL_BUT:
            allowed[b] = not (known and gains[b] < -penalty and b != seed)
        elif condition.form == IS_MISSING:
            allowed[b] = b == bins
        else:
            allowed[b] = known


cdef bint may_join(ColumnsView columns, Py_ssize_t j, Rule rule) noexcept nogil:
    """Return whether a column may meet those of a rule."""
    cdef Py_ssize_t k
    if columns.apart.shape[0]:
        for k in range(rule.length):
            if columns.apart[j, rule.column[k]]:
                return False
    return True
