"""What the kernels compute, in plain NumPy: slow, readable, and what the tests compare every other kernel with.

The rows of a batch are the last axis. For a cohort of K networks x is (K, inputs, batch) and w (K, outputs, inputs).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.mllp.cohort import Cohort, Flags, Floats, KernelRows, StepSettings

Array = NDArray[np.floating]


def none_of(x: Array, w: Array) -> Array:
    """Return `y[i, b] = prod_j (1 - w[i, j] x[j, b])`: true where none of the selected inputs is."""
    result: Array = np.prod(_factors(x, w), axis=-2)
    return result


def none_of_gradient(x: Array, w: Array, dy: Array) -> tuple[Array, Array]:
    """Return the gradients of x and of w, given that of y.

    The derivative of a product by one factor is the product of the others: not y / factor, which is 0 / 0
    where a factor is exactly 0, the normal case under Random Binarization.
    """
    slope = -dy[..., :, None, :] * _products_of_others(_factors(x, w))
    dx = np.sum(slope * w[..., None], axis=-3)
    dw = np.sum(slope * x[..., None, :, :], axis=-1)
    return dx, dw


def _factors(x: Array, w: Array) -> Array:
    factors: Array = 1 - w[..., None] * x[..., None, :, :]
    return factors


def _products_of_others(factors: Array) -> Array:
    """Return at each input the product of the factors of all other inputs (axis -2)."""
    ones = np.ones_like(factors[..., :1, :])
    before = np.cumprod(np.concatenate([ones, factors[..., :-1, :]], axis=-2), axis=-2)
    after = np.cumprod(np.concatenate([ones, factors[..., :0:-1, :]], axis=-2), axis=-2)[..., ::-1, :]
    result: Array = before * after
    return result


def forward(cohort: Cohort, packed: NDArray[np.uint8]) -> Floats:
    """Return the class scores of each network on each row: (K, rows, classes)."""
    values = _activations(cohort, cohort.weights, packed)
    scores: Floats = 1 - values[-1].transpose(0, 2, 1)
    return scores


def epoch(
    cohort: Cohort, masked: Flags, rows: KernelRows, order: NDArray[np.int64], rate: float, settings: StepSettings
) -> Floats:
    """Train every network on the rows in this order, a batch a step; return the mean loss of each.

    This is Random Binarization: the masked weights take part with the value that they had at the start, rounded at 0.5.
    Their gradient is 0, but their momentum goes on moving the value behind it: on tables with many classes this helps.
    """
    effective = np.where(masked, cohort.weights > 0.5, cohort.weights).astype(np.float32)
    total = np.zeros(len(effective))
    for start in range(0, len(order), settings.batch_size):
        batch = order[start : start + settings.batch_size]
        loss, gradient = _gradient(cohort, effective, rows, batch)
        total += loss * len(batch)
        gradient = np.where(masked, 0, gradient + settings.l2 * effective)
        _adam(cohort, gradient, rate, settings)
        effective = np.where(masked, effective, cohort.weights)
    return (total / len(order)).astype(np.float32)


def _activations(cohort: Cohort, weights: Floats, packed: NDArray[np.uint8]) -> list[Array]:
    """Return x of every layer.

    With complements between them, AND and OR are both `none_of`: a rule is `none_of` the complements of its literals, a
    concept the complement of `none_of` its rules. So only the bits and the scores are complemented.
    """
    bits = np.unpackbits(packed, axis=1, count=cohort.sizes[0])
    x: Array = np.broadcast_to(1 - bits.T.astype(np.float32), (len(weights), cohort.sizes[0], len(bits)))
    values = [x]
    for w in cohort.layers(cohort.sizes, weights):
        values.append(none_of(values[-1], w))
    return values


def _gradient(cohort: Cohort, weights: Floats, rows: KernelRows, batch: NDArray[np.int64]) -> tuple[Array, Floats]:
    """Return the loss of each network, and its gradient."""
    values = _activations(cohort, weights, rows.packed[batch])
    error = (1 - values[-1]) - (np.arange(cohort.sizes[-1])[:, None] == rows.target[batch])
    scale = rows.weight[batch] / error[0].size
    d, gradients = -2 * error * scale, []
    for x, w in zip(values[-2::-1], cohort.layers(cohort.sizes, weights)[::-1], strict=True):
        d, dw = none_of_gradient(x, w, d)
        gradients.append(dw.reshape(len(weights), -1))
    return np.sum(error**2 * scale, axis=(1, 2)), np.concatenate(gradients[::-1], axis=1)


def _adam(cohort: Cohort, gradient: Floats, rate: float, settings: StepSettings) -> None:
    cohort.steps += 1
    cohort.first += (1 - settings.beta1) * (gradient - cohort.first)
    cohort.second += (1 - settings.beta2) * (gradient**2 - cohort.second)
    first = cohort.first / (1 - settings.beta1**cohort.steps)
    second = cohort.second / (1 - settings.beta2**cohort.steps)
    cohort.weights -= rate * first / (np.sqrt(second) + settings.epsilon)
    np.clip(cohort.weights, 0, 1, out=cohort.weights)
