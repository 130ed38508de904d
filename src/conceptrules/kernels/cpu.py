"""The fast version for a CPU, compiled by Numba; reference.py says what each function means.

A batch of one node is a contiguous row, and the inner loops run over it, so they vectorise. Only the weights that
matter in an epoch are visited: the learnable ones, and the masked ones that round to 1. A product is kept as the
product of its factors other than 0 and the number of its zeros, which gives the product of all factors but one
without a second pass.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from conceptrules.kernels.cohort import Cohort, Flags, Floats, Rows, Settings

# Sums may be taken in another order, which lets them vectorise; NaN and infinity keep their meaning.
compiled = njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "arcp", "nsz"}, error_model="numpy")


@compiled
def _multiply(w: float, x: Any, product: Any, zeros: Any) -> None:
    """One more factor 1 - w x. It can only be 0 where w is 1 (and x is): all other weights take the shorter loop."""
    if w == 1:
        for b in range(len(x)):
            factor = np.float32(1) - x[b]
            zero = factor == 0
            product[b] *= np.float32(1) if zero else factor
            zeros[b] += np.float32(1) if zero else np.float32(0)
    elif w != 0:
        for b in range(len(x)):
            product[b] *= np.float32(1) - w * x[b]


@compiled
def _split(dy: Any, product: Any, zeros: Any, no_zero: Any, one_zero: Any) -> None:
    """dy times the product of the others, for a factor that is not 0 (before its division) and for one that is."""
    for b in range(len(dy)):
        towards = -dy[b] * product[b]
        no_zero[b] = towards if zeros[b] == 0 else np.float32(0)
        one_zero[b] = towards if zeros[b] == 1 else np.float32(0)


@compiled
def _back(w: float, x: Any, no_zero: Any, one_zero: Any, dx: Any) -> Any:
    """Adds this factor's part to dx and returns its dw."""
    dw = np.float32(0)
    if w == 0:
        for b in range(len(x)):
            dw += no_zero[b] * x[b]
    elif w == 1:
        for b in range(len(x)):
            factor = np.float32(1) - x[b]
            others = one_zero[b] if factor == 0 else no_zero[b] / factor
            dw += others * x[b]
            dx[b] += others
    else:
        for b in range(len(x)):
            others = no_zero[b] / (np.float32(1) - w * x[b])
            dw += others * x[b]
            dx[b] += w * others
    return dw


@compiled
def _none_of(x: Any, w: Any) -> Any:
    product = np.ones((w.shape[0], x.shape[1]), np.float32)
    zeros = np.zeros_like(product)
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            _multiply(w[i, j], x[j], product[i], zeros[i])
    return product, zeros


@compiled
def _none_of_gradient(x: Any, w: Any, dy: Any) -> Any:
    product, zeros = _none_of(x, w)
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    no_zero, one_zero = np.empty_like(x[0]), np.empty_like(x[0])
    for i in range(w.shape[0]):
        _split(dy[i], product[i], zeros[i], no_zero, one_zero)
        for j in range(w.shape[1]):
            dw[i, j] = _back(w[i, j], x[j], no_zero, one_zero, dx[j])
    return dx, dw


@compiled
def _visits(sizes: Any, weights: Any, masked: Any) -> Any:
    """The weights that matter, node by node: where each lies, and which node it comes from.

    Nodes are numbered through all layers, the inputs first; those of node n are `first[n] : first[n + 1]`.
    """
    matters = np.empty(len(weights), np.bool_)
    for k in range(len(weights)):
        matters[k] = not masked[k] or weights[k] > 0.5
    count = matters.sum()
    place, source = np.empty(count, np.int64), np.empty(count, np.int64)
    first = np.zeros(sizes.sum() + 1, np.int64)
    node, below, k, t = sizes[0], 0, 0, 0
    for layer in range(1, len(sizes)):
        for _ in range(sizes[layer]):
            for j in range(sizes[layer - 1]):
                if matters[k]:
                    place[t], source[t] = k, below + j
                    t += 1
                k += 1
            node += 1
            first[node] = t
        below += sizes[layer - 1]
    return first, place, source


@compiled
def _load(packed: Any, batch: Any, inputs: int, value: Any) -> None:
    """The complemented bits of a batch, expanded into the first nodes."""
    for b in range(len(batch)):
        row = packed[batch[b]]
        for j in range(inputs):
            value[j, b] = 1 - ((row[j >> 3] >> (7 - (j & 7))) & 1)


@compiled
def _workspace(nodes: int, batch_size: int) -> Any:
    """For each node and row of a batch: its value, the product of its factors other than 0, the number of its zeros."""
    return (
        np.zeros((nodes, batch_size), np.float32),
        np.empty((nodes, batch_size), np.float32),
        np.empty((nodes, batch_size), np.float32),
    )


@compiled
def _run(inputs: int, visits: Any, weights: Any, work: Any) -> None:
    value, product, zeros = work
    first, place, source = visits
    for node in range(inputs, len(value)):
        product[node] = 1
        zeros[node] = 0
        for t in range(first[node], first[node + 1]):
            _multiply(weights[place[t]], value[source[t]], product[node], zeros[node])
        for b in range(value.shape[1]):
            value[node, b] = product[node, b] if zeros[node, b] == 0 else np.float32(0)


