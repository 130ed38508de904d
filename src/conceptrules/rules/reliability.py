"""How far the probabilities that a network states can be believed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conceptrules.rules.evaluate import Bits, winners
from conceptrules.rules.measure import probabilities
from conceptrules.rules.network import RuleNetwork

Floats = NDArray[np.float64]
_BINS = 10


def reliability(
    network: RuleNetwork, fired: Bits, target: NDArray[np.integer], weight: Floats
) -> tuple[tuple[float, float, float], ...]:
    """Rows in bins by the probability stated for the answer: (its mean, the share that was right, the rows).

    Bins are tenths; those without rows are left out.
    """
    decided = winners(network, fired)
    stated = probabilities(network, fired)[np.arange(len(fired)), decided]
    place = np.minimum((stated * _BINS).astype(np.intp), _BINS - 1)
    rows, means, right = (
        np.bincount(place, weight * each, minlength=_BINS) for each in (np.ones(len(fired)), stated, decided == target)
    )
    full = np.flatnonzero(rows)
    return tuple((float(means[i] / rows[i]), float(right[i] / rows[i]), float(rows[i])) for i in full)
