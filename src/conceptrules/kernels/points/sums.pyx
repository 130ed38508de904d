"""Passes over rows for scorecards: sums of slopes and curvatures in bins, the best condition of each column, and sums
over the rules that hold on each row.

`reference.py` says in plain NumPy what each of them means.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t

cdef enum:
    CODES = 256
    NOTHING = 0
    RUN = 1
    AMONG = 2
    BUT = 3
    MISSING = 4
    KNOWN = 5
    NEVER = 2  # a sign that no weight has


def add_to_bins(const uint8_t[:, ::1] codes, const int32_t[::1] rows, const double[:, ::1] figures,
                const int64_t[::1] start, double[:, ::1] sums):
    """Write to `sums[start[column] + code]` the sums of the three figures of the given rows: slope, curvature, weight."""
    cdef Py_ssize_t a, i, j, b, columns = codes.shape[1]
    cdef double slope, curvature, weight
    with nogil:
        for b in range(sums.shape[0]):
            sums[b, 0] = sums[b, 1] = sums[b, 2] = 0
        for a in range(rows.shape[0]):
            i = rows[a]
            slope, curvature, weight = figures[i, 0], figures[i, 1], figures[i, 2]
            for j in range(columns):
                b = start[j] + codes[i, j]
                sums[b, 0] += slope
                sums[b, 1] += curvature
                sums[b, 2] += weight


cdef struct Totals:
    double slope
    double curvature
    double weight


cdef struct Search:
    Totals inside  # of the rows on which the rule holds until now
    Totals every  # of all rows
    double ridge
    double least  # weight of the rows that the rule covers
    double left  # and of those that each condition leaves out
    double tiny
    double price
    int64_t sign  # of the weight that the conditions of the rule until now ask for; 0: any
    double gain
    int64_t form
    int64_t low
    int64_t high
    int64_t edges


cdef inline void offer(Search *search, Totals part, int64_t form, int64_t low, int64_t high, int64_t edges,
                       int64_t required) noexcept nogil:
    """Keep a condition that holds on these rows if it is better than the best until now.

    The weight of the rule has to have the sign that this condition requires, and that of those before.
    """
    cdef double share, slope, curvature, gain
    cdef int64_t sign = required if required else search.sign
    if sign == NEVER or (search.sign and sign != search.sign):
        return
    # A condition that holds on all rows, or on none, says nothing; sums in another order differ by a little.
    if (part.weight < search.least or search.inside.weight - part.weight < search.left - 1e-9
            or part.curvature < search.tiny
            or part.curvature > search.inside.curvature - search.tiny):
        return
    # What the base takes up is not the rule's: without this, `x > 3` and `x <= 3` would differ.
    share = part.curvature / search.every.curvature
    slope = part.slope - share * search.every.slope
    curvature = part.curvature * (1 - share)
    if slope * sign < 0:
        return
    gain = 0.5 * slope * slope / (curvature + search.ridge) - edges * search.price
    if gain > search.gain:
        search.gain = gain
        search.form, search.low, search.high, search.edges = form, low, high, edges


cdef inline void add(Totals *total, const double *sums) noexcept nogil:
    total.slope += sums[0]
    total.curvature += sums[1]
    total.weight += sums[2]


cdef inline Totals rest(Totals total, Totals part) noexcept nogil:
    total.slope -= part.slope
    total.curvature -= part.curvature
    total.weight -= part.weight
    return total


cdef void find_run(Search *search, const double[:, ::1] sums, Py_ssize_t first, Py_ssize_t bins, Totals known,
                   bint between, int64_t below, int64_t above) noexcept nogil:
    """Offer `x <= cut`, `x > cut` and, if asked for, `low < x <= high`."""
    cdef Py_ssize_t b, low
    cdef Totals part = Totals(0, 0, 0)
    for b in range(bins - 1):
        if sums[first + b, 1] > 0:  # or else the cut is that of the bin before
            add(&part, &sums[first + b, 0])
            offer(search, part, RUN, 0, b, 1, below)
            offer(search, rest(known, part), RUN, b + 1, bins - 1, 1, above)
    for low in range(1, bins - 1 if between else 0):
        if sums[first + low, 1] > 0:
            part = Totals(0, 0, 0)
            for b in range(low, bins - 1):
                if sums[first + b, 1] > 0:
                    add(&part, &sums[first + b, 0])
                    offer(search, part, RUN, low, b, 2, 0)


cdef Py_ssize_t sort_bins(const double[:, ::1] sums, Py_ssize_t first, Py_ssize_t bins, double ridge,
                          int64_t *order) noexcept nogil:
    """Write the bins that have rows, those of the largest Newton step first. Returns how many there are."""
    cdef double[CODES] steps
    cdef Py_ssize_t b, k, count = 0
    cdef double step
    for b in range(bins):
        if sums[first + b, 1] > 0:
            step = sums[first + b, 0] / (sums[first + b, 1] + ridge)
            k = count
            while k > 0 and steps[k - 1] < step:
                steps[k], order[k] = steps[k - 1], order[k - 1]
                k -= 1
            steps[k], order[k] = step, b
            count += 1
    return count


cdef void find_set(Search *search, const double[:, ::1] sums, Py_ssize_t first, Py_ssize_t bins,
                   Py_ssize_t largest) noexcept nogil:
    """Offer sets of the categories of the largest Newton steps, of the smallest ones, and all but these.

    A set is `low` = 0 and the number of categories from the top, or 1 and the number from the bottom.
    """
    cdef int64_t[CODES] order
    cdef Py_ssize_t k, side, count = sort_bins(sums, first, bins, search.ridge, order)
    cdef Totals part
    for side in range(2):
        part = Totals(0, 0, 0)
        for k in range(min(count, largest)):
            add(&part, &sums[first + order[count - 1 - k if side else k], 0])
            offer(search, part, AMONG, side, k + 1, k + 1, 0)
            offer(search, rest(search.inside, part), BUT, side, k + 1, k + 1, 0)


def find_conditions(const double[:, ::1] sums, const int64_t[::1] start, const int64_t[::1] bins,
                    const int64_t[::1] ordered, const uint8_t[::1] askable, const int64_t[:, ::1] required,
                    int64_t sign, double slope, double curvature, double ridge, double price, double least,
                    double left, bint between, Py_ssize_t largest, double[::1] gains, int64_t[:, ::1] forms):
    """Write for each column the condition of the largest Newton gain, less what its edges cost.

    `sums` are those of the rows on which the rest of the rule holds, `slope` and `curvature` those of all rows.
    `required[column]` are the signs that the weight has to have for `x <= cut`, `x > cut` and a missing value, see
    `reference.py`, and `sign` is that of the rest of the rule. `forms[column]` is (form, low, high, edges); the form is
    `NOTHING` where no condition is left.
    """
    cdef Py_ssize_t j, b
    cdef Search search
    cdef Totals known
    cdef bint free
    with nogil:
        search.sign = sign
        search.every = Totals(slope, curvature, 0)
        search.ridge, search.price, search.least, search.left = ridge, price, least, left
        for j in range(bins.shape[0]):
            known = Totals(0, 0, 0)
            for b in range(bins[j]):
                add(&known, &sums[start[j] + b, 0])
            search.inside = known
            add(&search.inside, &sums[start[j] + bins[j], 0])
            search.tiny = 1e-9 * search.inside.curvature
            search.gain, search.form = -INFINITY, NOTHING
            search.low = search.high = search.edges = 0
            free = not (required[j, 0] or required[j, 1])
            if ordered[j]:
                find_run(&search, sums, start[j], bins[j], known, between and free, required[j, 0], required[j, 1])
            if ordered[j] != 1 and free:
                find_set(&search, sums, start[j], bins[j], largest)
            if askable[j]:
                offer(&search, rest(search.inside, known), MISSING, 0, 0, 1, required[j, 2])
                offer(&search, known, KNOWN, 0, 0, 1, required[j, 2] if required[j, 2] == NEVER else -required[j, 2])
            gains[j] = search.gain
            forms[j, 0], forms[j, 1], forms[j, 2], forms[j, 3] = search.form, search.low, search.high, search.edges


def add_normal_equations(const uint8_t[:, ::1] holds, const int64_t[::1] rules, const double[::1] slope,
                         const double[::1] curvature, double[::1] vector, double[:, ::1] matrix):
    """Write the sums that a Newton step of the weights of some rules solves: first the base, then the rules.

    `vector` has the sums of the slopes of the rows on which each holds, `matrix` those of the curvatures of the rows on
    which two hold, as its lower half and the diagonal.
    """
    cdef Py_ssize_t i, k, a, b, count, most = rules.shape[0]
    cdef double s, c
    cdef int32_t[4096] listed  # more than a card can have
    with nogil:
        for a in range(most + 1):
            vector[a] = 0
            for b in range(most + 1):
                matrix[a, b] = 0
        for i in range(holds.shape[0]):
            s, c = slope[i], curvature[i]
            listed[0], count = 0, 1
            for k in range(most):
                if holds[i, rules[k]]:
                    listed[count] = <int32_t>(k + 1)
                    count += 1
            for a in range(count):
                vector[listed[a]] += s
                for b in range(a + 1):
                    matrix[listed[a], listed[b]] += c


def add_weights(const uint8_t[:, ::1] holds, const int64_t[::1] rules, const double[::1] weights, double[:] margins):
    """Add to the margin of each row the first weight, and for each of the rules that holds its own, in their order."""
    cdef Py_ssize_t i, k
    cdef double total
    with nogil:
        for i in range(holds.shape[0]):
            total = weights[0]
            for k in range(rules.shape[0]):
                if holds[i, rules[k]]:
                    total += weights[k + 1]
            margins[i] += total
