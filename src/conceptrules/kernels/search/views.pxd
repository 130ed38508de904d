"""The values of `values.py` as compiled code reads them, under the same names; what a field means is said there."""

from libc.stdint cimport int64_t, uint8_t

cdef enum:
    LONGEST = 12
    CODES = 256
    AT_MOST = 1
    ABOVE = 2
    WITHIN = 4
    GAP = 8
    PRESENT = 16
    SETS = 32


cdef class GroupsView:
    cdef const double[:, ::1] share
    cdef const double[::1] total
    cdef const int64_t[::1] positive
    cdef const int64_t[::1] first
    cdef const double[::1] factor
    cdef const double[::1] slack


cdef class RowsView:
    cdef const uint8_t[:, ::1] codes
    cdef const double[:, ::1] mass
    cdef const int64_t[::1] label
    cdef const double[:, ::1] raw
    cdef GroupsView groups


cdef class ColumnsView:
    cdef const int64_t[::1] bins
    cdef const uint8_t[::1] gaps
    cdef const uint8_t[::1] askable
    cdef const int64_t[::1] ordered
    cdef const double[::1] cost
    cdef const uint8_t[:, ::1] may_ask
    cdef const uint8_t[:, ::1] apart
    cdef const int64_t[::1] start


cdef class Rule:
    """One rule on its way: its conditions, and the edges of each."""

    cdef readonly Py_ssize_t length
    cdef int64_t[::1] column
    cdef uint8_t[:, ::1] allowed
    cdef int64_t[::1] size


cdef class RulesView:
    cdef int64_t[::1] owner
    cdef int64_t[::1] length
    cdef int64_t[:, ::1] column
    cdef uint8_t[:, :, ::1] allowed
    cdef int64_t[:, ::1] size


cdef class LimitsView:
    cdef double penalty
    cdef Py_ssize_t conditions
    cdef Py_ssize_t rules
    cdef double edges
    cdef Py_ssize_t categories
    cdef bint negation
    cdef int scoring
    cdef Py_ssize_t sweeps
    cdef Py_ssize_t locked
    cdef bint fixed_priority
    cdef bint fixed_default
    cdef double least_rows
    cdef double least_precision
    cdef double deviations
    cdef RulesView bans


cdef void copy_rule(Rule rule, Rule to) noexcept nogil
cdef void read_rule(RulesView rules, Py_ssize_t r, Rule to) noexcept nogil
cdef void write_rule(Rule rule, int64_t owner, RulesView rules, Py_ssize_t r) noexcept nogil


cdef inline bint holds(
    const uint8_t[:, ::1] codes,
    Py_ssize_t row,
    const int64_t[::1] column,
    const uint8_t[:, ::1] allowed,
    Py_ssize_t length,
) noexcept nogil:
    """Return whether all conditions of a rule hold on a row."""
    cdef Py_ssize_t k
    for k in range(length):
        if allowed[k, codes[row, column[k]]] == 0:
            return False
    return True
