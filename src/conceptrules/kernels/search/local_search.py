"""Local search for the rules of a network with one level: change, drop, add and exchange rules while it gets better.

What is maximised is the score less the penalty of all edges. Gains of rows are linear in the score's slopes; whether a
change is taken is decided by the exact score.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.compiling import kernel
from conceptrules.kernels.search.clauses import may_stand, price_groups, unfairness
from conceptrules.kernels.search.coverage import (
    answer_instead,
    confusion_of,
    count_rules,
    gains_of,
    look_alone,
    look_from,
    toggle,
)
from conceptrules.kernels.search.growth import copy_rule, grow
from conceptrules.kernels.search.histograms import climb
from conceptrules.kernels.search.scores import score_of, slopes_of
from conceptrules.kernels.search.values import CODES, LONGEST

# Numba compiles a function again for each number that is written into a call. These are of one type, and no literals.
_NONE, _NO_ROW, _MORE, _FEWER = np.int64(0), np.int64(-1), np.int64(1), np.int64(-1)
_ASSUME_OTHERS_CORRECT, _TAKE_OTHERS_AS_THEY_ARE = np.int64(1), np.int64(0)

_MIN_GAIN = 1e-12
"""Sums of the same numbers in another order differ by less."""
_STANDSTILL = 2e-4
"""A sweep that adds less than this to the score is the last."""
_FIRST_CARE = 4.0
"""How often rows that lose are counted where the first rules of a class are grown: later rules can add, but not take
away."""
_STRICT = (0.1, 0.3, 1.0, 3.0, 10.0, 20.0, 30.0, 30.0)
"""What a rate beyond the bound costs, in units of the score, as long as groups are treated too differently: little at
first, then more sweep by sweep. No more in the end than that: to drop the best rule of all is no way to be fair."""
_PRICES = (0.3, 1.0)
"""What rates of groups are priced at where a rule that was made without a price would treat them too differently."""


class Work(NamedTuple):
    """Where a search stands, and room to work in."""

    counts: NDArray[np.int16]
    """[class, row]: how many rules of the class hold."""
    confusion: NDArray[np.float64]
    rates: NDArray[np.float64]
    """The rates of the groups."""
    prices: NDArray[np.float64]
    """What these are worth while a rule is made."""
    strict: NDArray[np.float64]
    """One number: what a rate beyond the bound costs."""
    slopes: NDArray[np.float64]
    first_slopes: NDArray[np.float64]
    """The slopes where every class is right: what the first rules of a class are grown for."""
    open: NDArray[np.bool_]
    """The rows where the class at hand would win if it fired."""
    otherwise: NDArray[np.int64]
    """The answer where it does not fire."""
    gain: NDArray[np.float64]
    active: NDArray[np.int64]
    """The rows that gain or lose."""
    within: NDArray[np.int64]
    inside: NDArray[np.float64]
    """A histogram over all bins; `beside` is another."""
    beside: NDArray[np.float64]
    slot: NDArray[np.int64]
    """The condition on each column, or -1."""
    column: NDArray[np.int64]
    """The rule at hand, with `allowed` and `size`."""
    allowed: NDArray[np.uint8]
    size: NDArray[np.int64]
    next_column: NDArray[np.int64]
    """The best rule of one risk level."""
    next_allowed: NDArray[np.uint8]
    next_size: NDArray[np.int64]
    best_column: NDArray[np.int64]
    """The best rule until now."""
    best_allowed: NDArray[np.uint8]
    best_size: NDArray[np.int64]


@kernel(inline="always")
def _work(rows: Any, columns: Any, scoring: Any) -> Any:
    size, classes = rows.mass.shape
    work = Work(
        np.zeros((classes, size), np.int16),
        np.zeros((classes, classes)),
        np.zeros(len(rows.groups.positive)),
        np.zeros(len(rows.groups.positive)),
        np.full(1, _STRICT[0]),
        np.zeros((classes, classes)),
        np.zeros((classes, classes)),
        np.ones(size, np.bool_),
        np.zeros(size, np.int64),
        np.zeros(size),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(columns.start[-1]),
        np.zeros(columns.start[-1]),
        np.zeros(rows.codes.shape[1], np.int64),
        np.zeros(LONGEST, np.int64),
        np.zeros((LONGEST, CODES), np.uint8),
        np.zeros(LONGEST, np.int64),
        np.zeros(LONGEST, np.int64),
        np.zeros((LONGEST, CODES), np.uint8),
        np.zeros(LONGEST, np.int64),
        np.zeros(LONGEST, np.int64),
        np.zeros((LONGEST, CODES), np.uint8),
        np.zeros(LONGEST, np.int64),
    )
    for i in range(size):
        for k in range(classes):
            work.confusion[k, k] += rows.mass[i, k]
    slopes_of(work.confusion, scoring, work.first_slopes)
    return work


@kernel()
def random_below(state: Any, size: Any) -> Any:
    """Return a number from 0 to size - 1 (xorshift)."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return np.int64((x >> np.uint64(11)) % np.uint64(size))


