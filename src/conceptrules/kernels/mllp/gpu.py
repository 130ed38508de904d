"""The version for a GPU: torch holds the state of a cohort (gpu_state.py), and triton_kernels.py updates it.

reference.py says what is computed. As on a CPU, only active weights are visited. A step is ten launches for all
networks together, recorded as a CUDA graph; the host does not wait for the device inside an epoch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from conceptrules.kernels.mllp import triton_kernels
from conceptrules.kernels.mllp.cohort import Floats, KernelRows, StepSettings
from conceptrules.kernels.mllp.gpu_state import TINY, CohortShape, DeviceState, NetworkSpec, RowSchedule

# Rows that are evaluated at a time, which bounds the memory that it takes.
EVALUATED_ROWS = 2048
# Weights that one program moves.
SPAN = 1024
# Steps of one launch, so that the host does not hold the device up.
STEPS_PER_LAUNCH = 10


class Trainer:
    """Trains a cohort on a device.

    `groups` are the rows that the networks learn from, and `seeds` one number for each group.
    """

    def __init__(
        self,
        networks: Sequence[NetworkSpec],
        weights: Sequence[Floats],
        groups: Sequence[KernelRows],
        seeds: Sequence[int],
        settings: StepSettings,
        device: str,
        min_steps: int = 1,
    ) -> None:
        self.networks, self.settings, self.device = tuple(networks), settings, torch.device(device)
        self.shape = CohortShape.around(networks)
        positions = {network.sizes: self.shape.positions(network.sizes) for network in networks}
        self.positions = [positions[network.sizes] for network in networks]
        classes = self._tensor([network.sizes[-1] for network in networks], torch.int32)
        self.rows = RowSchedule(groups, self.shape.sizes[0], settings.batch_size, min_steps, classes)
        self.group_of = self._tensor([network.group for network in networks], torch.int32)
        self.state = DeviceState(self.shape, len(networks), len(groups), self.rows.batch_size, self.device)
        self.rates = self._tensor([network.rate for network in networks], torch.float32)
        self.decays = self._tensor([network.l2 for network in networks], torch.float32)
        self.learning_rates = self._tensor([network.learning_rate for network in networks], torch.float32)
        self.scaled_rates = self.learning_rates.clone()
        self.weights = self._lay_out(weights, np.float32(0))
        self.weight_numbers = self._lay_out([np.arange(len(own), dtype=np.int32) for own in weights], np.int32(-1))
        self.moment, self.square = torch.zeros_like(self.weights), torch.zeros_like(self.weights)
        self.masked = self.weight_numbers < 0
        self.updates = torch.zeros_like(self.group_of)
        self.order_seeds = self._tensor([-seed for seed in seeds], torch.int64)
        self.mask_seeds = self._tensor([seeds[network.group] for network in networks], torch.int64)
        self.epochs = 0
        self._step, self._steps = self._record(1), self._record(STEPS_PER_LAUNCH)

    def epoch(self, scale: float) -> Tensor:
        """Train every network on its rows in a new order under a new mask, with learning rates multiplied by `scale`.

        Return the mean loss of each network, on the device.
        """
        with self.on_device():
            self.rows.shuffle(self.order_seeds, self.epochs)
            torch.mul(self.learning_rates, scale, out=self.scaled_rates)
            self.state.loss.zero_()
            self._draw_mask()
            rounded = self.weights > 0.5
            self.state.set_weights(torch.where(self.masked, rounded.float(), self.weights), ~self.masked | rounded)
            self.state.gradient.zero_()  # weights that are not visited get no gradient in this epoch
            for _ in range(self.rows.steps // STEPS_PER_LAUNCH):
                self._steps()
            for _ in range(self.rows.steps % STEPS_PER_LAUNCH):
                self._step()
            self.epochs += 1
            lengths = self.rows.lengths[self.group_of.long()]
            self.updates += -(-lengths // self.rows.batch_size)
            return self.state.loss.sum((1, 2)) / lengths

    def on_device(self) -> AbstractContextManager[Any]:
        """Make the device current: Triton launches there, wherever its arguments lie."""
        return torch.cuda.device(self.device) if self.device.type == "cuda" else nullcontext()

    def _draw_mask(self) -> None:
        """Draw which weights are rounded: one draw for the networks of a group that have the same sizes."""
        triton_kernels.draw_masks[(-(-self.shape.weights // SPAN), len(self.networks))](
            self.masked.view(torch.uint8), self.weight_numbers, self.rates, self.mask_seeds, self.epochs,
            self.shape.weights, SPAN=SPAN,
        )  # fmt: skip

    def _make_step(self) -> None:
        rows, state, settings = self.rows, self.state, self.settings
        rows.load(state)
        state.run(self.group_of, rows, learn=True)
        state.backprop(self.group_of)
        triton_kernels.adam[(-(-self.shape.weights // SPAN), len(self.networks))](
            self.weights, state.effective, self.moment, self.square, self.masked.view(torch.uint8), state.gradient,
            state.logs, state.first_gradient, self.scaled_rates, self.decays, self.updates, rows.step, rows.lengths,
            self.group_of, self.shape.weights, self.shape.weight_starts[1], state.batch, state.blocks, settings.beta1,
            settings.beta2, math.log(settings.beta1), math.log(settings.beta2), settings.epsilon, TINY, SPAN=SPAN,
        )  # fmt: skip
        rows.step.add_(1)

    def _record(self, steps: int) -> Callable[[], None]:
        """Return a function that makes `steps` steps in one launch.

        The steps made here, to compile and to record, change nothing: no group has rows in its order yet.
        """

        def run() -> None:
            for _ in range(steps):
                self._make_step()

        if self.device.type != "cuda":
            return run
        with self.on_device():
            self._make_step()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                run()
        return graph.replay  # type: ignore[no-any-return]

    def own_weights(self) -> list[Floats]:
        """Return the weights of each network, in its own sizes, on the host."""
        host = self.weights.cpu().numpy()
        return [host[k, positions] for k, positions in enumerate(self.positions)]

    def _lay_out(self, arrays: Sequence[NDArray[Any]], missing: np.generic) -> Tensor:
        """Return (K, weights) in the shape of the widest, with `missing` for weights that a network does not have."""
        flat = np.full((len(self.networks), self.shape.weights), missing)
        for k, positions in enumerate(self.positions):
            flat[k, positions] = arrays[k]
        return torch.from_numpy(flat).to(self.device)

    def _tensor(self, values: Sequence[float], kind: torch.dtype) -> Tensor:
        return torch.tensor(values, dtype=kind, device=self.device)


class Evaluator:
    """Evaluates the networks of a trainer on rows, group by group, on its device."""

    def __init__(self, trainer: Trainer, groups: Sequence[KernelRows]) -> None:
        self.trainer = trainer
        shape, networks = trainer.shape, len(trainer.networks)
        self.counts = [len(rows.target) for rows in groups]
        self.rows = RowSchedule(groups, shape.sizes[0], EVALUATED_ROWS, 1, trainer.rows.classes)
        for group, (base, end) in enumerate(pairwise(self.rows.bases)):
            self.rows.set_order(group, torch.arange(base, end, device=trainer.device))
        self.state = DeviceState(shape, networks, len(groups), self.rows.batch_size, trainer.device, learns=False)

    def score(self) -> Tensor:
        """Return the scores of the continuous networks: (networks, rows, classes), in the shape of the largest."""
        state, trainer = self.state, self.trainer
        with trainer.on_device():
            state.set_weights(trainer.weights, trainer.weights > 0)
        top = state.shape.node_starts[-2]

        def score_batch() -> Tensor:
            state.run(trainer.group_of, self.rows, learn=False)
            return 1 - state.value[:, top:].transpose(1, 2)

        return self._evaluate(score_batch)

    def fire(self) -> Tensor:
        """Return which classes fire when every weight is rounded, in the same shape.

        A rounded node is true where none of its inputs is, and a matrix product counts these.
        """
        shape, trainer = self.state.shape, self.trainer
        rounded = (trainer.weights > 0.5).half()
        group_of = trainer.group_of.long()

        def fire_batch() -> Tensor:
            x = self.state.x[group_of].half()
            for number in range(len(shape.sizes) - 1):
                x = (torch.bmm(shape.layer(rounded, number), x) == 0).half()
            return (x == 0).transpose(1, 2)

        return self._evaluate(fire_batch)

    def _evaluate(self, evaluate_batch: Callable[[], Tensor]) -> Tensor:
        self.rows.rewind()
        batches = []
        with self.trainer.on_device():
            for _ in range(self.rows.steps):
                self.rows.load(self.state)
                batches.append(evaluate_batch())
                self.rows.step.add_(1)
        return torch.cat(batches, 1)

    def to_host(self, answers: Tensor) -> list[NDArray[Any]]:
        """Return (rows, classes) of its own for each network."""
        host, networks = answers.cpu().numpy(), self.trainer.networks
        return [host[k, : self.counts[network.group], : network.sizes[-1]] for k, network in enumerate(networks)]
