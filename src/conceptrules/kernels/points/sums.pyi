import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

def add_to_bins(
    codes: NDArray[np.uint8], rows: NDArray[np.int32], figures: Floats, start: NDArray[np.int64], sums: Floats
) -> None: ...
def find_conditions(
    sums: Floats,
    start: NDArray[np.int64],
    bins: NDArray[np.int64],
    ordered: NDArray[np.int64],
    askable: NDArray[np.uint8],
    required: NDArray[np.int64],
    sign: int,
    slope: float,
    curvature: float,
    ridge: float,
    price: float,
    least: float,
    left: float,
    between: bool,
    largest: int,
    gains: Floats,
    forms: NDArray[np.int64],
) -> None: ...
def add_normal_equations(
    holds: NDArray[np.uint8],
    rules: NDArray[np.int64],
    slope: Floats,
    curvature: Floats,
    vector: Floats,
    matrix: Floats,
) -> None: ...
def add_weights(holds: NDArray[np.uint8], rules: NDArray[np.int64], weights: Floats, margins: Floats) -> None: ...