@kernel()
def cost_of(column: Any, size: Any, length: Any, columns: Any) -> Any:
    """Return the edges of a rule, its own included, each at the cost of its column."""
    cost = 1.0
    for k in range(length):
        cost += size[k] * columns.cost[column[k]]
    return cost


@kernel(inline="always")
def _cost_of_rule(rules: Any, r: Any, columns: Any) -> Any:
    return cost_of(rules.column[r], rules.size[r], rules.length[r], columns)


@kernel()
def _put(rules: Any, r: Any, owner: Any, column: Any, allowed: Any, size: Any, length: Any) -> Any:
    rules.owner[r], rules.length[r] = owner, length
    copy_rule(column, allowed, size, length, rules.column[r], rules.allowed[r], rules.size[r])


@kernel()
def _take_out(rules: Any, r: Any, used: Any) -> Any:
    """Take out a rule; the last one takes its place. Returns how many are left."""
    last = used - 1
    if r != last:
        _put(rules, r, rules.owner[last], rules.column[last], rules.allowed[last], rules.size[last], rules.length[last])
    return last


@kernel()
def _owned(rules: Any, first: Any, used: Any, c: Any) -> Any:
    count = 0
    for r in range(first, used):
        count += rules.owner[r] == c
    return count


@kernel(inline="always")
def _toggle_rule(rows: Any, rules: Any, r: Any, more: Any, work: Any, c: Any) -> Any:
    toggle(
        rows, rules.column[r], rules.allowed[r], rules.length[r], more,
        work.counts[c], work.open, work.otherwise, c, work.confusion, work.rates,
    )  # fmt: skip


@kernel(inline="always")
def _toggle(rows: Any, column: Any, allowed: Any, length: Any, more: Any, work: Any, c: Any) -> Any:
    toggle(
        rows, column, allowed, length, more, work.counts[c], work.open, work.otherwise, c, work.confusion, work.rates
    )


@kernel(inline="always")
def _score(rows: Any, confusion: Any, rates: Any, scoring: Any, strict: Any) -> Any:
    """Return the score, less what it costs to treat groups too differently."""
    return score_of(confusion, scoring) - strict * unfairness(rates, rows.groups)


@kernel(inline="always")
def _judged(rows: Any, limits: Any, work: Any) -> Any:
    return _score(rows, work.confusion, work.rates, limits.scoring, work.strict[0])


@kernel(inline="always")
def _price(rows: Any, work: Any, price: Any) -> Any:
    """Put a price on the rates of the groups, if they are treated too differently now; returns whether they are."""
    unfair = unfairness(work.rates, rows.groups) > 0
    price_groups(work.rates, rows.groups, price if unfair else 0.0, work.prices)
    return unfair


@kernel(inline="always")
def _climb(rows: Any, columns: Any, limits: Any, work: Any, c: Any, listed: Any, row: Any, length: Any) -> Any:
    return climb(
        rows, columns, limits, c, work.active, listed, work.gain, row,
        work.column, work.allowed, work.size, length, work.inside, work.beside, work.slot,
    )  # fmt: skip


@kernel(inline="always")
def _seed_row(work: Any, listed: Any, state: Any) -> Any:
    """Return a row that gains, or -1 if chance finds none."""
    for _ in range(30):
        row = work.active[random_below(state, listed)]
        if work.gain[row] > 0:
            return row
    return -1


