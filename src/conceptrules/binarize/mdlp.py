"""Cut points by recursive minimal-entropy partitioning with the MDL stopping rule (Fayyad and Irani, 1993)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize.shorten import short_number

_LARGEST = np.finfo(np.float64).max
# Cuts closer than this, in bits a row, are equally good and the first is taken, whatever the rounding of logarithms.
_TIE = 1e-12


def cut_points(
    x: NDArray[np.float64],
    y: NDArray[np.intp],
    weight: NDArray[np.float64] | None = None,
    *,
    n_classes: int,
    shorten: Callable[[float, float], float] = short_number,
) -> tuple[float, ...]:
    """Ascending numbers that split `x` (NaN left out) into intervals `low < x <= high` that tell the classes apart.

    `y` holds class codes below `n_classes`. A weight counts as that many repeats of its row. A cut lies between two
    neighbouring values, at the number that `shorten` picks there.

    >>> cut_points(np.array([1.0, 2, 3, 4, 5, 6.5, 7, 8]), np.array([0, 0, 0, 0, 1, 1, 1, 1]), n_classes=2)
    (4.0,)
    """
    weight = np.ones(len(x)) if weight is None else weight
    rows = ~np.isnan(x) & (weight > 0)
    # Infinities join the largest numbers: a cut has to be finite.
    values, below = _cumulated(np.clip(x[rows], -_LARGEST, _LARGEST), y[rows], weight[rows], n_classes)
    return tuple(shorten(float(values[i]), float(values[i + 1])) for i in sorted(_cuts(below)))


def _cumulated(
    x: NDArray[np.float64], y: NDArray[np.intp], weight: NDArray[np.float64], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The distinct values, and the weight of each class below each of them (one row more: the totals)."""
    # Floats are added in an order that depends on the rows as a set only.
    order = np.lexsort((weight, y, x))
    values, position = np.unique(x[order], return_inverse=True)
    counts = np.bincount(position * n_classes + y[order], weight[order], minlength=len(values) * n_classes)
    below = np.zeros((len(values) + 1, n_classes))
    np.cumsum(counts.reshape(-1, n_classes), axis=0, out=below[1:])
    return values, below


def _cuts(below: NDArray[np.float64]) -> Iterator[int]:
    """The values after which to cut, by index, in no particular order."""
    ranges = [(0, len(below) - 1)]
    while ranges:
        start, stop = ranges.pop()
        cut = _best_cut(below[start : stop + 1] - below[start])
        if cut is not None:
            yield start + cut - 1
            ranges += [(start, start + cut), (start + cut, stop)]


def _best_cut(below: NDArray[np.float64]) -> int | None:
    """How many values go to the left side of the cut that leaves the least entropy; None if MDL does not pay for it."""
    total = below[-1]
    if len(below) < 3 or np.count_nonzero(total) < 2:  # a single value, or a single class
        return None
    left = below[1:-1]
    rest = _information(left) + _information(total - left)
    best = int(np.argmax(rest <= rest.min() + _TIE * total.sum()))
    parts = np.stack([total, left[best], total - left[best]])
    information = _information(parts)
    size = parts.sum(axis=1)
    classes = (parts > 0).sum(axis=1)
    entropy = information / size
    gain = (information[0] - rest[best]) / size[0]
    # log2(3^k - 2), in a form that does not overflow for many classes.
    delta = classes[0] * np.log2(3) + np.log2(1 - 2 * 3.0 ** -classes[0]) - (classes * entropy) @ [1, -1, -1]
    # Fractional weights can add up to less than two rows, for which the first logarithm has no meaning.
    return best + 1 if gain > (np.log2(max(size[0] - 1, 1)) + delta) / size[0] else None


def _information(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Entropy in bits times the size, of each row of class counts."""
    return _xlogx(counts.sum(axis=1)) - _xlogx(counts).sum(axis=1)


def _xlogx(x: NDArray[np.float64]) -> NDArray[np.float64]:
    logarithm: NDArray[np.float64] = np.log2(x, where=x > 0, out=np.zeros_like(x))
    return x * logarithm
