"""A recipe and examples to the network that is best on the validation rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from conceptrules.kernels import bits, cpu
from conceptrules.kernels.cohort import Floats
from conceptrules.learn.descent import Epoch, descend
from conceptrules.learn.examples import Bits, Examples, Targets, Weights, joined, with_negations
from conceptrules.learn.recipe import Recipe
from conceptrules.learn.winners import WINNERS, macro_f1
from conceptrules.rules.evaluate import Words, first_firing, unpack


@dataclass(frozen=True, slots=True)
class Score:
    """One network of the cohort at one snapshot: a line of the history."""

    rate: float
    epoch: int
    loss: float
    mllp_f1: float
    """Macro-F1 of the continuous network on the validation rows."""
    crs_f1: float
    """The same of the rules."""
    training_f1: float
    """The same of the rules on the training rows."""
    edges: int
    """Of the rules, before simplification."""

    @property
    def rank(self) -> tuple[float, float, int]:
        """What is best: the validation rows decide; where they see no difference, the training rows; then brevity."""
        return (self.crs_f1, self.training_f1, -self.edges)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One network of the cohort at one moment: its weights, who wins (indices of classes), and how good it is."""

    sizes: tuple[int, ...]
    weights: Floats
    priority: tuple[int, ...]
    default: int
    score: Score


Watch = Callable[[list[Score]], None]


def fit(
    recipe: Recipe,
    training: Examples,
    validation: Examples,
    class_weight: Weights,
    rng: np.random.Generator,
    executor: Executor,
    watch: Watch,
) -> Snapshot:
    """The best network of all rates and epochs on the validation rows. `watch` sees every score."""
    if recipe.negation:
        training, validation = with_negations(training), with_negations(validation)
    best = _best(train(recipe, training, validation, class_weight, rng, executor), recipe.patience, watch)
    if not recipe.refit:
        return best
    # The epoch that was best from one start says little about another, so it is chosen anew: by the rows trained on,
    # since no others are left.
    again, rows = replace(recipe, binarization_rate=(best.score.rate,)), joined(training, validation)
    try:
        return _best(train(again, rows, rows, class_weight, rng, executor), recipe.patience, watch)
    except KeyboardInterrupt:
        return _interrupted(best)


def _best(snapshots: Iterable[list[Snapshot]], patience: int | None, watch: Watch) -> Snapshot:
    """Ctrl-C ends the training and keeps the best so far."""
    best: Snapshot | None = None
    try:
        for cohort in snapshots:
            watch([snapshot.score for snapshot in cohort])
            best = max([*([best] if best else []), *cohort], key=lambda snapshot: snapshot.score.rank)
            if patience is not None and cohort[0].score.epoch - best.score.epoch >= patience:
                break
    except KeyboardInterrupt:
        if best is None:
            raise
        return _interrupted(best)
    assert best is not None, "a recipe has at least one epoch"
    return best


def _interrupted(best: Snapshot) -> Snapshot:
    epoch = best.score.epoch
    warnings.warn(f"training was interrupted; the best network so far is kept (epoch {epoch})", stacklevel=2)
    return best


def train(
    recipe: Recipe,
    training: Examples,
    validation: Examples,
    class_weight: Weights,
    rng: np.random.Generator,
    executor: Executor,
) -> Iterator[list[Snapshot]]:
    """Every so many epochs, one snapshot for each rate."""
    judge = Judge(recipe, training, validation, class_weight)
    weighted = replace(training, weight=training.weight * class_weight[training.target])
    for epoch in descend(recipe, len(class_weight), weighted, rng, executor):
        if epoch.number % recipe.snapshot_every == 0 or epoch.number == recipe.max_epochs:
            yield judge.snapshots(epoch, executor)


class Judge:
    """Scores the networks of a snapshot on training and validation rows, packed once."""

    def __init__(self, recipe: Recipe, training: Examples, validation: Examples, class_weight: Weights) -> None:
        self.rates, self.who_wins = recipe.binarization_rate, WINNERS[recipe.priority]
        self.training, self.validation, self.class_weight = training, validation, class_weight
        self.training_words, self.validation_words = training.words, validation.words
        self.validation_octets = validation.packed

    def snapshots(self, epoch: Epoch, executor: Executor) -> list[Snapshot]:
        continuous = cpu.forward(epoch.cohort, self.validation_octets, executor).argmax(axis=2)
        return [self._snapshot(epoch, k, rate, continuous[k]) for k, rate in enumerate(self.rates)]

    def _snapshot(self, epoch: Epoch, k: int, rate: float, continuous: Targets) -> Snapshot:
        sizes, weights = epoch.cohort.sizes, epoch.cohort.weights[k].copy()
        fired = _fired(sizes, weights, self.training_words)
        priority, default = self.who_wins(fired, self.training, self.class_weight)
        decided = first_firing(_fired(sizes, weights, self.validation_words), priority, default)
        score = Score(
            rate=rate,
            epoch=epoch.number,
            loss=float(epoch.loss[k]),
            mllp_f1=macro_f1(continuous, self.validation, sizes[-1]),
            crs_f1=macro_f1(decided, self.validation, sizes[-1]),
            training_f1=macro_f1(first_firing(fired, priority, default), self.training, sizes[-1]),
            edges=int(np.count_nonzero(weights > 0.5)),
        )
        return Snapshot(sizes, weights, priority, default, score)


def _fired(sizes: tuple[int, ...], weights: Floats, inputs: Words) -> Bits:
    return unpack(Words(bits.fired(sizes, weights, inputs.words), inputs.rows))
