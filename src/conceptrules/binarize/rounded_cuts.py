"""The shortest way to write a cut: any number c with low <= c < high splits the values alike."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import count

import numpy as np

_LARGEST = np.finfo(np.float64).max
_SECOND = 1e6
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


def short_moment(low: float, high: float) -> float:
    """Return a cut in microseconds: a whole day if one lies there, else a whole minute or second, else `low`."""
    return next(cut for unit in _UNITS if (cut := -(-low // unit) * unit) < high)
