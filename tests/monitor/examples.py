"""A table that drifts, and the models that were learned before it did."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from conceptrules import ConceptRuleClassifier, ScorecardClassifier, ScorecardRegressor
from conceptrules.model import RuleNetwork

CLASSES = np.array(["no", "yes"])


def make_rows(count: int = 600, north: float = 0.1, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows of which so many are from the north, and their classes."""
    generator = np.random.default_rng(seed)
    rest = (1 - north) / 2
    X = pd.DataFrame(
        {
            "region": generator.choice(["north", "south", "west"], count, p=[north, rest, rest]),
            "income": generator.integers(10, 90, count).astype(float),
            "age": generator.integers(18, 80, count).astype(float),
        }
    )
    y = CLASSES[((X.region == "north") | (X.income > 60)).astype(int).to_numpy()]
    flipped = generator.random(count) < 0.05
    y = np.where(flipped, np.where(y == "yes", "no", "yes"), y)
    X.loc[generator.random(count) < 0.1, "income"] = np.nan
    return X, y


@cache
def learn(kind: str) -> RuleNetwork:
    """A network that was learned before the drift: decisions, a card of two or three classes, or numbers."""
    X, y = make_rows()
    if kind == "decision":
        return ConceptRuleClassifier(effort="fast", max_rules=4).fit(X, y).network_
    if kind == "card":
        return ScorecardClassifier(effort="fast", max_edges=12).fit(X, y).network_
    if kind == "several":
        return ScorecardClassifier(effort="fast", max_edges=20).fit(X, label_three(X, y)).network_
    return ScorecardRegressor(max_edges=12).fit(X, find_numbers(X, y)).network_


def label_three(X: pd.DataFrame, y: np.ndarray) -> np.ndarray:
    return np.where(X.age > 60, "old", y)


def find_numbers(X: pd.DataFrame, y: np.ndarray) -> np.ndarray:
    return X.age.to_numpy() + 30 * (y == "yes")


def targets_of(kind: str, X: pd.DataFrame, y: np.ndarray) -> np.ndarray:
    """What a network of this kind predicts."""
    return {"several": label_three, "numbers": find_numbers}.get(kind, lambda X, y: y)(X, y)


KINDS = ("decision", "card", "several", "numbers")
