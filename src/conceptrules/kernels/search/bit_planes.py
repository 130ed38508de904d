"""What a node is worth on packed rows: sums of signed weights of rows over sets of rows, by counting bits.

The weight of a row says what the score gains if the node holds there. Weights are kept as planes: each plane is a set
of rows that share a value, so that the sum over any set is a count of bits for each plane, 64 rows at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from conceptrules.kernels.compiling import kernel

Words = NDArray[np.uint64]
Floats = NDArray[np.float64]

# Weights that differ more than this from the typical one are cut off: else a class of one row, whose weight is a
# thousand times that of the others, would round all others to nothing.
_FINEST, _LARGEST = 16.0, 4095
# So many different weights get a plane each; more than that are written in binary.
_DISTINCT = 6
compiled = kernel()


_emitted: Callable[[Callable[..., Any]], Any] = intrinsic  # the compiler gives the first argument, callers do not


@_emitted
def popcount(_: Any, __: Any) -> Any:
    """How many bits of a word are 1."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), write


class Planes(NamedTuple):
    """Signed weights of rows: where a row gains comes first, then where one loses."""

    rows: Words
    """The rows of each plane: (planes, words)."""
    value: Floats
    """The weight of each plane, positive."""
    gains: int
    """How many planes are of rows that gain."""


@compiled
def count_both(first: Any, second: Any) -> Any:
    result = np.uint64(0)
    for w in range(len(first)):
        result += popcount(first[w] & second[w])
    return np.float64(result)


@compiled
def gain_of(rows: Any, planes: Any) -> Any:
    """Return what the rows of a set gain, losses aside."""
    gain = 0.0
    for p in range(planes.gains):
        gain += planes.value[p] * count_both(rows, planes.rows[p])
    return gain


@compiled
def loss_of(rows: Any, planes: Any) -> Any:
    """Return what the rows of a set lose, as a positive number."""
    loss = 0.0
    for p in range(planes.gains, len(planes.value)):
        loss += planes.value[p] * count_both(rows, planes.rows[p])
    return loss


@compiled
def within(rows: Any, planes: Any, room: Any) -> Any:
    """The planes of the rows of a set only; `room` is of the size of the planes."""
    for p in range(len(planes.value)):
        for w in range(len(rows)):
            room[p, w] = rows[w] & planes.rows[p, w]
    return Planes(room, planes.value, planes.gains)


@compiled
def conjunction(inputs: Any, chosen: Any, left_out: int, rows: Any) -> None:
    """Sets `rows` to where all chosen inputs hold, but for the one at this place among them (-1: none)."""
    rows[:] = ~np.uint64(0)
    for i in range(len(chosen)):
        if i != left_out:
            for w in range(len(rows)):
                rows[w] &= inputs[chosen[i], w]


@compiled
def _changed(chosen: Any, out: int, new: int) -> Any:
    """The inputs without the one at the place `out`, and with `new`, where these are not -1."""
    result = np.empty(len(chosen) + (new >= 0) - (out >= 0), np.int64)
    k = 0
    for i in range(len(chosen)):
        if i != out:
            result[k] = chosen[i]
            k += 1
    if new >= 0:
        result[k] = new
    return result


@compiled
def improve(inputs: Any, chosen: Any, planes: Any, penalty: float, longest: int, fewest: int) -> Any:
    """Climbs from a conjunction to the best neighbour, until none is better: drop an input, add one, swap two.

    Returns the inputs and their worth, less the penalty of each. Losses are counted only where the gain alone would do.
    """
    rows, room = np.empty(inputs.shape[1], np.uint64), np.empty_like(planes.rows)
    conjunction(inputs, chosen, -1, rows)
    best = gain_of(rows, planes) - loss_of(rows, planes) - penalty * len(chosen)
    while True:
        found, out, new = best + 1e-12, -1, -1
        for place in range(-1, len(chosen)):
            kept = len(chosen) - (place >= 0)
            conjunction(inputs, chosen, place, rows)
            gain = gain_of(rows, planes)
            if place >= 0 and kept >= fewest:
                value = gain - loss_of(rows, planes) - penalty * kept
                if value > found:
                    found, out, new = value, place, -1
            if kept >= longest or gain - penalty * (kept + 1) <= found:
                continue  # with one more input it gains no more than that
            part = within(rows, planes, room)
            for j in range(len(inputs)):
                gain = gain_of(inputs[j], part)
                if gain - penalty * (kept + 1) > found:
                    value = gain - loss_of(inputs[j], part) - penalty * (kept + 1)
                    if value > found:
                        found, out, new = value, place, j
        if out < 0 and new < 0:
            return chosen, best
        chosen, best = _changed(chosen, out, new), found


