"""Honest probabilities: those of the training rows, less the optimism that held-out rows reveal.

A network is right more often on the rows it was learned from than on others. The networks that were learned without the
held-out rows show by how much: for each answered class, the shares of the true classes on the rows that these networks
were learned from, less those on the held-out rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.explain.measurement import compute_reliability, merge_bins
from conceptrules.model.evaluation import Bits, PackedBits, class_words, decide_fired, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.statistics import with_statistics

Floats = NDArray[np.float64]


class LabelledRows(NamedTuple):
    """Rows whose classes are known."""

    bits: PackedBits
    """The bits of a network's predicates."""
    target: NDArray[np.int64]
    weight: Floats


@dataclass(frozen=True, slots=True, eq=False)
class RowComparison:
    """A network on the rows it was learned from, and on rows it never saw."""

    network: RuleNetwork
    """The network, with statistics of the rows it was learned from."""
    fired: Bits
    """Which classes fire on the rows it never saw."""
    target: NDArray[np.int64]
    weight: Floats
    trained: Floats
    """[answer, true class]: the weight of the rows it was learned from."""
    held_out: Floats
    """[answer, true class]: the weight of the rows it never saw."""


def compare_rows(network: RuleNetwork, training: LabelledRows, held_out: LabelledRows) -> RowComparison:
    """Return what a network does on the rows it was learned from, and on rows it never saw."""
    confusions = []
    for rows in (training, held_out):
        fired = unpack(class_words(network.levels, rows.bits))
        confusions.append(_count_confusion(decide_fired(network, fired), rows, len(network.classes)))
    return RowComparison(with_statistics(network, *training), fired, held_out.target, held_out.weight, *confusions)


def measure_optimism(comparisons: Sequence[RowComparison]) -> Floats:
    """Return [answer, true class]: how much larger the share is on the training rows than on the held-out rows."""
    trained = np.sum([comparison.trained for comparison in comparisons], axis=0)
    held_out = np.sum([comparison.held_out for comparison in comparisons], axis=0)
    # An answer that hardly occurs on the held-out rows is taken to be right about as often as on the training rows.
    promised = trained / np.maximum(trained.sum(axis=1, keepdims=True), 1e-300)
    observed = (held_out + promised) / (held_out.sum(axis=1, keepdims=True) + 1)
    optimism: Floats = promised - observed
    optimism[trained.sum(axis=1) == 0] = 0
    return optimism


def calibrate_network(network: RuleNetwork, optimism: Floats) -> RuleNetwork:
    """Return the network with its optimism in the statistics: it lowers the probabilities and leaves the counts."""
    if network.statistics is None:
        return network
    by_answer = tuple(tuple(row) for row in np.clip(optimism, -1, 1).tolist())
    return replace(network, statistics=replace(network.statistics, optimism=by_answer))


def measure_reliability(comparisons: Sequence[RowComparison]) -> tuple[tuple[float, float, float], ...]:
    """Return how reliable the probabilities are on the held-out rows; each fold is calibrated by the other folds."""
    bins: list[tuple[float, float, float]] = []
    for number, fold in enumerate(comparisons):
        rest = [*comparisons[:number], *comparisons[number + 1 :]] or comparisons
        network = calibrate_network(fold.network, measure_optimism(rest))
        bins += compute_reliability(network, fold.fired, fold.target, fold.weight)
    return merge_bins(bins)


def _count_confusion(decided: NDArray[np.intp], rows: LabelledRows, classes: int) -> Floats:
    counts: Floats = np.bincount(decided * classes + rows.target, rows.weight, classes**2).astype(np.float64)
    return counts.reshape(classes, classes)
