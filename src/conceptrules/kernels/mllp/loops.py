"""The inner loops of passes.py: the gradient of one weight, or of several, on strips of rows.

Arrays are given one by one: in a tuple, each would be counted at each call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.compiling import kernel
from conceptrules.kernels.mllp.vectors import load, one_minus, spread, store, times_plus, total, where_equal

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
# Without fastmath: what is rounded has to come out the same inside another function and alone (see vectors.py).
compiled = kernel(error_model="numpy")
inlined = kernel(error_model="numpy", forceinline=True)


@inlined
def dot(strips: Any, count: int, others: Any, node: int, x: Any, s: int) -> Any:
    result = spread(ZERO)
    for i in range(count):
        result = times_plus(load(others, strips[i], node), load(x, strips[i], s), result)
    return total(result)


@inlined
def dot4(strips: Any, count: int, others: Any, node: int, x: Any, source: Any, t: int, gradient: Any) -> None:
    """Four dot products with one vector, which is read once instead of four times."""
    s0, s1, s2, s3 = source[t], source[t + 1], source[t + 2], source[t + 3]
    t0, t1, t2, t3 = spread(ZERO), spread(ZERO), spread(ZERO), spread(ZERO)
    for i in range(count):
        strip = strips[i]
        other = load(others, strip, node)
        t0 = times_plus(other, load(x, strip, s0), t0)
        t1 = times_plus(other, load(x, strip, s1), t1)
        t2 = times_plus(other, load(x, strip, s2), t2)
        t3 = times_plus(other, load(x, strip, s3), t3)
    gradient[t], gradient[t + 1], gradient[t + 2], gradient[t + 3] = total(t0), total(t1), total(t2), total(t3)


@inlined
def back_masked(
    strips: Any,
    count: int,
    s: int,
    with_none: Any,
    nones: int,
    with_one: Any,
    ones: int,
    x: Any,
    none_of: Any,
    one_of: Any,
    d: Any,
) -> None:
    """Sets d by all masked weights of 1 from one node: they want no gradient of their own, so one division does."""
    for i in range(count):
        none, one = spread(ZERO), spread(ZERO)
        for k in range(nones):
            none += load(none_of, strips[i], with_none[k])
        for k in range(ones):
            one += load(one_of, strips[i], with_one[k])
        factor = ONE - load(x, strips[i], s)
        store(d, strips[i], s, where_equal(factor, ZERO, one, none / factor))


@inlined
def back_one(strips: Any, count: int, s: int, target: int, x: Any, none_of: Any, one_of: Any, d: Any) -> Any:
    """Adds the part of a learnable weight of 1 to d and returns its gradient."""
    result = spread(ZERO)
    for i in range(count):
        value, strip = load(x, strips[i], s), strips[i]
        factor = ONE - value
        others = where_equal(factor, ZERO, load(one_of, strip, target), load(none_of, strip, target) / factor)
        result = times_plus(others, value, result)
        store(d, strip, s, load(d, strip, s) + others)
    return total(result)


@inlined
def back(
    strips: Any,
    count: int,
    s: int,
    t: int,
    number: Any,
    target: Any,
    weights: Any,
    x: Any,
    none_of: Any,
    d: Any,
    gradient: Any,
) -> None:
    """Adds the part of a weight between 0 and 1 to d and writes its gradient."""
    result, w, above = spread(ZERO), weights[number[t]], target[t]
    for i in range(count):
        value, strip = load(x, strips[i], s), strips[i]
        others = load(none_of, strip, above) / one_minus(w, value)
        result = times_plus(others, value, result)
        store(d, strip, s, times_plus(w, others, load(d, strip, s)))
    gradient[number[t]] = total(result)


@inlined
def back2(
    strips: Any,
    count: int,
    s: int,
    t: int,
    u: int,
    number: Any,
    target: Any,
    weights: Any,
    x: Any,
    none_of: Any,
    d: Any,
    gradient: Any,
) -> None:
    """The same for two weights, with one division, which is what takes the time, for both."""
    result0, result1 = spread(ZERO), spread(ZERO)
    w0, w1, target0, target1 = weights[number[t]], weights[number[u]], target[t], target[u]
    for i in range(count):
        value, strip = load(x, strips[i], s), strips[i]
        factor0, factor1 = one_minus(w0, value), one_minus(w1, value)
        inverse = ONE / (factor0 * factor1)
        others0 = load(none_of, strip, target0) * (inverse * factor1)
        others1 = load(none_of, strip, target1) * (inverse * factor0)
        result0 = times_plus(others0, value, result0)
        result1 = times_plus(others1, value, result1)
        store(d, strip, s, times_plus(w0, others0, times_plus(w1, others1, load(d, strip, s))))
    gradient[number[t]], gradient[number[u]] = total(result0), total(result1)