@kernel()
def _candidate(rows: Any, columns: Any, limits: Any, work: Any, c: Any, listed: Any, attempt: Any, state: Any) -> Any:
    """Make a new rule of class `c`. Returns its conditions (0: none) and its value.

    Rules are grown by information, and on odd attempts by the sum of gains: the one finds rules where nearly all rows
    lose, the other finds wide ones where many gain. The first two are grown around no row, the others around one each.
    """
    row = _NO_ROW if attempt < 2 else _seed_row(work, listed, state)
    if attempt > 1 and row < 0:
        return 0, 0.0
    if attempt % 2:
        length, value = _climb(rows, columns, limits, work, c, listed, row, _NONE)
    else:
        length, value = grow(
            rows, columns, limits, c, work.active, listed, work.gain, row,
            work.column, work.allowed, work.size, work.inside, work.beside, work.slot, work.within,
        )  # fmt: skip
    if length and (row >= 0 or attempt % 2 == 0):
        length, value = _climb(rows, columns, limits, work, c, listed, _NO_ROW, length)
    return length, value


@kernel(inline="always")
def _keep_best(work: Any, length: Any) -> Any:
    copy_rule(work.column, work.allowed, work.size, length, work.best_column, work.best_allowed, work.best_size)


@kernel()
def _swap(rows: Any, counts: Any, order: Any, place: Any, confusion: Any, rates: Any) -> Any:
    """Exchange two neighbours in the priority; the confusion matrix follows where both fire and nothing before them."""
    first, second = order[place], order[place + 1]
    for i in range(counts.shape[1]):
        if counts[first, i] > 0 and counts[second, i] > 0:
            hidden = False
            for p in range(place):
                hidden = hidden or counts[order[p], i] > 0
            if not hidden:
                answer_instead(rows, i, first, second, confusion, rates)
    order[place], order[place + 1] = second, first


@kernel(inline="always")
def _answer_silent(rows: Any, silent: Any, share: Any, before: Any, after: Any, confusion: Any, rates: Any) -> Any:
    """Give the rows where no class fires another answer."""
    for k in range(len(silent)):
        confusion[k, before] -= silent[k]
        confusion[k, after] += silent[k]
    for g in range(len(rates)):
        if rows.groups.positive[g] == before:
            rates[g] -= share[g]
        if rows.groups.positive[g] == after:
            rates[g] += share[g]


@kernel()
def tune_priority(
    rows: Any, counts: Any, order: Any, default: Any, confusion: Any, rates: Any, limits: Any, strict: Any
) -> Any:
    """Exchange neighbours in the priority and try other defaults while the score rises. Returns default and score.

    What the limits say is fixed stays as it is.
    """
    scoring = limits.scoring
    classes = len(order)
    confusion_of(rows, counts, order, default, confusion, rates)
    best = _score(rows, confusion, rates, scoring, strict)
    silent = np.zeros(classes)  # the mass of the rows where no class fires
    silent_share = np.zeros(len(rates))
    for i in range(counts.shape[1]):
        fires = False
        for c in range(classes):
            fires = fires or counts[c, i] > 0
        if not fires:
            for k in range(classes):
                silent[k] += rows.mass[i, k]
            for g in range(len(rates)):
                silent_share[g] += rows.groups.share[i, g]
    while True:
        before = best
        for place in range(0 if limits.fixed_priority else classes - 1):
            _swap(rows, counts, order, place, confusion, rates)
            now = _score(rows, confusion, rates, scoring, strict)
            if now > best + _MIN_GAIN:
                best = now
            else:
                _swap(rows, counts, order, place, confusion, rates)
        for c in range(0 if limits.fixed_default else classes):
            _answer_silent(rows, silent, silent_share, default, c, confusion, rates)
            now = _score(rows, confusion, rates, scoring, strict)
            if now > best + _MIN_GAIN:
                best, default = now, c
            else:
                _answer_silent(rows, silent, silent_share, c, default, confusion, rates)
        if best <= before:
            confusion_of(rows, counts, order, default, confusion, rates)
            return default, _score(rows, confusion, rates, scoring, strict)


@kernel(inline="always")
def _tune(rows: Any, limits: Any, work: Any, order: Any, default: Any) -> Any:
    return tune_priority(rows, work.counts, order, default, work.confusion, work.rates, limits, work.strict[0])


