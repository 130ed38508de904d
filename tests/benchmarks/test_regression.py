"""The records of tables with a number to predict."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.regression import measure

ENTRY = {"name": "homes", "continuous": ["area"], "discrete": ["garden"]}


def make_homes() -> tuple[pd.DataFrame, np.ndarray]:
    area = np.arange(60.0)
    return pd.DataFrame({"area": area, "garden": ["yes", "no"] * 30}), 100 + 50 * (area > 30)


@pytest.mark.parametrize("name", ["rules", "cart", "linear"])
def test_each_fold_is_measured(name: str) -> None:
    records = list(measure(ENTRY, *make_homes(), name))
    assert [record["fold"] for record in records] == [0, 1, 2, 3, 4]
    assert all(record["r2"] <= 1 and 1 <= record["columns"] <= 2 for record in records)
