"""The inner kernels of gpu.py, in Triton: one program takes one node of one network, and some rows of a batch.

Nodes of all networks of a cohort are a grid, so that a launch is large enough for a GPU. The rows of a batch lie side
by side, so that the loads of a program are contiguous. Which weights a node visits is a list, made once for many steps.
The first layer, whose inputs are bits, is matrix products instead (states.py).
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def list_visits(visited, lists, counts, width, node_stride, item_stride, size, first, total, SPAN: tl.constexpr):
    """Where `visited` is true, row by row: the places, and how many. By strides, a matrix or its transpose."""
    node, k = tl.program_id(0), tl.program_id(1).to(tl.int64)
    item = tl.arange(0, SPAN)
    flags = tl.load(visited + k * size + node * node_stride + item * item_stride, mask=item < width, other=0)
    flags = flags.to(tl.int32)
    place = tl.cumsum(flags, 0) - flags
    tl.store(lists + k * size + node * width + place, item, mask=flags > 0)
    tl.store(counts + k * total + first + node, tl.sum(flags, 0))


@triton.jit(do_not_specialize=["epoch"])  # compiled once, not for epochs 0, 1 and 16 apart
def draw_masks(masked, own, rates, seeds, epoch, size, SPAN: tl.constexpr):
    """Which weights are rounded in an epoch; `own` numbers the weights that a network has, and is -1 elsewhere."""
    k = tl.program_id(1).to(tl.int64)
    place = tl.program_id(0) * SPAN + tl.arange(0, SPAN)
    number = tl.load(own + k * size + place, mask=place < size, other=-1)
    drawn = tl.rand(tl.load(seeds + k) + epoch, number)
    fixed = (number < 0) | (drawn < tl.load(rates + k))
    tl.store(masked + k * size + place, fixed.to(tl.uint8), mask=place < size)


@triton.jit(do_not_specialize=["epoch"])  # compiled once, not for epochs 0, 1 and 16 apart
def draw_keys(keys, seeds, counts, passes, epoch, most_passes, width, SPAN: tl.constexpr):
    """Numbers to sort the rows of a group by, pass by pass; what is past its rows or passes comes last."""
    line = tl.program_id(0).to(tl.int64)
    group, turn = line // most_passes, line % most_passes
    item = tl.program_id(1) * SPAN + tl.arange(0, SPAN)
    count = tl.load(counts + group)
    drawn = tl.randint(tl.load(seeds + group) + epoch, (turn * count + item).to(tl.int32)).to(tl.int32) & 0x7FFFFFFF
    inside = (item < count) & (turn < tl.load(passes + group))
    tl.store(keys + line * width + item, tl.where(inside, drawn, 0x7FFFFFFF), mask=item < width)


@triton.jit
def load(packed, order, lengths, step, x, octets, longest, inputs, batch, ROWS: tl.constexpr):
    """The complemented bits of this step's rows, eight inputs a program; 0 for rows past the end."""
    octet, group, block = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.program_id(2)
    row = block * ROWS + tl.arange(0, ROWS)
    place = tl.load(step) * batch + row
    inside = (row < batch) & (place < tl.load(lengths + group))
    which = tl.load(order + group * longest + place, mask=inside, other=0).to(tl.int64)
    bits = tl.load(packed + which * octets + octet, mask=inside, other=255).to(tl.int32)
    bit = tl.arange(0, 8)[:, None]
    value = 1 - ((bits[None, :] >> (7 - bit)) & 1)
    here = octet * 8 + bit
    there = x + (group * inputs + here) * batch + row[None, :]
    tl.store(there, value.to(tl.float32), mask=(row[None, :] < batch) & (here < inputs))


@triton.jit
def forward(
    x, x_of, x_stride, weights, lists, counts, value, others, first, nodes, below, start, size, batch,
    towards, towards_one, loss, target, importance, order, lengths, step, group_of, classes, longest,
    LAST: tl.constexpr, ROWS: tl.constexpr, VISITS: tl.constexpr,
):  # fmt: skip
    """A node's value; and, in `others`, the product of its other factors on rows where one factor is 0.

    For the classes also the loss, and the gradient on its way back (see `backward`).
    """
    node, k, block = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.program_id(2)
    row = block * ROWS + tl.arange(0, ROWS)
    inside = row < batch
    inputs = x + tl.load(x_of + k).to(tl.int64) * x_stride + row
    slots = k * size + start + node * below
    product = tl.full((ROWS,), 1.0, tl.float32)
    zeros = tl.zeros((ROWS,), tl.float32)
    count = tl.load(counts + k * nodes + first + node)
    for t in range(0, count, VISITS):
        for ahead in tl.static_range(VISITS):  # without a branch, so that their loads are under way together
            some = t + ahead < count
            j = tl.load(lists + slots + t + ahead, mask=some, other=0)
            w = tl.load(weights + slots + j, mask=some, other=0.0)
            factor = 1.0 - w * tl.load(inputs + j.to(tl.int64) * batch, mask=inside, other=0.0)
            product *= tl.where(factor == 0, 1.0, factor)
            zeros += tl.where(factor == 0, 1.0, 0.0)
    result = tl.where(zeros == 0, product, 0.0)
    single = tl.where(zeros == 1, product, 0.0)
    here = (k * nodes + first + node) * batch + row
    tl.store(value + here, result, mask=inside)
    if LAST:
        group = tl.load(group_of + k)
        begin = tl.load(step) * batch
        left = tl.load(lengths + group) - begin
        rows = tl.maximum(tl.minimum(left, batch), 1)
        known = inside & (row < tl.where(node < tl.load(classes + k), left, 0))
        which = tl.load(order + group * longest + begin + row, mask=known, other=0)
        wanted = tl.load(target + which, mask=known, other=-1) == node
        scale = tl.load(importance + which, mask=known, other=0.0) / (rows * tl.load(classes + k)).to(tl.float32)
        error = (1.0 - result) - tl.where(wanted, 1.0, 0.0)
        slope = tl.where(known, 2.0 * error * scale, 0.0)
        tl.store(towards + here, slope * result, mask=inside)
        tl.store(towards_one + here, slope * single, mask=inside)
        total = tl.sum(tl.where(known, error * error * scale, 0.0), 0) * rows
        own = loss + (k * tl.num_programs(2) + block) * tl.num_programs(0) + node
        tl.store(own, tl.load(own) + total)
    else:
        tl.store(others + here, single, mask=inside)


