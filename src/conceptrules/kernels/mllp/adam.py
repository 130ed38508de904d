"""Steps of Adam, each followed by clipping to 0 .. 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.mllp.loops import ONE, ZERO, compiled

# Moments below this are set to 0: denormal numbers make a processor ten times slower.
TINY = np.float32(1e-30)
# Momentum that has decayed to this share adds nothing to a sum in float32.
NEGLIGIBLE = 1e-7
# Weights at a time: the sums over the steps stay in the nearest cache.
BLOCK = 512


@compiled
def adam_step(state: Any, gradient: Any, settings: Any, steps: int) -> None:
    """Make one step with the learnable weights; the gradient comes in parts, one from each part of the batch."""
    weights, first, second = state
    rate, l2, beta1, beta2, epsilon = settings
    # In float64, which a power of float32 by an integer would give, the loop is six times slower.
    scale1, scale2 = np.float32(1 / (1 - beta1**steps)), np.float32(1 / (1 - beta2**steps))
    for part in range(1, len(gradient)):
        for k in range(len(weights)):
            gradient[0, k] += gradient[part, k]
    for k in range(len(weights)):
        slope = gradient[0, k] + l2 * weights[k]
        moment = first[k] + (ONE - beta1) * (slope - first[k])
        square = second[k] + (ONE - beta2) * (slope * slope - second[k])
        first[k] = moment if abs(moment) > TINY else ZERO
        second[k] = square if square > TINY else ZERO
        change = rate * (first[k] * scale1) / (np.sqrt(second[k] * scale2) + epsilon)
        weights[k] = min(max(weights[k] - change, ZERO), ONE)


@compiled
def coast_masked(state: Any, masked: Any, settings: Any, steps: int, more: int) -> None:
    """Make `more` steps at once with the masked weights: without a gradient, their momentum carries them on.

    Each moves in one direction only, so that clipping can wait for the end.
    """
    weights, first, second = state
    _, _, beta1, beta2, _ = settings
    moving = np.flatnonzero(masked & (first != 0))
    for start in range(0, len(moving), BLOCK):
        block = moving[start : start + BLOCK]
        reach = _sum_momentum(np.sqrt(second[block]), settings, steps, more)
        for i in range(len(block)):
            weights[block[i]] = min(max(weights[block[i]] - first[block[i]] * reach[i], ZERO), ONE)
    decay1, decay2 = np.float32(beta1**more), np.float32(beta2**more)
    for k in range(len(weights)):
        if masked[k]:
            first[k] = first[k] * decay1 if abs(first[k] * decay1) > TINY else ZERO
            second[k] = second[k] * decay2 if second[k] * decay2 > TINY else ZERO


@compiled
def _sum_momentum(root: Any, settings: Any, steps: int, more: int) -> Any:
    """Return how far a first moment of 1 carries a weight, given the roots of the second moments."""
    rate, _, beta1, beta2, epsilon = settings
    reach = np.zeros(len(root), np.float32)
    for t in range(1, more + 1):
        if beta1**t < NEGLIGIBLE:
            break
        ahead = np.float32(rate * beta1**t / (1 - beta1 ** (steps + t)))
        scale = np.float32(np.sqrt(beta2**t / (1 - beta2 ** (steps + t))))
        for k in range(len(root)):
            reach[k] += ahead / (scale * root[k] + epsilon)
    return reach
