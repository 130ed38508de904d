"""The priority of the classes and the default: neighbours are exchanged and defaults tried while the score rises."""

from libc.stdint cimport int64_t

from conceptrules.kernels.search.coverage cimport Coverage, answer_instead, tally
from conceptrules.kernels.search.search_state cimport MIN_GAIN, measure


cdef bint _swap(Coverage coverage, int64_t[::1] priority, Py_ssize_t place) noexcept nogil:
    """Exchange two neighbours in the priority. Returns whether any answer changes, as where both fire and none before."""
    cdef int64_t first = priority[place], second = priority[place + 1]
    cdef Py_ssize_t i, p
    cdef bint hidden, changed = False
    for i in range(coverage.counts.shape[1]):
        if coverage.counts[first, i] > 0 and coverage.counts[second, i] > 0:
            hidden = False
            for p in range(place):
                hidden = hidden or coverage.counts[priority[p], i] > 0
            if not hidden:
                answer_instead(coverage, i, first, second)
                changed = True
    priority[place], priority[place + 1] = second, first
    return changed


cdef void _find_silent(SearchState state) noexcept nogil:
    """Sum up the rows where no class fires: all that a default answers."""
    cdef Py_ssize_t i, c, k, g
    cdef bint fires
    state.silent[:] = 0.0
    state.silent_share[:] = 0.0
    for i in range(state.coverage.counts.shape[1]):
        fires = False
        for c in range(state.coverage.counts.shape[0]):
            fires = fires or state.coverage.counts[c, i] > 0
        if not fires:
            for k in range(state.silent.shape[0]):
                state.silent[k] += state.rows.mass[i, k]
            for g in range(state.silent_share.shape[0]):
                state.silent_share[g] += state.rows.groups.share[i, g]


cdef void _answer_silent(SearchState state, int64_t before, int64_t after) noexcept nogil:
    """Give the rows where no class fires another answer."""
    cdef Py_ssize_t k, g
    for k in range(state.silent.shape[0]):
        state.coverage.confusion[k, before] -= state.silent[k]
        state.coverage.confusion[k, after] += state.silent[k]
    for g in range(state.silent_share.shape[0]):
        if state.rows.groups.positive[g] == before:
            state.coverage.rates[g] -= state.silent_share[g]
        if state.rows.groups.positive[g] == after:
            state.coverage.rates[g] += state.silent_share[g]


cpdef double tune_priority(SearchState state) noexcept nogil:
    """Change the priority and the default, unless the limits say that they are fixed. Returns the score."""
    cdef Py_ssize_t classes = state.priority.shape[0], place
    cdef int64_t c
    cdef double best, before, score
    tally(state.coverage, state.priority, state.default)
    best = measure(state)
    _find_silent(state)
    while True:
        before = best
        if not state.limits.fixed_priority:
            for place in range(classes - 1):
                score = measure(state) if _swap(state.coverage, state.priority, place) else best
                if score > best + MIN_GAIN:
                    best = score
                else:
                    _swap(state.coverage, state.priority, place)
        if not state.limits.fixed_default:
            for c in range(classes):
                _answer_silent(state, state.default, c)
                score = measure(state)
                if score > best + MIN_GAIN:
                    best, state.default = score, c
                else:
                    _answer_silent(state, c, state.default)
        if best <= before:
            tally(state.coverage, state.priority, state.default)
            return measure(state)
