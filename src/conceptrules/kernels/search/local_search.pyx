"""Local search for the rules of a network with one level: change, drop and add rules while it gets better.

What is maximised is the score less the penalty of all edges. Gains of rows are linear in the score's slopes, as those
of a boosting round are in its gradients; whether a change is taken is decided by the exact score.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

import numpy as np

from conceptrules.kernels.search.clauses cimport may_stand, unfairness
from conceptrules.kernels.search.coverage cimport look_from, toggle
from conceptrules.kernels.search.histograms cimport climb
from conceptrules.kernels.search.new_rules cimport add_rules, list_gains_now, start_rules
from conceptrules.kernels.search.priority cimport tune_priority
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
from conceptrules.kernels.search.views cimport Rule, copy_rule, read_rule, write_rule

cdef enum:
    _ADD = 1
    _REMOVE = -1
    _NO_ROW = -1
    _STRICTNESSES = 8

cdef double _STANDSTILL = 2e-4  # a sweep that adds less than this to the score is the last
# What a rate beyond the bound costs, in units of the score, as long as groups are treated too differently: little at
# first, then more sweep by sweep. No more in the end than that: to drop the best rule of all is no way to be fair.
cdef double[_STRICTNESSES] _STRICTNESS = [0.1, 0.3, 1.0, 3.0, 10.0, 20.0, 30.0, 30.0]


def search(rows, columns, limits, rules, Py_ssize_t used, order, int64_t default, random_state):
    """Improve a network in place, or grow one if it has no rules but those that are locked.

    `order` is the priority of the classes. Returns (rules in use, default, score, cost of all edges).
    """
    cdef SearchState state = SearchState(rows, columns, limits, rules, used, order, default, random_state)
    cdef int64_t[::1] classes = np.arange(len(order))
    cdef double[::1] settled = np.full(len(order), -np.inf)
    with nogil:
        _search(state, classes, settled)
    return state.used, state.default, state.objective + state.limits.penalty * state.cost, state.cost


cdef void _search(SearchState state, int64_t[::1] classes, double[::1] settled) noexcept nogil:
    """Go over the classes in sweeps. `settled` keeps at which objective a class found nothing to do."""
    cdef Py_ssize_t sweeps = state.limits.sweeps, sweep, t, other
    cdef int64_t c, exchange
    cdef double before, at_first
    cdef bint still
    state.strictness = _STRICTNESS[0]
    if state.used == state.limits.locked:
        start_rules(state)
    state.objective = tune_priority(state) - state.limits.penalty * state.cost
    if state.coverage.rates.shape[0]:
        sweeps = max(sweeps, _STRICTNESSES)
    for sweep in range(sweeps):
        before = state.objective
        for t in range(classes.shape[0] - 1, 0, -1):  # in another order each time (Fisher and Yates)
            other = random_below(state.random_state, t + 1)
            classes[t], classes[other] = classes[other], classes[t]
        for t in range(classes.shape[0]):
            c, at_first = classes[t], state.objective
            if settled[c] == state.objective:
                continue
            if not _has_rules(state, c) and not state.limits.fixed_priority:
                _come_first(state.priority, c)  # so that nothing that fires before it hides its rows
            look_from(state.coverage, state.priority, state.default, c)
            _improve_rules(state, c)
            add_rules(state, c)
            settled[c] = state.objective if state.objective == at_first else -INFINITY
        state.objective = tune_priority(state) - state.limits.penalty * state.cost
        still = state.objective < before + max(state.limits.penalty / 2, _STANDSTILL if sweep else 0.0)
        if (still or sweep + 1 >= state.limits.sweeps) and unfairness(state.coverage.rates, state.rows.groups) == 0:
            break
        state.strictness = _STRICTNESS[min(sweep + 1, _STRICTNESSES - 1)]
        state.objective = measure(state) - state.limits.penalty * state.cost


cdef bint _has_rules(SearchState state, int64_t c) noexcept nogil:
    cdef Py_ssize_t r
    for r in range(state.used):
        if state.rules.owner[r] == c:
            return True
    return False


cdef void _come_first(int64_t[::1] priority, int64_t c) noexcept nogil:
    """Put a class before all others in the priority."""
    cdef Py_ssize_t place = 0
    while priority[place] != c:
        place += 1
    while place > 0:
        priority[place] = priority[place - 1]
        place -= 1
    priority[0] = c


cdef void _take_out(SearchState state, Py_ssize_t r) noexcept nogil:
    """Take out a rule; the last one takes its place."""
    state.used -= 1
    if r != state.used:
        read_rule(state.rules, state.used, state.rule)
        write_rule(state.rule, state.rules.owner[state.used], state.rules, r)


cdef void _improve_rules(SearchState state, int64_t c) noexcept nogil:
    """Change or drop each rule of a class in turn."""
    cdef Py_ssize_t r = 0
    slopes_of(state.coverage.confusion, state.limits.scoring, state.slopes)
    while r < state.used:
        if state.rules.owner[r] != c or r < state.limits.locked:
            r += 1
        elif not _improve_or_drop(state, r, c, state.candidate, state.rule):
            r += 1


cdef bint _improve_or_drop(SearchState state, Py_ssize_t r, int64_t c, Rule old, Rule rule) noexcept nogil:
    """Put a better rule in place of an old one, or drop it, or leave it. Returns whether it is dropped.

    A rule that treats groups too differently is made again with a price on their rates, twice at most.
    """
    cdef double cost_without, without, cost = state.cost, objective = state.objective
    cdef bint changed = False
    cdef int attempt
    read_rule(state.rules, r, old)
    price_rates(state, min(state.strictness, PRICES[N_PRICES - 1]))
    toggle(state.coverage, old, _REMOVE, c)
    cost_without = state.cost - cost_of(old, state.columns)
    without = measure(state) - state.limits.penalty * cost_without
    for attempt in range(1 + N_PRICES):
        if attempt:
            price_rates(state, PRICES[attempt - 1])
            toggle(state.coverage, rule, _REMOVE, c)
        list_gains_now(state, c)
        copy_rule(old, rule)
        climb(state.gained, c, _NO_ROW, rule)
        if rule.length == 0:
            break
        cost = cost_without + cost_of(rule, state.columns)
        toggle(state.coverage, rule, _ADD, c)
        objective = measure(state) - state.limits.penalty * cost
        changed = (
            objective > state.objective + MIN_GAIN
            and objective > without
            and cost <= state.limits.edges
            and may_stand(state.rows, state.limits, c, rule)
        )
        if changed or unfairness(state.coverage.rates, state.rows.groups) == 0:
            break
    if changed:
        state.objective, state.cost = objective, cost
        write_rule(rule, c, state.rules, r)
        return False
    if rule.length:
        toggle(state.coverage, rule, _REMOVE, c)
    if without >= state.objective:
        state.objective, state.cost = without, cost_without
        _take_out(state, r)
        return True
    toggle(state.coverage, old, _ADD, c)
    return False
