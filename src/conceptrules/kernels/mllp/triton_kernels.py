"""The kernels of a GPU, in Triton: one program takes one node of one network, and some rows of a batch.

The grid is (nodes, networks, blocks of rows), so that a launch for a whole cohort is large enough for a GPU. The rows
of a batch lie side by side, so that the loads of a program are contiguous. Which weights a node visits is a list, made
once an epoch. The first layer, whose inputs are bits, is a matrix product instead (gpu_state.py). `k` is always the
number of the network.

How a product with zeros is differentiated is explained in passes.py: `no_zero` is the gradient of a node times minus
the product of its factors, on rows where no factor is 0; `one_zero` is the same without the factor that is 0, on rows
where one is.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def list_active(active, lists, counts, width, node_stride, item_stride, size, first, total, SPAN: tl.constexpr):
    """List where `active` is true, row by row, and count it. The strides choose a matrix or its transpose."""
    node, k = tl.program_id(0), tl.program_id(1).to(tl.int64)
    item = tl.arange(0, SPAN)
    flags = tl.load(active + k * size + node * node_stride + item * item_stride, mask=item < width, other=0)
    flags = flags.to(tl.int32)
    position = tl.cumsum(flags, 0) - flags
    tl.store(lists + k * size + node * width + position, item, mask=flags > 0)
    tl.store(counts + k * total + first + node, tl.sum(flags, 0))


@triton.jit(do_not_specialize=["epoch"])  # compiled once, not for epochs 0, 1 and 16 apart
def draw_masks(masked, weight_numbers, rates, seeds, epoch, size, SPAN: tl.constexpr):
    """Draw which weights are rounded in an epoch; a number of -1 is a weight that the network does not have.

    The draw depends on the seed and the number alone, so it is the same in a cohort of any shape.
    """
    k = tl.program_id(1).to(tl.int64)
    weight = tl.program_id(0) * SPAN + tl.arange(0, SPAN)
    number = tl.load(weight_numbers + k * size + weight, mask=weight < size, other=-1)
    drawn = tl.rand(tl.load(seeds + k) + epoch, number)
    fixed = (number < 0) | (drawn < tl.load(rates + k))
    tl.store(masked + k * size + weight, fixed.to(tl.uint8), mask=weight < size)


@triton.jit(do_not_specialize=["epoch"])  # compiled once, not for epochs 0, 1 and 16 apart
def draw_keys(keys, seeds, counts, passes, epoch, most_passes, width, SPAN: tl.constexpr):
    """Draw keys to sort the rows of a group by, pass by pass; what is past its rows or passes comes last."""
    line = tl.program_id(0).to(tl.int64)
    group, pass_number = line // most_passes, line % most_passes
    item = tl.program_id(1) * SPAN + tl.arange(0, SPAN)
    count = tl.load(counts + group)
    drawn = (
        tl.randint(tl.load(seeds + group) + epoch, (pass_number * count + item).to(tl.int32)).to(tl.int32) & 0x7FFFFFFF
    )
    inside = (item < count) & (pass_number < tl.load(passes + group))
    tl.store(keys + line * width + item, tl.where(inside, drawn, 0x7FFFFFFF), mask=item < width)


@triton.jit
def load_rows(packed, order, lengths, step, x, octets, longest, inputs, batch, ROWS: tl.constexpr):
    """Write the complemented bits of this step's rows, eight inputs a program; 0 for rows past the end."""
    octet, group, block = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.program_id(2)
    row = block * ROWS + tl.arange(0, ROWS)
    position = tl.load(step) * batch + row
    inside = (row < batch) & (position < tl.load(lengths + group))
    source = tl.load(order + group * longest + position, mask=inside, other=0).to(tl.int64)
    bits = tl.load(packed + source * octets + octet, mask=inside, other=255).to(tl.int32)
    bit = tl.arange(0, 8)[:, None]
    value = 1 - ((bits[None, :] >> (7 - bit)) & 1)
    input_number = octet * 8 + bit
    destination = x + (group * inputs + input_number) * batch + row[None, :]
    tl.store(destination, value.to(tl.float32), mask=(row[None, :] < batch) & (input_number < inputs))


