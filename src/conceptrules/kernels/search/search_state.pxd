from libc.stdint cimport int64_t, uint64_t

from conceptrules.kernels.search.coverage cimport Coverage
from conceptrules.kernels.search.histograms cimport GainedRows
from conceptrules.kernels.search.views cimport ColumnsView, LimitsView, RowsView, Rule, RulesView

cdef enum:
    N_PRICES = 2

cdef double MIN_GAIN  # sums of the same numbers in another order differ by less
cdef double[N_PRICES] PRICES  # of rates of groups, where a rule made without a price would treat them too differently


cdef class SearchState:
    """A network on its way: its rules, what follows from them, and room to work in."""

    cdef RowsView rows
    cdef ColumnsView columns
    cdef LimitsView limits
    cdef RulesView rules
    cdef Py_ssize_t used  # rules
    cdef double cost  # edges of all rules
    cdef int64_t[::1] priority
    cdef readonly int64_t default
    cdef double objective  # the score less the penalty of all edges
    cdef double strictness  # what a rate of a group beyond the bound costs, in units of the score
    cdef uint64_t[::1] random_state

    cdef Coverage coverage
    cdef GainedRows gained
    cdef double[:, ::1] slopes
    cdef double[:, ::1] first_slopes  # those where every class is right: what the first rules of a class are grown for
    cdef double[::1] prices  # what the rates of the groups are worth while a rule is made
    cdef double[::1] silent  # the weight of each class on the rows where no class fires
    cdef double[::1] silent_share  # and their share of each group
    cdef Rule rule  # the one at hand
    cdef Rule candidate  # the best of one risk level
    cdef Rule best  # the best until now


cpdef int64_t random_below(uint64_t[::1] random_state, int64_t size) noexcept nogil
cdef double cost_of(Rule rule, ColumnsView columns) noexcept nogil
cdef double measure(SearchState state) noexcept nogil
cdef bint price_rates(SearchState state, double price) noexcept nogil
