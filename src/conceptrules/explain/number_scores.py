"""How good a network that predicts a number is on rows whose numbers are known, beside always answering the mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import align_columns, plural
from conceptrules.tables.labels import check_numbers
from conceptrules.tables.prediction import find_scores, predict
from conceptrules.tables.table import open_table


@dataclass(frozen=True, slots=True)
class NumberEvaluation:
    """Standard metrics of predicted numbers. `print` shows them as text."""

    rows: int
    r2: float | None
    """The share of the squared error of the mean that the predictions take away; None where all numbers are equal."""
    rmse: float
    """The root of the mean squared error."""
    mae: float
    """The mean absolute error."""
    mean_rmse: float
    """The root of the mean squared error of always answering the mean of these rows."""
    mean_mae: float
    """The mean absolute error of that answer."""
    different: int
    """How many different numbers were predicted."""

    def __str__(self) -> str:
        r2 = "-" if self.r2 is None else f"{self.r2:.3f}"
        lines = [
            ["", "rules", "always the mean"],
            ["R2", r2, "0.000"],
            ["RMSE", f"{self.rmse:.6g}", f"{self.mean_rmse:.6g}"],
            ["MAE", f"{self.mae:.6g}", f"{self.mean_mae:.6g}"],
        ]
        return f"{plural(self.rows, 'row')}, {plural(self.different, 'different prediction')}\n\n{align_columns(lines)}"


def evaluate_numbers(network: RuleNetwork, table: Any, numbers: Any) -> NumberEvaluation:
    """Return the metrics of a network that predicts a number."""
    opened, truth = open_table(table), check_numbers(numbers)
    if len(truth) != opened.rows or not len(truth):
        raise InputError(f"the table has {opened.rows} rows, but y has {len(truth)}; give one number for each row")
    predicted = predict(network, opened)
    # Squares of numbers in units of the largest one neither overflow nor vanish.
    unit = float(np.abs(np.concatenate([truth, predicted])).max()) or 1.0
    errors, deviations = (truth / unit - predicted / unit), truth / unit - np.mean(truth / unit)
    constant = bool((truth == truth[0]).all())
    return NumberEvaluation(
        rows=len(truth),
        r2=None if constant else 1 - float((errors @ errors) / (deviations @ deviations)),
        rmse=_root_mean_square(errors) * unit,
        mae=float(np.abs(errors).mean()) * unit,
        mean_rmse=_root_mean_square(deviations) * unit,
        mean_mae=float(np.abs(deviations).mean()) * unit,
        different=len(np.unique(find_scores(network, opened))),
    )


def _root_mean_square(errors: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(errors**2)))
