"""Tables of people that both estimators learn in a moment, and parameters that make them quick."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from conceptrules import ConceptRuleClassifier, MLLPClassifier

Table = tuple[pd.DataFrame, np.ndarray]


def quick_search(**parameters: Any) -> ConceptRuleClassifier:
    return ConceptRuleClassifier(**{"effort": "fast", "random_state": 0, "n_jobs": 1, **parameters})


def quick_mllp(**parameters: Any) -> MLLPClassifier:
    usual = {"layers": (8,), "binarization_rate": (0.5, 0.8), "max_epochs": 60, "random_state": 0}
    return MLLPClassifier(**{**usual, **parameters})


def simple(rows: int = 120, seed: int = 0) -> Table:
    """The answer is in the job, or else in the age."""
    return _people(rows, seed, lambda X: np.where(X["job"] == "nurse", "care", np.where(X["age"] > 50, "old", "young")))


def entangled(rows: int = 200, seed: int = 0) -> Table:
    """The answer takes two columns at once."""

    def answer(X: pd.DataFrame) -> np.ndarray:
        tall = (X["height"] > 172) & (X["age"] > 30)
        return np.where((X["job"] == "nurse") & ~tall, "care", np.where((X["age"] > 50) | tall, "old", "young"))

    return _people(rows, seed, answer)


def _people(rows: int, seed: int, answer: Callable[[pd.DataFrame], np.ndarray]) -> Table:
    """Three classes, text, numbers and gaps, and a tenth of the answers wrong."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "job": pd.Series(rng.choice(["nurse", "smith", "clerk"], rows)).where(rng.random(rows) > 0.1),
            "height": rng.normal(170, 10, rows).round(1),
        }
    )
    y = answer(X)
    return X, np.where(rng.random(rows) < 0.1, rng.permutation(y), y)
