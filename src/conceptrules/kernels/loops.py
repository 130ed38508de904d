"""The inner loops of cpu.py: one weight, or four, times all rows of a batch.

A batch of one node is a contiguous row, so these loops vectorise. Nodes are given as rows of a matrix and not as views
of it: making a view costs as much as a loop over 64 numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

ZERO, ONE = np.float32(0), np.float32(1)
# Sums may be taken in another order, which lets them vectorise; NaN and infinity keep their meaning.
compiled = njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "arcp", "nsz"}, error_model="numpy")


@compiled
def multiply_one(x: Any, s: int, product: Any, zeros: Any, node: int) -> None:
    """One more factor, 1 - x: the only kind that can be 0, since a weight below 1 leaves every factor above 0."""
    for b in range(x.shape[1]):
        factor = ONE - x[s, b]
        zero = factor == 0
        product[node, b] *= ONE if zero else factor
        zeros[node, b] += ONE if zero else ZERO


@compiled
def multiply(w: float, x: Any, s: int, product: Any, node: int) -> None:
    """One more factor, 1 - w x."""
    for b in range(x.shape[1]):
        product[node, b] *= ONE - w * x[s, b]


@compiled
def multiply4(w: Any, x: Any, s: Any, product: Any, node: int) -> None:
    """Four of them: the product is read and written once instead of four times."""
    w0, w1, w2, w3 = w[0], w[1], w[2], w[3]
    s0, s1, s2, s3 = s[0], s[1], s[2], s[3]
    for b in range(x.shape[1]):
        left = (ONE - w0 * x[s0, b]) * (ONE - w1 * x[s1, b])
        product[node, b] *= left * ((ONE - w2 * x[s2, b]) * (ONE - w3 * x[s3, b]))


@compiled
def split(dy: Any, product: Any, zeros: Any, node: int, no_zero: Any, one_zero: Any) -> Any:
    """dy times the product of the others, for a factor that is not 0 (before its division) and for one that is.

    Returns whether any of it is not 0.
    """
    size = ZERO
    for b in range(dy.shape[1]):
        towards = -dy[node, b] * product[node, b]
        no_zero[b] = towards if zeros[node, b] == 0 else ZERO
        one_zero[b] = towards if zeros[node, b] == 1 else ZERO
        size += abs(no_zero[b]) + abs(one_zero[b])
    return size > 0


@compiled
def dot(others: Any, x: Any, s: int) -> Any:
    total = ZERO
    for b in range(len(others)):
        total += others[b] * x[s, b]
    return total


@compiled
def dot4(others: Any, x: Any, s: Any, totals: Any) -> None:
    """Four dot products with one vector, which is read once instead of four times."""
    s0, s1, s2, s3 = s[0], s[1], s[2], s[3]
    t0, t1, t2, t3 = ZERO, ZERO, ZERO, ZERO
    for b in range(len(others)):
        other = others[b]
        t0 += other * x[s0, b]
        t1 += other * x[s1, b]
        t2 += other * x[s2, b]
        t3 += other * x[s3, b]
    totals[0], totals[1], totals[2], totals[3] = t0, t1, t2, t3


@compiled
def back_one(x: Any, s: int, no_zero: Any, one_zero: Any, dx: Any) -> Any:
    """Adds the part of a weight of 1 to dx and returns its dw."""
    dw = ZERO
    for b in range(len(no_zero)):
        factor = ONE - x[s, b]
        others = one_zero[b] if factor == 0 else no_zero[b] / factor
        dw += others * x[s, b]
        dx[s, b] += others
    return dw


@compiled
def back(w: float, x: Any, s: int, no_zero: Any, dx: Any) -> Any:
    """Adds the part of a weight between 0 and 1 to dx and returns its dw."""
    dw = ZERO
    for b in range(len(no_zero)):
        others = no_zero[b] / (ONE - w * x[s, b])
        dw += others * x[s, b]
        dx[s, b] += w * others
    return dw
