from libc.stdint cimport int16_t, int64_t, uint8_t

from conceptrules.kernels.search.views cimport RowsView, Rule, RulesView


cdef class Coverage:
    """Where rules hold and what follows, kept up to date rule by rule."""

    cdef RowsView rows
    cdef int16_t[:, ::1] counts  # [class, row]: how many rules of the class hold
    cdef double[:, ::1] confusion  # [true class, answer]
    cdef double[::1] rates  # of the groups
    cdef uint8_t[::1] open  # whether the class at hand would win the row if it fired
    cdef int64_t[::1] otherwise  # the answer where it does not fire


cdef struct Listed:
    Py_ssize_t rows  # that gain or lose
    Py_ssize_t gaining

cdef void count_rule(
    const uint8_t[:, ::1] codes, RulesView rules, Py_ssize_t r, int16_t[:, ::1] counts
) noexcept nogil
cdef void answer_instead(Coverage coverage, Py_ssize_t row, int64_t before, int64_t after) noexcept nogil
cpdef void tally(Coverage coverage, const int64_t[::1] priority, int64_t default) noexcept nogil
cpdef void look_from(Coverage coverage, const int64_t[::1] priority, int64_t default, int64_t c) noexcept nogil
cdef void look_alone(Coverage coverage, int64_t default) noexcept nogil
cpdef void toggle(Coverage coverage, Rule rule, int more, int64_t c) noexcept nogil
cpdef Listed list_gains(
    Coverage coverage,
    int64_t c,
    const double[:, ::1] slopes,
    double care,
    bint assume_correct,
    const double[::1] prices,
    double[::1] gain,
    int64_t[::1] active,
) noexcept nogil
