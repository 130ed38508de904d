"""Where a column of numbers is cut: at minimal entropy, at quantiles, and at the shortest number that splits alike.

The cuts of minimal entropy are found by recursive partitioning with the MDL stopping rule (Fayyad and Irani, 1993).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import count

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# Measured on magic04: with so many a column, a macro-F1 of 0.826 before any local search.
QUANTILES = 32
_LARGEST, _SMALLEST = np.finfo(np.float64).max, np.finfo(np.float64).smallest_normal
# Cuts closer than this, in bits a row, are equally good and the first is taken, whatever the rounding of logarithms.
_TIE = 1e-12
_DIGITS = 15  # of a decimal number, at most, that a float64 tells from all others of so many digits
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
    yield from (place for place in ends.tolist() if place < len(below) - 1)


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
    """Return the first number from `low` on with the fewest decimals that is below `high`.

    >>> short_number(27, 41), short_number(0.1234, 0.57), short_number(0.1234, 0.1299)
    (27.0, 0.2, 0.124)
    """
    below = min(0.0, math.ceil(high) - 1.0)
    if low == -_LARGEST and below < high:
        return below  # minus infinity is to the left of any number
    exact = Decimal(repr(float(low)))
    for decimals in count():
        cut = float(f"{math.ceil(exact.scaleb(decimals))}e-{decimals}")
        if cut < high:
            return cut
    raise AssertionError  # with all its decimals, the cut is `low` itself


def short_numbers(lows: Numbers, highs: Numbers) -> tuple[float, ...]:
    """Return `short_number` of each pair, all at once; those that floats cannot decide are asked one by one."""
    cuts, decided = np.full(len(lows), np.nan), np.zeros(len(lows), np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        for decimals in range(_DIGITS):
            scaled = lows * 10.0**decimals
            near = np.rint(scaled)
            exact = near / 10.0**decimals == lows  # the value has no more decimals than these
            # Rounding moves a product by less than this: it may not lie on the other side of a whole number.
            certain = exact | (np.abs(scaled - near) > np.abs(scaled) * 2.0**-50)
            cut = np.where(exact, near, np.ceil(scaled)) / 10.0**decimals
            short = ~decided & certain & (cut < highs) & (np.abs(scaled) < 10.0**_DIGITS - 1)
            cuts[short] = cut[short] + 0.0  # -0.0 is 0.0
            decided |= short | ~certain
            if decided.all():
                break
    for index in np.flatnonzero(np.isnan(cuts)).tolist():
        cuts[index] = short_number(float(lows[index]), float(highs[index]))
    return tuple(cuts.tolist())


def short_moments(lows: Numbers, highs: Numbers) -> tuple[float, ...]:
    """Return a cut for each pair of microseconds: a whole day if one lies there, else a whole minute or second."""
    return tuple(
        next(cut for unit in _MICROSECONDS if (cut := -(-low // unit) * unit) < high)
        for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
    )
