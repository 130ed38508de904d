"""The smallest of many hashes: they tell how many different ones there are, whatever the order in which they come."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
KEPT = 1 << 16
"""So many tell the number of different hashes to half a percent."""


@dataclass(slots=True, eq=False)
class SmallestHashes:
    """The smallest of the different hashes that were added, sorted."""

    kept: Hashes = field(default_factory=lambda: np.zeros(0, np.uint64))

    def add(self, hashes: Hashes) -> None:
        """Add hashes, in any order, of which some may be known already."""
        if len(self.kept) == KEPT:
            hashes = hashes[hashes < self.kept[-1]]
        if len(hashes):
            # NumPy's `unique` hashes whole numbers, which takes ten times as long as sorting where most are different.
            both = np.sort(np.concatenate([self.kept, hashes]))
            self.kept = both[np.append(True, both[1:] != both[:-1])][:KEPT].copy()

    @property
    def different(self) -> int:
        """How many different ones there are; an estimate where there are more than are kept."""
        return len(self.kept) if len(self.kept) < KEPT else round((KEPT - 1) * 2.0**64 / float(self.kept[-1]))
