from conceptrules.kernels.search.histograms cimport GainedRows
from conceptrules.kernels.search.views cimport Rule
from libc.stdint cimport int64_t, uint8_t

cpdef Py_ssize_t edges_of(const uint8_t[::1] allowed, Py_ssize_t bins, int ordered) noexcept nogil
cpdef double grow(GainedRows gained, int64_t c, Py_ssize_t seed_row, Rule rule) noexcept nogil