@compiled
def grow(inputs: Any, allowed: Any, planes: Any, penalty: float, longest: int) -> Any:
    """A conjunction from nothing: always the input that gains the most information; of all lengths the best."""
    rows, room = np.full(inputs.shape[1], ~np.uint64(0)), np.empty_like(planes.rows)
    longest = min(longest, len(inputs))  # each input that is taken leaves fewer rows, so none is taken twice
    chosen = np.empty(longest, np.int64)
    up, down = gain_of(rows, planes), loss_of(rows, planes)
    best, length = 0.0, 0
    for k in range(longest if up > 0 else 0):
        part, before = within(rows, planes, room), np.log(up / (up + down))
        most, new, gained, lost = 0.0, -1, 0.0, 0.0
        for j in range(len(inputs)):
            gain = gain_of(inputs[j], part) if allowed[j] else 0.0
            if gain * -before > most:  # it could inform more than any before it, if it lost nothing
                loss = loss_of(inputs[j], part)
                information = gain * (np.log(gain / (gain + loss)) - before)
                if information > most and (gain < up or loss < down):
                    most, new, gained, lost = information, j, gain, loss
        if new < 0:
            break
        chosen[k] = new
        for w in range(len(rows)):
            rows[w] &= inputs[new, w]
        up, down = gained, lost
        if up - down - penalty * (k + 1) > best:
            best, length = up - down - penalty * (k + 1), k + 1
        if down <= 0:
            break
    return chosen[:length].copy(), best


@compiled
def decided(fired: Any, order: Any, default: int, w: int, bit: Any) -> Any:
    """The class of one row."""
    for c in order:
        if fired[c, w] >> bit & np.uint64(1):
            return c
    return default


@compiled
def decisions(fired: Any, order: Any, default: int, answers: Any) -> None:
    """Sets the class of each row."""
    for row in range(len(answers)):
        answers[row] = decided(fired, order, default, row // 64, np.uint64(row % 64))


@compiled
def differences(off: Any, on: Any, order: Any, default: int, target: Any, weight: Any, value: Any, result: Any) -> None:
    """What each row gains when the classes that fire go from `off` to `on`: value[its class, the class decided]."""
    result[:] = 0
    for w in range(off.shape[1]):
        changed = np.uint64(0)
        for c in range(len(off)):
            changed |= off[c, w] ^ on[c, w]
        if changed:
            for bit in range(min(64, len(target) - 64 * w)):
                if changed >> np.uint64(bit) & np.uint64(1):
                    row, place = 64 * w + bit, np.uint64(bit)
                    before, after = decided(off, order, default, w, place), decided(on, order, default, w, place)
                    result[row] = weight[row] * (value[target[row], after] - value[target[row], before])


@compiled
def confusion(fired: Any, order: Any, default: int, members: Any) -> Any:
    """Rows of each class by the class decided, where `members` holds the rows of each class."""
    classes = len(members)
    result, silent = np.zeros((classes, classes)), np.full(members.shape[1], ~np.uint64(0))
    for c in order:
        for y in range(classes):
            count = np.uint64(0)
            for w in range(len(silent)):
                count += popcount(silent[w] & fired[c, w] & members[y, w])
            result[y, c] = np.float64(count)
        for w in range(len(silent)):
            silent[w] &= ~fired[c, w]
    for y in range(classes):
        result[y, default] += count_both(silent, members[y])
    return result


@compiled
def _steps(weights: Any, finest: float, largest: int) -> Any:
    """Weights in steps of a part of a typical one, and which numbers of steps occur, up and down."""
    total, count = 0.0, 0
    for weight in weights:
        total += abs(weight)
        count += weight != 0
    unit = total / max(count, 1) / finest
    steps, seen = np.zeros(len(weights), np.int64), np.zeros((2, largest + 1), np.bool_)
    for row in range(len(weights)):
        if weights[row] != 0:
            size = min(int(abs(weights[row]) / unit + 0.5), largest)
            steps[row] = size if weights[row] > 0 else -size
            seen[0 if weights[row] > 0 else 1, size] = True
    return steps, unit, seen


@compiled
def _fill(steps: Any, sign: int, value: Any, binary: bool, planes: Any) -> None:
    """Sets the rows of each plane of one sign: those of its value, or with its bit."""
    place = np.zeros(value[-1] + 1, np.int64)  # values ascend; value.max() would take a second to compile
    for p in range(len(value)):
        place[value[p]] = p + 1
    for row in range(len(steps)):
        size = sign * steps[row]
        if size > 0:
            bit = np.uint64(1) << np.uint64(row % 64)
            if binary:
                for p in range(len(value)):
                    if size & value[p]:
                        planes[p, row // 64] |= bit
            else:
                planes[place[size] - 1, row // 64] |= bit


def planes_of(weights: Floats) -> Planes:
    """Signed weights as planes, to within a sixteenth of a typical one."""
    steps, unit, seen = _steps(weights, _FINEST, _LARGEST)
    parts, values, width = [], [], -(-len(weights) // 64)
    for sign, sizes in zip((1, -1), seen, strict=True):
        value = np.flatnonzero(sizes[1:]) + 1
        binary = len(value) > _DISTINCT
        if binary:
            value = 1 << np.arange(int(value[-1]).bit_length())
        planes = np.zeros((len(value), width), np.uint64)
        if len(value):
            _fill(steps, sign, value, binary, planes)
        parts.append(planes)
        values.append(value * unit)
    return Planes(np.concatenate(parts), np.concatenate(values), len(parts[0]))
