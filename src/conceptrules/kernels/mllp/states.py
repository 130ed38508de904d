"""What the kernels of a GPU read and write: the weights and values of a cohort, and the rows that it learns from.

The inputs of the first layer are bits, so that its products are sums of logarithms: log(1 - w x) is x log(1 - w), and a
matrix product does it, whatever the weights. The layers above are left to the kernels, which visit what matters.

The networks of a cohort may be trained on different rows and have different widths: they are laid out in the shape of
the widest, and weights that a network does not have are masked zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from conceptrules.kernels.mllp import warps
from conceptrules.kernels.mllp.cohort import Cohort, Rows

# Rows of a batch that one program takes, and that one warp of it does.
MOST_ROWS, WARP_ROWS = 1024, 256
# Weights whose loads a program has under way together.
FORWARD_VISITS, BACKWARD_VISITS = 8, 8
# What a factor of 0 counts as where logarithms are taken. Two of them still have a product, which over one of them is 0
# for all purposes; floats other than 0 are not below 6e-8 here.
TINY = 1e-17
# Items that one program draws.
DRAWN = 1024


@dataclass(frozen=True, slots=True)
class Member:
    """One network of a cohort: its sizes, its binarization rate, the rows it learns from (their place in a list)."""

    sizes: tuple[int, ...]
    rate: float
    group: int
    learning_rate: float
    l2: float


class Shape:
    """Where things lie: all layers of a network in one row, in the sizes of the widest network of a cohort."""

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.sizes = sizes
        self.weights = Cohort.count(sizes)
        self.nodes = sum(sizes[1:])
        self.starts = list(accumulate((a * b for a, b in pairwise(sizes)), initial=0))
        self.firsts = list(accumulate(sizes[1:], initial=0))

    @staticmethod
    def around(members: Sequence[Member]) -> Shape:
        return Shape(tuple(max(widths) for widths in zip(*(member.sizes for member in members), strict=True)))

    def places(self, sizes: tuple[int, ...]) -> NDArray[np.int64]:
        """Return where the weights of a network of other sizes lie, in their order."""
        parts = [
            start + np.arange(outputs)[:, None] * width + np.arange(inputs)
            for start, width, (inputs, outputs) in zip(self.starts, self.sizes, pairwise(sizes), strict=False)
        ]
        return np.concatenate([part.ravel() for part in parts])

    def layer(self, flat: Tensor, number: int) -> Tensor:
        """Return a view of (K, weights) as (K, outputs, inputs) of one layer."""
        outputs, inputs = self.sizes[number + 1], self.sizes[number]
        return flat[:, self.starts[number] : self.starts[number + 1]].view(-1, outputs, inputs)


class State:
    """What the kernels read and write for K networks and a number of rows."""

    def __init__(
        self, shape: Shape, networks: int, groups: int, batch: int, device: torch.device, learns: bool = True
    ) -> None:
        self.shape, self.networks, self.groups, self.batch = shape, networks, groups, batch
        self.rows = min(_power_of_two(batch), MOST_ROWS)
        self.blocks = -(-batch // self.rows)
        self.warps = max(1, self.rows // WARP_ROWS)

        def floats(*size: int) -> Tensor:
            return torch.zeros(size, dtype=torch.float32, device=device)

        def whole(*size: int) -> Tensor:
            return torch.zeros(size, dtype=torch.int32, device=device)

        self.x = floats(groups, shape.sizes[0], batch)
        self.value, self.others = floats(networks, shape.nodes, batch), floats(networks, shape.nodes, batch)
        self.towards, self.towards_one = (torch.zeros_like(self.value if learns else self.x[:0]) for _ in range(2))
        self.effective = floats(networks, shape.weights)
        self.up, self.down = whole(networks, shape.weights), whole(networks, shape.weights)
        self.up_count, self.down_count = whole(networks, shape.nodes), whole(networks, sum(shape.sizes[:-1]))
        self.gradient = floats(self.blocks if learns else 0, networks, shape.weights)
        self.logs = floats(networks, shape.sizes[1], shape.sizes[0])
        self.first_gradient = torch.zeros_like(self.logs if learns else self.logs[:0])
        self.loss = floats(networks, self.blocks, shape.sizes[-1])
        self.self_of = torch.arange(networks, dtype=torch.int32, device=device)

    def take(self, effective: Tensor) -> None:
        """Take over weights: (K, weights)."""
        self.effective.copy_(effective)
        torch.log(torch.clamp(1 - self.shape.layer(effective, 0), min=TINY), out=self.logs)

    def visit(self, visited: Tensor) -> None:
        """Lists the weights to visit above the first layer: (K, weights) of flags."""
        shape = self.shape
        needed = torch.ones((self.networks, shape.sizes[-1]), dtype=torch.bool, device=visited.device)
        visited = visited.clone()
        for number in range(len(shape.sizes) - 2, 0, -1):
            layer = shape.layer(visited, number)
            layer &= needed[:, :, None]
            needed = layer.any(1)
        below = shape.sizes[0]
        for number, (inputs, outputs) in enumerate(pairwise(shape.sizes[1:]), start=1):
            start, first = shape.starts[number], shape.firsts[number]
            _list(visited, self.up, self.up_count, (start, first), (outputs, inputs), (inputs, 1))
            _list(visited, self.down, self.down_count, (start, below), (inputs, outputs), (1, inputs))
            below += inputs

    def run(self, group_of: Tensor, batch: Batch, learn: bool) -> None:
        """The value of every node, from x; to learn, also the loss and the gradient at the top."""
        for number in range(len(self.shape.sizes) - 1):
            self.run_layer(number, group_of, batch, learn and number == len(self.shape.sizes) - 2)

    def run_layer(self, number: int, group_of: Tensor, batch: Batch, last: bool) -> None:
        shape = self.shape
        if number == 0:
            torch.exp(torch.bmm(self.logs, self._inputs(group_of)), out=self.value[:, : shape.sizes[1]])
            return
        x = self.value[:, shape.firsts[number - 1] :]
        warps.forward[(shape.sizes[number + 1], self.networks, self.blocks)](
            x, self.self_of, shape.nodes * self.batch, self.effective, self.up, self.up_count, self.value, self.others,
            shape.firsts[number], shape.nodes, shape.sizes[number], shape.starts[number], shape.weights, self.batch,
            self.towards, self.towards_one, self.loss, batch.target, batch.importance, batch.order, batch.lengths,
            batch.step, group_of, batch.classes, batch.order.shape[1],
            LAST=last, ROWS=self.rows, VISITS=FORWARD_VISITS, num_warps=self.warps,
        )  # fmt: skip

    def back(self, group_of: Tensor) -> None:
        """The gradient of every visited weight, from that at the top."""
        for number in range(len(self.shape.sizes) - 2, -1, -1):
            self.back_layer(number, group_of)

    def back_layer(self, number: int, group_of: Tensor) -> None:
        shape = self.shape
        inputs, outputs = shape.sizes[number], shape.sizes[number + 1]
        if number == 0:
            towards = self.towards[:, :outputs]
            torch.bmm(towards, self._inputs(group_of).transpose(1, 2), out=self.first_gradient)
            return
        x = self.value[:, shape.firsts[number - 1] :]
        warps.backward[(inputs, self.networks, self.blocks)](
            x, self.self_of, shape.nodes * self.batch, self.effective, self.down, self.down_count,
            sum(shape.sizes[:number]), self.down_count.shape[1], self.others, self.towards, self.towards_one,
            self.gradient, shape.firsts[number], inputs, shape.firsts[number - 1], shape.nodes,
            shape.starts[number], shape.weights, self.batch, outputs,
            ROWS=self.rows, VISITS=BACKWARD_VISITS, num_warps=self.warps,
        )  # fmt: skip

    def _inputs(self, group_of: Tensor) -> Tensor:
        """The inputs of each network; groups are in the order of their networks, so as many as these are one each."""
        return self.x if self.groups == self.networks else self.x[group_of.long()]


@dataclass(frozen=True, slots=True)
class Batch:
    """Where the rows of a step are found."""

    packed: Tensor
    target: Tensor
    importance: Tensor
    order: Tensor
    """(groups, rows): places of rows in the order in which they are taken."""
    lengths: Tensor
    """How many of them there are, group by group."""
    step: Tensor
    """How many steps have been done in this order."""
    classes: Tensor
    """The number of classes of each network."""

    def load(self, state: State) -> None:
        octets = self.packed.shape[1]
        warps.load[(octets, state.groups, state.blocks)](
            self.packed, self.order, self.lengths, self.step, state.x, octets, self.order.shape[1],
            state.shape.sizes[0], state.batch, ROWS=state.rows, num_warps=state.warps,
        )  # fmt: skip


class Groups:
    """The rows that networks learn from, group by group, and the order in which each group takes its own."""

    def __init__(self, groups: Sequence[Rows], inputs: int, batch_size: int, min_steps: int, classes: Tensor) -> None:
        device = classes.device
        counts = np.array([len(rows.target) for rows in groups])
        self.size = min(batch_size, int(counts.max()))
        self.bases = list(accumulate(counts.tolist(), initial=0))
        passes = -(-min_steps // -(-counts // self.size))
        totals = counts * passes
        longest = int(totals.max())
        self.steps = -(-longest // self.size)
        self.shape = (len(groups), int(passes.max()), int(counts.max()))
        place = np.minimum(np.arange(longest), totals[:, None] - 1)
        within = place // counts[:, None] * self.shape[2] + place % counts[:, None]
        self.within = torch.from_numpy(within).to(device)
        self.counts, self.passes, self.totals = (
            torch.from_numpy(each.astype(np.int32)).to(device) for each in (counts, passes, totals)
        )
        self.base = torch.tensor(self.bases[:-1], device=device)[:, None]
        self.batch = Batch(
            packed=torch.from_numpy(np.concatenate(_all_widened(groups, inputs))).to(device),
            target=torch.from_numpy(np.concatenate([rows.target for rows in groups]).astype(np.int32)).to(device),
            importance=torch.from_numpy(np.concatenate([rows.weight for rows in groups])).to(device),
            order=torch.zeros((len(groups), longest), dtype=torch.int32, device=device),
            lengths=torch.zeros(len(groups), dtype=torch.int32, device=device),
            step=torch.zeros((), dtype=torch.int32, device=device),
            classes=classes,
        )

    def shuffle(self, seeds: Tensor, epoch: int) -> None:
        """A new order for each group: all its rows, as many times as it needs for enough steps.

        One sort for all groups and passes: a small table is passed a hundred times in an epoch.
        """
        groups, passes, width = self.shape
        keys = torch.empty((groups * passes, width), dtype=torch.int32, device=seeds.device)
        warps.draw_keys[(groups * passes, -(-width // DRAWN))](
            keys, seeds, self.counts, self.passes, epoch, passes, width, SPAN=DRAWN
        )
        orders = keys.argsort(dim=1).view(groups, -1)
        self.batch.order.copy_(orders.gather(1, self.within) + self.base)
        self.begin()

    def take(self, group: int, order: Tensor) -> None:
        self.batch.order[group, : len(order)] = order.int()

    def begin(self) -> None:
        self.batch.lengths.copy_(self.totals)
        self.batch.step.zero_()


def _list(
    visited: Tensor,
    lists: Tensor,
    counts: Tensor,
    starts: tuple[int, int],
    size: tuple[int, int],
    strides: tuple[int, int],
) -> None:
    """The lists of one layer, (nodes, width) of them; it starts at `starts` of the weights and of the nodes."""
    (start, first), (nodes, width) = starts, size
    warps.list_visits[(nodes, len(visited))](
        visited.view(torch.uint8)[:, start:], lists[:, start:], counts, width, *strides, visited.shape[1], first,
        counts.shape[1], SPAN=_power_of_two(width),
    )  # fmt: skip


def _all_widened(groups: Sequence[Rows], inputs: int) -> list[NDArray[np.uint8]]:
    """Groups that read the same rows share them: in a search, hundreds do."""
    found: dict[int, NDArray[np.uint8]] = {}
    for rows in groups:
        if id(rows.packed) not in found:
            found[id(rows.packed)] = _widened(rows, inputs)
    return [found[id(rows.packed)] for rows in groups]


def _widened(rows: Rows, inputs: int) -> NDArray[np.uint8]:
    """The packed bits of rows as if they had more inputs, all true: complemented, such an input takes no part."""
    missing = inputs - rows.inputs
    if not missing:
        return rows.packed
    bits = np.unpackbits(rows.packed, axis=1, count=rows.inputs)
    return np.packbits(np.pad(bits, ((0, 0), (0, missing)), constant_values=1), axis=1)


def _power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()
