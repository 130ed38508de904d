"""Scorecards as a model of AutoGluon: of classes, and of a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from autogluon.core.constants import REGRESSION
from autogluon.core.models import AbstractModel

if TYPE_CHECKING:
    import pandas as pd


class ScorecardModel(AbstractModel):
    """Rules that add up: `ScorecardClassifier`, or `ScorecardRegressor` where a number is predicted.

    Hyperparameters are their parameters. Missing values and categories are read as they are. The rows that choose the
    size of a card are held out of the training rows, so validation rows stay unseen, and a fit ends by itself long
    before a time limit of TabArena.
    """

    ag_key = "SCORECARD"
    ag_name = "Scorecard"
    seed_name = "random_state"
    _supported_problem_types: ClassVar = ["binary", "multiclass", REGRESSION]

    def _fit(self, X: pd.DataFrame, y: pd.Series, num_cpus: int = 1, sample_weight: Any = None, **_: Any) -> None:
        from conceptrules import ScorecardClassifier, ScorecardRegressor

        learner = ScorecardRegressor if self.problem_type == REGRESSION else ScorecardClassifier
        self.model = learner(n_jobs=num_cpus, **self._get_model_params())
        self.model.fit(self.preprocess(X), y.to_numpy(), sample_weight=sample_weight)

    def _get_default_auxiliary_params(self) -> dict[str, Any]:
        """Return what AutoGluon passes on: it makes these kinds of all others."""
        return {**super()._get_default_auxiliary_params(), "valid_raw_types": ["bool", "int", "float", "category"]}

    @classmethod
    def config_generator(cls) -> Any:
        """Return the default settings, and those that TabArena tries beside them."""
        from autogluon.common.space import Categorical, Int
        from tabarena.utils.config_utils import ConfigGenerator

        space = {"max_rule_length": Categorical(3, 1, 2, 4), "max_bins": Int(8, 128)}
        return ConfigGenerator(model_cls=cls, manual_configs=[{}], search_space=space)
