"""The fast version for a CPU, compiled by Numba; reference.py says what each function means.

Only the weights that matter in an epoch are visited: the learnable ones, and the masked ones that round to 1. A product
is kept as the product of its factors other than 0 and the number of its zeros, which gives the product of all factors
but one without a second pass. Nothing is allocated inside an epoch but at its start.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.cohort import Cohort, Flags, Floats, Rows, Settings
from conceptrules.kernels.loops import (
    ONE,
    ZERO,
    back,
    back_one,
    compiled,
    dot,
    dot4,
    multiply,
    multiply4,
    multiply_one,
    split,
)

# A batch is worked through in parts of this size: the values of all nodes then stay in the second-level cache, and
# threads can share a batch. Smaller parts do not pay: 64 rows take 0.75 of the time of 128.
PART_SIZE, MOST_PARTS = 128, 8
# Moments below this are taken as 0: those of a masked weight halve every seven steps, and end as denormal numbers, with
# which a processor is ten times slower.
TINY = np.float32(1e-30)


@compiled
def _needed(sizes: Any, matters: Any) -> Any:
    """The nodes that a class depends on by weights that matter now, numbered through all layers, the inputs first.

    At P = 0.9 four in five of the uppermost rules have no such weight to any of two classes, and rest for an epoch.
    """
    needed = np.zeros(sizes.sum(), np.bool_)
    node, k = len(needed), len(matters)
    needed[node - sizes[-1] :] = True
    for layer in range(len(sizes) - 1, 0, -1):
        below = node - sizes[layer] - sizes[layer - 1]
        for _ in range(sizes[layer]):
            node -= 1
            k -= sizes[layer - 1]
            if needed[node]:
                for j in range(sizes[layer - 1]):
                    needed[below + j] |= matters[k + j]
    return needed


@compiled
def _visits(sizes: Any, weights: Any, masked: Any) -> Any:
    """The weights that matter, node by node: where each lies, and which node it comes from.

    Those of node n are `first[n] : first[n + 1]`; a node that no class depends on has none.
    """
    matters = np.empty(len(weights), np.bool_)
    for k in range(len(weights)):
        matters[k] = not masked[k] or weights[k] > 0.5
    needed = _needed(sizes, matters)
    count = matters.sum()
    place, source = np.empty(count, np.int64), np.empty(count, np.int64)
    first = np.zeros(sizes.sum() + 1, np.int64)
    node, below, k, t = sizes[0], 0, 0, 0
    for layer in range(1, len(sizes)):
        for _ in range(sizes[layer]):
            for j in range(sizes[layer - 1]):
                if matters[k] and needed[node]:
                    place[t], source[t] = k, below + j
                    t += 1
                k += 1
            node += 1
            first[node] = t
        below += sizes[layer - 1]
    return first, place, source


@compiled
def _workspace(nodes: int, batch_size: int) -> Any:
    """For each node and row of a batch: its value, the product of its factors other than 0, the number of its zeros,
    the gradient; and four weights that wait to be taken together, with room for what comes of them."""
    shape = (nodes, batch_size)
    values = (np.zeros(shape, np.float32), np.empty(shape, np.float32), np.empty(shape, np.float32))
    waiting = (np.empty(4, np.float32), np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4, np.float32))
    others = (np.empty(batch_size, np.float32), np.empty(batch_size, np.float32))
    return values, np.empty(shape, np.float32), waiting, others, np.zeros(batch_size, np.uint8)


@compiled
def _load(packed: Any, batch: Any, inputs: int, work: Any) -> None:
    """The complemented bits of a batch, expanded into the first nodes; a column of bytes at a time."""
    (value, _, _), _, _, _, column = work
    for byte in range(packed.shape[1]):
        for b in range(len(batch)):
            column[b] = packed[batch[b], byte]
        for j in range(8 * byte, min(8 * byte + 8, inputs)):
            shift = np.uint8(7 - j % 8)
            for b in range(len(column)):
                value[j, b] = np.float32(~(column[b] >> shift) & np.uint8(1))


@compiled
def _run(inputs: int, visits: Any, weights: Any, work: Any) -> None:
    """The value of every node, from those of the inputs."""
    (value, product, zeros), _, (waiting_w, waiting_s, _, _), _, _ = work
    first, place, source = visits
    for node in range(inputs, len(value)):
        product[node] = 1
        zeros[node] = 0
        waiting = 0
        for t in range(first[node], first[node + 1]):
            w = weights[place[t]]
            if w == 1:
                multiply_one(value, source[t], product, zeros, node)
            elif w > 0:
                waiting_w[waiting], waiting_s[waiting] = w, source[t]
                waiting += 1
                if waiting == 4:
                    multiply4(waiting_w, value, waiting_s, product, node)
                    waiting = 0
        for k in range(waiting):
            multiply(waiting_w[k], value, waiting_s[k], product, node)
        for b in range(value.shape[1]):
            value[node, b] = product[node, b] if zeros[node, b] == 0 else ZERO


@compiled
def _forward(sizes: Any, weights: Any, packed: Any, batch_size: int) -> Any:
    rows, top = len(packed), sizes[:-1].sum()
    visits = _visits(sizes, weights, np.zeros(len(weights), np.bool_))
    work = _workspace(sizes.sum(), batch_size)
    scores = np.empty((rows, sizes[-1]), np.float32)
    for start in range(0, rows, batch_size):
        batch = np.arange(start, min(start + batch_size, rows))
        _load(packed, batch, sizes[0], work)
        _run(sizes[0], visits, weights, work)
        for c in range(sizes[-1]):
            for b in range(len(batch)):
                scores[start + b, c] = ONE - work[0][0][top + c, b]
    return scores


@compiled
def _output_gradient(top: int, rows: Any, batch: Any, size: int, work: Any) -> Any:
    """Writes the gradient at the class nodes and returns the loss; places past the end of a short batch get 0."""
    (value, _, _), d, _, _, _ = work
    _, target, weight = rows
    classes, loss = len(value) - top, 0.0
    d[:] = 0
    for b in range(len(batch)):
        scale = weight[batch[b]] / np.float32(size * classes)
        for c in range(classes):
            error = (ONE - value[top + c, b]) - np.float32(target[batch[b]] == c)
            d[top + c, b] = -2 * error * scale
            loss += error * error * scale
    return loss


@compiled
def _backward(inputs: int, bits: int, visits: Any, weights: Any, work: Any, gradient: Any) -> None:
    """From the gradient at the class nodes, in the last rows of d, to that of every visited weight.

    A node to which no gradient comes from any row is passed over: late in training, half of the upper rules and more.
    Two kinds of weights need no division in their loop, only a dot product. A weight of 0: its factor is 1. And those
    from the first `bits` nodes, where x is 0 or 1: what counts are the rows with x = 1, all with the same factor.
    """
    (value, product, zeros), d, (_, waiting_s, waiting_k, dots), (no_zero, one_zero), _ = work
    first, place, source = visits
    for node in range(len(value) - 1, inputs - 1, -1):
        if not split(d, product, zeros, node, no_zero, one_zero):
            for t in range(first[node], first[node + 1]):
                gradient[place[t]] = 0
            continue
        waiting = 0
        for t in range(first[node], first[node + 1]):
            k, s = place[t], source[t]
            w = weights[k]
            if w == 1:
                gradient[k] = dot(one_zero, value, s) if s < bits else back_one(value, s, no_zero, one_zero, d)
            elif w == 0 or s < bits:
                waiting_k[waiting], waiting_s[waiting] = k, s
                waiting += 1
                if waiting == 4:
                    dot4(no_zero, value, waiting_s, dots)
                    for i in range(4):
                        gradient[waiting_k[i]] = dots[i] / (ONE - weights[waiting_k[i]])
                    waiting = 0
            else:
                gradient[k] = back(w, value, s, no_zero, d)
        for i in range(waiting):
            gradient[waiting_k[i]] = dot(no_zero, value, waiting_s[i]) / (ONE - weights[waiting_k[i]])


@compiled
def _slope(sizes: Any, visits: Any, weights: Any, rows: Any, batch: Any, size: int, work: Any, gradient: Any) -> Any:
    """The loss and the gradient of a part of a batch of `size` rows."""
    _load(rows[0], batch, sizes[0], work)
    _run(sizes[0], visits, weights, work)
    loss = _output_gradient(sizes[:-1].sum(), rows, batch, size, work)
    _backward(sizes[0], sizes[0], visits, weights, work, gradient)
    return loss


@compiled
def _adam(state: Any, masked: Any, effective: Any, gradient: Any, settings: Any, steps: int) -> None:
    """One step of Adam, then Clip; the weights that are masked keep their rounded value in `effective`."""
    weights, first, second = state
    rate, l2, beta1, beta2, epsilon = settings
    # In float64, which a power of float32 by an integer would give, the loop is six times slower.
    scale1, scale2 = np.float32(1 / (1 - beta1**steps)), np.float32(1 / (1 - beta2**steps))
    for part in range(1, len(gradient)):
        for k in range(len(weights)):
            gradient[0, k] += gradient[part, k]
    for k in range(len(weights)):
        slope = ZERO if masked[k] else gradient[0, k] + l2 * effective[k]
        moment = first[k] + (ONE - beta1) * (slope - first[k])
        square = second[k] + (ONE - beta2) * (slope * slope - second[k])
        first[k] = moment if abs(moment) > TINY else ZERO
        second[k] = square if square > TINY else ZERO
        change = rate * (first[k] * scale1) / (np.sqrt(second[k] * scale2) + epsilon)
        weights[k] = min(max(weights[k] - change, ZERO), ONE)
        effective[k] = effective[k] if masked[k] else weights[k]


@compiled
def _begin(sizes: Any, weights: Any, masked: Any, parts: int) -> Any:
    """What an epoch works with: the weights visited, their effective values, and the gradient by parts."""
    effective = np.where(masked, (weights > 0.5).astype(np.float32), weights)
    return _visits(sizes, weights, masked), effective, np.zeros((parts, len(weights)), np.float32)


@compiled
def _epoch(sizes: Any, state: Any, masked: Any, rows: Any, order: Any, shape: Any, settings: Any, steps: int) -> Any:
    """An epoch by one thread. `shape`: the size of a batch, and of its parts."""
    batch_size, part_size = shape
    visits, effective, gradient = _begin(sizes, state[0], masked, -(-batch_size // part_size))
    work = _workspace(sizes.sum(), part_size)
    total = 0.0
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        for part in range(len(gradient)):
            some = batch[part * part_size : (part + 1) * part_size]
            loss = _slope(sizes, visits, effective, rows, some, len(batch), work, gradient[part])
            total += len(batch) * loss
        steps += 1
        _adam(state, masked, effective, gradient, settings, steps)
    return total / len(order)


def none_of(x: Floats, w: Floats) -> Floats:
    """See reference.none_of."""
    return np.asarray([_layer(*operands)[1][0][0][x.shape[1] :] for operands in zip(x, w, strict=True)])


def none_of_gradient(x: Floats, w: Floats, dy: Floats) -> tuple[Floats, Floats]:
    """See reference.none_of_gradient."""
    inputs, dx, dw = x.shape[1], np.empty_like(x), np.zeros_like(w)
    for k in range(len(w)):
        visits, work = _layer(x[k], w[k])
        d = work[1]
        d[:inputs], d[inputs:] = 0, dy[k]
        _backward(inputs, 0, visits, w[k].ravel(), work, dw[k].reshape(-1))
        dx[k] = d[:inputs]
    return dx, dw


def _layer(x: Floats, w: Floats) -> Any:
    """One layer by the functions that an epoch uses: what it visited, and its workspace."""
    outputs, inputs = w.shape
    visits = _visits(np.array([inputs, outputs]), w.ravel(), np.zeros(w.size, np.bool_))
    work = _workspace(inputs + outputs, x.shape[1])
    work[0][0][:inputs] = x
    _run(inputs, visits, w.ravel(), work)
    return visits, work


def forward(cohort: Cohort, packed: NDArray[np.uint8], executor: Executor) -> Floats:
    """See reference.forward; the networks are spread over the executor's threads."""
    sizes = np.asarray(cohort.sizes)
    return np.asarray(list(executor.map(lambda w: _forward(sizes, w, packed, 128), cohort.weights)))


