"""Intervals of predicted numbers, from the errors on the rows that the folds held out, which the model file keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.tables.prediction import predict

Floats = NDArray[np.float64]


def predict_interval(network: RuleNetwork, table: Any, coverage: float = 0.9) -> Floats:
    """Return the ends of an interval for the number of each row: the function behind `RuleNetwork.predict_interval`."""
    errors = find_errors(network, coverage)
    return widen(network, predict(network, table), *find_ends(errors, coverage))


def widen(network: RuleNetwork, predicted: Floats, low: float, high: float) -> Floats:
    """Return the intervals around predictions, between these two errors."""
    assert network.head is not None
    predicted, ends = predicted[:, None], np.array([low, high])
    if network.head.link == "log":
        ends = np.maximum(np.sqrt(predicted) * ends, -predicted)
    intervals: Floats = predicted + ends
    return intervals


def find_errors(network: RuleNetwork, coverage: float) -> Floats:
    """Return the quantiles of the errors on the held-out rows of each fold: [fold, quantile]."""
    if network.classes:
        raise InputError("intervals are of numbers, and this network predicts a class")
    if not 0 < coverage < 1:
        raise InputError(f"coverage is {coverage!r}; give a share between 0 and 1, such as 0.9")
    if network.training is None or not network.training.errors:
        raise InputError(
            "there are no held-out rows to take intervals from; fit the model on more rows, or undo its edits"
        )
    return np.array(network.training.errors)


def find_ends(errors: Floats, coverage: float) -> tuple[float, float]:
    """Return the quantiles of errors between which this share of them is."""
    low, high = np.quantile(errors, [(1 - coverage) / 2, (1 + coverage) / 2])
    return float(low), float(high)
