"""The version for a GPU: torch holds the state of a cohort (states.py), the Triton kernels in warps.py work on it.

reference.py says what is computed. As on a CPU, only weights that matter are visited. A step is ten launches for all
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

from conceptrules.kernels.mllp import warps
from conceptrules.kernels.mllp.cohort import Cohort, Flags, Floats, Rows, Settings
from conceptrules.kernels.mllp.states import TINY, Groups, Member, Shape, State

# Rows of a look at many: what that takes of memory is bounded.
LOOK_ROWS = 2048
# Weights that one program moves.
SPAN = 1024
# Steps of one launch, so that the host does not hold the device up.
TOGETHER = 10


class Trainer:
    """A cohort on a device. `groups` are the rows that its members learn from, `seeds` one number for each of them."""

    def __init__(
        self,
        members: Sequence[Member],
        weights: Sequence[Floats],
        groups: Sequence[Rows],
        seeds: Sequence[int],
        settings: Settings,
        device: str,
        min_steps: int = 1,
    ) -> None:
        self.members, self.settings, self.device = tuple(members), settings, torch.device(device)
        self.shape = Shape.around(members)
        places = {member.sizes: self.shape.places(member.sizes) for member in members}
        self.places = [places[member.sizes] for member in members]
        classes = self._whole([member.sizes[-1] for member in members])
        self.groups = Groups(groups, self.shape.sizes[0], settings.batch_size, min_steps, classes)
        self.group_of = self._whole([member.group for member in members])
        self.state = State(self.shape, len(members), len(groups), self.groups.size, self.device)
        self.rates = self._floats([member.rate for member in members])
        self.decays = self._floats([member.l2 for member in members])
        self.learning_rates = self._floats([member.learning_rate for member in members])
        self.scaled_rates = self.learning_rates.clone()
        self.weights = self._laid_out(weights, np.float32(0))
        self.own = self._laid_out([np.arange(len(own), dtype=np.int32) for own in weights], np.int32(-1))
        self.moment, self.square = torch.zeros_like(self.weights), torch.zeros_like(self.weights)
        self.masked = self.own < 0
        self.updates = torch.zeros_like(self.group_of)
        self.order_seeds, self.mask_seeds = (
            torch.tensor(each, dtype=torch.int64, device=self.device)
            for each in ([-seed for seed in seeds], [seeds[member.group] for member in members])
        )
        self.epochs = 0
        self._step, self._steps = self._recorded(1), self._recorded(TOGETHER)

    def epoch(self, scale: float) -> Tensor:
        """Train every network on its rows in a new order under a new mask, learning rates multiplied by `scale`.

        Return the mean loss of each network, on the device.
        """
        with self.here():
            self.groups.shuffle(self.order_seeds, self.epochs)
            self.begin_epoch(scale)
            self._draw_mask()
            self.epochs += 1
            self.run(self.groups.steps)
            return self.end_epoch()

    def here(self) -> AbstractContextManager[Any]:
        """Triton launches on the device that is the current one, whatever its arguments lie on."""
        return torch.cuda.device(self.device) if self.device.type == "cuda" else nullcontext()

    def begin_epoch(self, scale: float) -> None:
        torch.mul(self.learning_rates, scale, out=self.scaled_rates)
        self.state.loss.zero_()

    def end_epoch(self) -> Tensor:
        lengths = self.groups.batch.lengths[self.group_of.long()]
        self.updates += -(-lengths // self.groups.size)
        return self.state.loss.sum((1, 2)) / lengths

    def _draw_mask(self) -> None:
        """Draw which weights are rounded from now on: one draw for the members of a group that have the same sizes."""
        warps.draw_masks[(-(-self.shape.weights // SPAN), len(self.members))](
            self.masked.view(torch.uint8), self.own, self.rates, self.mask_seeds, self.epochs, self.shape.weights,
            SPAN=SPAN,
        )  # fmt: skip
        self.begin_mask()

    def begin_mask(self) -> None:
        """Make the lists for the mask that is there now."""
        rounded = self.weights > 0.5
        self.state.take(torch.where(self.masked, rounded.float(), self.weights))
        self.state.visit(~self.masked | rounded)
        self.state.gradient.zero_()  # weights that are not visited get no gradient until the next mask

    def run(self, steps: int) -> None:
        for _ in range(steps // TOGETHER):
            self._steps()
        for _ in range(steps % TOGETHER):
            self._step()

    def _one_step(self) -> None:
        batch, state, settings = self.groups.batch, self.state, self.settings
        batch.load(state)
        state.run(self.group_of, batch, learn=True)
        state.back(self.group_of)
        warps.adam[(-(-self.shape.weights // SPAN), len(self.members))](
            self.weights, state.effective, self.moment, self.square, self.masked.view(torch.uint8), state.gradient,
            state.logs, state.first_gradient, self.scaled_rates, self.decays, self.updates, batch.step, batch.lengths,
            self.group_of, self.shape.weights, self.shape.starts[1], state.batch, state.blocks, settings.beta1,
            settings.beta2, math.log(settings.beta1), math.log(settings.beta2), settings.epsilon, TINY, SPAN=SPAN,
        )  # fmt: skip
        batch.step.add_(1)

    def _recorded(self, steps: int) -> Callable[[], None]:
        """So many steps as one launch. Those before recording change nothing: no group has rows in its order yet."""

        def run() -> None:
            for _ in range(steps):
                self._one_step()

        if self.device.type != "cuda":
            return run
        with self.here():
            self._one_step()  # compiles
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                run()
        return graph.replay  # type: ignore[no-any-return]

    def own_weights(self) -> list[Floats]:
        """Return the weights of each network, in its own sizes, on the host."""
        host = self.weights.cpu().numpy()
        return [host[k, places] for k, places in enumerate(self.places)]

    def _laid_out(self, own: Sequence[NDArray[Any]], nothing: np.generic) -> Tensor:
        """(K, weights) in the shape of the widest; `nothing` is for what a network does not have."""
        flat = np.full((len(self.members), self.shape.weights), nothing)
        for k, places in enumerate(self.places):
            flat[k, places] = own[k]
        return torch.from_numpy(flat).to(self.device)

    def _whole(self, values: Sequence[int]) -> Tensor:
        return torch.tensor(values, dtype=torch.int32, device=self.device)

    def _floats(self, values: Sequence[float]) -> Tensor:
        return torch.tensor(values, dtype=torch.float32, device=self.device)


class Look:
    """Rows that a cohort is judged on, group by group, on the device of its trainer."""

    def __init__(self, trainer: Trainer, groups: Sequence[Rows]) -> None:
        self.trainer = trainer
        shape, networks = trainer.shape, len(trainer.members)
        self.rows = [len(rows.target) for rows in groups]
        self.groups = Groups(groups, shape.sizes[0], LOOK_ROWS, 1, trainer.groups.batch.classes)
        for group, (base, end) in enumerate(pairwise(self.groups.bases)):
            self.groups.take(group, torch.arange(base, end, device=trainer.device))
        self.state = State(shape, networks, len(groups), self.groups.size, trainer.device, learns=False)

    def scores(self) -> list[Floats]:
        """Return the scores of the continuous networks on their rows: (rows, classes) for each network."""
        return self._own(self.scores_together())

    def scores_together(self) -> Tensor:
        """Return the same on the device, (networks, rows, classes), in the shape of the largest."""
        state, trainer = self.state, self.trainer
        state.take(trainer.weights)
        with trainer.here():
            state.visit(trainer.weights > 0)
        top = self.state.shape.firsts[-2]

        def scores() -> Tensor:
            state.run(trainer.group_of, self.groups.batch, learn=False)
            return 1 - state.value[:, top:].transpose(1, 2)

        return self._all(scores)

    def fired(self) -> list[Flags]:
        """Return which classes fire on each row when every weight is rounded: (rows, classes) for each network."""
        return self._own(self.fired_together())

    def fired_together(self) -> Tensor:
        """Return the same on the device, (networks, rows, classes), in the shape of the largest.

        A rounded node is true where the number of its inputs that are true is 0, which a matrix product counts.
        """
        shape, trainer = self.state.shape, self.trainer
        rounded = (trainer.weights > 0.5).half()
        group_of = trainer.group_of.long()

        def classes() -> Tensor:
            x = self.state.x[group_of].half()
            for number in range(len(shape.sizes) - 1):
                x = (torch.bmm(shape.layer(rounded, number), x) == 0).half()
            return (x == 0).transpose(1, 2)

        return self._all(classes)

    def _all(self, answers: Callable[[], Tensor]) -> Tensor:
        """Return what `answers` says of the rows, which come in parts."""
        self.groups.begin()
        parts = []
        with self.trainer.here():
            for _ in range(self.groups.steps):
                self.groups.batch.load(self.state)
                parts.append(answers())
                self.groups.batch.step.add_(1)
        return torch.cat(parts, 1)

    def _own(self, answers: Tensor) -> list[NDArray[Any]]:
        """Return for each network the answers for its own rows and classes, on the host."""
        host = answers.cpu().numpy()
        return [host[k, : self.rows[member.group], : member.sizes[-1]] for k, member in enumerate(self.trainer.members)]


def none_of(x: Floats, w: Floats, device: str) -> Floats:
    """See reference.none_of."""
    y: Floats = _layer(x, w, device).value[:, x.shape[1] :].cpu().numpy()
    return y


def none_of_gradient(x: Floats, w: Floats, dy: Floats, device: str) -> tuple[Floats, Floats]:
    """See reference.none_of_gradient."""
    state, inputs = _layer(x, w, device), x.shape[1]
    towards = -torch.from_numpy(dy).to(device)
    state.towards[:, inputs:] = towards * state.value[:, inputs:]
    state.towards_one[:, inputs:] = towards * state.others[:, inputs:]
    state.others[:, :inputs] = 1  # so that what goes further down is the gradient itself
    state.back_layer(1, state.self_of)
    dw = state.shape.layer(state.gradient.sum(0), 1)
    return -state.towards_one[:, :inputs].cpu().numpy(), dw.cpu().numpy()


def epoch(
    cohort: Cohort, masked: Flags, rows: Rows, order: NDArray[np.int64], rate: float, settings: Settings, device: str
) -> Floats:
    """See reference.epoch: the same mask, the same order."""
    members = [Member(cohort.sizes, 0.0, 0, rate, settings.l2) for _ in cohort.weights]
    trainer = Trainer(members, list(cohort.weights), [rows], [0], settings, device)
    trainer.moment.copy_(torch.from_numpy(cohort.first))
    trainer.square.copy_(torch.from_numpy(cohort.second))
    trainer.updates.fill_(cohort.steps)
    trainer.masked.copy_(torch.from_numpy(masked))
    trainer.groups.take(0, torch.from_numpy(order).to(trainer.device))
    trainer.groups.begin()
    trainer.begin_epoch(1.0)
    with trainer.here():
        trainer.begin_mask()
        trainer.run(trainer.groups.steps)
    loss: Floats = trainer.end_epoch().cpu().numpy()
    arrays, tensors = (cohort.weights, cohort.first, cohort.second), (trainer.weights, trainer.moment, trainer.square)
    for array, tensor in zip(arrays, tensors, strict=True):
        array[:] = tensor.cpu().numpy()
    cohort.steps += trainer.groups.steps
    return loss


def forward(cohort: Cohort, packed: NDArray[np.uint8], device: str) -> Floats:
    """See reference.forward."""
    rows = Rows(packed, np.zeros(len(packed), np.int64), np.ones(len(packed), np.float32), cohort.sizes[0])
    members = [Member(cohort.sizes, 0.0, 0, 0.0, 0.0) for _ in cohort.weights]
    trainer = Trainer(members, list(cohort.weights), [rows], [0], Settings(), device)
    return np.asarray(Look(trainer, [rows]).scores())


def _layer(x: Floats, w: Floats, device: str) -> State:
    """The second layer of networks whose first has given x; so that both its gradients are made."""
    networks, outputs, inputs = w.shape
    state = State(Shape((1, inputs, outputs)), networks, 1, x.shape[2], torch.device(device))
    state.value[:, :inputs] = torch.from_numpy(x)
    state.effective[:, inputs:] = torch.from_numpy(w.reshape(networks, -1))
    every = torch.ones_like(state.effective, dtype=torch.bool)
    state.visit(every)
    nothing = Rows(np.zeros((1, 1), np.uint8), np.zeros(1, np.int64), np.ones(1, np.float32), 1)
    groups = Groups([nothing], 1, 1, 1, state.self_of)
    state.run_layer(1, state.self_of, groups.batch, last=False)
    return state