def epoch(
    cohort: Cohort,
    masked: Flags,
    rows: Rows,
    order: NDArray[np.int64],
    rate: float,
    settings: Settings,
    executor: Executor,
) -> Floats:
    """See reference.epoch. Threads take whole networks, or parts of each batch where there is one network only.

    Either way the same numbers are added in the same order, so the result does not depend on the number of threads.
    """
    numbers = (rate, settings.l2, settings.beta1, settings.beta2, settings.epsilon)
    adam = tuple(np.float32(number) for number in numbers)
    sizes, data = np.asarray(cohort.sizes), (rows.packed, rows.target, rows.weight)
    parts = min(-(-settings.batch_size // PART_SIZE), MOST_PARTS)
    shape = (settings.batch_size, -(-settings.batch_size // parts))

    def arguments(k: int) -> tuple[Any, ...]:
        state = (cohort.weights[k], cohort.first[k], cohort.second[k])
        return sizes, state, masked[k], data, order, shape, adam, cohort.steps

    if len(masked) == 1 and parts > 1:
        losses = [_epoch_together(arguments(0), executor)]
    else:
        losses = list(executor.map(lambda k: _epoch(*arguments(k)), range(len(masked))))
    cohort.steps += -(-len(order) // settings.batch_size)
    return np.asarray(losses, np.float32)


def _epoch_together(arguments: tuple[Any, ...], executor: Executor) -> float:
    """`_epoch`, with the parts of each batch, and then the weights, spread over the executor's threads."""
    sizes, state, masked, rows, order, (batch_size, part_size), adam, steps = arguments
    parts = range(-(-batch_size // part_size))
    visits, effective, gradient = _begin(sizes, state[0], masked, len(parts))
    works = [_workspace(sizes.sum(), part_size) for _ in parts]
    ends = np.linspace(0, len(masked), len(parts) + 1).astype(np.int64)
    total = 0.0
    for number, start in enumerate(range(0, len(order), batch_size), start=steps + 1):
        batch = order[start : start + batch_size]

        def slope(part: int, batch: Any = batch) -> Any:
            some = batch[part * part_size : (part + 1) * part_size]
            return _slope(sizes, visits, effective, rows, some, len(batch), works[part], gradient[part])

        def step(part: int, number: int = number) -> None:
            some = slice(ends[part], ends[part + 1])
            mine = tuple(array[some] for array in state)
            _adam(mine, masked[some], effective[some], gradient[:, some], adam, number)

        for loss in executor.map(slope, parts):
            total += len(batch) * loss
        list(executor.map(step, parts))
    return total / len(order)
