"""What is optimised decides how probable answers are, and not that nobody can read the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conceptrules import ConceptRuleClassifier


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_networks_for_log_loss_are_small(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(800, 8)).round(2)
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=800) > 0.3, "bad", "good")
    fast: dict[str, Any] = {"effort": "fast", "random_state": 0, "n_jobs": 1}
    clf = ConceptRuleClassifier(scoring="neg_log_loss", **fast).fit(X, y)
    assert clf.history_[-1]["edges"] > 100  # lower penalties lead to large networks
    assert 0 < clf.network_.edges < 60
