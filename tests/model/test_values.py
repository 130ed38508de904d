"""What one value is."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from conceptrules.model.values import is_missing


@pytest.mark.parametrize(
    "value", [None, np.nan, np.float32("nan"), np.datetime64("NaT"), pd.NA, pd.NaT, Decimal("NaN"), Decimal("sNaN")]
)
def test_what_is_missing(value: object) -> None:
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, "", "nan", False, np.inf, [], np.array([np.nan, 1.0])])
def test_what_is_not(value: object) -> None:
    assert not is_missing(value)
