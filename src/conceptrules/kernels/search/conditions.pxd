from libc.stdint cimport int64_t, uint8_t

from conceptrules.kernels.search.views cimport ColumnsView, Rule

cdef enum:
    # Forms of a condition: between two bins; one category; a set of categories, or all but a set; missing, or not.
    RUN
    ONE
    SET
    ALL_BUT
    IS_MISSING
    NOT_MISSING


cdef struct Condition:
    double gain  # what the rows gain where it holds, less the penalty of its edges; -inf: there is no condition
    int form
    Py_ssize_t low  # RUN: the first bin, ONE: the category, SET: a category that is left out, or -1
    Py_ssize_t high  # RUN: the last bin
    Py_ssize_t edges


cdef struct ConditionLimits:
    double penalty  # of an edge of the column
    Py_ssize_t seed  # the bin where the condition has to hold, or -1
    Py_ssize_t categories  # the most that it may name
    bint negation  # whether it may say `not`
    int may_ask  # forms that rules of the class may use, as bits


cpdef Condition best_condition(
    const double[::1] gains, Py_ssize_t bins, bint gaps, bint askable, int ordered, ConditionLimits limits
) noexcept nogil
cpdef void write_condition(
    const double[::1] gains,
    Py_ssize_t bins,
    double penalty,
    Py_ssize_t seed,
    Condition condition,
    uint8_t[::1] allowed,
) noexcept nogil
cdef bint may_join(ColumnsView columns, Py_ssize_t j, Rule rule) noexcept nogil
