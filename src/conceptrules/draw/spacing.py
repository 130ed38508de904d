"""Things in a row, each as near to where it wants to be as the others allow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise


def spread(wanted: Sequence[float], sizes: Sequence[float], right: float) -> list[float]:
    """Return centres from 0 to `right`, in this order, nearest to those wanted (least squares) without an overlap.

    >>> spread([5, 5, 90], [10, 10, 10], 100)
    [5.0, 15.0, 90.0]
    """
    if not wanted:
        return []
    gaps = [(a + b) / 2 for a, b in pairwise(sizes)]
    offsets = [0.0, *accumulate(gaps)]
    low, high = sizes[0] / 2, right - sizes[-1] / 2 - offsets[-1]
    free = _ascending([want - offset for want, offset in zip(wanted, offsets, strict=True)])
    return [max(low, min(value, high)) + offset for value, offset in zip(free, offsets, strict=True)]


def _ascending(values: Sequence[float]) -> list[float]:
    """Return the nearest ascending values: neighbours that go down are pooled at their mean."""
    pools: list[tuple[float, int]] = []
    for value in values:
        mean, size = value, 1
        while pools and pools[-1][0] > mean:
            other, count = pools.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        pools.append((mean, size))
    return [mean for mean, size in pools for _ in range(size)]
