"""New rules of a class: many are grown, by the gains of rows; which of them joins is decided by the exact score."""

from libc.stdint cimport int64_t

from conceptrules.kernels.search.clauses cimport may_stand
from conceptrules.kernels.search.coverage cimport Listed, list_gains, look_alone, look_from, toggle
from conceptrules.kernels.search.growth cimport grow
from conceptrules.kernels.search.histograms cimport climb
from conceptrules.kernels.search.scores cimport slopes_of
from conceptrules.kernels.search.search_state cimport (
    MIN_GAIN,
    N_PRICES,
    PRICES,
    SearchState,
    cost_of,
    measure,
    price_rates,
    random_below,
)
from conceptrules.kernels.search.views cimport copy_rule, write_rule

cdef enum:
    _ADD = 1
    _REMOVE = -1
    _NO_ROW = -1
    _RISK_LEVELS = 3
    _ATTEMPTS = 4  # two around no row, and two around one

# How often rows that lose are counted where the first rules of a class are grown: later rules add, they take nothing
# away.
cdef double _FIRST_CARE = 4.0


cdef bint grow_candidate(SearchState state, int64_t c, Py_ssize_t attempt, double *value) noexcept nogil:
    """Make a new rule of class `c`, `state.rule`, and write what it gains. Returns whether there is one.

    Rules are grown by information, and on odd attempts by the sum of gains: the one finds rules where nearly all rows
    lose, the other finds wide ones where many gain. The first two are grown around no row, the others around one each,
    a row that gains: all their conditions hold there, so that they end elsewhere.
    """
    cdef Py_ssize_t seed_row = _NO_ROW
    state.rule.length = 0
    if attempt > 1:
        seed_row = _pick_gaining_row(state)
        if seed_row == _NO_ROW:
            return False
    if attempt % 2:
        value[0] = climb(state.gained, c, seed_row, state.rule)
    else:
        value[0] = grow(state.gained, c, seed_row, state.rule)
    if state.rule.length and (seed_row != _NO_ROW or attempt % 2 == 0):
        value[0] = climb(state.gained, c, _NO_ROW, state.rule)
    return state.rule.length > 0


cdef Py_ssize_t _pick_gaining_row(SearchState state) noexcept nogil:
    """Return a row that gains, or -1 if chance finds none."""
    cdef Py_ssize_t row, attempt
    for attempt in range(30):
        row = state.gained.active[random_below(state.random_state, state.gained.listed)]
        if state.gained.gain[row] > 0:
            return row
    return _NO_ROW


cdef bint _list_gains(
    SearchState state, int64_t c, const double[:, ::1] slopes, double care, bint assume_correct
) noexcept nogil:
    """List the rows that gain or lose by a new rule of class `c`. Returns whether any gains."""
    cdef Listed listed = list_gains(
        state.coverage, c, slopes, care, assume_correct, state.prices, state.gained.gain, state.gained.active
    )
    state.gained.listed = listed.rows
    return listed.gaining > 0


cdef void list_gains_now(SearchState state, int64_t c) noexcept nogil:
    """List them with all other rules as they are."""
    _list_gains(state, c, state.slopes, 1.0, False)


cdef bint _list_gains_at_risk(SearchState state, int64_t c, int risk_level) noexcept nogil:
    """List them at one of three risk levels. Returns whether any row gains.

    At level 0, other classes are taken as they are answered now. At level 1, they are assumed to be right already, so
    that the rule keeps off their rows. At level 2, for the first rules of a class, losses count several times as well.
    """
    cdef double answered = 0.0
    cdef Py_ssize_t k
    for k in range(state.coverage.confusion.shape[0]):
        answered += state.coverage.confusion[k, c]
    if risk_level == 0:
        return _list_gains(state, c, state.slopes, 1.0, False)
    if risk_level == 1:
        return _list_gains(state, c, state.slopes, 1.0, True)
    if risk_level == 2 and answered == 0:
        return _list_gains(state, c, state.first_slopes, _FIRST_CARE, True)
    return False


cdef void start_rules(SearchState state) noexcept nogil:
    """Grow rules for each class against the others, as if these were right already."""
    cdef Py_ssize_t place, attempt
    cdef int64_t c
    cdef double best, value = 0.0, cost
    for place in range(state.priority.shape[0]):
        c = state.priority[place]
        if c == state.default:
            continue
        if state.limits.fixed_priority:  # rules need not avoid the rows that a class before this one takes
            look_from(state.coverage, state.priority, state.default, c)
        else:
            look_alone(state.coverage, state.default)
        while state.used < state.limits.rules:
            best, state.best.length = state.limits.penalty, 0
            if _list_gains(state, c, state.first_slopes, _FIRST_CARE, True):
                for attempt in range(_ATTEMPTS):
                    if (
                        grow_candidate(state, c, attempt, &value)
                        and value > best
                        and may_stand(state.rows, state.limits, c, state.rule)
                    ):
                        best = value
                        copy_rule(state.rule, state.best)
            cost = state.cost + cost_of(state.best, state.columns)
            if state.best.length == 0 or cost > state.limits.edges:
                break
            _append_best(state, c)


cdef void _append_best(SearchState state, int64_t c) noexcept nogil:
    toggle(state.coverage, state.best, _ADD, c)
    write_rule(state.best, c, state.rules, state.used)
    state.used += 1
    state.cost += cost_of(state.best, state.columns)


cdef void _find_candidate(SearchState state, int64_t c, int risk_level) noexcept nogil:
    """Make rules of a class at one risk level, and keep that of the largest gain as `state.candidate`."""
    cdef Py_ssize_t attempt
    cdef double most = 0.0, value = 0.0
    state.candidate.length = 0
    if not _list_gains_at_risk(state, c, risk_level):
        return
    for attempt in range(_ATTEMPTS):
        if (
            grow_candidate(state, c, attempt, &value)
            and value > most
            and state.cost + cost_of(state.rule, state.columns) <= state.limits.edges
            and may_stand(state.rows, state.limits, c, state.rule)
        ):
            most = value
            copy_rule(state.rule, state.candidate)


cdef void add_rules(SearchState state, int64_t c) noexcept nogil:
    """Add rules of class `c` as long as one helps."""
    cdef double best, objective, cost
    cdef int risk_level, attempt
    cdef bint unfair
    while state.used < state.limits.rules:
        slopes_of(state.coverage.confusion, state.limits.scoring, state.slopes)
        best, state.best.length = state.objective, 0
        for risk_level in range(_RISK_LEVELS):
            price_rates(state, min(state.strictness, PRICES[N_PRICES - 1]))
            for attempt in range(1 + N_PRICES):
                _find_candidate(state, c, risk_level)
                if state.candidate.length == 0:
                    break
                # Of the rules that one risk level leads to, the exact score judges the one of the largest gain.
                cost = state.cost + cost_of(state.candidate, state.columns)
                toggle(state.coverage, state.candidate, _ADD, c)
                objective = measure(state) - state.limits.penalty * cost
                unfair = price_rates(state, PRICES[min(attempt, N_PRICES - 1)])
                toggle(state.coverage, state.candidate, _REMOVE, c)
                if objective > best + MIN_GAIN:
                    best = objective
                    copy_rule(state.candidate, state.best)
                if not unfair:
                    break
        if state.best.length == 0:
            break
        _append_best(state, c)
        state.objective = best
