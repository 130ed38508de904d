"""The forward and the backward pass through a network, for a batch of rows; reference.py says what they compute.

A node is the product of the factors 1 - w x of its inputs. Its gradient towards one factor needs the product of all
others, which y / factor gives except where factors are 0: that is common, since rounded weights and bits are 0 or 1.
So each product is kept as the product of its factors other than 0, and the number of its zeros:

- no zero: the others' product is the whole product divided by the factor;
- one zero: only that factor gets a gradient, and the others' product is the kept one;
- two or more: nothing gets a gradient.

The rows of a batch lie in strips, each as long as a vector. Every function works on the nodes `start : stop` of one
layer, whose values depend on nothing else in that layer, so that threads can share a layer. Arrays are taken out of
their tuples once a layer, since every access would count references.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from conceptrules.kernels.mllp.loops import (
    ONE,
    TWO,
    ZERO,
    backprop_masked,
    backprop_one,
    backprop_pair,
    backprop_weight,
    compiled,
    dot,
    dot4,
)
from conceptrules.kernels.mllp.vectors import (
    LANES,
    any_below,
    any_nonzero,
    broadcast,
    load,
    one_minus,
    store,
    where_equal,
)


class BatchState(NamedTuple):
    """What is known of each node on a batch. The first four are (strips, nodes, rows of a strip)."""

    value: Any
    product: Any
    """The product of the factors that are not 0; in the backward pass, `no_zero` of `split_gradient`."""
    zeros: Any
    """How many factors are 0; in the backward pass, `one_zero` of `split_gradient`."""
    d: Any
    """The gradient of the node."""
    nonzero: Any
    """Whether the value is other than 0 on any row."""
    reachable: Any
    """(strips, nodes): whether the node's gradient could move anything below it."""
    any_no_zero: Any
    any_one_zero: Any
    """Whether `no_zero`, and `one_zero`, are other than 0 on any row."""
    learnable_one: Any
    """Whether any learnable weight into the node is exactly 1."""


class FactorLists(NamedTuple):
    """Room for the lists of one thread. The entries of node n are `first[n] : first[n + 1]`."""

    one_first: Any
    one_source: Any
    """The weights of 1."""
    first: Any
    source: Any
    weight: Any
    """The weights between 0 and 1."""
    strips: Any


