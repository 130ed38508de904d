from libc.stdint cimport int64_t

from conceptrules.kernels.search.views cimport GroupsView, LimitsView, RowsView, Rule

cpdef double lower_bound(double right, double total, double deviations) noexcept nogil
cpdef bint may_stand(RowsView rows, LimitsView limits, int64_t c, Rule rule) noexcept nogil
cpdef double unfairness(const double[::1] rates, GroupsView groups) noexcept nogil
cpdef void price_groups(const double[::1] rates, GroupsView groups, double price, double[::1] prices) noexcept nogil
