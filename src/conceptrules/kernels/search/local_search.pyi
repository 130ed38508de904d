import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Columns, Limits, Rows, Rules

def search(
    rows: Rows,
    columns: Columns,
    limits: Limits,
    rules: Rules,
    used: int,
    order: NDArray[np.int64],
    default: int,
    random_state: NDArray[np.uint64],
) -> tuple[int, int, float, float]: ...
