"""Where a search stands, and what a network is worth."""

import numpy as np

from conceptrules.kernels.search.clauses cimport price_groups, unfairness
from conceptrules.kernels.search.coverage cimport count_rule
from conceptrules.kernels.search.scores cimport score_of, slopes_of
from conceptrules.kernels.search.views cimport read_rule

MIN_GAIN = 1e-12
PRICES = [0.3, 1.0]


cdef class SearchState:
    def __init__(self, rows, columns, limits, rules, used, priority, default, random_state):
        """Take the values of `values.py`; `rules` and `priority` change in place."""
        self.rows, self.columns, self.limits = RowsView(rows), ColumnsView(columns), LimitsView(limits)
        self.rules, self.used, self.priority, self.default = RulesView(rules), used, priority, default
        self.random_state, self.cost, self.objective, self.strictness = random_state, 0.0, 0.0, 0.0
        size, classes = rows.mass.shape
        groups = len(rows.groups.positive)
        self.coverage = Coverage(
            self.rows, np.zeros((classes, size), np.int16), np.zeros((classes, classes)), np.zeros(groups)
        )
        self.gained = GainedRows(self.rows, self.columns, self.limits)
        self.slopes, self.first_slopes = np.zeros((2, classes, classes))
        self.prices, self.silent, self.silent_share = np.zeros(groups), np.zeros(classes), np.zeros(groups)
        self.rule, self.candidate, self.best = Rule(), Rule(), Rule()
        all_right = np.diag([_sum_in_order(rows.mass[:, k]) for k in range(classes)])
        slopes_of(all_right, self.limits.scoring, self.first_slopes)
        cdef Py_ssize_t r
        with nogil:
            for r in range(self.used):
                read_rule(self.rules, r, self.rule)
                self.cost += cost_of(self.rule, self.columns)
                count_rule(self.rows.codes, self.rules, r, self.coverage.counts)


cdef double _sum_in_order(const double[:] numbers):
    """Return a sum whose bits do not depend on how NumPy splits it."""
    cdef double total = 0.0
    cdef Py_ssize_t i
    for i in range(numbers.shape[0]):
        total += numbers[i]
    return total


cpdef int64_t random_below(uint64_t[::1] random_state, int64_t size) noexcept nogil:
    """Return a number from 0 to size - 1 (xorshift)."""
    cdef uint64_t x = random_state[0]
    x ^= x << 13
    x ^= x >> 7
    x ^= x << 17
    random_state[0] = x
    return <int64_t>((x >> 11) % <uint64_t>size)


cdef double cost_of(Rule rule, ColumnsView columns) noexcept nogil:
    """Return the edges of a rule, its own included, each at the cost of its column."""
    cdef double cost = 1.0
    cdef Py_ssize_t k
    for k in range(rule.length):
        cost += rule.size[k] * columns.cost[rule.column[k]]
    return cost


cdef double measure(SearchState state) noexcept nogil:
    """Return the score, less what it costs to treat groups too differently."""
    cdef double score = score_of(state.coverage.confusion, state.limits.scoring)
    return score - state.strictness * unfairness(state.coverage.rates, state.rows.groups)


cdef bint price_rates(SearchState state, double price) noexcept nogil:
    """Put a price on the rates of the groups, if they are treated too differently now; returns whether they are."""
    cdef bint unfair = unfairness(state.coverage.rates, state.rows.groups) > 0
    price_groups(state.coverage.rates, state.rows.groups, price if unfair else 0.0, state.prices)
    return unfair
