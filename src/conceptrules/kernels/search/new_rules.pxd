from libc.stdint cimport int64_t

from conceptrules.kernels.search.search_state cimport SearchState

cdef void list_gains_now(SearchState state, int64_t c) noexcept nogil
cdef void start_rules(SearchState state) noexcept nogil
cdef void add_rules(SearchState state, int64_t c) noexcept nogil
