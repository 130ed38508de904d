"""Taking times side by side. No heavy import here: thread counts are set before NumPy is loaded."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import Any

Times = dict[str, list[float]]
REPEATS = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to measure. A quick plan has smaller tables and shorter baselines; each record says which."""

    quick: bool = False
    seed: int = 0
    repeats: int = REPEATS
    cores: int = 2
    """The threads of what is claimed for several threads; everything else runs on one."""

    def pick(self, full: int, quick: int) -> int:
        return quick if self.quick else full


@dataclass(frozen=True, slots=True)
class Measurement:
    """One figure: a value for each repeat, the target, and all that is needed to judge it."""

    name: str
    values: Sequence[float]
    """There is one for each repeat; their median is the figure."""
    target: float | None = None
    at_least: bool = True
    """Whether the target is a lower or an upper bound."""
    unit: str = ""
    """A ratio has none."""
    times: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Seconds by what was timed, one for each repeat."""
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float:
        return median(self.values)

    @property
    def met(self) -> bool:
        """A figure without a target is for information. NaN meets none."""
        if self.target is None:
            return True
        return self.value >= self.target if self.at_least else self.value <= self.target


def seconds(task: Callable[[], object]) -> float:
    start = perf_counter()
    task()
    return perf_counter() - start


def interleaved(tasks: Mapping[str, Callable[[], object]], repeats: int, calls: int = 1, warm: bool = True) -> Times:
    """Return the seconds a call of each task, taken in turns, so that what disturbs the machine disturbs them all.

    Each time is that of `calls` calls in a row; one round before the first is not counted.
    """

    def repeated(task: Callable[[], object]) -> None:
        for _ in range(calls):
            task()

    if warm:
        for task in tasks.values():
            task()
    times: Times = {name: [] for name in tasks}
    for _ in range(repeats):
        for name, task in tasks.items():
            times[name].append(seconds(lambda task=task: repeated(task)) / calls)  # type: ignore[misc]
    return times


def faster(times: Times, baseline: str, ours: str = "ours") -> list[float]:
    """Return how many times faster ours is, repeat by repeat: neighbours in time are compared."""
    return [b / o for b, o in zip(times[baseline], times[ours], strict=True)]


def slower(times: Times, baseline: str, ours: str = "ours") -> list[float]:
    """Return how many times the baseline's time ours takes."""
    return faster(times, ours, baseline)


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the slope of the least-squares line through the logarithms: 1 where twice the size costs twice the time.

    >>> round(exponent([1, 10, 100], [2, 20, 200]), 6)
    1.0
    """
    x, y = [math.log(size) for size in sizes], [math.log(cost) for cost in costs]
    middle = sum(x) / len(x)
    return sum((a - middle) * b for a, b in zip(x, y, strict=True)) / sum((a - middle) ** 2 for a in x)
