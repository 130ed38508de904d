"""The figure on the binarization rate: its curves, and the paper's three claims about it held against them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean

from benchmarks.paper.results import Results

RIGHT = (0.7, 0.9)
"""The rates that the paper calls appropriate."""


@dataclass(frozen=True, slots=True)
class Point:
    """One network of the figure on the rate; `layers` are the widths of its middle layers. F1 in per cent."""

    layers: tuple[int, ...]
    rate: float
    fold: int
    f1: float

    @property
    def name(self) -> str:
        return "_".join(map(str, self.layers))


Curve = dict[float, float]


def rate_points(results: Results) -> list[Point]:
    """Return all points of the figure."""
    return [
        Point(tuple(entry["layers"]), entry["rate"], entry["fold"], 100 * entry["f1"])
        for entry in results.entries("rates")
    ]


def curves(points: Sequence[Point]) -> dict[tuple[int, ...], Curve]:
    """Return F1 against the rate, the mean over folds; shallow networks before deep ones, narrow before wide."""
    gathered: dict[tuple[int, ...], dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for point in points:
        gathered[point.layers][point.rate].append(point.f1)
    order = sorted(gathered, key=lambda layers: (len(layers), layers))
    return {layers: {rate: mean(found) for rate, found in sorted(gathered[layers].items())} for layers in order}


def folds_of(points: Sequence[Point]) -> str:
    numbers = sorted({point.fold for point in points})
    if not numbers:
        return ""
    return f"fold {numbers[0]}" if len(numbers) == 1 else f"the folds {', '.join(map(str, numbers))}"


def judged(points: Sequence[Point]) -> list[str]:
    found = curves(points)
    shallow, deep = (
        {layers: curve for layers, curve in found.items() if (len(layers) > 1) == wanted} for wanted in (False, True)
    )
    if not deep or not shallow or not all(0 in curve for curve in found.values()):
        return ["Not judged yet: it takes shallow and deep structures, each with a rate of 0."]
    return [_needs(deep, shallow), _right(deep), _wider(shallow, deep)]


def _needs(deep: dict[tuple[int, ...], Curve], shallow: dict[tuple[int, ...], Curve]) -> str:
    """Judge whether deep networks gain more from random binarization than shallow ones, and are worse without it."""
    gains = [mean(max(curve.values()) - curve[0] for curve in kind.values()) for kind in (deep, shallow)]
    at_zero = [mean(curve[0] for curve in kind.values()) for kind in (deep, shallow)]
    holds = gains[0] > gains[1] and at_zero[0] < at_zero[1]
    return (
        f"Deep networks need random binarization: **{_verdict(holds)}**. Without it deep ones reach {at_zero[0]:.2f} "
        f"and shallow ones {at_zero[1]:.2f}; the best rate adds {gains[0]:.2f} to deep ones and {gains[1]:.2f} to "
        "shallow ones."
    )


def _right(deep: dict[tuple[int, ...], Curve]) -> str:
    best = {layers: max(curve, key=lambda rate: curve[rate]) for layers, curve in deep.items()}
    holds = all(RIGHT[0] <= rate <= RIGHT[1] for rate in best.values())
    said = ", ".join(f"{rate:g} for {_name(layers)}" for layers, rate in best.items())
    return f"0.7 to 0.9 is the right rate for deep networks: **{_verdict(holds)}**. The best rates are {said}."


def _wider(shallow: dict[tuple[int, ...], Curve], deep: dict[tuple[int, ...], Curve]) -> str:
    """Judge whether the wider of two networks is better, at the best rate of each."""
    kinds = (shallow, deep)
    tops = [[max(curve.values()) for _, curve in sorted(kind.items())] for kind in kinds]
    holds = [all(narrow < wide for narrow, wide in pairwise(top)) for top in tops]
    said = "; ".join(
        ", ".join(f"{_name(layers)} {top:.2f}" for layers, top in zip(sorted(kind), found, strict=True))
        for kind, found in zip(kinds, tops, strict=True)
    )
    verdicts = {
        (True, True): "holds",
        (True, False): "holds for shallow networks, and does not for deep ones",
        (False, True): "holds for deep networks, and does not for shallow ones",
        (False, False): "does not hold",
    }
    return f"Of the same depth, the wider is better: **{verdicts[holds[0], holds[1]]}**. At their best rates: {said}."


def _verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"


def _name(layers: tuple[int, ...]) -> str:
    return "_".join(map(str, layers))
