import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.shards import MaskedNetworks

def bin_numbers(numbers: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.uint8]: ...
def hash_codes(codes: NDArray[np.uint8]) -> NDArray[np.uint64]: ...
def add_confusion(
    codes: NDArray[np.uint8],
    target: NDArray[np.uint16],
    weight: NDArray[np.int64],
    key: NDArray[np.uint64],
    first_key: int,
    networks: MaskedNetworks,
    confusions: NDArray[np.int64],
) -> None: ...
