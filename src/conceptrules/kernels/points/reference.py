"""What the compiled passes mean, in plain NumPy: tests compare both. A condition is written here only."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import CODES

NOTHING, RUN, AMONG, BUT, MISSING, KNOWN = range(6)
"""Forms of a condition: none, bins from `low` to `high`, a set of categories, all but a set, a missing value, a known
one. A set is of the `high` categories of the largest Newton steps, or of the smallest ones if `low` is 1."""
Floats = NDArray[np.float64]
Required = tuple[int, int, int]
"""The signs that the weight of a rule has to have if it asks for `x <= cut`, for `x > cut`, or for a missing value; 0:
any, and `NEVER`: it may not ask so. If it asks for a known value, it is the opposite of the last."""
ANY: Required = (0, 0, 0)
NEVER = 2


def sort_bins(sums: Floats, ridge: float) -> NDArray[np.intp]:
    """Return the bins that have rows, those of the largest Newton step first; `sums` are those of the known bins."""
    step = sums[:, 0] / np.where(sums[:, 1] > 0, sums[:, 1] + ridge, 1.0)
    order = np.argsort(-step, kind="stable")
    filled: NDArray[np.intp] = order[sums[order, 1] > 0]
    return filled


def write_condition(sums: Floats, form: tuple[int, int, int, int], ridge: float) -> NDArray[np.uint8]:
    """Return for each code whether a condition holds; `sums` are those of the bins, then those of missing values."""
    kind, low, high, _ = form
    bins, allowed = len(sums) - 1, np.zeros(CODES, np.uint8)
    if kind == RUN:
        allowed[low : high + 1] = 1
    elif kind in (AMONG, BUT):
        order = sort_bins(sums[:bins], ridge)
        chosen = order[::-1][:high] if low else order[:high]
        allowed[: bins + 1] = kind == BUT
        allowed[chosen] = kind == AMONG
    else:
        allowed[bins] = kind == MISSING
        allowed[:bins] = kind == KNOWN
    return allowed


def find_sign(form: tuple[int, int, int, int], required: Required) -> int:
    """Return the sign that the weight of a rule has to have for the sake of a condition; 0: any."""
    kind, low, *_ = form
    below, above, gap = required
    if kind == RUN:
        return above if low else below
    if kind in (MISSING, KNOWN):
        return -gap if kind == KNOWN and gap != NEVER else gap
    return 0


def list_conditions(
    sums: Floats, ordered: int, askable: bool, ridge: float, between: bool, largest: int, required: Required = ANY
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the form of every condition on a column: (form, low, high, edges).

    Where `x <= cut` and `x > cut` require signs, there are no intervals with two ends, and no sets.
    """
    bins, free = len(sums) - 1, required[:2] == ANY[:2]
    between = between and free
    shown = [bin_ for bin_ in range(bins) if sums[bin_, 1] > 0]
    if ordered:
        for cut in shown:
            if cut < bins - 1:
                yield RUN, 0, cut, 1
                yield RUN, cut + 1, bins - 1, 1
        for low in shown if between else ():
            yield from ((RUN, low, high, 2) for high in shown if 0 < low <= high < bins - 1)
    if ordered != 1 and free:
        for side in (0, 1):
            for count in range(1, min(len(shown), largest) + 1):
                yield AMONG, side, count, count
                yield BUT, side, count, count
    if askable:
        yield MISSING, 0, 0, 1
        yield KNOWN, 0, 0, 1


def measure_gain(
    sums: Floats, allowed: NDArray[np.uint8], slope: float, curvature: float, ridge: float, sign: int = 0
) -> float:
    """Return the Newton gain of a condition on these bins, the base refitted; -inf if it holds on all rows or none, or
    the weight would not have this sign.
    """
    part, inside = sums[allowed[: len(sums)] != 0].sum(axis=0), float(sums[:, 1].sum())
    if not 1e-9 * inside <= part[1] <= (1 - 1e-9) * inside:
        return -np.inf
    share = part[1] / curvature
    if sign * (part[0] - share * slope) < 0:
        return -np.inf
    return float(0.5 * (part[0] - share * slope) ** 2 / (part[1] * (1 - share) + ridge))
