"""How good a network that predicts a number is on rows whose numbers are known, beside constant answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import Bits, layers, unpack
from conceptrules.model.network import RuleNetwork
from conceptrules.model.scoring import score_numbers, score_words
from conceptrules.model.text import align_columns, percent, plural, rule_text
from conceptrules.tables.prediction import predict
from conceptrules.tables.table import count_unseen, open_table, read_used_bits

Floats = NDArray[np.float64]
COVERAGE = 0.9
"""The share of numbers that intervals are to hold where nobody asks for another."""
_GROUPS = 12  # of rows with about the same prediction
_RESIDUALS = 25  # bars of their distribution, which ends at the outermost two in a hundred


@dataclass(frozen=True, slots=True)
class PredictedGroup:
    """Rows with about the same prediction, and what their numbers are."""

    rows: int
    predicted: float
    """The mean of the predictions."""
    true: float
    """The mean of the true numbers."""
    low: float
    """Below this are a tenth of the true numbers."""
    high: float
    """Above this are a tenth of the true numbers."""


@dataclass(frozen=True, slots=True)
class RuleResiduals:
    """How far off the predictions are on the rows on which a rule holds."""

    rule: int
    """The number of the rule on the last level, counted from 0; -1 for the rows on which no rule holds."""
    text: str
    """The rule as text."""
    rows: int
    bias: float
    """The mean of what was predicted less what is true."""
    mae: float
    """The mean absolute error."""


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
    median_rmse: float
    """The root of the mean squared error of always answering the median of these rows."""
    median_mae: float
    """The mean absolute error of that answer."""
    different: int
    """How many different numbers were predicted."""
    by_prediction: tuple[PredictedGroup, ...]
    """The rows in groups of about the same prediction, ascending."""
    residuals: tuple[tuple[float, float, int], ...]
    """How what was predicted less what is true is distributed: from, to, rows. The outer two hold all beyond them."""
    by_rule: tuple[RuleResiduals, ...]
    """The errors by rule, the largest first."""
    unseen: tuple[tuple[str, int], ...]
    """The columns with values that training never showed, and on how many rows."""
    covered: float | None = None
    """The share of the rows whose number is in its interval of 90 %; None where the model knows no intervals, and of
    rows with an exposure."""

    def __str__(self) -> str:
        known = self.r2 is not None and self.mean_rmse > 0
        r2 = [self.r2, 0.0, 1 - (self.median_rmse / self.mean_rmse) ** 2] if known else []
        lines = [
            ["", "rules", "always the mean", "always the median"],
            ["R2", *([f"{score:.3f}" for score in r2] or ["-"] * 3)],
            ["RMSE", *(f"{error:.6g}" for error in (self.rmse, self.mean_rmse, self.median_rmse))],
            ["MAE", *(f"{error:.6g}" for error in (self.mae, self.mean_mae, self.median_mae))],
        ]
        text = f"{plural(self.rows, 'row')}, {plural(self.different, 'different prediction')}\n\n{align_columns(lines)}"
        return (
            text if self.covered is None else f"{text}\n\n{percent(self.covered)} of the rows are in their 90% interval"
        )


def evaluate_numbers(network: RuleNetwork, table: Any, numbers: Any, exposure: Any = None) -> NumberEvaluation:
    """Return the metrics of a network that predicts a number; of rates, times the exposure of each row."""
    from conceptrules.tables.labels import check_numbers  # which loads scikit-learn

    opened, truth = open_table(table), check_numbers(numbers)
    if len(truth) != opened.rows or not len(truth):
        raise InputError(f"the table has {opened.rows} rows, but y has {len(truth)}; give one number for each row")
    head = network.head
    assert head is not None
    words = read_used_bits(network, opened)
    rules = layers(network, words)[-2]
    scores = score_words(head, rules)
    predicted = score_numbers(head, scores)
    if exposure is not None:
        exposed = np.asarray(exposure, np.float64)
        if exposed.shape != predicted.shape or not (exposed > 0).all() or not np.isfinite(exposed).all():
            raise InputError("exposure needs a positive number for each row of the table")
        predicted = predicted * exposed
    # Squares of numbers in units of the largest one neither overflow nor vanish.
    unit = float(np.abs(np.concatenate([truth, predicted])).max()) or 1.0
    errors, deviations = (truth / unit - predicted / unit), truth / unit - np.mean(truth / unit)
    from_median = truth / unit - np.median(truth / unit)
    constant = bool((truth == truth[0]).all()) or not deviations @ deviations  # or nearly so, beside the predictions
    return NumberEvaluation(
        rows=len(truth),
        r2=None if constant else 1 - float((errors @ errors) / (deviations @ deviations)),
        rmse=_root_mean_square(errors) * unit,
        mae=float(np.abs(errors).mean()) * unit,
        mean_rmse=_root_mean_square(deviations) * unit,
        mean_mae=float(np.abs(deviations).mean()) * unit,
        median_rmse=_root_mean_square(from_median) * unit,
        median_mae=float(np.abs(from_median).mean()) * unit,
        different=len(np.unique(predicted)),
        by_prediction=tuple(_group_by_prediction(predicted, truth)),
        residuals=_count_residuals(predicted - truth),
        by_rule=tuple(sorted(_measure_rules(network, unpack(rules), predicted - truth), key=lambda each: -each.mae)),
        unseen=tuple(count_unseen(network.columns, opened).items()),
        covered=_measure_coverage(network, predicted, truth) if exposure is None else None,
    )


def _measure_coverage(network: RuleNetwork, predicted: Floats, truth: Floats) -> float | None:
    """Return the share of numbers within their intervals; None where the network knows none."""
    if network.training is None or not network.training.errors:
        return None
    ends = widen(network, predicted, *find_ends(find_errors(network, COVERAGE), COVERAGE))
    return float(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])))


def _group_by_prediction(predicted: Floats, truth: Floats) -> Iterator[PredictedGroup]:
    """Yield groups of about as many rows; equal predictions are in one group."""
    cuts = np.unique(np.quantile(predicted, np.arange(1, _GROUPS) / _GROUPS, method="lower"))
    group = np.searchsorted(cuts, predicted, side="left")
    for number in np.unique(group):
        own = group == number
        low, high = np.quantile(truth[own], [0.1, 0.9])
        yield PredictedGroup(
            int(own.sum()), float(predicted[own].mean()), float(truth[own].mean()), float(low), float(high)
        )


def _count_residuals(residuals: Floats) -> tuple[tuple[float, float, int], ...]:
    low, high = np.quantile(residuals, [0.01, 0.99]).tolist()
    counts, edges = np.histogram(np.clip(residuals, low, high), _RESIDUALS, (low, high) if low < high else None)
    return tuple(zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True))


def _measure_rules(network: RuleNetwork, rules: Bits, residuals: Floats) -> Iterator[RuleResiduals]:
    level = len(network.levels) - 1
    texts = [rule_text(network, level, rule) for rule in range(rules.shape[1])]
    groups = [*zip(range(len(texts)), texts, rules.T, strict=True), (-1, "no rule holds", ~rules.any(axis=1))]
    for rule, text, rows in groups:
        if rows.any():
            own = residuals[rows]
            yield RuleResiduals(rule, text, int(rows.sum()), float(own.mean()), float(np.abs(own).mean()))


def _root_mean_square(errors: Floats) -> float:
    return float(np.sqrt(np.mean(errors**2)))


# Intervals, from the errors on the rows that the folds held out, which the model file keeps


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
