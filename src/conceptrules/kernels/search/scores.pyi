import numpy as np
from numpy.typing import NDArray

F1_MACRO: int
ACCURACY: int
BALANCED_ACCURACY: int
NEG_LOG_LOSS: int

def score_of(confusion: NDArray[np.float64], scoring: int) -> float: ...
def slopes_of(confusion: NDArray[np.float64], scoring: int, slopes: NDArray[np.float64]) -> None: ...
