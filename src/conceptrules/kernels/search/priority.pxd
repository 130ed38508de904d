from conceptrules.kernels.search.search_state cimport SearchState

cpdef double tune_priority(SearchState state) noexcept nogil
