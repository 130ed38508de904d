"""Many networks of one depth side by side on a GPU, with the scores of both priorities at every look, made there too.

The engine of the library learns one priority and scores on the host, which a thousand networks would wait for. NumPy,
torch and Triton are all that this needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from benchmarks.paper.choice import COLUMNS, LOOK_EVERY, LOSS
from conceptrules.kernels.mllp import gpu
from conceptrules.kernels.mllp.cohort import KernelRows, StepSettings, initial_weights
from conceptrules.kernels.mllp.gpu_state import NetworkSpec
from conceptrules.learn.mllp.examples import Examples

BATCH, LEARNING_RATE, DECAY, DECAY_EVERY = 128, 0.005, 0.75, 100
"""The paper's."""


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """One network to train: the rows to learn from, those held out, if any, and where its chance comes from."""

    layers: tuple[int, ...]
    rate: float
    l2: float
    rows: Examples
    held: Examples | None
    classes: int
    seed: tuple[int, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.rows.inputs, *self.layers, self.classes)


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The look of a network that was best on its own training rows."""

    epoch: int
    score: float
    weights: NDArray[np.float32]
    priority: tuple[int, ...]
    default: int


class Cohort:
    """Networks that are trained in the same launches."""

    def __init__(self, trainings: Sequence[Training], min_steps: int, device: str) -> None:
        self.trainings, self.began = trainings, perf_counter()
        members, weights, seeds = [], [], []
        for group, one in enumerate(trainings):
            rng = np.random.default_rng(one.seed)
            members.append(NetworkSpec(one.sizes, one.rate, group, LEARNING_RATE, one.l2))
            weights.append(initial_weights(one.sizes, 1, rng)[0])
            seeds.append(int(rng.integers(2**62)))
        rows = [rows_of(one.rows) for one in trainings]
        self.trainer = gpu.Trainer(members, weights, rows, seeds, StepSettings(batch_size=BATCH), device, min_steps)
        self.judges = [Judge(self.trainer, [one.rows for one in trainings])]
        held = [one.held for one in trainings if one.held is not None]
        if held:
            self.judges.append(Judge(self.trainer, held))
        self.continuous = any(one.rate == 0 for one in trainings)
        self.epoch = 0

    def train(self, epochs: int) -> Iterator[Tensor]:
        """Train on, and give a look every so many epochs: (columns, networks)."""
        while self.epoch < epochs:
            for _ in range(min(LOOK_EVERY, epochs - self.epoch)):
                loss = self.trainer.epoch(DECAY ** (self.epoch // DECAY_EVERY))
                self.epoch += 1
            yield self._look(loss)

    def _look(self, loss: Tensor) -> Tensor:
        nothing = torch.full_like(loss, torch.nan)
        found = dict.fromkeys(COLUMNS, nothing)
        found |= {"loss": loss, "edges": (self.trainer.weights > 0.5).sum(1).float()}
        rule: Priority | None = None
        for prefix, judge in zip(("", "held_"), self.judges, strict=False):
            fired = judge.look.fire()
            rule = rule or judge.learn_priority(fired)
            found[f"{prefix}first"] = judge.f1(decided(fired, judge.first))
            found[f"{prefix}learned"] = judge.f1(decided(fired, rule))
            if self.continuous:
                found[f"{prefix}mllp"] = judge.f1(judge.look.score().argmax(2))
        return torch.stack([found[name] for name in COLUMNS])

    def train_and_keep(self, epochs: int, names: Sequence[str]) -> dict[str, Tensor]:
        """Train so long, and keep of each network and for each score the look of the second half that is best by it.

        Return the weights that are kept; `kept` reads them.
        """
        self.best = {name: torch.full_like(self.trainer.rates, -torch.inf) for name in names}
        self.when = {name: torch.zeros_like(self.trainer.group_of) for name in names}
        weights = {name: torch.zeros_like(self.trainer.weights) for name in names}
        for look in self.train(epochs):
            if self.epoch <= epochs / 2:
                continue
            for name in names:
                key = look[COLUMNS.index(name)] - LOSS * look[COLUMNS.index("loss")]
                better = key > self.best[name]
                self.best[name] = torch.where(better, key, self.best[name])
                self.when[name] = torch.where(better, self.epoch, self.when[name])
                torch.where(better[:, None], self.trainer.weights, weights[name], out=weights[name])
        return weights

    def kept(self, name: str, weights: Tensor) -> list[Kept]:
        """Return what was kept for a score, network by network; its weights become those of the cohort."""
        self.trainer.weights.copy_(weights)
        judge = self.judges[0]
        found = judge.learn_priority(judge.look.fire()) if name == "learned" else judge.first
        return [
            Kept(int(epoch), float(score), own, tuple(np.argsort(rank[: one.classes]).tolist()), int(default))
            for epoch, score, own, rank, default, one in zip(
                self.when[name].tolist(),
                self.best[name].tolist(),
                self.trainer.own_weights(),
                found.rank.cpu().numpy(),
                found.default.tolist(),
                self.trainings,
                strict=True,
            )
        ]

    def answers(self, tests: Sequence[Examples]) -> list[NDArray[np.uint8]]:
        """Return the answers of the continuous networks on other rows."""
        look = gpu.Evaluator(self.trainer, [rows_of(rows) for rows in tests])
        found = look.score().argmax(2).cpu().numpy().astype(np.uint8)
        return [found[k, : len(rows)] for k, rows in enumerate(tests)]


@dataclass(frozen=True, slots=True, eq=False)
class Priority:
    """For each network the place of every class in the order of winners, (networks, classes), and its default."""

    rank: Tensor
    default: Tensor


class Judge:
    """The rows that each network is scored on, as tensors: (networks, rows), with weight 0 past the last row."""

    def __init__(self, trainer: gpu.Trainer, rows: Sequence[Examples]) -> None:
        self.look = gpu.Evaluator(trainer, [rows_of(one) for one in rows])
        self.classes = trainer.shape.sizes[-1]
        longest = max(map(len, rows))
        target, weight = np.zeros((len(rows), longest), np.int64), np.zeros((len(rows), longest), np.float32)
        for k, one in enumerate(rows):
            target[k, : len(one)], weight[k, : len(one)] = one.target, one.weight
        self.target, self.weight = (torch.from_numpy(each).to(trainer.device) for each in (target, weight))
        self.share = self._by_class(self.target, self.weight)
        zeros = torch.zeros(len(rows), dtype=torch.int64, device=trainer.device)
        self.first = Priority(torch.arange(self.classes, device=trainer.device).expand(len(rows), -1), zeros)

    def _by_class(self, which: Tensor, weight: Tensor) -> Tensor:
        sums = torch.zeros((len(which), self.classes), dtype=torch.float64, device=which.device)
        return sums.scatter_add_(1, which, weight.double())

    def f1(self, answers: Tensor) -> Tensor:
        """The macro-F1 of each network, over the classes that occur in the rows or the answers."""
        answers = answers[:, : self.target.shape[1]]
        both = self.share + self._by_class(answers, self.weight)
        right = self._by_class(answers, self.weight * (answers == self.target))
        there = both > 0
        scores = torch.where(there, 2 * right / torch.where(there, both, 1), 0)
        return (scores.sum(1) / there.sum(1)).float()

    def learn_priority(self, fired: Tensor) -> Priority:
        """See `conceptrules.learn.mllp.extraction.rank_by_precision`."""
        fired = fired[:, : self.target.shape[1]]
        share = torch.where(self.share > 0, self.share, 1)
        cost = self.weight / share.float().gather(1, self.target)
        own = fired.gather(2, self.target[:, :, None])[:, :, 0]
        right = self._by_class(self.target, cost * own)
        covered = torch.stack([(cost * fired[:, :, c]).sum(1, dtype=torch.float64) for c in range(self.classes)], 1)
        precision = torch.where(covered > 0, right / torch.where(covered > 0, covered, 1), 0)
        silent = self._by_class(self.target, self.weight * ~fired.any(2))
        default = torch.where((silent.sum(1) > 0)[:, None], silent, self.share).argmax(1)
        order = torch.argsort(-precision, dim=1, stable=True)
        return Priority(torch.argsort(order, dim=1), default)


def decided(fired: Tensor, priority: Priority) -> Tensor:
    """The first class in the order of winners that fires, or the default."""
    classes = fired.shape[2]
    worth = (classes - priority.rank)[:, None, :].to(torch.int16)
    best = (fired * worth).max(2)
    return torch.where(best.values > 0, best.indices, priority.default[:, None])


def rows_of(examples: Examples) -> KernelRows:
    weight = (examples.weight / examples.weight.mean()).astype(np.float32)
    return KernelRows(examples.packed, examples.target, weight, examples.inputs)