@kernel(inline="always")
def _start(
    rows: Any, columns: Any, limits: Any, rules: Any, cost: Any, order: Any, default: Any, work: Any, state: Any
) -> Any:
    """Grow rules for each class against the others, as if these were right already. Returns their number and cost."""
    used = limits.locked
    for place in range(len(order)):
        c = order[place]
        if c == default:
            continue
        if limits.fixed_priority:  # rules need not avoid the rows that a class before this one takes
            look_from(work.counts, order, default, c, work.open, work.otherwise)
        else:
            look_alone(default, work.open, work.otherwise)
        while used < limits.rules:
            listed, gaining = gains_of(
                rows, work.open, work.otherwise, work.counts[c], c, work.first_slopes, _FIRST_CARE,
                _ASSUME_OTHERS_CORRECT, work.prices, work.gain, work.active,
            )  # fmt: skip
            best, best_length = limits.penalty, _NONE
            for attempt in range(2 * (limits.seeds + 1) if gaining else 0):
                length, value = _candidate(rows, columns, limits, work, c, listed, attempt, state)
                if length and value > best and may_stand(rows, limits, c, work.column, work.allowed, length):
                    best, best_length = value, length
                    _keep_best(work, length)
            more = cost_of(work.best_column, work.best_size, best_length, columns)
            if best_length == 0 or cost + more > limits.edges:
                break
            _toggle(rows, work.best_column, work.best_allowed, best_length, _MORE, work, c)
            _put(rules, used, c, work.best_column, work.best_allowed, work.best_size, best_length)
            used, cost = used + 1, cost + more
    return used, cost


@kernel(inline="always")
def _improve(
    rows: Any, columns: Any, limits: Any, rules: Any, used: Any, cost: Any, objective: Any, work: Any, c: Any
) -> Any:
    """Change or drop each rule of a class in turn. Returns the number of rules, their cost and the objective."""
    slopes_of(work.confusion, limits.scoring, work.slopes)
    r = _NONE
    while r < used:
        if rules.owner[r] != c or r < limits.locked:
            r += 1
            continue
        _price(rows, work, min(work.strict[0], _PRICES[-1]))
        _toggle_rule(rows, rules, r, _FEWER, work, c)
        without_cost = cost - _cost_of_rule(rules, r, columns)
        without = _judged(rows, limits, work) - limits.penalty * without_cost
        changed, length, now, new_cost = False, rules.length[r], objective, cost
        for attempt in range(1 + len(_PRICES)):
            if attempt:
                _price(rows, work, _PRICES[attempt - 1])
                _toggle(rows, work.column, work.allowed, length, _FEWER, work, c)
            listed, _ = gains_of(
                rows, work.open, work.otherwise, work.counts[c], c, work.slopes, 1.0, _TAKE_OTHERS_AS_THEY_ARE,
                work.prices, work.gain, work.active,
            )  # fmt: skip
            length = rules.length[r]
            copy_rule(rules.column[r], rules.allowed[r], rules.size[r], length, work.column, work.allowed, work.size)
            length, _ = _climb(rows, columns, limits, work, c, listed, _NO_ROW, length)
            if length == 0:
                break
            new_cost = without_cost + cost_of(work.column, work.size, length, columns)
            _toggle(rows, work.column, work.allowed, length, _MORE, work, c)
            now = _judged(rows, limits, work) - limits.penalty * new_cost
            changed = (
                now > objective + _MIN_GAIN
                and now > without
                and new_cost <= limits.edges
                and may_stand(rows, limits, c, work.column, work.allowed, length)
            )
            if changed or attempt == len(_PRICES) or unfairness(work.rates, rows.groups) == 0:
                break
        if changed:
            objective, cost = now, new_cost
            _put(rules, r, c, work.column, work.allowed, work.size, length)
            r += 1
            continue
        if length:
            _toggle(rows, work.column, work.allowed, length, _FEWER, work, c)
        if without >= objective:
            objective, cost, used = without, without_cost, _take_out(rules, r, used)
        else:
            _toggle_rule(rows, rules, r, _MORE, work, c)
            r += 1
    return used, cost, objective


