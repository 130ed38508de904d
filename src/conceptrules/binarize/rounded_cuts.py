"""The shortest way to write a cut: any number c with low <= c < high splits the values alike."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import count

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_LARGEST = np.finfo(np.float64).max
_SECOND = 1e6
_DIGITS = 15  # of a decimal number, at most, that a float64 tells from all others of so many digits
_UNITS = (86400 * _SECOND, 60 * _SECOND, _SECOND, 1.0)


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
            found = ~decided & certain & (cut < highs) & (np.abs(scaled) < 10.0**_DIGITS - 1)
            cuts[found] = cut[found] + 0.0  # -0.0 is 0.0
            decided |= found | ~certain
            if decided.all():
                break
    for place in np.flatnonzero(np.isnan(cuts)).tolist():
        cuts[place] = short_number(float(lows[place]), float(highs[place]))
    return tuple(cuts.tolist())


def short_moments(lows: Numbers, highs: Numbers) -> tuple[float, ...]:
    """Return `short_moment` of each pair."""
    return tuple(map(short_moment, lows.tolist(), highs.tolist()))


def short_moment(low: float, high: float) -> float:
    """Return a cut in microseconds: a whole day if one lies there, else a whole minute or second, else `low`."""
    return next(cut for unit in _UNITS if (cut := -(-low // unit) * unit) < high)
