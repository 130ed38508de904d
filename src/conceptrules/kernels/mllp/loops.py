"""The inner loops of passes.py: the gradient of one weight, or of several, on strips of rows.

For a weight w from x to a node, `no_zero` and `one_zero` hold the gradient of that node times the product of its other
factors (see `split_gradient`); the factor of this weight is 1 - w x. Arrays are passed one by one: inside a tuple,
each call would count references to each of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.mllp.compiling import kernel
from conceptrules.kernels.mllp.vectors import broadcast, load, multiply_add, one_minus, store, sum_lanes, where_equal

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
# No fastmath: results have to be rounded the same way wherever a loop is inlined (see vectors.py).
compiled = kernel(error_model="numpy")
inlined = kernel(error_model="numpy", forceinline=True)


@inlined
def dot(strips: Any, slope: Any, node: int, x: Any, source: int) -> Any:
    """Return the sum over rows of slope[node] * x[source]."""
    result = broadcast(ZERO)
    for i in range(len(strips)):
        result = multiply_add(load(slope, strips[i], node), load(x, strips[i], source), result)
    return sum_lanes(result)


@inlined
def dot4(strips: Any, slope: Any, node: int, x: Any, sources: Any) -> Any:
    """Return four dot products with one vector, which is read once instead of four times."""
    s0, s1, s2, s3 = sources
    t0, t1, t2, t3 = broadcast(ZERO), broadcast(ZERO), broadcast(ZERO), broadcast(ZERO)
    for i in range(len(strips)):
        strip = strips[i]
        shared = load(slope, strip, node)
        t0 = multiply_add(shared, load(x, strip, s0), t0)
        t1 = multiply_add(shared, load(x, strip, s1), t1)
        t2 = multiply_add(shared, load(x, strip, s2), t2)
        t3 = multiply_add(shared, load(x, strip, s3), t3)
    return sum_lanes(t0), sum_lanes(t1), sum_lanes(t2), sum_lanes(t3)


@inlined
def backprop_masked(
    strips: Any, node: int, no_zero_targets: Any, one_zero_targets: Any, x: Any, no_zero: Any, one_zero: Any, d: Any
) -> None:
    """Set d by all masked weights of 1 out of a node: they need no gradient of their own, so one division will do."""
    for i in range(len(strips)):
        divided, undivided = broadcast(ZERO), broadcast(ZERO)
        for k in range(len(no_zero_targets)):
            divided += load(no_zero, strips[i], no_zero_targets[k])
        for k in range(len(one_zero_targets)):
            undivided += load(one_zero, strips[i], one_zero_targets[k])
        factor = ONE - load(x, strips[i], node)
        store(d, strips[i], node, where_equal(factor, ZERO, undivided, divided / factor))


@inlined
def backprop_one(strips: Any, node: int, target: int, x: Any, no_zero: Any, one_zero: Any, d: Any) -> Any:
    """Add the part of a learnable weight of 1, whose factor may be 0, to d, and return the gradient of the weight."""
    result = broadcast(ZERO)
    for i in range(len(strips)):
        value, strip = load(x, strips[i], node), strips[i]
        factor = ONE - value
        slope = where_equal(factor, ZERO, load(one_zero, strip, target), load(no_zero, strip, target) / factor)
        result = multiply_add(slope, value, result)
        store(d, strip, node, load(d, strip, node) + slope)
    return sum_lanes(result)


@inlined
def backprop_weight(strips: Any, node: int, target: int, w: Any, x: Any, no_zero: Any, d: Any) -> Any:
    """Add the part of a weight between 0 and 1, whose factor is never 0, to d, and return the weight's gradient."""
    result = broadcast(ZERO)
    for i in range(len(strips)):
        value, strip = load(x, strips[i], node), strips[i]
        slope = load(no_zero, strip, target) / one_minus(w, value)
        result = multiply_add(slope, value, result)
        store(d, strip, node, multiply_add(w, slope, load(d, strip, node)))
    return sum_lanes(result)


@inlined
def backprop_pair(strips: Any, node: int, targets: Any, pair: Any, x: Any, no_zero: Any, d: Any) -> Any:
    """Do the same for two weights at the price of one division, which is what takes the time."""
    result0, result1 = broadcast(ZERO), broadcast(ZERO)
    (target0, target1), (w0, w1) = targets, pair
    for i in range(len(strips)):
        value, strip = load(x, strips[i], node), strips[i]
        factor0, factor1 = one_minus(w0, value), one_minus(w1, value)
        inverse = ONE / (factor0 * factor1)
        slope0 = load(no_zero, strip, target0) * (inverse * factor1)
        slope1 = load(no_zero, strip, target1) * (inverse * factor0)
        result0 = multiply_add(slope0, value, result0)
        result1 = multiply_add(slope1, value, result1)
        store(d, strip, node, multiply_add(w0, slope0, multiply_add(w1, slope1, load(d, strip, node))))
    return sum_lanes(result0), sum_lanes(result1)
