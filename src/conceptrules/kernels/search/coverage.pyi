import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Rules

def count_rules(codes: NDArray[np.uint8], rules: Rules, used: int, counts: NDArray[np.int16]) -> None: ...
