"""Steps of Adam, each followed by Clip to 0 .. 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.kernels.mllp.loops import ONE, ZERO, compiled

# Moments below this are taken as 0: with denormal numbers a processor is ten times slower.
TINY = np.float32(1e-30)
# Momentum below this share of what it was adds nothing to a sum in float32.
NOTHING = 1e-7
# Weights at a time: what is summed up over the steps stays in the nearest cache.
BLOCK = 512


@compiled
def learn(state: Any, gradient: Any, settings: Any, steps: int) -> None:
    """One step for the learnable weights; the gradient comes in parts."""
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
def coast(state: Any, masked: Any, settings: Any, steps: int, more: int) -> None:
    """So many steps at once for the masked weights: they get no gradient, but what momentum they have goes on.

    A weight moves in one direction then, so that Clip can wait for the end.
    """
    weights, first, second = state
    _, _, beta1, beta2, _ = settings
    moving = np.flatnonzero(masked & (first != 0))
    for start in range(0, len(moving), BLOCK):
        some = moving[start : start + BLOCK]
        change = _changes(np.sqrt(second[some]), settings, steps, more)
        for i in range(len(some)):
            weights[some[i]] = min(max(weights[some[i]] - first[some[i]] * change[i], ZERO), ONE)
    decay1, decay2 = np.float32(beta1**more), np.float32(beta2**more)
    for k in range(len(weights)):
        if masked[k]:
            first[k] = first[k] * decay1 if abs(first[k] * decay1) > TINY else ZERO
            second[k] = second[k] * decay2 if second[k] * decay2 > TINY else ZERO


@compiled
def _changes(root: Any, settings: Any, steps: int, more: int) -> Any:
    """How far a first moment of 1 carries, given the roots of the second moments."""
    rate, _, beta1, beta2, epsilon = settings
    change = np.zeros(len(root), np.float32)
    for t in range(1, more + 1):
        if beta1**t < NOTHING:
            break
        ahead = np.float32(rate * beta1**t / (1 - beta1 ** (steps + t)))
        scale = np.float32(np.sqrt(beta2**t / (1 - beta2 ** (steps + t))))
        for k in range(len(root)):
            change[k] += ahead / (scale * root[k] + epsilon)
    return change
