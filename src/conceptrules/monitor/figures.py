"""The figures of monitoring, each with how far chance alone can have moved it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist

import numpy as np

from conceptrules.model.policy.triggers import Trigger
from conceptrules.model.precision import Ends, wilson_interval

SMOOTHING = 0.5  # rows that are added to each bin of an index, so that an empty one has a logarithm


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of new rows, beside that of training."""

    name: str
    """What it is; triggers know it by this name."""
    of: str
    """The rule, by its words, or the column that it is about; empty for all rows."""
    value: float
    """The figure."""
    rows: float
    """The rows that it was counted on."""
    spread: float | None = None
    """The standard error; None of a share, whose interval is Wilson's."""
    chance: float = 0.0
    """What chance adds to the figure on average, where nothing changed."""
    usual: float | None = None
    """Of an index: chance alone stays below this in 95 of 100 cases; None of other figures."""
    trained: float | None = None
    """The same figure of the training rows, or of the reference."""

    @property
    def changed(self) -> bool:
        """Whether an index is larger than chance alone makes it in 95 of 100 cases."""
        return self.usual is not None and self.value > self.usual

    @property
    def interval(self) -> Ends:
        """The interval of 95 %."""
        return self.bounds(0.975)

    def bounds(self, confidence: float) -> Ends:
        """Return the lower and the upper bound, each of which holds with this confidence."""
        deviations = NormalDist().inv_cdf(confidence)
        if self.spread is None:
            return wilson_interval(self.value * self.rows, self.rows, deviations) or (0.0, 1.0)
        low, high = (self.value - self.chance + sign * deviations * self.spread for sign in (-1, 1))
        if self.name == "bias":
            return low, high
        return max(0.0, low), max(0.0, min(1.0, high) if self.name == "auc" else high)

    def fires(self, trigger: Trigger) -> bool:
        """Return whether the figure is beyond the bound of a trigger, as surely as the trigger asks for."""
        low, high = self.bounds(trigger.confidence)
        return low > trigger.bound if trigger.above else high < trigger.bound


def stability_index(name: str, of: str, trained: Sequence[float], rows: Sequence[float]) -> Figure:
    """Return the population stability index of two distributions over the same bins.

    Half a row is added to each bin that has a row of either. The standard error is that of the sum by the delta method;
    what chance adds is the mean of the index where both are drawn from one distribution. Both are for many rows.
    """
    filled = [a > 0 or b > 0 for a, b in zip(trained, rows, strict=True)]
    first, second = (np.array(each, np.float64)[filled] + SMOOTHING for each in (trained, rows))
    n, m = sum(trained), sum(rows)
    q, p = first / first.sum(), second / second.sum()
    value = float(((p - q) * np.log(p / q)).sum())
    variance = 0.0
    for share, slope, size in ((p, np.log(p / q) + 1 - q / p, m), (q, np.log(q / p) + 1 - p / q, n)):
        variance += float((share * slope**2).sum() - (share * slope).sum() ** 2) / max(size, 1)
    freedom, unit = len(p) - 1, 1 / max(n, 1) + 1 / max(m, 1)
    return Figure(name, of, value, m, sqrt(max(variance, 0.0)), freedom * unit, _largest_by_chance(freedom) * unit)


def _largest_by_chance(freedom: int) -> float:
    """Return what 95 % of the chi-squared distribution are below (Wilson and Hilferty's approximation)."""
    part = 2 / (9 * max(freedom, 1))
    return freedom * (1 - part + NormalDist().inv_cdf(0.95) * sqrt(part)) ** 3


def area_under_curve(scores: Sequence[float], first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Return the AUC of the second class and its standard error (DeLong), from the rows of each class by score."""
    order = np.argsort(scores, kind="stable")
    _, group = np.unique(np.array(scores)[order], return_inverse=True)
    negative, positive = (
        np.bincount(group, np.array(rows, np.float64)[order]).astype(np.float64) for rows in (first, second)
    )
    below = (np.cumsum(negative) - negative / 2) / negative.sum()
    above = 1 - (np.cumsum(positive) - positive / 2) / positive.sum()
    area = float((positive * below).sum() / positive.sum())
    variance = 0.0
    for rows, wins in ((positive, below), (negative, above)):
        variance += float((rows * (wins - area) ** 2).sum()) / rows.sum() / max(rows.sum() - 1, 1)
    return area, sqrt(variance)


def times_text(share: float, before: float) -> str:
    """Return how many times as frequent something is.

    >>> times_text(0.4, 0.1), times_text(0.1, 0.4), times_text(0.15, 0.1)
    ('four times as frequent', '0.25 times as frequent', '1.5 times as frequent')
    """
    if not before or not share:
        return "new" if share else "no longer there"
    ratio = share / before
    words = {2: "twice", 3: "three times", 4: "four times", 5: "five times", 6: "six times", 7: "seven times"}
    whole = round(ratio)
    if whole in words and abs(log(ratio / whole)) < 0.05:
        return f"{words[whole]} as frequent"
    return f"{ratio:.2g} times as frequent"