@compiled
def allocate_state(sizes: Any, rows: int) -> Any:
    nodes, strips = sizes.sum(), -(-rows // LANES)
    # The arrays begin where a cache line does: else every vector would touch one line more.
    count = 4 * strips * nodes * LANES
    room = np.zeros(count + 16, np.float32)
    start = -(room.ctypes.data // 4) % 16
    numbers = room[start : start + count].reshape(4, strips, nodes, LANES)
    flags, reachable = np.ones((4, nodes), np.bool_), np.ones((strips, nodes), np.bool_)
    return BatchState(numbers[0], numbers[1], numbers[2], numbers[3], flags[0], reachable, flags[1], flags[2], flags[3])


@compiled
def allocate_lists(sizes: Any, rows: int) -> Any:
    nodes, most = sizes.sum() + 1, (sizes[1:] * sizes[:-1]).max() + 1
    firsts, sources = np.zeros((2, nodes), np.int64), np.empty((2, most), np.int64)
    strips = np.empty(-(-rows // LANES), np.int64)
    return FactorLists(firsts[0], sources[0], firsts[1], sources[1], np.empty(most, np.float32), strips)


@compiled
def load_rows(packed: Any, batch: Any, inputs: int, value: Any) -> None:
    """Expand the complemented bits of a batch into the values of the first nodes; a column of bytes at a time."""
    column = np.zeros(LANES, np.uint8)
    for strip in range(-(-len(batch) // LANES)):
        rows = batch[strip * LANES : (strip + 1) * LANES]
        for byte in range(packed.shape[1]):
            for lane in range(len(rows)):
                column[lane] = packed[rows[lane], byte]
            for j in range(8 * byte, min(8 * byte + 8, inputs)):
                shift = np.uint8(7 - j % 8)
                for lane in range(LANES):
                    value[strip, j, lane] = np.float32(~(column[lane] >> shift) & np.uint8(1))


@compiled
def list_factors(start: int, stop: int, active: Any, weights: Any, state: Any, lists: Any) -> None:
    """List the factors that are not 1 on all rows: those of weights of 1, and the others.

    Each entry is written and then kept or overwritten by adding a flag to the count: a branch for each weight would be
    mispredicted too often.
    """
    needed, nonzero, learnable_one = active.needed, state.nonzero, state.learnable_one
    one_first, one_source = active.one_into_first, active.one_into_source
    first, source = active.into_first, active.into_source
    listed_one_first, listed_one, listed_first, listed, listed_weight, _ = lists
    ones, fractions = 0, 0
    listed_one_first[start], listed_first[start] = 0, 0
    for node in range(start, stop):
        if needed[node]:
            for t in range(one_first[node], one_first[node + 1]):
                listed_one[ones] = one_source[t]
                ones += nonzero[one_source[t]]
            masked = ones
            for t in range(first[node], first[node + 1]):
                w, s = weights[t], source[t]
                listed_one[ones], listed[fractions], listed_weight[fractions] = s, s, w
                ones += (w == 1) & nonzero[s]
                fractions += (w > 0) & (w < 1) & nonzero[s]
            learnable_one[node] = ones > masked
        listed_one_first[node + 1], listed_first[node + 1] = ones, fractions


@compiled
def run_layer(strips: int, start: int, stop: int, lowest: bool, needed: Any, state: Any, lists: Any) -> None:
    """Compute the values of nodes from those below.

    The weights of 1 come first: where they give two zeros on every row of a strip, no other factor matters, neither
    here nor in the backward pass.
    """
    value, product_of, zeros_of, _, nonzero, reachable, _, _, learnable_one = state
    one_first, one_source, first, source, weight, _ = lists
    nonzero[start:stop] = False
    for strip in range(strips):
        for node in range(start, stop):
            if not needed[node]:
                continue
            product, zeros = broadcast(ONE), broadcast(ZERO)
            for i in range(one_first[node], one_first[node + 1]):
                factor = ONE - load(value, strip, one_source[i])
                product *= where_equal(factor, ZERO, ONE, factor)
                zeros += where_equal(factor, ZERO, ONE, ZERO)
            below_two = any_below(zeros, TWO)
            if below_two:
                for i in range(first[node], first[node + 1]):
                    product *= one_minus(weight[i], load(value, strip, source[i]))
            result = where_equal(zeros, ZERO, product, ZERO)
            store(value, strip, node, result)
            store(product_of, strip, node, product)
            store(zeros_of, strip, node, zeros)
            fires = any_nonzero(result)
            nonzero[node] |= fires
            # In the lowest layer a single zero stops the gradient, too, unless the weight of that factor is learnable:
            # neither masked weights nor inputs need a gradient.
            reachable[strip, node] = fires or (below_two and (learnable_one[node] or not lowest))


@compiled
def output_gradient(top: int, rows: Any, batch: Any, batch_size: int, state: Any) -> Any:
    """Write the gradient of the class nodes, and return the loss; lanes past the end of a short batch get 0."""
    _, target, weight = rows
    value, d = state.value, state.d
    classes, loss = value.shape[1] - top, 0.0
    d[:, top:] = 0
    for b in range(len(batch)):
        scale = weight[batch[b]] / np.float32(batch_size * classes)
        strip, lane = b // LANES, b % LANES
        for c in range(classes):
            error = (ONE - value[strip, top + c, lane]) - np.float32(target[batch[b]] == c)
            d[strip, top + c, lane] = -2 * error * scale
            loss += error * error * scale
    return loss


@compiled
def split_gradient(strips: int, start: int, stop: int, state: Any) -> None:
    """Turn the gradient of nodes into that of their factors, with the minus sign of w and x in 1 - w x.

    `no_zero` is for rows where no factor is 0, and has still to be divided by the factor; `one_zero` is for rows where
    one is, and is meant for that one. They take the places of `product` and `zeros`.
    """
    _, product, zeros, d, _, _, any_no_zero, any_one_zero, _ = state
    for node in range(start, stop):
        found_none, found_one = False, False
        for strip in range(strips):
            slope = ZERO - load(d, strip, node) * load(product, strip, node)
            count = load(zeros, strip, node)
            no_zero, one_zero = where_equal(count, ZERO, slope, ZERO), where_equal(count, ONE, slope, ZERO)
            store(product, strip, node, no_zero)
            store(zeros, strip, node, one_zero)
            found_none |= any_nonzero(no_zero)
            found_one |= any_nonzero(one_zero)
        any_no_zero[node], any_one_zero[node] = found_none, found_one


@compiled
def backprop_layer(
    strips: int, start: int, stop: int, active: Any, weights: Any, state: Any, lists: Any, gradient: Any
) -> None:
    """Compute the gradient of nodes from those above, which are split already, and of the learnable weights between."""
    x, no_zero, one_zero, d, _, reachable, any_no_zero, any_one_zero, _ = state
    _, chosen, _, further, _, room = lists
    one_first, one_target = active.one_out_first, active.one_out_target
    first, number, target = active.out_first, active.out_number, active.out_target
    for node in range(start, stop):
        count = 0
        for strip in range(strips):
            room[count] = strip
            count += reachable[strip, node]
            store(d, strip, node, broadcast(ZERO))
        if count == 0:
            continue
        useful = room[:count]
        nones, ones = 0, 0
        for t in range(one_first[node], one_first[node + 1]):
            chosen[nones], further[ones] = one_target[t], one_target[t]
            nones += any_no_zero[one_target[t]]
            ones += any_one_zero[one_target[t]]
        if nones or ones:
            backprop_masked(useful, node, chosen[:nones], further[:ones], x, no_zero, one_zero, d)
        between, rest = 0, 0
        for t in range(first[node], first[node + 1]):
            w, alive = weights[number[t]], any_no_zero[target[t]]
            chosen[between], further[rest] = t, t
            between += (w > 0) & (w < 1) & alive
            rest += ((w == 0) & alive) | (w == 1)
        for i in range(0, between - 1, 2):
            t, u = chosen[i], chosen[i + 1]
            pair = weights[number[t]], weights[number[u]]
            gradient[number[t]], gradient[number[u]] = backprop_pair(
                useful, node, (target[t], target[u]), pair, x, no_zero, d
            )
        if between % 2:
            t = chosen[between - 1]
            w = weights[number[t]]
            gradient[number[t]] = backprop_weight(useful, node, target[t], w, x, no_zero, d)
        for i in range(rest):
            k, above = number[further[i]], target[further[i]]
            if weights[k] == 1:
                gradient[k] = backprop_one(useful, node, above, x, no_zero, one_zero, d)
            else:
                gradient[k] = dot(useful, no_zero, above, x, node)


@compiled
def backprop_inputs(
    strips: int, start: int, stop: int, active: Any, weights: Any, state: Any, lists: Any, gradient: Any
) -> None:
    """Compute the gradient of weights from inputs: x is 0 or 1, so on all rows that count the factor is 1 - w.

    The division is then left to the end, once for each weight instead of once for each row.
    """
    x, no_zero, one_zero, _, _, _, any_no_zero, any_one_zero, learnable_one = state
    first, source, useful = active.into_first, active.into_source, lists.strips[:strips]
    for strip in range(strips):
        useful[strip] = strip
    for node in range(start, stop):
        begin, end = first[node], first[node + 1]
        if any_no_zero[node]:
            fours = begin + (end - begin) // 4 * 4
            for t in range(begin, fours, 4):
                sources = source[t], source[t + 1], source[t + 2], source[t + 3]
                gradient[t], gradient[t + 1], gradient[t + 2], gradient[t + 3] = dot4(useful, no_zero, node, x, sources)
            for t in range(fours, end):
                gradient[t] = dot(useful, no_zero, node, x, source[t])
            for t in range(begin, end):
                gradient[t] = gradient[t] / (ONE - weights[t]) if weights[t] < 1 else ZERO
        if any_one_zero[node] and learnable_one[node]:
            for t in range(begin, end):
                if weights[t] == 1:
                    gradient[t] = dot(useful, one_zero, node, x, source[t])
