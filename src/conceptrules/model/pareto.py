"""The Pareto front: the networks that no other one beats in both size and score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, ClassVar, Protocol, TypeVar

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork


class _Sized(Protocol):
    @property
    def edges(self) -> int: ...
    @property
    def score(self) -> float: ...


Sized = TypeVar("Sized", bound=_Sized)


@dataclass(frozen=True, slots=True)
class Point:
    """A network as a point of a plot: its size and its score."""

    edges: int
    """The edges of the network."""
    score: float
    """Its score, such as accuracy or macro-F1."""
    name: str = ""
    """What the plot calls it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A network of the Pareto front, which can be chosen."""

    edges: int
    """The edges of the network."""
    score: float
    """Its score on held-out rows."""
    network: RuleNetwork = field(repr=False)
    """The network."""
    extracted: RuleNetwork = field(repr=False)
    """The network before simplification."""
    name: ClassVar[str] = ""


def choose_by_size(choices: Sequence[Choice], edges: Any) -> Choice:
    """Return the best network with at most so many edges, of several from the smallest on."""
    if not isinstance(edges, Integral) or isinstance(edges, bool) or edges < 0:
        raise InputError(f"edges is {edges!r}; it needs a whole number of at least 0, such as 40")
    small = [choice for choice in choices if choice.edges <= int(edges)]
    if not small:
        sizes = ", ".join(str(choice.edges) for choice in choices)
        raise InputError(f"no network of the Pareto front has at most {edges} edges; they have {sizes}")
    return max(small, key=attrgetter("score"))


def choose_by_score(choices: Sequence[Choice], within: Any) -> Choice:
    """Return the smallest network whose score is at most so much below the best, of several from the smallest on."""
    if not isinstance(within, Real) or isinstance(within, bool) or not float(within) >= 0:
        raise InputError(f"within is {within!r}; it needs a number of at least 0, such as 0.01")
    best = max(choice.score for choice in choices)
    return next(choice for choice in choices if choice.score >= best - float(within))


def pareto_front(points: Iterable[Sized]) -> tuple[Sized, ...]:
    """Return the Pareto front: from the smallest on, each network that is better than all smaller ones.

    >>> [point.edges for point in pareto_front([Point(9, 0.8), Point(20, 0.7), Point(30, 0.9)])]
    [9, 30]
    """
    best: list[Sized] = []
    for point in sorted(points, key=lambda point: (point.edges, -point.score)):
        if not best or point.score > best[-1].score:
            best.append(point)
    return tuple(best)
