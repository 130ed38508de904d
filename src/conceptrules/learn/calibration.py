"""Honest probabilities: what the training rows promise, less what held-out rows show to be too good.

A network is right more often on the rows it was polished on than on others. By how much is seen on the networks that
were learned without the held-out rows: for each class that is answered, the shares of the true classes there, less
those on the rows these networks were learned from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.reliability import binned, reliability
from conceptrules.learn.examples import Examples
from conceptrules.model.evaluation import Bits, class_words, decide_fired, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.statistics import with_statistics

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A network on the rows it was learned from, and on rows it never saw."""

    network: RuleNetwork
    """With statistics of the rows it was learned from."""
    fired: Bits
    """On the rows it never saw."""
    target: NDArray[np.int64]
    weight: Floats
    trained: Floats
    """[answer, true class]: the rows it was learned from, by weight."""
    held: Floats
    """The same of the rows it never saw."""


def trial(network: RuleNetwork, training: Examples, held: Examples) -> Trial:
    counted = with_statistics(network, training.words, training.target, training.weight)
    confusions = []
    for rows in (training, held):
        fired = unpack(class_words(network.levels, rows.words))
        confusions.append(_confusion(decide_fired(network, fired), rows, len(network.classes)))
    return Trial(counted, fired, held.target, held.weight, *confusions)


def too_good(trials: Sequence[Trial]) -> Floats:
    """[answer, true class]: by how much the share on the training rows is above that on the others."""
    trained, held = (np.sum([getattr(one, name) for one in trials], axis=0) for name in ("trained", "held"))
    # An answer that the held-out rows hardly show is taken to be right about as often as on the training rows.
    shares = trained / np.maximum(trained.sum(axis=1, keepdims=True), 1e-300)
    seen = (held + shares) / (held.sum(axis=1, keepdims=True) + 1)
    difference: Floats = shares - seen
    difference[trained.sum(axis=1) == 0] = 0
    return difference


def calibrated(network: RuleNetwork, excess: Floats) -> RuleNetwork:
    """The network, whose statistics by pattern of firing classes are less what is too good. Their sums stay."""
    if network.statistics is None:
        return network
    patterns = []
    for fires, rows in network.statistics.patterns:
        answer = int(decide_fired(network, np.array([fires]))[0])
        shares = np.maximum(np.array(rows) / sum(rows) - excess[answer], 0)
        patterns.append((fires, tuple((shares / shares.sum() * sum(rows)).tolist())))
    return replace(network, statistics=replace(network.statistics, patterns=tuple(patterns)))


def judged(trials: Sequence[Trial]) -> tuple[tuple[float, float, float], ...]:
    """How far the probabilities can be believed, on the held-out rows; each split is corrected by the others."""
    return binned(bin for number, one in enumerate(trials) for bin in _bins(one, _others(trials, number)))


def _others(trials: Sequence[Trial], number: int) -> Sequence[Trial]:
    return [*trials[:number], *trials[number + 1 :]] or trials


def _bins(one: Trial, others: Sequence[Trial]) -> Iterator[tuple[float, float, float]]:
    yield from reliability(calibrated(one.network, too_good(others)), one.fired, one.target, one.weight)


def _confusion(decided: NDArray[np.intp], rows: Examples, classes: int) -> Floats:
    counts: Floats = np.bincount(decided * classes + rows.target, rows.weight, classes**2).astype(np.float64)
    return counts.reshape(classes, classes)