@compiled
def _forward(sizes: Any, weights: Any, packed: Any, batch_size: int) -> Any:
    rows, top = len(packed), sizes[:-1].sum()
    visits = _visits(sizes, weights, np.zeros(len(weights), np.bool_))
    work = _workspace(sizes.sum(), batch_size)
    scores = np.empty((rows, sizes[-1]), np.float32)
    for start in range(0, rows, batch_size):
        batch = np.arange(start, min(start + batch_size, rows))
        _load(packed, batch, sizes[0], work[0])
        _run(sizes[0], visits, weights, work)
        for c in range(sizes[-1]):
            for b in range(len(batch)):
                scores[start + b, c] = 1 - work[0][top + c, b]
    return scores


@compiled
def _output_gradient(value: Any, target: Any, weight: Any, batch: Any, d: Any) -> float:
    """Writes the gradient at the class nodes, and returns the loss; places past the end of a short batch get 0."""
    classes, loss = len(value), 0.0
    d[:] = 0
    for b in range(len(batch)):
        scale = weight[batch[b]] / np.float32(len(batch) * classes)
        for c in range(classes):
            error = (1 - value[c, b]) - np.float32(target[batch[b]] == c)
            d[c, b] = -2 * error * scale
            loss += error * error * scale
    return loss


@compiled
def _backward(inputs: int, visits: Any, weights: Any, work: Any, d: Any, gradient: Any) -> None:
    """From the gradient at the class nodes, in the last rows of d, to that of every visited weight."""
    value, product, zeros = work
    first, place, source = visits
    no_zero, one_zero = np.empty_like(d[0]), np.empty_like(d[0])
    for node in range(len(value) - 1, inputs - 1, -1):
        _split(d[node], product[node], zeros[node], no_zero, one_zero)
        for t in range(first[node], first[node + 1]):
            gradient[place[t]] = _back(weights[place[t]], value[source[t]], no_zero, one_zero, d[source[t]])


@compiled
def _adam(state: Any, masked: Any, effective: Any, gradient: Any, settings: Any, steps: int) -> None:
    """One step of Adam, then Clip; the weights that are masked keep their rounded value in `effective`."""
    weights, first, second = state
    rate, l2, beta1, beta2, epsilon = settings
    one = np.float32(1)
    scale1, scale2 = one / (one - beta1**steps), one / (one - beta2**steps)
    for k in range(len(weights)):
        slope = np.float32(0) if masked[k] else gradient[k] + l2 * effective[k]
        first[k] += (one - beta1) * (slope - first[k])
        second[k] += (one - beta2) * (slope * slope - second[k])
        change = rate * (first[k] * scale1) / (np.sqrt(second[k] * scale2) + epsilon)
        weights[k] = min(max(weights[k] - change, np.float32(0)), one)
        effective[k] = effective[k] if masked[k] else weights[k]


@compiled
def _epoch(
    sizes: Any, state: Any, masked: Any, rows: Any, order: Any, batch_size: int, settings: Any, steps: int
) -> float:
    packed, target, row_weight = rows
    weights, inputs, nodes, top = state[0], sizes[0], sizes.sum(), sizes[:-1].sum()
    visits = _visits(sizes, weights, masked)
    effective = np.where(masked, (weights > 0.5).astype(np.float32), weights)
    gradient = np.zeros_like(weights)
    work = _workspace(nodes, batch_size)
    d, total = np.empty_like(work[0]), 0.0
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        _load(packed, batch, inputs, work[0])
        _run(inputs, visits, effective, work)
        d[:top] = 0
        total += len(batch) * _output_gradient(work[0][top:], target, row_weight, batch, d[top:])
        _backward(inputs, visits, effective, work, d, gradient)
        steps += 1
        _adam(state, masked, effective, gradient, settings, steps)
    return total / len(order)


def none_of(x: Floats, w: Floats) -> Floats:
    """See reference.none_of."""
    results = [np.where(zeros == 0, product, 0) for product, zeros in map(_none_of, x, w)]
    return np.asarray(results, np.float32)


def none_of_gradient(x: Floats, w: Floats, dy: Floats) -> tuple[Floats, Floats]:
    """See reference.none_of_gradient."""
    dx, dw = zip(*map(_none_of_gradient, x, w, dy), strict=True)
    return np.asarray(dx), np.asarray(dw)


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
    """See reference.epoch; each network is trained by one thread, so the result does not depend on their number."""
    numbers = (rate, settings.l2, settings.beta1, settings.beta2, settings.epsilon)
    adam = tuple(np.float32(number) for number in numbers)
    sizes, data = np.asarray(cohort.sizes), (rows.packed, rows.target, rows.weight)

    def train(k: int) -> float:
        state = (cohort.weights[k], cohort.first[k], cohort.second[k])
        loss: float = _epoch(sizes, state, masked[k], data, order, settings.batch_size, adam, cohort.steps)
        return loss

    losses = list(executor.map(train, range(len(cohort.weights))))
    cohort.steps += -(-len(order) // settings.batch_size)
    return np.asarray(losses, np.float32)
