"""Keys of rows: a hash of their codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.compiling import kernel


@kernel()
def row_keys(codes: Any) -> Any:
    """Return a hash of each row (FNV-1a, then the last steps of SplitMix64), whatever its place in the table."""
    keys = np.empty(len(codes), np.uint64)
    for i in range(len(codes)):
        key = np.uint64(0xCBF29CE484222325)
        for j in range(codes.shape[1]):
            key = (key ^ np.uint64(codes[i, j])) * np.uint64(0x100000001B3)
        key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        keys[i] = key ^ (key >> np.uint64(31))
    return keys
