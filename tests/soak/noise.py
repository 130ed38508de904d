"""Noise gives no rules: tables of any columns, whose labels are shuffled, fitted by both quick efforts and as a card.

A fit asks whether its answers are better than four in a thousand by chance, of about ten networks. So about one table
in twenty-five has rules; more than eight in a hundred are too many.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from itertools import count

import numpy as np
import pandas as pd

from conceptrules import ScorecardClassifier
from tests.people import quick_search

TABLES = 100
"""Each of them is fitted by every learner."""
MOST = 0.08
LEARNERS = {
    "fast": lambda: quick_search(effort="fast"),
    "default": lambda: quick_search(effort="default"),
    "card": lambda: ScorecardClassifier(random_state=0, n_jobs=1),
}


def draw_noise(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return 30 to 2,000 rows of 2 to 50 columns of any kind, and labels that have nothing to do with them."""
    rng = np.random.default_rng([350, seed])
    rows, classes = int(np.exp(rng.uniform(np.log(30), np.log(2000)))), int(rng.choice([2, 2, 2, 3, 5]))
    kinds = (
        lambda: rng.normal(size=rows),
        lambda: rng.integers(0, 10, rows),
        lambda: rng.choice(list("abcdefgh"), rows),
        lambda: rng.integers(0, 2, rows),
    )
    columns = {f"c{number}": kinds[rng.integers(len(kinds))]() for number in range(rng.integers(2, 51))}
    shares = rng.dirichlet(np.full(classes, 5.0))
    labels = np.r_[0, 1, rng.choice(classes, rows - 2, p=shares)]
    return pd.DataFrame(columns), rng.permutation(labels)


def has_rules(seed: int, learner: str) -> bool:
    """Return whether rules are learned of noise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(LEARNERS[learner]().fit(*draw_noise(seed)).network_.edges)


def main(minutes: float, start: int) -> None:
    """Fit noise until the time is up, but `TABLES` tables at least, and fail if too many have rules."""
    end, tables, rules = time.monotonic() + 60 * minutes, 0, Counter[str]()
    for seed in count(start):
        rules.update(learner for learner in LEARNERS if has_rules(seed, learner))
        tables += 1
        if tables >= TABLES and time.monotonic() > end:
            break
    print(f"{tables} tables of noise, with rules: " + ", ".join(f"{rules[learner]} {learner}" for learner in LEARNERS))
    if max(rules.values()) > MOST * tables:
        sys.exit("too many tables of noise have rules")
