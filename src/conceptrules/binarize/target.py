"""The classes of the rows, as what learning from a column looks at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Target:
    """What the cut points are to tell apart: class codes, and the weights of the rows."""

    codes: NDArray[np.intp]
    weight: NDArray[np.float64]
    n_classes: int

    def take(self, rows: NDArray[np.intp]) -> Target:
        return Target(self.codes[rows], self.weight[rows], self.n_classes)
