"""The confusion matrices of many networks in one pass over the rows.

The rules of all networks are bits of words: where a row has a value, a mask says which rules may still hold. The masks
of all columns together leave the rules that hold, and the rules of a network are in the order of the priority of their
classes, so that the first of them answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.compiling import kernel
from conceptrules.kernels.shards.values import WORD


def _places_of_bits() -> NDArray[np.int64]:
    places = np.zeros(WORD, np.int64)
    for bit in range(WORD):
        places[(_DE_BRUIJN << bit) % 2**WORD >> 58] = bit
    return places


_DE_BRUIJN = 0x03F79D71B4CB0A89
"""Shifted by 0 to 63, it has 64 different upper six bits, which tell the place of the only bit of a word."""
_PLACE = _places_of_bits()


@kernel()
def add_confusion(
    codes: Any, target: Any, weight: Any, key: Any, first_key: Any, networks: Any, confusions: Any
) -> Any:
    """Add the weight of each row whose key is `first_key` or above to `confusions[network, true class, answer]`."""
    words, count = networks.mask.shape[2], len(networks.default)
    holding = np.empty(words, np.uint64)
    for i in range(len(codes)):
        if key[i] < first_key:
            continue
        for w in range(words):
            holding[w] = np.uint64(0xFFFFFFFFFFFFFFFF)
        for j in range(len(networks.column)):
            mask = networks.mask[j, codes[i, networks.column[j]]]
            for w in range(words):
                holding[w] &= mask[w]
        for n in range(count):
            answer = networks.default[n]
            for w in range(networks.first[n], networks.first[n + 1]):
                if holding[w]:
                    only = holding[w] & (~holding[w] + np.uint64(1))
                    place = _PLACE[(only * np.uint64(_DE_BRUIJN)) >> np.uint64(58)]
                    answer = networks.owner[WORD * w + place]
                    break
            confusions[n, target[i], answer] += weight[i]
