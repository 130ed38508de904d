"""Which networks are worth having: those that no other one beats in both brevity and score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A network, as its size and its score (accuracy or macro-F1)."""

    edges: int
    score: float
    name: str = ""


def frontier(points: Iterable[Point]) -> tuple[Point, ...]:
    """From the smallest on, each better than all smaller ones.

    >>> [point.edges for point in frontier([Point(9, 0.8), Point(20, 0.7), Point(30, 0.9)])]
    [9, 30]
    """
    best: list[Point] = []
    for point in sorted(points, key=lambda point: (point.edges, -point.score)):
        if not best or point.score > best[-1].score:
            best.append(point)
    return tuple(best)
