"""The fast version for a CPU, compiled by Numba; reference.py says what each function means.

Only the weights that matter in an epoch are visited (active_weights.py). An epoch allocates nothing after its start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.mllp.active_weights import find_active_weights
from conceptrules.kernels.mllp.adam import adam_step, coast_masked
from conceptrules.kernels.mllp.cohort import Cohort, Flags, Floats, KernelRows, StepSettings
from conceptrules.kernels.mllp.loops import ONE, compiled
from conceptrules.kernels.mllp.passes import (
    allocate_lists,
    allocate_state,
    backprop_inputs,
    backprop_layer,
    list_factors,
    load_rows,
    output_gradient,
    run_layer,
    split_gradient,
)
from conceptrules.kernels.mllp.vectors import LANES

Words = NDArray[np.uint64]
# A batch is worked through in parts of this size, which do not depend on the number of threads that share them.
PART_SIZE, MOST_PARTS = 128, 8
# Threads share the layers of one network if it has so many active weights: they meet six times in a step, which costs
# as much as 40,000 weights do. Measured with two threads: 0.92 times the speed at 190,000 weights, 1.11 at 290,000.
WORTH_SHARING = 250_000


@compiled
def _run(strips: int, sizes: Any, active: Any, weights: Any, state: Any, lists: Any) -> None:
    """Compute the value of every node from those of the inputs."""
    stop = sizes[0]
    for layer in range(1, len(sizes)):
        start, stop = stop, stop + sizes[layer]
        list_factors(start, stop, active, weights, state, lists)
        run_layer(strips, start, stop, layer == 1, active.needed, state, lists)


@compiled
def _batch_gradient(
    sizes: Any, active: Any, weights: Any, rows: Any, batch: Any, batch_size: int, room: Any, gradient: Any
) -> Any:
    """Write the gradient of the learnable weights, and return the loss: for a part of a batch of `batch_size` rows."""
    strips, (state, lists) = -(-len(batch) // LANES), room
    load_rows(rows[0], batch, sizes[0], state.value)
    _run(strips, sizes, active, weights, state, lists)
    loss = output_gradient(sizes[:-1].sum(), rows, batch, batch_size, state)
    gradient[:] = 0
    stop = sizes.sum()
    split_gradient(strips, stop - sizes[-1], stop, state)
    for layer in range(len(sizes) - 2, 0, -1):
        stop -= sizes[layer + 1]
        backprop_layer(strips, stop - sizes[layer], stop, active, weights, state, lists, gradient)
        split_gradient(strips, stop - sizes[layer], stop, state)
    backprop_inputs(strips, sizes[0], sizes[0] + sizes[1], active, weights, state, lists, gradient)
    return loss


@compiled
def _begin(sizes: Any, state: Any, masked: Any, parts: int) -> Any:
    """Return what an epoch works with: the active weights, the learnable ones' Adam state, their gradient by parts."""
    active = find_active_weights(sizes, state[0], masked)
    position = active.position
    learnable = (state[0][position], state[1][position], state[2][position])
    return active, learnable, np.zeros((parts, len(position)), np.float32)


@compiled
def _end(active: Any, learnable: Any, state: Any, masked: Any, settings: Any, steps: int, more: int) -> None:
    """Write the learnable weights back, and move the masked ones by their momentum."""
    for i in range(3):
        state[i][active.position] = learnable[i]
    coast_masked(state, masked, settings, steps, more)


