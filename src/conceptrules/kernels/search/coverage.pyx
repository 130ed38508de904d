"""Where rules hold, which class a row gets, and the confusion matrix that follows; kept up to date rule by rule.

A class fires on a row if any of its rules holds there. The first class by priority that fires is the answer, the
default where none does. To put in or take out one rule costs one pass over the rows: only those where its class begins
or ceases to fire, and would win, change their answer.
"""

import numpy as np

from conceptrules.kernels.search.views cimport RowsView, Rule, RulesView, holds


cdef class Coverage:
    def __init__(self, RowsView rows, counts, confusion, rates):
        self.rows, self.counts, self.confusion, self.rates = rows, counts, confusion, rates
        self.open = np.ones(len(rows.label), np.uint8)
        self.otherwise = np.zeros(len(rows.label), np.int64)

    def at_hand(self):
        """Return whether the class at hand would win each row, and the answer where it does not fire."""
        return np.asarray(self.open).astype(np.bool_), np.asarray(self.otherwise)


def count_rules(const uint8_t[:, ::1] codes, rules, Py_ssize_t used, int16_t[:, ::1] counts):
    """Add to `counts[class, row]` how many rules of the class hold on each row."""
    cdef RulesView view = RulesView(rules)
    cdef Py_ssize_t r
    with nogil:
        for r in range(used):
            count_rule(codes, view, r, counts)


cdef void count_rule(
    const uint8_t[:, ::1] codes, RulesView rules, Py_ssize_t r, int16_t[:, ::1] counts
) noexcept nogil:
    cdef Py_ssize_t i
    cdef const int64_t[::1] column = rules.column[r]
    cdef const uint8_t[:, ::1] allowed = rules.allowed[r]
    for i in range(codes.shape[0]):
        if holds(codes, i, column, allowed, rules.length[r]):
            counts[rules.owner[r], i] += 1


cpdef void tally(Coverage coverage, const int64_t[::1] priority, int64_t default) noexcept nogil:
    """Write the confusion matrix and the rates of the groups from the counts."""
    cdef Py_ssize_t i, p
    cdef int64_t answer, g, k
    coverage.rates[:] = 0.0
    coverage.confusion[:] = 0.0
    for i in range(coverage.rows.label.shape[0]):
        answer = default
        for p in range(priority.shape[0]):
            if coverage.counts[priority[p], i] > 0:
                answer = priority[p]
                break
        for g in range(coverage.rates.shape[0]):
            if coverage.rows.groups.positive[g] == answer:
                coverage.rates[g] += coverage.rows.groups.share[i, g]
        k = coverage.rows.label[i]
        if k >= 0:
            coverage.confusion[k, answer] += coverage.rows.mass[i, k]
        else:
            for k in range(coverage.rows.mass.shape[1]):
                coverage.confusion[k, answer] += coverage.rows.mass[i, k]


cpdef void look_from(Coverage coverage, const int64_t[::1] priority, int64_t default, int64_t c) noexcept nogil:
    """Put class `c` at hand: write for each row whether it would win if it fired, and who answers if it does not."""
    cdef uint8_t[::1] opened = coverage.open
    cdef int64_t[::1] otherwise = coverage.otherwise
    cdef int16_t[::1] count
    cdef Py_ssize_t place = 0, i, p
    cdef int64_t other
    while priority[place] != c:
        place += 1
    look_alone(coverage, default)
    # Class by class, as the counts lie in memory: row by row, this took a quarter of a search with 300.
    for p in range(priority.shape[0] - 1, -1, -1):
        other, count = priority[p], coverage.counts[priority[p]]
        for i in range(count.shape[0]):
            if p > place and count[i] > 0:
                otherwise[i] = other
            elif p < place and count[i] > 0:
                opened[i] = False
    for i in range(opened.shape[0]):
        if not opened[i]:
            otherwise[i] = default
        elif otherwise[i] == c:
            opened[i] = False


