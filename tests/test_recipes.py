"""What the classifier promises with either recipe."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from conceptrules import InputError
from conceptrules.parameters import RECIPES
from tests.people import entangled, quick, simple

pytestmark = pytest.mark.parametrize("recipe", RECIPES)


def table(recipe: str, **size: int) -> tuple[pd.DataFrame, np.ndarray]:
    return (simple if recipe == "paper" else entangled)(**size)


def test_the_order_of_rows_does_not_matter(recipe: str) -> None:
    X, y = table(recipe)
    fitted, order = quick(recipe).fit(X, y), np.random.default_rng(1).permutation(len(y))
    again = quick(recipe).fit(X.iloc[order], y[order])
    assert again.frontier_ == fitted.frontier_
    assert again.network_ == fitted.network_
    assert again.network_.statistics == fitted.network_.statistics


def test_weights_are_repeats_and_zero_is_absence(recipe: str) -> None:
    X, y = table(recipe)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    weighted = quick(recipe).fit(X, y, sample_weight=weight)
    order = np.repeat(np.arange(len(y)), weight)
    repeated = quick(recipe).fit(X.iloc[order], y[order])
    assert weighted.frontier_ == repeated.frontier_
    assert weighted.network_ == repeated.network_
    assert weighted.network_.statistics == repeated.network_.statistics


def test_a_small_class_stays_in_training(recipe: str) -> None:
    X, y = table(recipe)
    y[:3] = "rare"
    with pytest.warns(UserWarning, match="class 'rare' has too few rows for a validation split of 0.2"):
        clf = quick(recipe).fit(X, y)
    assert "rare" in clf.network_.classes


def test_validation_rows_of_your_own(recipe: str) -> None:
    X, y = table(recipe)
    fresh, answers = table(recipe, rows=60, seed=9)
    clf = quick(recipe).fit(X, y, X_val=fresh, y_val=answers)
    validation = clf.network_.training.validation
    assert (validation.source, validation.rows) == ("given", 60)
    assert sum(clf.network_.statistics.rows) == len(y)  # no row of X was held back
    with pytest.raises(InputError, match="X_val has no rows"):
        quick(recipe).fit(X, y, X_val=fresh[:0], y_val=answers[:0])
    with pytest.raises(InputError, match="go together"):
        quick(recipe).fit(X, y, X_val=fresh)
    with pytest.raises(InputError, match="y_val has the class 'dead'"):
        quick(recipe).fit(X, y, X_val=fresh, y_val=["dead"] * 60)
    with pytest.raises(InputError, match="y_val has 59 labels for the 60 rows"):
        quick(recipe).fit(X, y, X_val=fresh, y_val=answers[1:])


def test_progress_is_shown_when_asked_for(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = table(recipe)
    quick(recipe, verbose=True).fit(X, y)
    assert "edges" in capsys.readouterr().err
    quick(recipe).fit(X, y)
    assert capsys.readouterr().err == ""
