"""How far the probabilities that a network states can be believed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.evaluation import Bits, decide_fired
from conceptrules.model.network import RuleNetwork
from conceptrules.model.statistics import probabilities

Floats = NDArray[np.float64]
_BINS = 10


def reliability(
    network: RuleNetwork, fired: Bits, target: NDArray[np.integer], weight: Floats
) -> tuple[tuple[float, float, float], ...]:
    """Return bins of rows by the probability stated for the answer: (its mean, the share that was right, the rows).

    Bins are tenths; those without rows are left out.
    """
    decided = decide_fired(network, fired)
    stated = probabilities(network, fired)[np.arange(len(fired)), decided]
    place = np.minimum((stated * _BINS).astype(np.intp), _BINS - 1)
    rows, means, right = (
        np.bincount(place, weight * each, minlength=_BINS) for each in (np.ones(len(fired)), stated, decided == target)
    )
    full = np.flatnonzero(rows)
    return tuple((float(means[i] / rows[i]), float(right[i] / rows[i]), float(rows[i])) for i in full)


def binned(parts: Iterable[tuple[float, float, float]]) -> tuple[tuple[float, float, float], ...]:
    """Return the bins of several networks, those of the same tenth as one."""
    found: dict[int, list[tuple[float, float, float]]] = defaultdict(list)
    for stated, right, rows in parts:
        found[min(int(stated * _BINS), _BINS - 1)].append((stated * rows, right * rows, rows))
    sums = ([sum(column) for column in zip(*found[place], strict=True)] for place in sorted(found))
    return tuple((stated / rows, right / rows, rows) for stated, right, rows in sums)
