from libc.stdint cimport int64_t

from conceptrules.kernels.search.views cimport ColumnsView, LimitsView, RowsView, Rule


cdef class GainedRows:
    """The rows that gain or lose if a new rule of a class holds there, and room for histograms of what they gain."""

    cdef RowsView rows
    cdef ColumnsView columns
    cdef LimitsView limits
    cdef double[::1] gain  # of each row
    cdef int64_t[::1] active  # the rows that gain or lose, the first `listed` of these
    cdef Py_ssize_t listed
    cdef double[::1] inside  # a histogram over the bins of all columns
    cdef double[::1] beside  # another
    cdef int64_t[::1] slot  # the condition of the rule on each column, or -1
    cdef int64_t[::1] within  # the active rows where the rule holds that is grown
    cdef Rule best  # the best rule of those on the way


cpdef double scan(GainedRows gained, Rule rule) noexcept nogil
cpdef double climb(GainedRows gained, int64_t c, Py_ssize_t seed_row, Rule rule) noexcept nogil
