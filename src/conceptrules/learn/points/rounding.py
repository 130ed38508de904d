"""From weights to whole-number points: the nearest ones, and the unit that suits them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.learn.points.path import PointRows, RealCard, compute_probabilities

Floats = NDArray[np.float64]
_STEPS = 4
"""Newton steps of the unit and the base."""


@dataclass(frozen=True, slots=True, eq=False)
class WholeCard:
    """A card whose margins are `base` + `unit` times the sums of its points."""

    points: NDArray[np.int64]
    """[rule, output]."""
    unit: float
    base: Floats


def round_card(card: RealCard, rows: PointRows, most: int) -> WholeCard:
    """Return the card with whole points of at most so many, its base and its unit fitted again."""
    top = float(np.abs(card.weights).max(initial=0.0))
    if not top:
        return WholeCard(np.zeros(card.weights.shape, np.int64), 1 / most, card.base)
    unit = top / most
    points = np.rint(card.weights / unit).astype(np.int64)
    holds = np.stack([rule.find_rows(rows.codes) for rule in card.rules], axis=1).astype(np.float64)
    return WholeCard(points, *_fit(holds @ points, rows.mass, unit, card.base))


def _fit(scores: Floats, mass: Floats, unit: float, base: Floats) -> tuple[float, Floats]:
    """Return the unit and the base of the largest likelihood, from where they are."""
    outputs, total = len(base), mass.sum(axis=1)[:, None]
    for _ in range(_STEPS):
        shares = compute_probabilities(unit * scores + base)[:, -outputs:]
        slopes, curvatures = mass[:, -outputs:] - total * shares, total * shares * (1 - shares)
        matrix = np.diag(np.concatenate([[(curvatures * scores**2).sum()], curvatures.sum(axis=0)]))
        matrix[0, 1:] = matrix[1:, 0] = (curvatures * scores).sum(axis=0)
        vector = np.concatenate([[(slopes * scores).sum()], slopes.sum(axis=0)])
        step = np.linalg.solve(matrix + 1e-3 * np.eye(outputs + 1), vector)
        unit = unit + float(np.clip(step[0], -unit / 2, unit / 2))
        base = base + np.clip(step[1:], -1, 1)
    return unit, base