@triton.jit
def forward(
    x, x_of, x_stride, weights, lists, counts, value, others, first, nodes, below, start, size, batch,
    no_zero, one_zero, loss, target, importance, order, lengths, step, group_of, classes, longest,
    LAST: tl.constexpr, ROWS: tl.constexpr, VISITS: tl.constexpr,
):  # fmt: skip
    """Compute a node's value and, in `others`, the product of its other factors on rows where one factor is 0.

    For the classes also add up the loss, and begin the backward pass.
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
            listed = t + ahead < count
            j = tl.load(lists + slots + t + ahead, mask=listed, other=0)
            w = tl.load(weights + slots + j, mask=listed, other=0.0)
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
        source = tl.load(order + group * longest + begin + row, mask=known, other=0)
        correct = tl.load(target + source, mask=known, other=-1) == node
        scale = tl.load(importance + source, mask=known, other=0.0) / (rows * tl.load(classes + k)).to(tl.float32)
        error = (1.0 - result) - tl.where(correct, 1.0, 0.0)
        slope = tl.where(known, 2.0 * error * scale, 0.0)
        tl.store(no_zero + here, slope * result, mask=inside)
        tl.store(one_zero + here, slope * single, mask=inside)
        total = tl.sum(tl.where(known, error * error * scale, 0.0), 0) * rows
        slot = loss + (k * tl.num_programs(2) + block) * tl.num_programs(0) + node
        tl.store(slot, tl.load(slot) + total)
    else:
        tl.store(others + here, single, mask=inside)


@triton.jit
def backward(
    x, x_of, x_stride, weights, lists, counts, count_first, count_total, others, no_zero, one_zero, gradient,
    above, below, first, nodes, start, size, batch, outputs,
    ROWS: tl.constexpr, VISITS: tl.constexpr,
):  # fmt: skip
    """For one input of a layer, compute the gradients of its weights, and its own as `no_zero` and `one_zero`."""
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
        weight = k * size + start + i * below + node
        w = tl.load(weights + weight, mask=visit < count, other=0.0)[:, None]
        target = (k * nodes + above + i[:, None]) * batch + row[None, :]
        known = (visit < count)[:, None] & inside[None, :]
        product = tl.load(no_zero + target, mask=known, other=0.0)
        single = tl.load(one_zero + target, mask=known & (w == 1), other=0.0)
        factor = 1.0 - w * mine[None, :]
        part = tl.where(factor == 0, single, product / tl.where(factor == 0, 1.0, factor))
        slot = gradient + block.to(tl.int64) * tl.num_programs(1) * size + weight
        tl.store(slot, tl.sum(part * mine[None, :], 1), mask=visit < count)
        slope += tl.sum(w * part, 0)
    here = (k * nodes + first + node) * batch + row
    tl.store(no_zero + here, -slope * mine, mask=inside)
    tl.store(one_zero + here, -slope * tl.load(others + here, mask=inside, other=0.0), mask=inside)


@triton.jit
def adam(
    weights, effective, moment, square, masked, gradient, logs, first_gradient, rates, decays, updates, step, lengths,
    group_of, size, first_size, batch, blocks, beta1, beta2, log_beta1, log_beta2, epsilon, tiny, SPAN: tl.constexpr,
):  # fmt: skip
    """Make one step of Adam, then clip. Masked weights keep their effective value; a network without rows left rests.

    The gradient of the first layer still has to be divided by the factor, 1 - w, whose logarithm is written back.
    """
    k = tl.program_id(1).to(tl.int64)
    past = tl.load(step)
    if past * batch < tl.load(lengths + tl.load(group_of + k)):
        weight = tl.program_id(0) * SPAN + tl.arange(0, SPAN)
        inside = weight < size
        here = k * size + weight
        lowest = weight < first_size
        used = tl.load(effective + here, mask=inside, other=0.0)
        slope = tl.load(first_gradient + k * first_size + weight, mask=lowest, other=0.0) / tl.maximum(1 - used, tiny)
        part = gradient + here
        for _ in range(blocks):
            slope += tl.load(part, mask=inside & (weight >= first_size), other=0.0)
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
        tl.store(logs + k * first_size + weight, tl.log(tl.maximum(1 - w, tiny)), mask=learned & lowest)
