"""Where rules hold, which class a row gets, and the confusion matrix that follows; kept up to date rule by rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.compiling import kernel


@kernel()
def holds(codes: Any, row: Any, column: Any, allowed: Any, length: Any) -> Any:
    """Return whether all conditions of a rule hold on a row."""
    for k in range(length):  # noqa: SIM110  # compiled code has no generators
        if allowed[k, codes[row, column[k]]] == 0:
            return False
    return True


@kernel()
def count_rules(codes: Any, rules: Any, used: Any, counts: Any) -> Any:
    """Add to `counts[class, row]` how many rules of the class hold on each row."""
    for r in range(used):
        column, allowed, length = rules.column[r], rules.allowed[r], rules.length[r]
        for i in range(len(codes)):
            if holds(codes, i, column, allowed, length):
                counts[rules.owner[r], i] += 1


@kernel()
def answer_of(counts: Any, order: Any, default: Any, row: Any) -> Any:
    """Return the first class by priority that fires on a row, or the default."""
    for place in range(len(order)):
        if counts[order[place], row] > 0:
            return order[place]
    return default


@kernel()
def confusion_of(rows: Any, counts: Any, order: Any, default: Any, confusion: Any, rates: Any) -> Any:
    """Write the confusion matrix [true class, answer], and the rates of the groups."""
    classes = len(order)
    for g in range(len(rates)):
        rates[g] = 0.0
    for k in range(classes):
        for j in range(classes):
            confusion[k, j] = 0.0
    for i in range(len(rows.label)):
        answer = answer_of(counts, order, default, i)
        for g in range(len(rates)):
            if rows.groups.positive[g] == answer:
                rates[g] += rows.groups.share[i, g]
        if rows.label[i] >= 0:
            confusion[rows.label[i], answer] += rows.mass[i, rows.label[i]]
        else:
            for k in range(classes):
                confusion[k, answer] += rows.mass[i, k]


@kernel()
def look_from(counts: Any, order: Any, default: Any, c: Any, open_: Any, otherwise: Any) -> Any:
    """Write for each row whether class `c` would win if it fired (`open_`), and who answers if it does not."""
    classes, place = len(order), 0
    for p in range(classes):
        if order[p] == c:
            place = p
    for i in range(counts.shape[1]):
        open_[i] = True
        for p in range(place):
            if counts[order[p], i] > 0:
                open_[i] = False
                break
        otherwise[i] = default
        if open_[i]:
            for p in range(place + 1, classes):
                if counts[order[p], i] > 0:
                    otherwise[i] = order[p]
                    break
            if otherwise[i] == c:
                open_[i] = False


@kernel()
def look_alone(default: Any, open_: Any, otherwise: Any) -> Any:
    """Write the same as if no other class fired."""
    for i in range(len(open_)):
        open_[i], otherwise[i] = True, default


@kernel()
def answer_instead(rows: Any, row: Any, before: Any, after: Any, confusion: Any, rates: Any) -> Any:
    """Move a row from one answer to another in the confusion matrix and the rates of the groups."""
    for g in range(len(rates)):
        if rows.groups.positive[g] == before:
            rates[g] -= rows.groups.share[row, g]
        elif rows.groups.positive[g] == after:
            rates[g] += rows.groups.share[row, g]
    k = rows.label[row]
    if k >= 0:
        confusion[k, before] -= rows.mass[row, k]
        confusion[k, after] += rows.mass[row, k]
    else:
        for k in range(rows.mass.shape[1]):
            confusion[k, before] -= rows.mass[row, k]
            confusion[k, after] += rows.mass[row, k]


@kernel()
def toggle(
    rows: Any,
    column: Any,
    allowed: Any,
    length: Any,
    more: Any,
    count: Any,
    open_: Any,
    otherwise: Any,
    c: Any,
    confusion: Any,
    rates: Any,
) -> Any:
    """Add a rule of class `c` (more is 1) or take it away (-1).

    Its class's counts, the confusion matrix and the rates of the groups follow.
    """
    for i in range(len(rows.codes)):
        if holds(rows.codes, i, column, allowed, length):
            before = count[i]
            count[i] = before + more
            if open_[i]:
                if before == 0:
                    answer_instead(rows, i, otherwise[i], c, confusion, rates)
                elif before + more == 0:
                    answer_instead(rows, i, c, otherwise[i], confusion, rates)


@kernel()
def gains_of(
    rows: Any,
    open_: Any,
    otherwise: Any,
    count: Any,
    c: Any,
    slopes: Any,
    care: Any,
    assume_correct: Any,
    prices: Any,
    gain: Any,
    active: Any,
) -> Any:
    """List the rows that gain or lose if one more rule of class `c` holds there.

    What rows lose counts `care` times. With `assume_correct`, rows of other classes are taken to be right where `c`
    does not fire, as other rules may still make them: otherwise nothing would keep the rules of `c` off rows that are
    wrong anyway.
    `prices` is what the rate of each group is worth besides.
    Returns how many rows are listed, and how many of them gain.
    """
    classes, listed, gaining = rows.mass.shape[1], 0, 0
    for i in range(len(open_)):
        if not open_[i] or count[i] > 0:
            continue
        label, other, value = rows.label[i], otherwise[i], 0.0
        first, last = (label, label + 1) if label >= 0 else (0, classes)
        for k in range(first, last):
            value += rows.mass[i, k] * (slopes[k, c] - slopes[k, k if assume_correct and k != c else other])
        for g in range(len(prices)):
            if rows.groups.positive[g] == c:
                value += prices[g] * rows.groups.share[i, g]
            elif rows.groups.positive[g] == other:
                value -= prices[g] * rows.groups.share[i, g]
        if value == 0:
            continue
        gain[i] = value * care if value < 0 else value
        active[listed] = i
        listed += 1
        if value > 0:
            gaining += 1
    return listed, gaining


@kernel()
def decide(codes: Any, rules: Any, used: Any, order: Any, default: Any) -> Any:
    """Return the answer of a network on each row."""
    counts = np.zeros((len(order), len(codes)), np.int16)
    count_rules(codes, rules, used, counts)
    answers = np.empty(len(codes), np.int64)
    for i in range(len(codes)):
        answers[i] = answer_of(counts, order, default, i)
    return answers