@triton.jit
def backward(
    x, x_of, x_stride, weights, lists, counts, count_first, count_total, others, towards, towards_one, gradient,
    above, below, first, nodes, start, size, batch, outputs,
    ROWS: tl.constexpr, VISITS: tl.constexpr,
):  # fmt: skip
    """For one input of a layer: the gradients of its weights, and its own on the way to the layer below.

    `towards` is the gradient of a node times minus the product of its factors, for those rows where no factor is 0;
    `towards_one` the same for rows where one is, without that one. A factor's gradient is then a division away.
    """
    node, k, block = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.program_id(2)
    row = block * ROWS + tl.arange(0, ROWS)
    inside = row < batch
    mine = tl.load(x + tl.load(x_of + k).to(tl.int64) * x_stride + node * batch + row, mask=inside, other=0.0)
    slots = lists + k * size + start + node * outputs
    slope = tl.zeros((ROWS,), tl.float32)
    count = tl.load(counts + k * count_total + count_first + node)
    for t in range(0, count, VISITS):
        visit = t + tl.arange(0, VISITS)
        i = tl.load(slots + visit, mask=visit < count, other=0).to(tl.int64)
        place = k * size + start + i * below + node
        w = tl.load(weights + place, mask=visit < count, other=0.0)[:, None]
        there = (k * nodes + above + i[:, None]) * batch + row[None, :]
        known = (visit < count)[:, None] & inside[None, :]
        product = tl.load(towards + there, mask=known, other=0.0)
        single = tl.load(towards_one + there, mask=known & (w == 1), other=0.0)
        factor = 1.0 - w * mine[None, :]
        part = tl.where(factor == 0, single, product / tl.where(factor == 0, 1.0, factor))
        own = gradient + block.to(tl.int64) * tl.num_programs(1) * size + place
        tl.store(own, tl.sum(part * mine[None, :], 1), mask=visit < count)
        slope += tl.sum(w * part, 0)
    here = (k * nodes + first + node) * batch + row
    tl.store(towards + here, -slope * mine, mask=inside)
    tl.store(towards_one + here, -slope * tl.load(others + here, mask=inside, other=0.0), mask=inside)


@triton.jit
def adam(
    weights, effective, moment, square, masked, gradient, logs, first_gradient, rates, decays, updates, step, lengths,
    group_of, size, first_size, batch, blocks, beta1, beta2, log_beta1, log_beta2, epsilon, tiny, SPAN: tl.constexpr,
):  # fmt: skip
    """One step of Adam, then Clip. Masked weights keep their effective value; a network without rows left rests.

    The gradient of the first layer comes without the division by the factor; the logarithms of its factors go back.
    """
    k = tl.program_id(1).to(tl.int64)
    past = tl.load(step)
    if past * batch < tl.load(lengths + tl.load(group_of + k)):
        place = tl.program_id(0) * SPAN + tl.arange(0, SPAN)
        inside = place < size
        here = k * size + place
        lowest = place < first_size
        used = tl.load(effective + here, mask=inside, other=0.0)
        slope = tl.load(first_gradient + k * first_size + place, mask=lowest, other=0.0) / tl.maximum(1 - used, tiny)
        part = gradient + here
        for _ in range(blocks):
            slope += tl.load(part, mask=inside & (place >= first_size), other=0.0)
            part += tl.num_programs(1) * size
        fixed = tl.load(masked + here, mask=inside, other=1) != 0
        slope = tl.where(fixed, 0.0, slope + tl.load(decays + k) * used)
        first = tl.load(moment + here, mask=inside, other=0.0)
        second = tl.load(square + here, mask=inside, other=0.0)
        first += (1 - beta1) * (slope - first)
        second += (1 - beta2) * (slope * slope - second)
        tl.store(moment + here, first, mask=inside)
        tl.store(square + here, second, mask=inside)
        steps = (tl.load(updates + k) + past + 1).to(tl.float32)
        first = first / (1 - tl.exp(steps * log_beta1))
        second = second / (1 - tl.exp(steps * log_beta2))
        w = tl.load(weights + here, mask=inside, other=0.0)
        w = tl.minimum(tl.maximum(w - tl.load(rates + k) * first / (tl.sqrt(second) + epsilon), 0.0), 1.0)
        tl.store(weights + here, w, mask=inside)
        learned = inside & (fixed == 0)
        tl.store(effective + here, w, mask=learned)
        tl.store(logs + k * first_size + place, tl.log(tl.maximum(1 - w, tiny)), mask=learned & lowest)
