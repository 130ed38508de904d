"""The error of the discrete network, in the gradient of the continuous one.

The discrete network has the masked weights as they are, and the others rounded at 0.5. A strip of rows is one word, so
that it takes little time beside the continuous one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.mllp.loops import ONE, TWO, compiled
from conceptrules.kernels.mllp.vectors import LANES, load, set_bits

HALF, DARK, LIGHT = np.float32(0.5), np.uint32(0), np.uint32(1)


@compiled
def graft_error(sizes: Any, visits: Any, weights: Any, rows: Any, batch: Any, size: int, graft: Any, work: Any) -> None:
    """Writes the gradient at the class nodes anew: a part `graft` of the error is the discrete network's."""
    _, target, weight = rows
    value, d, words = work.value, work.d, work.words
    top, classes = sizes[:-1].sum(), sizes[-1]
    _run(-(-len(batch) // LANES), sizes, visits, weights, value, words)
    for b in range(len(batch)):
        scale = TWO * weight[batch[b]] / np.float32(size * classes)
        strip, place = b // LANES, b % LANES
        for c in range(classes):
            wanted = np.float32(target[batch[b]] == c)
            continuous = (ONE - value[strip, top + c, place]) - wanted
            discrete = np.float32(~words[top + c, strip] >> np.uint32(place) & LIGHT) - wanted
            d[strip, top + c, place] = -((ONE - graft) * continuous + graft * discrete) * scale


@compiled
def _run(strips: int, sizes: Any, visits: Any, weights: Any, value: Any, words: Any) -> None:
    """The words of every node that is needed."""
    needed, one_first, one_source = visits.needed, visits.one_first, visits.one_source
    first, source = visits.first, visits.source
    _load(strips, sizes[0], value, words)
    for node in range(sizes[0], len(needed)):
        if needed[node]:
            words[node] = DARK
            for t in range(one_first[node], one_first[node + 1]):
                _light(strips, words, node, one_source[t])
            for t in range(first[node], first[node + 1]):
                if weights[t] > HALF:
                    _light(strips, words, node, source[t])
            for strip in range(strips):
                words[node, strip] = ~words[node, strip]


@compiled
def _load(strips: int, inputs: int, value: Any, words: Any) -> None:
    for strip in range(strips):
        for j in range(inputs):
            words[j, strip] = set_bits(load(value, strip, j))


@compiled
def _light(strips: int, words: Any, node: int, below: int) -> None:
    for strip in range(strips):
        words[node, strip] |= words[below, strip]