@compiled
def _epoch(sizes: Any, state: Any, masked: Any, rows: Any, order: Any, shape: Any, settings: Any, steps: int) -> Any:
    """Run an epoch on one thread. `shape` is the size of a batch, and of its parts."""
    batch_size, part_size = shape
    active, learnable, gradient = _begin(sizes, state, masked, -(-batch_size // part_size))
    room = allocate_state(sizes, part_size), allocate_lists(sizes, part_size)
    total, step = 0.0, steps
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        for part in range(len(gradient)):
            rows_of_part = batch[part * part_size : (part + 1) * part_size]
            total += len(batch) * _batch_gradient(
                sizes, active, learnable[0], rows, rows_of_part, len(batch), room, gradient[part]
            )
        step += 1
        adam_step(learnable, gradient, settings, step)
    _end(active, learnable, state, masked, settings, steps, step - steps)
    return total / len(order)


@compiled
def _forward(sizes: Any, weights: Any, packed: Any, batch_size: int) -> Any:
    rows, top = len(packed), sizes[:-1].sum()
    active = find_active_weights(sizes, weights, np.zeros(len(weights), np.bool_))
    state, lists = allocate_state(sizes, batch_size), allocate_lists(sizes, batch_size)
    scores = np.empty((rows, sizes[-1]), np.float32)
    for start in range(0, rows, batch_size):
        batch = np.arange(start, min(start + batch_size, rows))
        load_rows(packed, batch, sizes[0], state.value)
        _run(-(-len(batch) // LANES), sizes, active, weights, state, lists)
        for c in range(sizes[-1]):
            for b in range(len(batch)):
                scores[start + b, c] = ONE - state.value[b // LANES, top + c, b % LANES]
    return scores


@compiled
def _fire(sizes: Any, weights: Any, inputs: Any) -> Any:
    value = np.zeros((sizes.sum(), inputs.shape[1]), np.uint64)
    value[: sizes[0]] = ~inputs
    node, below, k = sizes[0], 0, 0
    for layer in range(1, len(sizes)):
        for _ in range(sizes[layer]):
            for j in range(sizes[layer - 1]):
                if weights[k] > 0.5:
                    for word in range(inputs.shape[1]):
                        value[node, word] |= value[below + j, word]
                k += 1
            value[node] = ~value[node]
            node += 1
        below += sizes[layer - 1]
    return ~value[node - sizes[-1] :]


def fire(sizes: tuple[int, ...], weights: Floats, inputs: Words) -> Words:
    """Return which classes fire, (classes, words), when every weight is rounded at 0.5; inputs are (predicates, words).

    On bits a layer of `none_of` is a NOR, which a word does for 64 rows at once.
    """
    words: Words = _fire(np.asarray(sizes), weights, inputs)
    return words


def forward(cohort: Cohort, packed: NDArray[np.uint8], executor: Executor) -> Floats:
    """See reference.forward; the networks are spread over the executor's threads."""
    sizes = np.asarray(cohort.sizes)
    return np.asarray(list(executor.map(lambda w: _forward(sizes, w, packed, 128), cohort.weights)))


def epoch(
    cohort: Cohort,
    masked: Flags,
    rows: KernelRows,
    order: NDArray[np.int64],
    rate: float,
    settings: StepSettings,
    executor: Executor,
) -> Floats:
    """See reference.epoch. Threads take whole networks; of a single one, parts of each batch, or, if the batch has one
    part only and the network is large, parts of each layer.

    In any case the same numbers are added in the same order, so the result does not depend on the number of threads.
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
        losses = [_share_epoch(arguments(0), _share_parts, executor)]
    elif (
        len(masked) == 1
        and _threads(executor) > 1
        and np.count_nonzero(~masked | (cohort.weights > 0.5)) > WORTH_SHARING
    ):
        losses = [_share_epoch(arguments(0), _share_layers, executor)]
    else:
        # The network with the fewest masked weights takes the longest, so it begins first.
        queue = sorted(range(len(masked)), key=lambda k: np.count_nonzero(masked[k]))
        loss_of = dict(zip(queue, executor.map(lambda k: _epoch(*arguments(k)), queue), strict=True))
        losses = [loss_of[k] for k in range(len(masked))]
    cohort.steps += -(-len(order) // settings.batch_size)
    return np.asarray(losses, np.float32)


def _threads(executor: Executor) -> int:
    return int(getattr(executor, "_max_workers", 1))


def _share_epoch(arguments: tuple[Any, ...], share: Callable[..., Any], executor: Executor) -> float:
    """Run `_epoch` with each batch, and then the weights, shared by the executor's threads."""
    sizes, state, masked, rows, order, (batch_size, part_size), adam, steps = arguments
    parts = range(-(-batch_size // part_size))
    active, learnable, gradient = _begin(sizes, state, masked, len(parts))
    backprop = share((sizes, active, learnable[0], rows), part_size, gradient, executor)
    cuts = np.linspace(0, len(active.position), len(parts) + 1).astype(np.int64)
    total, step = 0.0, steps
    for start in range(0, len(order), batch_size):
        batch, step = order[start : start + batch_size], step + 1

        def move(part: int, step: int = step) -> None:
            own = slice(cuts[part], cuts[part + 1])
            adam_step(tuple(array[own] for array in learnable), gradient[:, own], adam, step)

        for loss in backprop(batch):
            total += len(batch) * loss
        list(executor.map(move, parts))
    _end(active, learnable, state, masked, adam, steps, step - steps)
    return total / len(order)


def _share_parts(network: tuple[Any, ...], part_size: int, gradient: Any, executor: Executor) -> Callable[..., Any]:
    """Return a function that gives each thread parts of a batch: it writes the gradient, and returns the losses."""
    rooms = [(allocate_state(network[0], part_size), allocate_lists(network[0], part_size)) for _ in gradient]

    def backprop(batch: Any) -> Iterator[float]:
        def backprop_part(part: int) -> Any:
            rows_of_part = batch[part * part_size : (part + 1) * part_size]
            return _batch_gradient(*network, rows_of_part, len(batch), rooms[part], gradient[part])

        return executor.map(backprop_part, range(len(gradient)))

    return backprop


def _share_layers(network: tuple[Any, ...], batch_size: int, gradient: Any, executor: Executor) -> Callable[..., Any]:
    """Do what `_share_parts` does for batches of one part, with each thread taking nodes of each layer.

    The classes are too few to share.
    """
    sizes, active, weights, rows = network
    state, threads = allocate_state(sizes, batch_size), range(_threads(executor))
    lists, ends = [allocate_lists(sizes, batch_size) for _ in threads], np.concatenate([[0], np.cumsum(sizes)])

    def share(layer: int, work: Callable[..., None], strips: int) -> None:
        cuts = np.linspace(ends[layer], ends[layer + 1], len(threads) + 1).astype(np.int64).tolist()
        list(executor.map(lambda thread: work(layer, strips, *cuts[thread : thread + 2], lists[thread]), threads))

    def run(layer: int, strips: int, start: int, stop: int, room: Any) -> None:
        list_factors(start, stop, active, weights, state, room)
        run_layer(strips, start, stop, layer == 1, active.needed, state, room)

    def backprop_nodes(layer: int, strips: int, start: int, stop: int, room: Any) -> None:
        backprop_layer(strips, start, stop, active, weights, state, room, gradient[0])
        split_gradient(strips, start, stop, state)
        if layer == 1:
            backprop_inputs(strips, start, stop, active, weights, state, room, gradient[0])

    def backprop(batch: Any) -> list[float]:
        strips, top = -(-len(batch) // LANES), len(sizes) - 1
        load_rows(rows[0], batch, sizes[0], state.value)
        for layer in range(1, top):
            share(layer, run, strips)
        run(top, strips, ends[top], ends[top + 1], lists[0])
        loss = output_gradient(ends[top], rows, batch, len(batch), state)
        gradient[:] = 0
        split_gradient(strips, ends[top], ends[top + 1], state)
        for layer in range(top - 1, 0, -1):
            share(layer, backprop_nodes, strips)
        return [loss]

    return backprop