@kernel(inline="always")
def _list_gains(rows: Any, limits: Any, work: Any, c: Any, care: Any, risk_level: Any) -> Any:
    """List who gains from a new rule of a class, at one of three risk levels. Returns as `gains_of` does.

    At level 0, other classes are taken as they are answered now. At level 1, they are assumed to be right already, so
    that the rule keeps off their rows. At level 2, for the first rules of a class, losses count several times as well.
    """
    answered = 0.0
    for k in range(len(work.confusion)):
        answered += work.confusion[k, c]
    if risk_level == 0:
        slopes, assume_correct = work.slopes, _TAKE_OTHERS_AS_THEY_ARE
    elif risk_level == 1 and care == 1:
        slopes, assume_correct = work.slopes, _ASSUME_OTHERS_CORRECT
    elif risk_level == 2 and answered == 0:
        slopes, care, assume_correct = work.first_slopes, _FIRST_CARE, _ASSUME_OTHERS_CORRECT
    else:
        return 0, 0
    return gains_of(
        rows,
        work.open,
        work.otherwise,
        work.counts[c],
        c,
        slopes,
        care,
        assume_correct,
        work.prices,
        work.gain,
        work.active,
    )


@kernel(inline="always")
def _best_candidate(
    rows: Any, columns: Any, limits: Any, cost: Any, work: Any, c: Any, care: Any, risk_level: Any, state: Any
) -> Any:
    """Make rules of a class at one risk level, and keep that of the largest gain. Returns its conditions (0: none)."""
    listed, gaining = _list_gains(rows, limits, work, c, care, risk_level)
    most, length = 0.0, _NONE
    for attempt in range(2 * (limits.seeds + 1) if gaining else 0):
        tried, value = _candidate(rows, columns, limits, work, c, listed, attempt, state)
        if (
            tried
            and value > most
            and cost + cost_of(work.column, work.size, tried, columns) <= limits.edges
            and may_stand(rows, limits, c, work.column, work.allowed, tried)
        ):
            most, length = value, tried
            copy_rule(work.column, work.allowed, work.size, tried, work.next_column, work.next_allowed, work.next_size)
    return length


@kernel()
def _add(
    rows: Any,
    columns: Any,
    limits: Any,
    rules: Any,
    used: Any,
    cost: Any,
    objective: Any,
    work: Any,
    c: Any,
    care: Any,
    state: Any,
) -> Any:
    """Add rules of a class as long as one helps. Returns the number of rules, their cost and the objective."""
    while used < limits.rules:
        slopes_of(work.confusion, limits.scoring, work.slopes)
        best, best_length = objective, _NONE
        for risk_level in range(3):
            _price(rows, work, min(work.strict[0], _PRICES[-1]))
            for attempt in range(1 + len(_PRICES)):
                length = _best_candidate(rows, columns, limits, cost, work, c, care, risk_level, state)
                if length == 0:
                    break
                # Of the rules that one risk level leads to, the exact score judges the one of the largest gain.
                more = cost_of(work.next_column, work.next_size, length, columns)
                _toggle(rows, work.next_column, work.next_allowed, length, _MORE, work, c)
                now = _judged(rows, limits, work) - limits.penalty * (cost + more)
                unfair = _price(rows, work, _PRICES[min(attempt, len(_PRICES) - 1)])
                _toggle(rows, work.next_column, work.next_allowed, length, _FEWER, work, c)
                if now > best + _MIN_GAIN:
                    best, best_length = now, length
                    copy_rule(
                        work.next_column, work.next_allowed, work.next_size, length,
                        work.best_column, work.best_allowed, work.best_size,
                    )  # fmt: skip
                if not unfair:
                    break
        if best_length == 0:
            break
        _toggle(rows, work.best_column, work.best_allowed, best_length, _MORE, work, c)
        _put(rules, used, c, work.best_column, work.best_allowed, work.best_size, best_length)
        objective, used = best, used + 1
        cost += cost_of(work.best_column, work.best_size, best_length, columns)
    return used, cost, objective


