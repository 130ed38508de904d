"""From weights to whole-number points: the nearest ones, and the base that makes up for what rounding adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.learn.points.constraints import KeptRule
from conceptrules.learn.points.path import PointRows, RealCard

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class WholeCard:
    """A card whose margins are `base` + `unit` times the sums of its points."""

    points: NDArray[np.int64]
    """[rule, output]."""
    unit: float
    base: Floats


def round_card(card: RealCard, rows: PointRows, most: int, kept: Sequence[KeptRule] = ()) -> WholeCard:
    """Return the card with whole points of at most so many; its mean margin stays. Its first rules are locked."""
    own = [number for number, each in enumerate(kept) if each.points]
    learned = np.delete(card.weights, own, axis=0)
    unit = max(float(np.abs(learned).max(initial=0.0)) / most, card.point) or 1 / most
    points = np.rint(card.weights / unit).astype(np.int64)
    for number, each in enumerate(kept):
        points[number] = each.settle(points[number], card.weights[number])
    added = np.zeros(len(card.base))
    for rule, rounding in zip(card.rules, unit * points - card.weights, strict=True):
        added += float(rows.mass[rule.find_rows(rows.codes)].sum()) * rounding
    return WholeCard(points, unit, card.base - added / rows.mass.sum())
