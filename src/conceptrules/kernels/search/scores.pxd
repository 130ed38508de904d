cpdef enum:
    F1_MACRO
    ACCURACY
    BALANCED_ACCURACY
    NEG_LOG_LOSS

cpdef double score_of(const double[:, ::1] confusion, int scoring) noexcept nogil
cpdef void slopes_of(const double[:, ::1] confusion, int scoring, double[:, ::1] slopes) noexcept nogil
