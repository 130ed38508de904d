"""What the kernels of a GPU read and write: the weights and values of a cohort, and the rows that it learns from.

The inputs of the first layer are bits, so that its products are sums of logarithms: log(1 - w x) is x log(1 - w), and
a matrix product adds them up, whatever the weights. The layers above are left to the Triton kernels, which visit only
the active weights.

The networks of a cohort may be trained on different rows and have different widths. They are laid out in the shape of
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

from conceptrules.kernels.mllp import triton_kernels
from conceptrules.kernels.mllp.cohort import Cohort, KernelRows

# The most rows of a batch that one program takes, and the rows that one warp of it does.
MOST_ROWS, WARP_ROWS = 1024, 256
# Weights whose loads a program has under way together.
FORWARD_VISITS, BACKWARD_VISITS = 8, 8
# What a factor of 0 counts as where logarithms are taken. Two of them still have a product, which over one of them is 0
# for all purposes; floats other than 0 are not below 6e-8 here.
TINY = 1e-17
# Sort keys that one program draws.
DRAWN = 1024


@dataclass(frozen=True, slots=True)
class NetworkSpec:
    """One network of a cohort: its sizes and settings, and the number of the group of rows that it learns from."""

    sizes: tuple[int, ...]
    rate: float
    group: int
    learning_rate: float
    l2: float


class CohortShape:
    """Where weights and nodes lie: all layers of a network in one row, in the sizes of the widest of a cohort."""

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.sizes = sizes
        self.weights, self.nodes = Cohort.count(sizes), sum(sizes[1:])
        self.weight_starts = list(accumulate((a * b for a, b in pairwise(sizes)), initial=0))
        self.node_starts = list(accumulate(sizes[1:], initial=0))

    @staticmethod
    def around(networks: Sequence[NetworkSpec]) -> CohortShape:
        return CohortShape(tuple(max(widths) for widths in zip(*(network.sizes for network in networks), strict=True)))

    def positions(self, sizes: tuple[int, ...]) -> NDArray[np.int64]:
        """Return where the weights of a network of smaller sizes lie, in their order."""
        layers = [
            start + np.arange(outputs)[:, None] * width + np.arange(inputs)
            for start, width, (inputs, outputs) in zip(self.weight_starts, self.sizes, pairwise(sizes), strict=False)
        ]
        return np.concatenate([layer.ravel() for layer in layers])

    def layer(self, flat: Tensor, number: int) -> Tensor:
        """Return a view of (K, weights) as (K, outputs, inputs) of one layer."""
        outputs, inputs = self.sizes[number + 1], self.sizes[number]
        return flat[:, self.weight_starts[number] : self.weight_starts[number + 1]].view(-1, outputs, inputs)


class DeviceState:
    """What the kernels read and write for K networks and a number of rows."""

    def __init__(
        self, shape: CohortShape, networks: int, groups: int, batch: int, device: torch.device, learns: bool = True
    ) -> None:
        self.shape, self.networks, self.groups, self.batch = shape, networks, groups, batch
        self.rows = min(_power_of_two(batch), MOST_ROWS)
        self.blocks = -(-batch // self.rows)
        self.warps = max(1, self.rows // WARP_ROWS)

        def floats(*size: int) -> Tensor:
            return torch.zeros(size, dtype=torch.float32, device=device)

        def integers(*size: int) -> Tensor:
            return torch.zeros(size, dtype=torch.int32, device=device)

        self.x = floats(groups, shape.sizes[0], batch)
        self.value, self.others = floats(networks, shape.nodes, batch), floats(networks, shape.nodes, batch)
        self.no_zero, self.one_zero = (torch.zeros_like(self.value if learns else self.x[:0]) for _ in range(2))
        self.effective = floats(networks, shape.weights)
        self.up, self.down = integers(networks, shape.weights), integers(networks, shape.weights)
        self.up_count, self.down_count = integers(networks, shape.nodes), integers(networks, sum(shape.sizes[:-1]))
        self.gradient = floats(self.blocks if learns else 0, networks, shape.weights)
        self.logs = floats(networks, shape.sizes[1], shape.sizes[0])
        self.first_gradient = torch.zeros_like(self.logs if learns else self.logs[:0])
        self.loss = floats(networks, self.blocks, shape.sizes[-1])
        self.network_numbers = torch.arange(networks, dtype=torch.int32, device=device)

    def set_weights(self, effective: Tensor, active: Tensor) -> None:
        """Set the weights that take part, and list the active ones above the first layer: both (K, weights).

        A weight into a node on which no class depends is left out as well.
        """
        shape = self.shape
        self.effective.copy_(effective)
        torch.log(torch.clamp(1 - shape.layer(effective, 0), min=TINY), out=self.logs)
        needed = torch.ones((self.networks, shape.sizes[-1]), dtype=torch.bool, device=active.device)
        active = active.clone()
        for number in range(len(shape.sizes) - 2, 0, -1):
            layer = shape.layer(active, number)
            layer &= needed[:, :, None]
            needed = layer.any(1)
        below, flags = shape.sizes[0], active.view(torch.uint8)
        for number, (inputs, outputs) in enumerate(pairwise(shape.sizes[1:]), start=1):
            start = shape.weight_starts[number]
            # By rows for the forward pass, and by columns for the backward pass.
            for lists, counts, first, (nodes, width), strides in (
                (self.up, self.up_count, shape.node_starts[number], (outputs, inputs), (inputs, 1)),
                (self.down, self.down_count, below, (inputs, outputs), (1, inputs)),
            ):
                triton_kernels.list_active[(nodes, self.networks)](
                    flags[:, start:], lists[:, start:], counts, width, *strides, shape.weights, first, counts.shape[1],
                    SPAN=_power_of_two(width),
                )  # fmt: skip
            below += inputs

    def run(self, group_of: Tensor, rows: RowSchedule, learn: bool) -> None:
        """Compute the value of every node from x; to learn, also the loss and the gradient of the classes."""
        for number in range(len(self.shape.sizes) - 1):
            self.run_layer(number, group_of, rows, learn and number == len(self.shape.sizes) - 2)

    def run_layer(self, number: int, group_of: Tensor, rows: RowSchedule, last: bool) -> None:
        shape = self.shape
        if number == 0:
            torch.exp(torch.bmm(self.logs, self._inputs(group_of)), out=self.value[:, : shape.sizes[1]])
            return
        x = self.value[:, shape.node_starts[number - 1] :]
        triton_kernels.forward[(shape.sizes[number + 1], self.networks, self.blocks)](
            x, self.network_numbers, shape.nodes * self.batch, self.effective, self.up, self.up_count, self.value,
            self.others, shape.node_starts[number], shape.nodes, shape.sizes[number], shape.weight_starts[number],
            shape.weights, self.batch, self.no_zero, self.one_zero, self.loss, rows.target, rows.importance, rows.order,
            rows.lengths, rows.step, group_of, rows.classes, rows.order.shape[1],
            LAST=last, ROWS=self.rows, VISITS=FORWARD_VISITS, num_warps=self.warps,
        )  # fmt: skip

    def backprop(self, group_of: Tensor) -> None:
        """Compute the gradient of every active weight from that of the classes."""
        for number in range(len(self.shape.sizes) - 2, -1, -1):
            self.backprop_layer(number, group_of)

    def backprop_layer(self, number: int, group_of: Tensor) -> None:
        shape = self.shape
        inputs, outputs = shape.sizes[number], shape.sizes[number + 1]
        if number == 0:
            slope = self.no_zero[:, :outputs]
            torch.bmm(slope, self._inputs(group_of).transpose(1, 2), out=self.first_gradient)
            return
        x = self.value[:, shape.node_starts[number - 1] :]
        triton_kernels.backward[(inputs, self.networks, self.blocks)](
            x, self.network_numbers, shape.nodes * self.batch, self.effective, self.down, self.down_count,
            sum(shape.sizes[:number]), self.down_count.shape[1], self.others, self.no_zero, self.one_zero,
            self.gradient, shape.node_starts[number], inputs, shape.node_starts[number - 1], shape.nodes,
            shape.weight_starts[number], shape.weights, self.batch, outputs,
            ROWS=self.rows, VISITS=BACKWARD_VISITS, num_warps=self.warps,
        )  # fmt: skip

    def _inputs(self, group_of: Tensor) -> Tensor:
        """Return the inputs of each network. Groups are in the order of their networks, so equal counts match up."""
        return self.x if self.groups == self.networks else self.x[group_of.long()]


class RowSchedule:
    """The rows of all groups on the device, and the order in which each group takes its own, a batch a step."""

    def __init__(
        self, groups: Sequence[KernelRows], inputs: int, batch_size: int, min_steps: int, classes: Tensor
    ) -> None:
        device = classes.device

        def tensor(array: NDArray[np.generic]) -> Tensor:
            return torch.from_numpy(array).to(device)

        counts = np.array([len(rows.target) for rows in groups])
        self.batch_size = min(batch_size, int(counts.max()))
        self.bases = list(accumulate(counts.tolist(), initial=0))
        passes = -(-min_steps // -(-counts // self.batch_size))
        totals = counts * passes
        longest = int(totals.max())
        self.steps = -(-longest // self.batch_size)
        # Keys are drawn as (groups, passes, rows), in the shape of the largest; `within` picks each group's own.
        self.key_shape = (len(groups), int(passes.max()), int(counts.max()))
        turn = np.minimum(np.arange(longest), totals[:, None] - 1)
        self.within = tensor(turn // counts[:, None] * self.key_shape[2] + turn % counts[:, None])
        self.counts, self.passes, self.totals = (tensor(array.astype(np.int32)) for array in (counts, passes, totals))
        self.base = torch.tensor(self.bases[:-1], device=device)[:, None]
        self.packed = tensor(np.concatenate(_widen_all(groups, inputs)))
        self.target = tensor(np.concatenate([rows.target for rows in groups]).astype(np.int32))
        self.importance = tensor(np.concatenate([rows.weight for rows in groups]))
        self.classes = classes  # of each network
        # Positions of rows in the order in which they are taken, how many of them count, and the steps made so far.
        self.order = torch.zeros((len(groups), longest), dtype=torch.int32, device=device)
        self.lengths = torch.zeros(len(groups), dtype=torch.int32, device=device)
        self.step = torch.zeros((), dtype=torch.int32, device=device)

    def shuffle(self, seeds: Tensor, epoch: int) -> None:
        """Draw a new order for each group: all its rows, as many times as it needs for enough steps.

        One sort does it for all groups and passes: a small table is passed a hundred times in an epoch.
        """
        groups, passes, width = self.key_shape
        keys = torch.empty((groups * passes, width), dtype=torch.int32, device=seeds.device)
        triton_kernels.draw_keys[(groups * passes, -(-width // DRAWN))](
            keys, seeds, self.counts, self.passes, epoch, passes, width, SPAN=DRAWN
        )
        orders = keys.argsort(dim=1).view(groups, -1)
        self.order.copy_(orders.gather(1, self.within) + self.base)
        self.rewind()

    def set_order(self, group: int, order: Tensor) -> None:
        self.order[group, : len(order)] = order.int()

    def rewind(self) -> None:
        self.lengths.copy_(self.totals)
        self.step.zero_()

    def load(self, state: DeviceState) -> None:
        """Write the bits of this step's rows into `state.x`."""
        octets = self.packed.shape[1]
        triton_kernels.load_rows[(octets, state.groups, state.blocks)](
            self.packed, self.order, self.lengths, self.step, state.x, octets, self.order.shape[1],
            state.shape.sizes[0], state.batch, ROWS=state.rows, num_warps=state.warps,
        )  # fmt: skip


def _widen_all(groups: Sequence[KernelRows], inputs: int) -> list[NDArray[np.uint8]]:
    """Widen the rows of all groups; those that read the same rows share them: in a search, hundreds do."""
    widened: dict[int, NDArray[np.uint8]] = {}
    for rows in groups:
        if id(rows.packed) not in widened:
            widened[id(rows.packed)] = _widen(rows, inputs)
    return [widened[id(rows.packed)] for rows in groups]


def _widen(rows: KernelRows, inputs: int) -> NDArray[np.uint8]:
    """Return the packed bits of rows with more inputs, all true: complemented, such an input takes no part."""
    missing = inputs - rows.inputs
    if not missing:
        return rows.packed
    bits = np.unpackbits(rows.packed, axis=1, count=rows.inputs)
    return np.packbits(np.pad(bits, ((0, 0), (0, missing)), constant_values=1), axis=1)


def _power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()
