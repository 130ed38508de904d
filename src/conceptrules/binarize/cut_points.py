"""Where a column of numbers is cut: at minimal entropy, at quantiles, and at the roundest number that splits alike.

The cuts of minimal entropy are found by recursive partitioning with the MDL stopping rule (Fayyad and Irani, 1993).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import count, takewhile

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# Measured on magic04: with so many a column, a macro-F1 of 0.826 before any local search.
QUANTILES = 32
_LARGEST, _SMALLEST = np.finfo(np.float64).max, np.finfo(np.float64).smallest_normal
# Cuts closer than this, in bits a row, are equally good and the first is taken, whatever the rounding of logarithms.
_TIE = 1e-12
_DIGITS = 15  # of a decimal number, at most, that a float64 tells from all others of so many digits
_POWERS = np.array([float(f"1e{power}") for power in range(23)])  # those of ten that a float64 holds exactly
_MICROSECONDS = (86400e6, 60e6, 1e6, 1.0)  # of a day, a minute, a second and a microsecond


def find_cuts(
    numbers: Numbers,
    weights: Numbers,
    quantiles: int | None = None,
    shorten: Callable[[Numbers, Numbers], tuple[float, ...]] | None = None,
) -> tuple[float, ...]:
    """Return ascending cuts of a column into intervals `low < x <= high` that tell the classes apart.

    `weights` is the weight of each class at each of the numbers; it counts as that many rows. NaN is left out, and so
    are numbers that weigh nothing. With `quantiles`, up to that many further cuts split the rows into equal weights,
    and a column with no more numbers than that is cut at each. There are rows between any two cuts and on both sides,
    so that no two thresholds are alike or constant. A cut lies between two neighbouring numbers, at the one that
    `shorten` (`short_numbers`) picks there: it takes the numbers below and above all cuts.

    >>> x, weights = np.array([1.0, 2, 3, 4, 5, 6.5, 7, 8]), np.eye(2)[[0, 0, 0, 0, 1, 1, 1, 1]]
    >>> find_cuts(x, weights), find_cuts(x, weights, quantiles=3)
    ((4.0,), (2.0, 4.0, 6.5))
    """
    present = ~np.isnan(numbers) & weights.any(axis=1)
    # Infinities join the largest numbers: a cut has to be finite.
    numbers, weights = np.clip(numbers[present], -_LARGEST, _LARGEST), weights[present]
    order = np.argsort(numbers)
    numbers, below = numbers[order], np.cumsum(weights[order], axis=0)
    last = np.append(numbers[1:] != numbers[:-1], True)[: len(numbers)]
    values = numbers[last]
    below = np.vstack([np.zeros(weights.shape[1]), below[last]]).T
    if quantiles is None:
        ends = set(_find_entropy_cuts(below))
    else:
        ends = set(find_quantiles(below.sum(axis=0)[1:], quantiles))
        if len(values) > quantiles:  # otherwise every value is a cut, and there is nothing to choose
            ends |= set(_find_entropy_cuts(below))
    cuts = np.array(sorted(ends), np.intp)
    return (shorten or short_numbers)(values[cuts], values[cuts + 1])


def find_quantiles(below: Numbers, quantiles: int) -> Iterator[int]:
    """Yield the values, by index, after which a quantile ends, but never the last; `below` is the weight up to each."""
    if len(below) <= quantiles:
        yield from range(len(below) - 1)
        return
    # Whole weights are compared as whole numbers, so that repeats of a row are what its weight is.
    ends = np.searchsorted(below * (quantiles + 1), np.arange(1, quantiles + 1) * below[-1])
    yield from (end for end in ends.tolist() if end < len(below) - 1)


def _find_entropy_cuts(below: Numbers) -> Iterator[int]:
    """Yield the values after which to cut, by index, in no particular order."""
    ranges = [(0, below.shape[1] - 1)]
    while ranges:
        start, stop = ranges.pop()
        cut = _find_best_cut(below[:, start : stop + 1] - below[:, [start]])
        if cut is not None:
            yield start + cut - 1
            ranges += [(start, start + cut), (start + cut, stop)]


def _find_best_cut(below: Numbers) -> int | None:
    """Return how many values go left of the cut that leaves the least entropy; None if MDL does not pay for it."""
    total = below[:, -1:]
    if below.shape[1] < 3 or np.count_nonzero(total) < 2:  # a single value, or a single class
        return None
    left = below[:, 1:-1]
    rest = _information(left)
    rest += _information(total - left)
    best = int(np.argmax(rest <= rest.min() + _TIE * total.sum()))
    parts = np.hstack([total, left[:, [best]], total - left[:, [best]]])
    information = _information(parts)
    size = parts.sum(axis=0)
    if not size.all():  # the weights of one side are so small that they do not count beside those of the other
        return None
    classes = (parts > 0).sum(axis=0)
    entropy = information / size
    # log2(3^k - 2), in a form that does not overflow for many classes.
    delta = classes[0] * np.log2(3) + np.log2(1 - 2 * 3.0 ** -classes[0]) - (classes * entropy) @ [1, -1, -1]
    # Fractional weights can add up to less than two rows, for which the first logarithm has no meaning.
    return best + 1 if information[0] - rest[best] > np.log2(max(size[0] - 1, 1)) + delta else None


def _information(counts: Numbers) -> Numbers:
    """Return the entropy in bits times the size, of each column of class counts."""
    result = _xlogx(counts.sum(axis=0))
    result -= _xlogx(counts).sum(axis=0)
    return result


def _xlogx(x: Numbers) -> Numbers:
    logarithm: Numbers = np.log2(np.maximum(x, _SMALLEST))  # 0 log 0 is 0
    return np.multiply(x, logarithm, out=logarithm)


def short_number(low: float, high: float) -> float:
    """Return the roundest number from `low` on that is below `high`, also where all three are read in 32 bits.

    The number has as few digits as possible; of two that have equally many, a multiple of 5 is rounder. It has no fewer
    digits than `low` up to its first one, so that a wide gap is cut near its lower end.

    >>> short_number(27, 41), short_number(12_000, 17_000), short_number(161_838_076, 161_941_726)
    (30.0, 15000.0, 161900000.0)
    >>> short_number(27, 28), short_number(0.1234, 0.1299), short_number(4.9, 5)  # 4.9 of 32 bits is above 4.9
    (27.0, 0.125, 4.95)
    """
    below = min(0.0, math.ceil(high) - 1.0)
    if low == -_LARGEST and below < high:
        return below  # minus infinity is to the left of any number
    low, high = (float(ends[0]) for ends in _separate_in_32_bits(np.array([low]), np.array([high])))
    exact = Decimal(repr(low))
    for digits, step in _roundings():
        decimals = digits - max(exact.adjusted(), 0)
        cut = float(f"{math.ceil(exact.scaleb(decimals) / step) * step}e{-decimals}")
        if cut < high:
            return cut + 0.0  # -0.0 is 0.0
    raise AssertionError  # with all its decimals, the cut is `low` itself


def short_numbers(lows: Numbers, highs: Numbers) -> tuple[float, ...]:
    """Return `short_number` of each pair, all at once; those that floats cannot decide are asked one by one."""
    lower, upper = _separate_in_32_bits(lows, highs)
    size = np.maximum(np.abs(lower), 1)
    exponents = np.floor(np.log10(size)).astype(np.intp)
    cuts = np.full(len(lows), np.nan)
    cuttable = (lower > -_LARGEST) & (exponents < len(_POWERS))
    exponents[~cuttable] = 0
    exponents -= _POWERS[exponents] > size  # the logarithm was rounded up
    with np.errstate(over="ignore", invalid="ignore"):
        for digits, step in takewhile(lambda rounding: rounding[0] < len(_POWERS), _roundings()):
            left = np.flatnonzero(cuttable & np.isnan(cuts))
            if not len(left):
                break
            places, low, high = digits - exponents[left], lower[left], upper[left]
            # A product or a quotient of whole numbers that floats hold exactly is the float nearest to it.
            up, down = _POWERS[np.maximum(places, 0)], _POWERS[np.maximum(-places, 0)]
            nearest = np.ceil(low * up / down / step) * step
            for whole in (nearest - step, nearest, nearest + step):  # `nearest` is off by at most one step
                cut = whole * down / up
                fits = np.isnan(cuts[left]) & (low <= cut) & (cut < high) & (np.abs(whole) < 10.0**_DIGITS)
                cuts[left[fits]] = cut[fits] + 0.0  # -0.0 is 0.0
    for index in np.flatnonzero(np.isnan(cuts)).tolist():
        cuts[index] = short_number(float(lows[index]), float(highs[index]))
    return tuple(cuts.tolist())


def _roundings() -> Iterator[tuple[int, int]]:
    """Yield ever finer grids: the digits after the first one, and the step of the last digit."""
    yield 0, 1
    for decimals in count(1):
        yield decimals, 5
        yield decimals, 1


def _separate_in_32_bits(lows: Numbers, highs: Numbers) -> tuple[Numbers, Numbers]:
    """Return narrower pairs, between which a cut also separates rows that a table holds in 32 bits."""
    with np.errstate(over="ignore"):
        low, high = (ends.astype(np.float32).astype(np.float64) for ends in (lows, highs))
    apart = low < high
    return np.where(apart, np.maximum(low, lows), lows), np.where(apart, np.minimum(high, highs), highs)


def short_moments(lows: Numbers, highs: Numbers) -> tuple[float, ...]:
    """Return a cut for each pair of microseconds: a whole day if one lies there, else a whole minute or second."""
    return tuple(
        next(cut for unit in _MICROSECONDS if (cut := -(-low // unit) * unit) < high)
        for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
    )
