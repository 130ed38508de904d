"""The discrete network on bits: the same layer repeated, on words of 64 rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.compiling import kernel
from conceptrules.kernels.mllp.cohort import Floats

Words = NDArray[np.uint64]


@kernel()
def _nor_layers(sizes: Any, weights: Any, inputs: Any) -> Any:
    value = np.zeros((sizes.sum(), inputs.shape[1]), np.uint64)
    value[: sizes[0]] = ~inputs
    node, below, k = sizes[0], 0, 0
    for layer in range(1, len(sizes)):
        for _ in range(sizes[layer]):
            for j in range(sizes[layer - 1]):
                if weights[k] > 0.5:
                    for word in range(inputs.shape[1]):
                        value[node, word] |= value[below + j, word]
                k += 1
            value[node] = ~value[node]
            node += 1
        below += sizes[layer - 1]
    return ~value[node - sizes[-1] :]


def fired(sizes: tuple[int, ...], weights: Floats, inputs: Words) -> Words:
    """Which classes fire, (classes, words), when every weight is rounded at 0.5; inputs are (predicates, words)."""
    words: Words = _nor_layers(np.asarray(sizes), weights, inputs)
    return words