cdef void look_alone(Coverage coverage, int64_t default) noexcept nogil:
    """Write the same as if no other class fired."""
    coverage.open[:] = True
    coverage.otherwise[:] = default


cdef void answer_instead(Coverage coverage, Py_ssize_t row, int64_t before, int64_t after) noexcept nogil:
    """Move a row from one answer to another in the confusion matrix and the rates of the groups."""
    cdef Py_ssize_t g
    cdef int64_t k = coverage.rows.label[row]
    for g in range(coverage.rates.shape[0]):
        if coverage.rows.groups.positive[g] == before:
            coverage.rates[g] -= coverage.rows.groups.share[row, g]
        elif coverage.rows.groups.positive[g] == after:
            coverage.rates[g] += coverage.rows.groups.share[row, g]
    if k >= 0:
        coverage.confusion[k, before] -= coverage.rows.mass[row, k]
        coverage.confusion[k, after] += coverage.rows.mass[row, k]
    else:
        for k in range(coverage.rows.mass.shape[1]):
            coverage.confusion[k, before] -= coverage.rows.mass[row, k]
            coverage.confusion[k, after] += coverage.rows.mass[row, k]


cpdef void toggle(Coverage coverage, Rule rule, int more, int64_t c) noexcept nogil:
    """Add a rule of the class at hand, `c` (more is 1), or take it away (-1); all else follows."""
    cdef const uint8_t[:, ::1] codes = coverage.rows.codes
    cdef const int64_t[::1] column = rule.column
    cdef const uint8_t[:, ::1] allowed = rule.allowed
    cdef int16_t[::1] count = coverage.counts[c]
    cdef Py_ssize_t i
    cdef int before
    for i in range(codes.shape[0]):
        if holds(codes, i, column, allowed, rule.length):
            before = count[i]
            count[i] = <int16_t>(before + more)
            if coverage.open[i]:
                if before == 0:
                    answer_instead(coverage, i, coverage.otherwise[i], c)
                elif before + more == 0:
                    answer_instead(coverage, i, c, coverage.otherwise[i])


cpdef Listed list_gains(
    Coverage coverage,
    int64_t c,
    const double[:, ::1] slopes,
    double care,
    bint assume_correct,
    const double[::1] prices,
    double[::1] gain,
    int64_t[::1] active,
) noexcept nogil:
    """List the rows that gain or lose if one more rule of the class at hand, `c`, holds there.

    What rows lose counts `care` times. With `assume_correct`, rows of other classes are taken to be right where `c`
    does not fire, as other rules may still make them: otherwise nothing would keep the rules of `c` off rows that are
    wrong anyway. `prices` is what the rate of each group is worth besides.
    """
    cdef const int64_t[::1] labels = coverage.rows.label
    cdef const double[:, ::1] mass = coverage.rows.mass
    cdef Py_ssize_t i, g
    cdef int64_t k, first, last, other, beside
    cdef double value
    cdef Listed listed
    listed.rows = listed.gaining = 0
    for i in range(labels.shape[0]):
        if not coverage.open[i] or coverage.counts[c, i] > 0:
            continue
        other, value = coverage.otherwise[i], 0.0
        first, last = 0, mass.shape[1]
        if labels[i] >= 0:
            first, last = labels[i], labels[i] + 1
        for k in range(first, last):
            beside = k if assume_correct and k != c else other
            value += mass[i, k] * (slopes[k, c] - slopes[k, beside])
        for g in range(prices.shape[0]):
            if coverage.rows.groups.positive[g] == c:
                value += prices[g] * coverage.rows.groups.share[i, g]
            elif coverage.rows.groups.positive[g] == other:
                value -= prices[g] * coverage.rows.groups.share[i, g]
        if value == 0:
            continue
        gain[i] = value * care if value < 0 else value
        active[listed.rows] = i
        listed.rows += 1
        listed.gaining += value > 0
    return listed
