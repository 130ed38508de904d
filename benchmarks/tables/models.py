"""What is compared: each model at its default settings, with one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any
from unittest.mock import patch

from benchmarks import digest
from benchmarks.tables.suite import Table


@dataclass(frozen=True, slots=True)
class Model:
    """A model of the comparison."""

    package: str
    make: Callable[..., Any]
    """What makes it, unfitted, from the kinds of the columns, a seed, and the settings as keywords."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What is not as the package has it by default."""
    edges: Callable[[Any], int | None] = lambda fitted: None
    ours: bool = False
    digest: str = digest.SEARCH
    """That of our learner, if it is ours."""
    changed: Mapping[str, Any] = field(default_factory=dict)
    """What an ablation changes in the search: module.NAME below conceptrules.learn, and its value."""

    @contextmanager
    def as_changed(self) -> Iterator[None]:
        """Change the search as long as this lasts."""
        with ExitStack() as stack:
            for name, value in self.changed.items():
                stack.enter_context(patch(f"conceptrules.learn.{name}", value))
            yield

    def rows(self, table: Table, index: Any) -> Any:
        """Return rows of the table in the form that the model takes."""
        return table.X.take(index) if self.ours else table.frame.iloc[index]

    def code(self) -> str:
        """Return the package that fits, with its version."""
        return f"{self.package} {version(self.package)}"

    def learner(self) -> dict[str, str]:
        """Return the digest of our learner, which changes more often than its version; nothing for other packages."""
        return {digest.FIELD: digest.learner(self.digest)} if self.ours else {}


def _conceptrules(numbers: list[bool], seed: int, **settings: Any) -> Any:
    from conceptrules import ConceptRuleClassifier

    return ConceptRuleClassifier(random_state=seed, n_jobs=1, **settings)


def _scorecard(numbers: list[bool], seed: int, **settings: Any) -> Any:
    from conceptrules import ScorecardClassifier

    return ScorecardClassifier(random_state=seed, n_jobs=1, **settings)


def _lightgbm(numbers: list[bool], seed: int, **settings: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1, **settings)


def _ebm(numbers: list[bool], seed: int, **settings: Any) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    kinds = ["continuous" if number else "nominal" for number in numbers]
    return ExplainableBoostingClassifier(feature_types=kinds, random_state=seed, n_jobs=1, **settings)


def _cart(numbers: list[bool], seed: int, **settings: Any) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return _one_hot(numbers, DecisionTreeClassifier(random_state=seed, **settings))


def _forest(numbers: list[bool], seed: int, **settings: Any) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return _one_hot(numbers, RandomForestClassifier(random_state=seed, n_jobs=1, **settings))


def _one_hot(numbers: list[bool], trees: Any) -> Any:
    """Return trees behind a column for each category, a missing value included; numbers may be missing as they are."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    categories = [k for k, number in enumerate(numbers) if not number]
    return make_pipeline(make_column_transformer((encoder, categories), remainder="passthrough"), trees)


def _network_edges(fitted: Any) -> int:
    return int(fitted.network_.edges)


def _branches(fitted: Any) -> int:
    return int(fitted[-1].tree_.node_count) - 1


def _cells(fitted: Any) -> int:
    """Return the numbers that the curves and surfaces of an EBM are made of."""
    return sum(scores.size for scores in fitted.term_scores_)


def _ours(settings: Mapping[str, Any], changed: Mapping[str, Any] | None = None) -> Model:
    return Model("conceptrules", _conceptrules, settings, _network_edges, ours=True, changed=changed or {})


def _card(settings: Mapping[str, Any], changed: Mapping[str, Any] | None = None) -> Model:
    return Model(
        "conceptrules", _scorecard, settings, _network_edges, ours=True, digest=digest.POINTS, changed=changed or {}
    )


MODELS = {
    # LightGBM is the clock of the others, so it comes first.
    "lightgbm": Model("lightgbm", _lightgbm),
    "cart": Model("scikit-learn", _cart, edges=_branches),
    "conceptrules-fast": _ours({"effort": "fast"}),
    "conceptrules": _ours({}),
    "scorecard": _card({}),
    "scorecard-plain": _card({"max_rule_length": 1}),
    "ebm": Model("interpret-core", _ebm, edges=_cells),
    "forest": Model("scikit-learn", _forest, {"n_estimators": 100}),
    # Ablations: the default without one of its ideas each.
    "without-forest": _ours({}, {"search.search.FOREST_UP_TO": 0}),
    "nothing-afresh": _ours({}, {"search.path._FRESH": -1}),
    "without-trees": _ours({}, {"search.path._LOSSES": 0}),
    "best-penalty": _ours({}, {"choose._TOLERANCE": 0.0}),
}
