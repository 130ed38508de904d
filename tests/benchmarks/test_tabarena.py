"""The entry for TabArena fits and predicts as a model of AutoGluon does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("autogluon.core", reason="AutoGluon has an environment of its own: make test-tabarena")

from autogluon.core.models import BaggedEnsembleModel

from benchmarks.tabarena.model import ScorecardModel

ROWS = 240


def make_table() -> tuple[pd.DataFrame, pd.Series]:
    """Return a table of the kinds that AutoGluon passes on, with gaps, and the number that its columns add up to."""
    rng = np.random.default_rng(0)
    kind, height = rng.choice([0, 1, 2], ROWS), rng.normal(size=ROWS)
    X = pd.DataFrame({"height": height, "count": rng.integers(0, 5, ROWS), "kind": pd.Categorical(kind)})
    X.loc[:10, "height"] = np.nan
    return X, pd.Series(np.where(height > 0, 3.0, 0.0) + 2.0 * (kind == 1))


@pytest.mark.parametrize(
    ("problem", "cuts", "shape"), [("binary", [1], (40,)), ("multiclass", [1, 4], (40, 3)), ("regression", [], (40,))]
)
def test_a_card_is_fitted_and_loaded_again(
    problem: str, cuts: list[float], shape: tuple[int, ...], tmp_path: Path
) -> None:
    X, y = make_table()
    y = pd.Series(np.digitize(y, cuts)) if cuts else y
    model = ScorecardModel(
        path=str(tmp_path), name="card", problem_type=problem, hyperparameters={"max_rule_length": 1}
    )
    model.fit(X=X[:-40], y=y[:-40], num_cpus=1, num_gpus=0)
    predicted = model.predict_proba(X[-40:])
    assert predicted.shape == shape
    assert model.score(X[-40:], y[-40:]) > (-1 if problem == "regression" else 0.9)
    assert (model.model.max_rule_length, model.model.random_state) == (1, 0)
    assert "kind" in model.model.network_.used_columns
    assert np.array_equal(ScorecardModel.load(model.save()).predict_proba(X[-40:]), predicted)


def test_folds_are_bagged_as_tabarena_does(tmp_path: Path) -> None:
    X, y = make_table()
    y = pd.Series(np.digitize(y, [2.5]))
    bag = BaggedEnsembleModel(
        ScorecardModel(path=str(tmp_path), name="card", problem_type="binary"), path=str(tmp_path), name="bag"
    )
    bag.params["fold_fitting_strategy"] = "sequential_local"
    bag.fit(X=X, y=y, k_fold=3)
    assert np.mean((bag.predict_proba_oof() > 0.5) == y) > 0.9
    assert bag.predict_proba(X).shape == (ROWS,)
