"""The fast version for a CPU, compiled by Numba; reference.py says what each function means.

Only the weights that matter in an epoch are visited (visits.py). Nothing is allocated inside an epoch but at its start.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.mllp.adam import coast, learn
from conceptrules.kernels.mllp.cohort import Cohort, Flags, Floats, Rows, Settings
from conceptrules.kernels.mllp.loops import ONE, compiled
from conceptrules.kernels.mllp.passes import (
    fetch,
    from_inputs,
    list_factors,
    lists_for,
    load_rows,
    output_gradient,
    run,
    split,
    work_for,
)
from conceptrules.kernels.mllp.vectors import LANES
from conceptrules.kernels.mllp.visits import visits_of

# A batch is worked through in parts of this size, which do not depend on the number of threads that share them.
PART_SIZE, MOST_PARTS = 128, 8
# Threads share the layers of one network if it visits so many weights: they meet six times in a step, which costs as
# much as 40,000 weights do. Measured with two threads: 0.92 times the speed at 190,000 weights, 1.11 at 290,000.
WORTH_SHARING = 250_000


@compiled
def _run(strips: int, sizes: Any, visits: Any, weights: Any, work: Any, lists: Any) -> None:
    """The value of every node, from those of the inputs."""
    stop = sizes[0]
    for layer in range(1, len(sizes)):
        start, stop = stop, stop + sizes[layer]
        list_factors(start, stop, visits, weights, work, lists)
        run(strips, start, stop, layer == 1, visits.needed, work, lists)


@compiled
def _backward(strips: int, sizes: Any, visits: Any, weights: Any, work: Any, lists: Any, gradient: Any) -> None:
    """From the gradient at the class nodes, in the last nodes of d, to that of every learnable weight."""
    gradient[:] = 0
    stop = sizes.sum()
    split(strips, stop - sizes[-1], stop, work)
    for layer in range(len(sizes) - 2, 0, -1):
        stop -= sizes[layer + 1]
        fetch(strips, stop - sizes[layer], stop, visits, weights, work, lists, gradient)
        split(strips, stop - sizes[layer], stop, work)
    from_inputs(strips, sizes[0], sizes[0] + sizes[1], visits, weights, work, lists, gradient)


@compiled
def _slope(
    sizes: Any,
    visits: Any,
    weights: Any,
    rows: Any,
    batch: Any,
    size: int,
    work: Any,
    lists: Any,
    gradient: Any,
) -> Any:
    """The loss and the gradient of a part of a batch of `size` rows."""
    strips = -(-len(batch) // LANES)
    load_rows(rows[0], batch, sizes[0], work.value)
    _run(strips, sizes, visits, weights, work, lists)
    loss = output_gradient(sizes[:-1].sum(), rows, batch, size, work)
    _backward(strips, sizes, visits, weights, work, lists, gradient)
    return loss


@compiled
def _begin(sizes: Any, state: Any, masked: Any, parts: int) -> Any:
    """What an epoch works with: the weights visited, the state of the learnable ones, and their gradient by parts."""
    visits = visits_of(sizes, state[0], masked)
    place = visits.place
    return visits, (state[0][place], state[1][place], state[2][place]), np.zeros((parts, len(place)), np.float32)


@compiled
def _end(visits: Any, learned: Any, state: Any, masked: Any, settings: Any, steps: int, more: int) -> None:
    """Puts the learnable weights back, and moves the masked ones."""
    for i in range(3):
        state[i][visits.place] = learned[i]
    coast(state, masked, settings, steps, more)


@compiled
def _epoch(sizes: Any, state: Any, masked: Any, rows: Any, order: Any, shape: Any, settings: Any, steps: int) -> Any:
    """An epoch by one thread. `shape`: the size of a batch, and of its parts."""
    batch_size, part_size = shape
    visits, learned, gradient = _begin(sizes, state, masked, -(-batch_size // part_size))
    work, lists = work_for(sizes, part_size), lists_for(sizes, part_size)
    total, step = 0.0, steps
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        for part in range(len(gradient)):
            some = batch[part * part_size : (part + 1) * part_size]
            loss = _slope(sizes, visits, learned[0], rows, some, len(batch), work, lists, gradient[part])
            total += len(batch) * loss
        step += 1
        learn(learned, gradient, settings, step)
    _end(visits, learned, state, masked, settings, steps, step - steps)
    return total / len(order)


@compiled
def _forward(sizes: Any, weights: Any, packed: Any, batch_size: int) -> Any:
    rows, top = len(packed), sizes[:-1].sum()
    visits = visits_of(sizes, weights, np.zeros(len(weights), np.bool_))
    work, lists = work_for(sizes, batch_size), lists_for(sizes, batch_size)
    scores = np.empty((rows, sizes[-1]), np.float32)
    for start in range(0, rows, batch_size):
        batch = np.arange(start, min(start + batch_size, rows))
        load_rows(packed, batch, sizes[0], work.value)
        _run(-(-len(batch) // LANES), sizes, visits, weights, work, lists)
        for c in range(sizes[-1]):
            for b in range(len(batch)):
                scores[start + b, c] = ONE - work.value[b // LANES, top + c, b % LANES]
    return scores


def none_of(x: Floats, w: Floats) -> Floats:
    """See reference.none_of."""
    inputs, batch = x.shape[1:]
    return np.asarray([_rows(_layer(*pair)[2].value, batch)[inputs:] for pair in zip(x, w, strict=True)])


def none_of_gradient(x: Floats, w: Floats, dy: Floats) -> tuple[Floats, Floats]:
    """See reference.none_of_gradient."""
    inputs, batch, dx, dw = *x.shape[1:], np.empty_like(x), np.zeros_like(w)
    for k in range(len(w)):
        strips, visits, work, lists = _layer(x[k], w[k])
        work.d[:, inputs:] = _strips(dy[k])
        split(strips, inputs, work.d.shape[1], work)
        fetch(strips, 0, inputs, visits, w[k].ravel(), work, lists, dw[k].reshape(-1))
        dx[k] = _rows(work.d, batch)[:inputs]
    return dx, dw


def _layer(x: Floats, w: Floats) -> Any:
    """One layer by the functions that an epoch uses: its strips of rows, what it visited, and what came of it."""
    outputs, inputs = w.shape
    sizes, value = np.array([inputs, outputs]), _strips(x)
    visits = visits_of(sizes, w.ravel(), np.zeros(w.size, np.bool_))
    work, lists = work_for(sizes, x.shape[1]), lists_for(sizes, x.shape[1])
    work.value[:, :inputs] = value
    list_factors(inputs, inputs + outputs, visits, w.ravel(), work, lists)
    run(len(value), inputs, inputs + outputs, False, visits.needed, work, lists)
    return len(value), visits, work, lists


def _strips(array: Floats) -> Floats:
    """(nodes, batch) as (strips, nodes, rows of a strip), the last strip filled up with 0."""
    nodes, batch = array.shape
    filled = np.pad(array, ((0, 0), (0, -batch % LANES)))
    return np.ascontiguousarray(filled.reshape(nodes, -1, LANES).transpose(1, 0, 2))


def _rows(array: Floats, batch: int) -> Floats:
    """The inverse of `_strips`."""
    return array.transpose(1, 0, 2).reshape(array.shape[1], -1)[:, :batch]


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
    """See reference.epoch. Threads take whole networks; where there is one only, parts of each batch, or, if the
    network is large, parts of each layer.

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
        losses = [_epoch_by_parts(arguments(0), executor)]
    elif len(masked) == 1 and _threads(executor) > 1 and _visited(cohort.weights[0], masked[0]) > WORTH_SHARING:
        losses = [_epoch_by_layers(arguments(0), executor)]
    else:
        # The network with the fewest masked weights takes the longest: it begins first.
        turn = sorted(range(len(masked)), key=lambda k: np.count_nonzero(masked[k]))
        taken = dict(zip(turn, executor.map(lambda k: _epoch(*arguments(k)), turn), strict=True))
        losses = [taken[k] for k in range(len(masked))]
    cohort.steps += -(-len(order) // settings.batch_size)
    return np.asarray(losses, np.float32)


def _threads(executor: Executor) -> int:
    return int(getattr(executor, "_max_workers", 1))


def _visited(weights: Floats, masked: Flags) -> int:
    return int(np.count_nonzero(~masked | (weights > 0.5)))


def _epoch_by_parts(arguments: tuple[Any, ...], executor: Executor) -> float:
    """`_epoch`, with the parts of each batch, and then the weights, spread over the executor's threads."""
    sizes, state, masked, rows, order, (batch_size, part_size), adam, steps = arguments
    parts = range(-(-batch_size // part_size))
    visits, learned, gradient = _begin(sizes, state, masked, len(parts))
    rooms = [(work_for(sizes, part_size), lists_for(sizes, part_size)) for _ in parts]
    ends = np.linspace(0, len(visits.place), len(parts) + 1).astype(np.int64)
    total, step = 0.0, steps
    for start in range(0, len(order), batch_size):
        batch, step = order[start : start + batch_size], step + 1

        def slope(part: int, batch: Any = batch) -> Any:
            some = batch[part * part_size : (part + 1) * part_size]
            return _slope(sizes, visits, learned[0], rows, some, len(batch), *rooms[part], gradient[part])

        def move(part: int, step: int = step) -> None:
            some = slice(ends[part], ends[part + 1])
            learn(tuple(array[some] for array in learned), gradient[:, some], adam, step)

        for loss in executor.map(slope, parts):
            total += len(batch) * loss
        list(executor.map(move, parts))
    _end(visits, learned, state, masked, adam, steps, step - steps)
    return total / len(order)


def _epoch_by_layers(arguments: tuple[Any, ...], executor: Executor) -> float:
    """`_epoch` for batches of one part, with the nodes of each layer but the classes spread over the threads."""
    sizes, state, masked, rows, order, (batch_size, _), adam, steps = arguments
    visits, learned, gradient = _begin(sizes, state, masked, 1)
    weights, work, threads = learned[0], work_for(sizes, batch_size), range(_threads(executor))
    lists, ends = [lists_for(sizes, batch_size) for _ in threads], np.concatenate([[0], np.cumsum(sizes)])
    top, total, step = ends[-2], 0.0, steps

    def shared(layer: int, work_on: Callable[[int, int, Any], None]) -> None:
        """Does the nodes of a layer, a share by each thread."""
        cuts = np.linspace(ends[layer], ends[layer + 1], len(threads) + 1).astype(np.int64).tolist()
        list(executor.map(lambda thread: work_on(cuts[thread], cuts[thread + 1], lists[thread]), threads))

    for begin in range(0, len(order), batch_size):
        batch, step = order[begin : begin + batch_size], step + 1
        strips = -(-len(batch) // LANES)

        def forwards(start: int, stop: int, room: Any, lowest: bool, strips: int = strips) -> None:
            list_factors(start, stop, visits, weights, work, room)
            run(strips, start, stop, lowest, visits.needed, work, room)

        def backwards(start: int, stop: int, room: Any, lowest: bool, strips: int = strips) -> None:
            fetch(strips, start, stop, visits, weights, work, room, gradient[0])
            split(strips, start, stop, work)
            if lowest:
                from_inputs(strips, start, stop, visits, weights, work, room, gradient[0])

        load_rows(rows[0], batch, sizes[0], work.value)
        for layer in range(1, len(sizes) - 1):
            shared(layer, lambda *given, lowest=layer == 1, go=forwards: go(*given, lowest))
        forwards(top, ends[-1], lists[0], len(sizes) == 2)
        total += len(batch) * output_gradient(top, rows, batch, len(batch), work)
        gradient[:] = 0
        split(strips, top, ends[-1], work)
        for layer in range(len(sizes) - 2, 0, -1):
            shared(layer, lambda *given, lowest=layer == 1, go=backwards: go(*given, lowest))
        learn(learned, gradient, adam, step)
    _end(visits, learned, state, masked, adam, steps, step - steps)
    return total / len(order)
