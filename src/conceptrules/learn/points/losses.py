"""What a card that predicts a number makes small: squared errors, absolute errors, or the deviance of counts.

Numbers are learned in units of their spread, counts in units of their mean. A margin is what a card says in these
units: the number, or the logarithm of a count.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.points.arithmetic import exponentiate, take_logarithms

Floats = NDArray[np.float64]
_EXACT = 1e-4
"""The least variance that errors of a number are taken to have, as a share of that of the number."""
_NEAR = 0.1
"""Errors below this share of the median one count by their squares: an absolute value has no curvature at 0."""


_NORMAL = 1.4826
"""The standard deviation of normal errors whose median is 1 away from 0."""


class TargetScale(NamedTuple):
    """A prediction is `centre` + `spread` * margin, or e to the power of it."""

    centre: float
    spread: float


class Loss(ABC):
    """How far a prediction is from a number."""

    link = "identity"
    mixes = True
    """Whether mixed rows, which forests label with the mean that they expect, help."""

    @abstractmethod
    def scale(self, target: Floats, weight: Floats) -> tuple[TargetScale, Floats]:
        """Return the units of margins, and the numbers in them; a spread of 0 for numbers that are all equal."""

    @abstractmethod
    def start(self, target: Floats, weight: Floats) -> float:
        """Return the best margin without rules, or the best that is left where `target` is what is not explained."""

    @abstractmethod
    def differentiate(self, target: Floats, margins: Floats, weight: Floats) -> tuple[Floats, Floats]:
        """Return the slope of the log likelihood at the margins, and how fast it falls."""

    @abstractmethod
    def measure(self, target: Floats, margins: Floats) -> Floats:
        """Return the loss of each row."""

    def find_base(self, target: Floats, added: Floats, weight: Floats) -> float:
        """Return the margin of the base, where rules add so much."""
        return self.start(target - added, weight)

    def find_residuals(self, target: Floats, margins: Floats) -> Floats:
        """Return what intervals are made of: the number less the prediction."""
        residuals: Floats = target - margins
        return residuals

    def find_spread(self, residuals: Floats) -> float:
        """Return how far residuals usually are from 0."""
        return float(np.std(residuals))


class SquaredError(Loss):
    """The mean is predicted. The Newton step is exact, and gains are those of normal errors as large as are left."""

    def scale(self, target: Floats, weight: Floats) -> tuple[TargetScale, Floats]:
        return _scale_numbers(target, float(np.average(_shrink(target), weights=weight)), weight, squared=True)

    def start(self, target: Floats, weight: Floats) -> float:
        return float(np.average(target, weights=weight))

    def differentiate(self, target: Floats, margins: Floats, weight: Floats) -> tuple[Floats, Floats]:
        errors = target - margins
        variance = max(float((weight * errors**2).sum() / weight.sum()), _EXACT)
        return weight * errors / variance, weight / variance

    def measure(self, target: Floats, margins: Floats) -> Floats:
        losses: Floats = (target - margins) ** 2
        return losses


class AbsoluteError(Loss):
    """The median is predicted. A Newton step is that of the parabola which touches the loss of each row from above."""

    mixes = False

    def scale(self, target: Floats, weight: Floats) -> tuple[TargetScale, Floats]:
        return _scale_numbers(target, find_median(_shrink(target), weight), weight, squared=False)

    def start(self, target: Floats, weight: Floats) -> float:
        return find_median(target, weight)

    def differentiate(self, target: Floats, margins: Floats, weight: Floats) -> tuple[Floats, Floats]:
        errors = target - margins
        usual = max(float((weight * np.abs(errors)).sum() / weight.sum()), _EXACT)
        near = max(_NEAR * find_median(np.abs(errors), weight), _EXACT)
        curvature = weight / np.maximum(np.abs(errors), near) / usual
        return curvature * errors, curvature

    def measure(self, target: Floats, margins: Floats) -> Floats:
        losses: Floats = np.abs(target - margins)
        return losses

    def find_spread(self, residuals: Floats) -> float:
        return _NORMAL * float(np.median(np.abs(residuals))) or float(np.std(residuals))


class Poisson(Loss):
    """The mean of a count is predicted as a product. Counts may vary more than Poisson's: gains are in units of it."""

    link = "log"

    def scale(self, target: Floats, weight: Floats) -> tuple[TargetScale, Floats]:
        mean = float(np.average(_shrink(target), weights=weight)) * float(target.max())
        equal = (target == target[0]).all()
        return TargetScale(float(take_logarithms(mean)), 0.0 if equal else 1.0), target / mean

    def start(self, target: Floats, weight: Floats) -> float:
        return float(take_logarithms(np.average(target, weights=weight)))

    def differentiate(self, target: Floats, margins: Floats, weight: Floats) -> tuple[Floats, Floats]:
        means = exponentiate(margins)
        dispersion = max(float((weight * (target - means) ** 2 / means).sum() / weight.sum()), _EXACT)
        return weight * (target - means) / dispersion, weight * means / dispersion

    def measure(self, target: Floats, margins: Floats) -> Floats:
        means = exponentiate(margins)
        logs = take_logarithms(np.where(target > 0, target, 1.0))
        deviances: Floats = 2 * (target * (logs - margins) - target + means)
        return deviances

    def find_base(self, target: Floats, added: Floats, weight: Floats) -> float:
        return float(take_logarithms((weight * target).sum() / (weight * exponentiate(added)).sum()))

    def find_residuals(self, target: Floats, margins: Floats) -> Floats:
        """Return the residuals over the roots of the means: counts vary more where they are larger."""
        means = exponentiate(margins)
        residuals: Floats = (target - means) / np.sqrt(means)
        return residuals


LOSSES: dict[str, Loss] = {
    "squared_error": SquaredError(),
    "absolute_error": AbsoluteError(),
    "poisson": Poisson(),
}


def find_median(values: Floats, weight: Floats) -> float:
    """Return the smallest value that at least half of the weight is at or below."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weight[order])
    return float(values[order[np.searchsorted(below, below[-1] / 2)]])


def _shrink(target: Floats) -> Floats:
    """Return numbers in units of the largest, so that no square is too large or too small for a float."""
    shrunk: Floats = target / (float(np.abs(target).max()) or 1.0)
    return shrunk


def _scale_numbers(target: Floats, centre: float, weight: Floats, squared: bool) -> tuple[TargetScale, Floats]:
    shrunk, largest = _shrink(target), float(np.abs(target).max()) or 1.0
    errors = np.abs(shrunk - centre)
    spread = float(np.average(errors**2 if squared else errors, weights=weight)) ** (0.5 if squared else 1.0)
    if spread <= 1e-12 * max(abs(centre), 1e-12):
        return TargetScale(float(target[0]), 0.0), np.zeros(len(target))
    return TargetScale(centre * largest, spread * largest), (shrunk - centre) / spread
