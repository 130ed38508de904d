"""Rules of very few rows are left out of large tables, unless the user says how many are enough."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from conceptrules import ConceptRuleClassifier, ScorecardClassifier
from conceptrules.learn.checks import choose_least_rows

pytestmark = pytest.mark.filterwarnings("ignore::conceptrules.model.errors.ConceptRulesWarning")
FAST: dict[str, Any] = {"effort": "fast", "random_state": 0, "n_jobs": 1}


def draw_loans(rows: int = 6000) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    columns = {
        "title": [f"t{number}" for number in rng.zipf(1.3, rows) % 200],
        "grade": rng.choice(list("ABCDEFG"), rows),
        "debt": rng.normal(size=rows).round(3),
    }
    table = pd.DataFrame(columns)
    bad = (rng.random(rows) < 0.02) | ((table["grade"] == "G") & (table["debt"] > 1))
    return table, np.where(bad, "bad", "good")


def least_covered(model: Any) -> float:
    """Return the least rows that a rule of any network of the front covers."""
    networks = [choice.network for choice in model.frontier_ if choice.network.edges]
    return min(sum(rows) for network in networks for level in network.statistics.covered for rows in level)


def test_the_least_support_grows_with_the_table() -> None:
    table, y = draw_loans()
    assert choose_least_rows(len(y)) == 3
    assert least_covered(ConceptRuleClassifier(**FAST).fit(table, y)) >= 3


def test_the_user_says_how_many_rows_are_enough() -> None:
    table, y = draw_loans()
    assert least_covered(ConceptRuleClassifier(min_rows=100, **FAST).fit(table, y)) >= 100


def test_cards_have_the_same_least_support() -> None:
    table, y = draw_loans()
    assert least_covered(ScorecardClassifier(**FAST).fit(table, y)) >= 3
