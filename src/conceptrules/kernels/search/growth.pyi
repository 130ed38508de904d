import numpy as np
from numpy.typing import NDArray

def edges_of(allowed: NDArray[np.uint8], bins: int, ordered: int) -> int: ...
