import numpy as np

from conceptrules.kernels.search import values

assert (LONGEST, CODES) == (values.LONGEST, values.CODES)
assert (AT_MOST, ABOVE, WITHIN) == (values.AT_MOST, values.ABOVE, values.WITHIN)
assert (GAP, PRESENT, SETS) == (values.GAP, values.PRESENT, values.SETS)


cdef class GroupsView:
    def __init__(self, groups):
        self.share, self.total, self.positive, self.first, self.factor, self.slack = groups


cdef class RowsView:
    def __init__(self, rows):
        self.codes, self.mass, self.label, self.raw, groups = rows
        self.groups = GroupsView(groups)


cdef class ColumnsView:
    def __init__(self, columns):
        self.bins, self.gaps, self.askable, self.ordered, self.cost, self.may_ask, self.apart, self.start = columns


cdef class Rule:
    def __init__(self, length=0, column=None, allowed=None, size=None):
        """Look at these arrays, or make room for a rule."""
        self.length = length
        self.column = np.zeros(LONGEST, np.int64) if column is None else column
        self.allowed = np.zeros((LONGEST, CODES), np.uint8) if allowed is None else allowed
        self.size = np.zeros(LONGEST, np.int64) if size is None else size


cdef class RulesView:
    def __init__(self, rules):
        self.owner, self.length, self.column, self.allowed, self.size = rules


cdef class LimitsView:
    def __init__(self, limits):
        (
            self.penalty, self.conditions, self.rules, self.edges, self.categories, self.negation, self.scoring,
            self.sweeps, self.locked, self.fixed_priority, self.fixed_default,
            self.least_rows, self.least_precision, self.deviations, bans,
        ) = limits
        self.bans = RulesView(bans)


cdef void copy_rule(Rule rule, Rule to) noexcept nogil:
    cdef Py_ssize_t k
    to.length = rule.length
    for k in range(rule.length):
        to.column[k], to.size[k] = rule.column[k], rule.size[k]
        to.allowed[k] = rule.allowed[k]


cdef void read_rule(RulesView rules, Py_ssize_t r, Rule to) noexcept nogil:
    cdef Py_ssize_t k
    to.length = rules.length[r]
    for k in range(to.length):
        to.column[k], to.size[k] = rules.column[r, k], rules.size[r, k]
        to.allowed[k] = rules.allowed[r, k]


cdef void write_rule(Rule rule, int64_t owner, RulesView rules, Py_ssize_t r) noexcept nogil:
    cdef Py_ssize_t k
    rules.owner[r], rules.length[r] = owner, rule.length
    for k in range(rule.length):
        rules.column[r, k], rules.size[r, k] = rule.column[k], rule.size[k]
        rules.allowed[r, k] = rule.allowed[k]
