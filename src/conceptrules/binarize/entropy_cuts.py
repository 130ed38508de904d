"""Cut points by recursive minimal-entropy partitioning with the MDL stopping rule (Fayyad and Irani, 1993)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.rounded_cuts import short_numbers

_LARGEST, _SMALLEST = np.finfo(np.float64).max, np.finfo(np.float64).smallest_normal
# Cuts closer than this, in bits a row, are equally good and the first is taken, whatever the rounding of logarithms.
_TIE = 1e-12


def cut_points(
    x: NDArray[np.float64],
    y: NDArray[np.intp],
    weight: NDArray[np.float64] | None = None,
    *,
    n_classes: int,
    shorten: Callable[[NDArray[np.float64], NDArray[np.float64]], tuple[float, ...]] = short_numbers,
) -> tuple[float, ...]:
    """Return ascending numbers that split `x` into intervals `low < x <= high` that tell the classes apart.

    NaN is left out. `y` holds class codes below `n_classes`. A weight counts as that many repeats of its row. A cut
    lies between two neighbouring values, at the number that `shorten` picks there: it takes the values below and above
    all cuts.

    >>> cut_points(np.array([1.0, 2, 3, 4, 5, 6.5, 7, 8]), np.array([0, 0, 0, 0, 1, 1, 1, 1]), n_classes=2)
    (4.0,)
    """
    weight = np.ones(len(x)) if weight is None else weight
    values, below = cumulated(x, y, weight, n_classes)
    places = np.array(sorted(cut_places(below)), np.intp)
    return shorten(values[places], values[places + 1])


def cumulated(
    x: NDArray[np.float64], y: NDArray[np.intp], weight: NDArray[np.float64], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distinct values, and the weight of each class below each of them (one column more: the totals).

    Gaps and rows of weight 0 are left out. Infinities join the largest numbers: a cut has to be finite.
    """
    rows = ~np.isnan(x) & (weight > 0)
    return _cumulated(np.clip(x[rows], -_LARGEST, _LARGEST), y[rows], weight[rows], n_classes)


def _cumulated(
    x: NDArray[np.float64], y: NDArray[np.intp], weight: NDArray[np.float64], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if (weight == np.floor(weight)).all():  # whole numbers add up alike in any order
        small = _small_codes(x, most=4 * len(x) // n_classes)
        if small is not None:
            return _counted(*small, y, weight, n_classes)
        order = np.argsort(x)
    else:  # floats are added in an order that depends on the rows as a set only
        order = np.lexsort((weight, y, x))
    ordered = x[order]
    new = np.ones(len(x), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return _counted(ordered[new], np.cumsum(new) - 1, y[order], weight[order], n_classes)


def _small_codes(x: NDArray[np.float64], most: int) -> tuple[NDArray[np.float64], NDArray[np.intp]] | None:
    """Return all whole numbers from the smallest to the largest value, and which one each row holds, without sorting.

    Return None if some values are not whole, or they lie too far apart.
    """
    low, high = (float(x.min()), float(x.max())) if len(x) else (0.0, np.inf)
    if high - low >= most or max(-low, high) > 2**52 or (x != np.floor(x)).any():
        return None
    return np.arange(low, high + 1), (x - low).astype(np.intp)


def _counted(
    values: NDArray[np.float64],
    position: NDArray[np.intp],
    y: NDArray[np.intp],
    weight: NDArray[np.float64],
    n_classes: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    codes = y * len(values)
    codes += position
    counts = np.bincount(codes, weight, minlength=len(values) * n_classes).reshape(n_classes, -1)
    held = counts.any(axis=0)
    counts = counts if held.all() else counts[:, held]
    below = np.zeros((n_classes, counts.shape[1] + 1))
    np.cumsum(counts, axis=1, out=below[:, 1:])
    return values[held], below


def cut_places(below: NDArray[np.float64]) -> Iterator[int]:
    """Return the values after which to cut, by index, in no particular order."""
    ranges = [(0, below.shape[1] - 1)]
    while ranges:
        start, stop = ranges.pop()
        cut = _best_cut(below[:, start : stop + 1] - below[:, [start]])
        if cut is not None:
            yield start + cut - 1
            ranges += [(start, start + cut), (start + cut, stop)]


def _best_cut(below: NDArray[np.float64]) -> int | None:
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


def _information(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy in bits times the size, of each column of class counts."""
    result = _xlogx(counts.sum(axis=0))
    result -= _xlogx(counts).sum(axis=0)
    return result


def _xlogx(x: NDArray[np.float64]) -> NDArray[np.float64]:
    logarithm: NDArray[np.float64] = np.log2(np.maximum(x, _SMALLEST))  # 0 log 0 is 0
    return np.multiply(x, logarithm, out=logarithm)
