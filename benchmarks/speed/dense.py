"""The paper's formula as dense PyTorch tensors: what one would write first, and what ours is compared with.

Conj(h, W) = prod_j (1 - W (1 - h)), Disj(h, W) = 1 - prod_j (1 - W h); autograd, Adam, Clip. The factors are laid out
(batch, outputs, inputs): of the three orders of these axes that were tried it is the fastest, with and without zeros.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from conceptrules.kernels.mllp.cohort import Cohort, Flags, KernelRows, StepSettings


def conjunction(h: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return torch.prod(1 - w * (1 - h[:, None, :]), dim=-1)


def disjunction(h: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return 1 - torch.prod(1 - w * h[:, None, :], dim=-1)


def forward(weights: list[torch.Tensor], h: torch.Tensor) -> torch.Tensor:
    """The scores (rows, classes) of a network that says rules, concepts, ..., rules, classes."""
    for depth, w in enumerate(weights):
        h = disjunction(h, w) if depth % 2 else conjunction(h, w)
    return h


class DenseTrainer:
    """Trains one network on rows held as float tensors."""

    def __init__(self, rows: KernelRows, sizes: tuple[int, ...], settings: StepSettings, device: str = "cpu") -> None:
        bits = np.unpackbits(rows.packed, axis=1, count=rows.inputs)
        self.bits = torch.from_numpy(bits.astype(np.float32)).to(device)
        self.wanted = torch.nn.functional.one_hot(torch.from_numpy(rows.target), sizes[-1]).float().to(device)
        self.row_weight = torch.from_numpy(rows.weight)[:, None].to(device)
        self.sizes, self.settings, self.device = sizes, settings, device

    def begin(self, cohort: Cohort, rate: float, member: int = 0) -> None:
        """Takes over the weights of a network, and Adam's moments."""
        betas, epsilon = (self.settings.beta1, self.settings.beta2), self.settings.epsilon
        weights, first, second = (self._layers(flat[member]) for flat in (cohort.weights, cohort.first, cohort.second))
        self.weights = [layer.requires_grad_() for layer in weights]
        self.adam = torch.optim.Adam(self.weights, lr=rate, betas=betas, eps=epsilon)
        for weight, average, square in zip(self.weights, first, second, strict=True):
            step = torch.tensor(float(cohort.steps))
            self.adam.state[weight] = {"step": step, "exp_avg": average, "exp_avg_sq": square}

    def epoch(self, masked: Flags, order: NDArray[np.int64]) -> float:
        """A pass over these rows; the weights in `masked` take part with the rounded value they have at the start."""
        masks = self._layers(masked)
        rounded = [(weight.detach() > 0.5).float() for weight in self.weights]
        total = torch.zeros((), device=self.device)
        for batch in torch.split(torch.from_numpy(order).to(self.device), self.settings.batch_size):
            total += self.step(batch, masks, rounded) * len(batch)
        return total.item() / len(order)

    def step(self, batch: torch.Tensor, masks: list[torch.Tensor], rounded: list[torch.Tensor]) -> torch.Tensor:
        self.adam.zero_grad()
        effective = list(map(torch.where, masks, rounded, self.weights))
        error = forward(effective, self.bits[batch]) - self.wanted[batch]
        loss = torch.mean(self.row_weight[batch] * error**2)
        loss.backward()
        with torch.no_grad():
            for weight, mask in zip(self.weights, masks, strict=True):
                weight.grad += self.settings.l2 * weight * ~mask
            self.adam.step()
            for weight in self.weights:
                weight.clamp_(0, 1)
        return loss.detach()

    def flat(self) -> NDArray[np.float32]:
        """The weights as a cohort has them."""
        return np.concatenate([weight.detach().cpu().numpy().ravel() for weight in self.weights])

    def _layers(self, flat: NDArray) -> list[torch.Tensor]:
        return [torch.from_numpy(layer[0].copy()).to(self.device) for layer in Cohort.layers(self.sizes, flat[None])]
