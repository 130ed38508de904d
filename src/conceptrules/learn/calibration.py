"""Honest probabilities: what the training rows promise, less the optimism that held-out rows show.

A network is right more often on the rows it was learned from than on others. By how much is seen on the networks that
were learned without the held-out rows: for each class that is answered, the shares of the true classes there, less
those on the rows these networks were learned from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.measurement import compute_reliability, merge_bins
from conceptrules.model.evaluation import Bits, PackedBits, class_words, decide_fired, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.statistics import with_statistics

Floats = NDArray[np.float64]


class Labelled(NamedTuple):
    """Rows whose classes are known."""

    bits: PackedBits
    """The bits of a network's predicates."""
    target: NDArray[np.int64]
    weight: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A network on the rows it was learned from, and on rows it never saw."""

    network: RuleNetwork
    """The network, with statistics of the rows it was learned from."""
    fired: Bits
    """Which classes fire on the rows it never saw."""
    target: NDArray[np.int64]
    weight: Floats
    trained: Floats
    """[answer, true class]: the weight of the rows it was learned from."""
    held: Floats
    """[answer, true class]: the weight of the rows it never saw."""


def compare(network: RuleNetwork, training: Labelled, held: Labelled) -> Comparison:
    """Return what a network does on the rows it was learned from, and on rows it never saw."""
    counted = with_statistics(network, *training)
    confusions = []
    for rows in (training, held):
        fired = unpack(class_words(network.levels, rows.bits))
        confusions.append(_confusion(decide_fired(network, fired), rows, len(network.classes)))
    return Comparison(counted, fired, held.target, held.weight, *confusions)


def optimism(comparisons: Sequence[Comparison]) -> Floats:
    """Return [answer, true class]: by how much the share on the training rows is above that on the others."""
    trained, held = (np.sum([getattr(one, name) for one in comparisons], axis=0) for name in ("trained", "held"))
    # An answer that the held-out rows hardly show is taken to be right about as often as on the training rows.
    shares = trained / np.maximum(trained.sum(axis=1, keepdims=True), 1e-300)
    seen = (held + shares) / (held.sum(axis=1, keepdims=True) + 1)
    difference: Floats = shares - seen
    difference[trained.sum(axis=1) == 0] = 0
    return difference


def calibrated(network: RuleNetwork, excess: Floats) -> RuleNetwork:
    """Return the network with its optimism in the statistics: probabilities are lowered by it, counts stay counts."""
    if network.statistics is None:
        return network
    found = tuple(tuple(row) for row in np.clip(excess, -1, 1).tolist())
    return replace(network, statistics=replace(network.statistics, optimism=found))


def held_out_reliability(comparisons: Sequence[Comparison]) -> tuple[tuple[float, float, float], ...]:
    """Return how far the probabilities can be believed on the held-out rows; the other splits correct each split."""
    return merge_bins(bin for number, one in enumerate(comparisons) for bin in _bins(one, _others(comparisons, number)))


def _others(comparisons: Sequence[Comparison], number: int) -> Sequence[Comparison]:
    return [*comparisons[:number], *comparisons[number + 1 :]] or comparisons


def _bins(one: Comparison, others: Sequence[Comparison]) -> Iterator[tuple[float, float, float]]:
    yield from compute_reliability(calibrated(one.network, optimism(others)), one.fired, one.target, one.weight)


def _confusion(decided: NDArray[np.intp], rows: Labelled, classes: int) -> Floats:
    counts: Floats = np.bincount(decided * classes + rows.target, rows.weight, classes**2).astype(np.float64)
    return counts.reshape(classes, classes)