@kernel(inline="always")
def _exchange(
    rows: Any,
    columns: Any,
    limits: Any,
    rules: Any,
    used: Any,
    cost: Any,
    objective: Any,
    work: Any,
    c: Any,
    state: Any,
) -> Any:
    """Take out one or two rules of a class and grow others; the old ones come back if they were better."""
    old_confusion, old_count, old_rates = work.confusion.copy(), work.counts[c].copy(), work.rates.copy()
    owner, length, column = rules.owner[:used].copy(), rules.length[:used].copy(), rules.column[:used].copy()
    allowed, size = rules.allowed[:used].copy(), rules.size[:used].copy()
    fewer, fewer_cost = used, cost
    for _ in range(1 + random_below(state, np.int64(2))):
        own = _owned(rules, limits.locked, fewer, c)
        if own == 0:
            break
        skip, r = random_below(state, own), limits.locked
        while rules.owner[r] != c or skip > 0:
            skip -= rules.owner[r] == c
            r += 1
        _toggle_rule(rows, rules, r, _FEWER, work, c)
        fewer_cost -= _cost_of_rule(rules, r, columns)
        fewer = _take_out(rules, r, fewer)
    now = _judged(rows, limits, work) - limits.penalty * fewer_cost
    care = (1.0, 2.0, 5.0, 20.0)[random_below(state, np.int64(4))]
    new, new_cost, now = _add(rows, columns, limits, rules, fewer, fewer_cost, now, work, c, care, state)
    if now > objective + _MIN_GAIN:
        return new, new_cost, now
    for k in range(len(old_confusion)):  # Numba takes seconds to compile an assignment of slices
        for j in range(len(old_confusion)):
            work.confusion[k, j] = old_confusion[k, j]
    for g in range(len(old_rates)):
        work.rates[g] = old_rates[g]
    for i in range(len(old_count)):
        work.counts[c, i] = old_count[i]
    for r in range(used):
        _put(rules, r, owner[r], column[r], allowed[r], size[r], length[r])
    return used, cost, objective


@kernel()
def _come_first(order: Any, c: Any) -> Any:
    """Put a class before all others in the priority."""
    place = 0
    while order[place] != c:
        place += 1
    while place > 0:
        order[place] = order[place - 1]
        place -= 1
    order[0] = c


@kernel()
def search(rows: Any, columns: Any, limits: Any, rules: Any, used: Any, order: Any, default: Any, state: Any) -> Any:
    """Improve a network in place, or grow one if it has no rules but those that are locked.

    `order` is the priority of the classes. Returns (rules in use, default, score, cost of all edges).
    """
    work, classes = _work(rows, columns, limits.scoring), len(order)
    cost = 0.0
    for r in range(used):
        cost += _cost_of_rule(rules, r, columns)
    count_rules(rows.codes, rules, used, work.counts)
    if used == limits.locked:
        used, cost = _start(rows, columns, limits, rules, cost, order, default, work, state)
    default, score = _tune(rows, limits, work, order, default)
    objective = score - limits.penalty * cost
    turn = np.arange(classes)
    settled = np.full(classes, -np.inf)  # the objective at which a class found nothing to do
    for sweep in range(max(limits.sweeps, len(_STRICT)) if len(work.rates) else limits.sweeps):
        before = objective
        for a in range(classes - 1, 0, -1):
            b = random_below(state, a + 1)
            turn[a], turn[b] = turn[b], turn[a]
        for t in range(classes):
            c, at_first = turn[t], objective
            if settled[c] == objective:
                continue
            if _owned(rules, _NONE, used, c) == 0 and not limits.fixed_priority:
                _come_first(order, c)  # so that nothing that fires before it hides its rows
            look_from(work.counts, order, default, c, work.open, work.otherwise)
            used, cost, objective = _improve(rows, columns, limits, rules, used, cost, objective, work, c)
            used, cost, objective = _add(rows, columns, limits, rules, used, cost, objective, work, c, 1.0, state)
            for _ in range(min(_owned(rules, limits.locked, used, c), limits.regrow)):
                used, cost, objective = _exchange(rows, columns, limits, rules, used, cost, objective, work, c, state)
            settled[c] = objective if objective == at_first else -np.inf
        default, score = _tune(rows, limits, work, order, default)
        objective = score - limits.penalty * cost
        still = objective < before + max(limits.penalty / 2, _STANDSTILL if sweep else 0.0)
        if (still or sweep + 1 >= limits.sweeps) and unfairness(work.rates, rows.groups) == 0:
            break
        work.strict[0] = _STRICT[min(sweep + 1, len(_STRICT) - 1)]
        objective = _judged(rows, limits, work) - limits.penalty * cost
    return used, default, objective + limits.penalty * cost, cost
