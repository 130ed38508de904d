"""The way forward and the way back through a network, for a batch of rows; reference.py says what they compute.

A product is kept as the product of its factors other than 0 and the number of its zeros, which gives the product of all
factors but one without a second pass. The rows of a batch lie in strips, each as long as a vector. Every function works
on the nodes `start : stop` of one layer, whose values depend on nothing else in that layer: threads can share a layer.
Arrays are taken out of their tuples once for a layer: each time, each of them is counted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from conceptrules.kernels.mllp.loops import (
    ONE,
    TWO,
    ZERO,
    back,
    back2,
    back_masked,
    back_one,
    compiled,
    dot,
    dot4,
)
from conceptrules.kernels.mllp.vectors import LANES, any_below, any_set, load, one_minus, spread, store, where_equal


class Work(NamedTuple):
    """What is known of each node on a batch. The first four are (strips, nodes, rows of a strip)."""

    value: Any
    product: Any
    """The product of the factors that are not 0; on the way back, the gradient towards one of them, undivided."""
    zeros: Any
    """How many factors are 0; on the way back, the gradient towards the only factor that is."""
    d: Any
    """The gradient."""
    lit: Any
    """Whether the value is other than 0 on any row."""
    open: Any
    """(strips, nodes): whether anything but 0 could come from its gradient."""
    none: Any
    one: Any
    """Whether the gradient towards factors that are not 0, and that are, is other than 0 on any row."""
    own: Any
    """Whether any learnable weight is 1."""


class Lists(NamedTuple):
    """Room for lists of weights, one for each thread. The entries of node n are `first[n] : first[n + 1]`."""

    one_first: Any
    one_source: Any
    first: Any
    source: Any
    weight: Any
    strips: Any


@compiled
def work_for(sizes: Any, rows: int) -> Any:
    nodes, strips = sizes.sum(), -(-rows // LANES)
    numbers = _aligned(4, strips, nodes)
    flags = np.ones((4, nodes), np.bool_)
    open_ = np.ones((strips, nodes), np.bool_)
    return Work(numbers[0], numbers[1], numbers[2], numbers[3], flags[0], open_, flags[1], flags[2], flags[3])


@compiled
def _aligned(arrays: int, strips: int, nodes: int) -> Any:
    """Zeros that begin where a cache line does: else every vector would touch one line more."""
    count = arrays * strips * nodes * LANES
    room = np.zeros(count + 16, np.float32)
    start = -(room.ctypes.data // 4) % 16
    return room[start : start + count].reshape(arrays, strips, nodes, LANES)


@compiled
def lists_for(sizes: Any, rows: int) -> Any:
    nodes, most = sizes.sum() + 1, (sizes[1:] * sizes[:-1]).max() + 1
    ones = (np.zeros(nodes, np.int64), np.empty(most, np.int64))
    others = (np.zeros(nodes, np.int64), np.empty(most, np.int64), np.empty(most, np.float32))
    return Lists(ones[0], ones[1], others[0], others[1], others[2], np.empty(-(-rows // LANES), np.int64))


@compiled
def load_rows(packed: Any, batch: Any, inputs: int, value: Any) -> None:
    """The complemented bits of a batch, expanded into the first nodes; a column of bytes at a time."""
    column = np.zeros(LANES, np.uint8)
    for strip in range(-(-len(batch) // LANES)):
        some = batch[strip * LANES : (strip + 1) * LANES]
        for byte in range(packed.shape[1]):
            for b in range(len(some)):
                column[b] = packed[some[b], byte]
            for j in range(8 * byte, min(8 * byte + 8, inputs)):
                shift = np.uint8(7 - j % 8)
                for b in range(LANES):
                    value[strip, j, b] = np.float32(~(column[b] >> shift) & np.uint8(1))


@compiled
def list_factors(start: int, stop: int, visits: Any, weights: Any, work: Any, lists: Any) -> None:
    """The factors that are not 1 on all rows: those of weights of 1, and the others.

    Listed without a jump for each weight, which would be guessed wrongly too often.
    """
    needed, lit, own = visits.needed, work.lit, work.own
    one_first, one_source, first, source = visits.one_first, visits.one_source, visits.first, visits.source
    listed_one_first, listed_one, listed_first, listed, listed_weight, _ = lists
    ones, others = 0, 0
    listed_one_first[start], listed_first[start] = 0, 0
    for node in range(start, stop):
        if needed[node]:
            for t in range(one_first[node], one_first[node + 1]):
                listed_one[ones] = one_source[t]
                ones += lit[one_source[t]]
            masked = ones
            for t in range(first[node], first[node + 1]):
                w, s = weights[t], source[t]
                listed_one[ones], listed[others], listed_weight[others] = s, s, w
                ones += (w == 1) & lit[s]
                others += (w > 0) & (w < 1) & lit[s]
            own[node] = ones > masked
        listed_one_first[node + 1], listed_first[node + 1] = ones, others


@compiled
def run(strips: int, start: int, stop: int, lowest: bool, needed: Any, work: Any, lists: Any) -> None:
    """The values of nodes from those below.

    The weights of 1 come first: where they give two zeros on every row of a strip, no other factor matters, neither
    here nor on the way back.
    """
    value, product_of, zeros_of, _, lit, open_, _, _, own = work
    one_first, one_source, first, source, weight, _ = lists
    lit[start:stop] = False
    for strip in range(strips):
        for node in range(start, stop):
            if not needed[node]:
                continue
            product, zeros = spread(ONE), spread(ZERO)
            for i in range(one_first[node], one_first[node + 1]):
                factor = ONE - load(value, strip, one_source[i])
                product *= where_equal(factor, ZERO, ONE, factor)
                zeros += where_equal(factor, ZERO, ONE, ZERO)
            possible = any_below(zeros, TWO)
            if possible:
                for i in range(first[node], first[node + 1]):
                    product *= one_minus(weight[i], load(value, strip, source[i]))
            result = where_equal(zeros, ZERO, product, ZERO)
            store(value, strip, node, result)
            store(product_of, strip, node, product)
            store(zeros_of, strip, node, zeros)
            shines = any_set(result)
            lit[node] |= shines
            # Masked weights of the lowest layer want no gradient, and inputs neither: there one zero is as good as two.
            open_[strip, node] = shines or (possible and (own[node] or not lowest))


@compiled
def output_gradient(top: int, rows: Any, batch: Any, size: int, work: Any) -> Any:
    """Writes the gradient at the class nodes and returns the loss; places past the end of a short batch get 0."""
    _, target, weight = rows
    value, d = work.value, work.d
    classes, loss = value.shape[1] - top, 0.0
    d[:, top:] = 0
    for b in range(len(batch)):
        scale = weight[batch[b]] / np.float32(size * classes)
        strip, place = b // LANES, b % LANES
        for c in range(classes):
            error = (ONE - value[strip, top + c, place]) - np.float32(target[batch[b]] == c)
            d[strip, top + c, place] = -2 * error * scale
            loss += error * error * scale
    return loss


@compiled
def split(strips: int, start: int, stop: int, work: Any) -> None:
    """The gradient times the other factors: towards a factor that is not 0 (before its division), and one that is."""
    _, product, zeros, d, _, _, none, one, _ = work
    for node in range(start, stop):
        any_none, any_one = False, False
        for strip in range(strips):
            towards = ZERO - load(d, strip, node) * load(product, strip, node)
            count = load(zeros, strip, node)
            without, with_one = where_equal(count, ZERO, towards, ZERO), where_equal(count, ONE, towards, ZERO)
            store(product, strip, node, without)
            store(zeros, strip, node, with_one)
            any_none |= any_set(without)
            any_one |= any_set(with_one)
        none[node], one[node] = any_none, any_one


@compiled
def fetch(strips: int, start: int, stop: int, visits: Any, weights: Any, work: Any, lists: Any, gradient: Any) -> None:
    """The gradient of nodes from those above them, which have split theirs, and of the learnable weights between."""
    x, none_of, one_of, d, _, open_, none, one, _ = work
    _, some, _, more, _, useful = lists
    one_first, one_target = visits.one_up_first, visits.one_up_target
    first, number, target = visits.up_first, visits.up_weight, visits.up_target
    for node in range(start, stop):
        count = 0
        for strip in range(strips):
            useful[count] = strip
            count += open_[strip, node]
            store(d, strip, node, spread(ZERO))
        if count == 0:
            continue
        nones, ones = 0, 0
        for t in range(one_first[node], one_first[node + 1]):
            some[nones], more[ones] = one_target[t], one_target[t]
            nones += none[one_target[t]]
            ones += one[one_target[t]]
        if nones or ones:
            back_masked(useful, count, node, some, nones, more, ones, x, none_of, one_of, d)
        between, rest = 0, 0
        for t in range(first[node], first[node + 1]):
            w, alive = weights[number[t]], none[target[t]]
            some[between], more[rest] = t, t
            between += (w > 0) & (w < 1) & alive
            rest += ((w == 0) & alive) | (w == 1)
        for i in range(0, between - 1, 2):
            back2(useful, count, node, some[i], some[i + 1], number, target, weights, x, none_of, d, gradient)
        if between % 2:
            back(useful, count, node, some[between - 1], number, target, weights, x, none_of, d, gradient)
        for i in range(rest):
            k, above = number[more[i]], target[more[i]]
            if weights[k] == 1:
                gradient[k] = back_one(useful, count, node, above, x, none_of, one_of, d)
            else:
                gradient[k] = dot(useful, count, none_of, above, x, node)


@compiled
def from_inputs(
    strips: int, start: int, stop: int, visits: Any, weights: Any, work: Any, lists: Any, gradient: Any
) -> None:
    """The gradient of weights from inputs, where x is 0 or 1: what counts are rows with x = 1, all of one factor."""
    x, none_of, one_of, _, _, _, none, one, own = work
    first, source, every = visits.first, visits.source, lists.strips
    for strip in range(strips):
        every[strip] = strip
    for node in range(start, stop):
        begin, end = first[node], first[node + 1]
        if none[node]:
            fours = begin + (end - begin) // 4 * 4
            for t in range(begin, fours, 4):
                dot4(every, strips, none_of, node, x, source, t, gradient)
            for t in range(fours, end):
                gradient[t] = dot(every, strips, none_of, node, x, source[t])
            for t in range(begin, end):
                gradient[t] = gradient[t] / (ONE - weights[t]) if weights[t] < 1 else ZERO
        if one[node] and own[node]:
            for t in range(begin, end):
                if weights[t] == 1:
                    gradient[t] = dot(every, strips, one_of, node, x, source[t])
