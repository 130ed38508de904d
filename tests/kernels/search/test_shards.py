"""The compiled search for bins gives what NumPy's gives, cuts and infinite numbers included."""

from __future__ import annotations

import numpy as np
import pytest

from conceptrules.kernels.search.passes import bin_numbers


@pytest.mark.parametrize("count", [0, 1, 2, 127, 128, 254, 255])
def test_bins_are_those_of_searchsorted(count: int) -> None:
    rng = np.random.default_rng(count)
    cuts = np.sort(rng.normal(size=count))
    numbers = np.concatenate([rng.normal(size=1000), cuts, np.nextafter(cuts, np.inf), [np.inf, -np.inf, 0.0, -0.0]])
    assert (bin_numbers(numbers, cuts) == np.searchsorted(cuts, numbers)).all()
    if count < 255:
        assert bin_numbers(np.array([np.nan]), cuts).tolist() == [count + 1]
