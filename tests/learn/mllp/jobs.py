"""A small job: exclusive or."""

from __future__ import annotations

import numpy as np

from conceptrules.learn.mllp.examples import Examples
from conceptrules.learn.mllp.hyperparameters import Hyperparameters
from conceptrules.learn.mllp.train import FitJob


def xor(repeats: float = 10) -> Examples:
    """Class 1 where just one of two bits is set; a third says nothing. Both bits come with their opposites."""
    inputs = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], dtype=bool)
    pairs = np.hstack([inputs[:, :2], ~inputs[:, :2], inputs[:, 2:]])
    return Examples.of(pairs, (inputs[:, 0] ^ inputs[:, 1]).astype(np.int64), np.full(8, repeats))


def job(settings: Hyperparameters, seed: int = 0) -> FitJob:
    return FitJob(settings, xor(), xor(), np.ones(2), np.random.default_rng(seed))
