"""What is compared: each model at its default settings, with one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from itertools import chain
from typing import Any

import numpy as np

from benchmarks import digest
from benchmarks.tables.suite import Table

Size = tuple[int, int]
"""How large a fitted model is in its own terms (see UNITS in summary.py), and how many columns it asks about."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model of the comparison."""

    package: str
    make: Callable[..., Any]
    """What makes it, unfitted, from the kinds of the columns, a seed, and the settings as keywords."""
    measure_size: Callable[[Any], Size]
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What is not as the package has it by default."""
    digest: str = ""
    """That of our learner, if it is ours."""
    two_classes: bool = False
    """Whether it knows no more than two classes."""

    @property
    def ours(self) -> bool:
        return bool(self.digest)

    def rows(self, table: Table, index: Any) -> Any:
        """Return rows of the table in the form that the model takes."""
        return table.X.take(index) if self.ours else table.frame.iloc[index]

    def size(self, fitted: Any) -> Size:
        """Return the size of a fitted model."""
        return self.measure_size(fitted.model if isinstance(fitted, Coded) else fitted)

    def code(self) -> str:
        """Return the package that fits, with its version."""
        return f"{self.package} {version(self.package)}"

    def learner(self) -> dict[str, str]:
        """Return the digest of our learner, which changes more often than its version; nothing for other packages."""
        return {digest.FIELD: digest.learner(self.digest)} if self.ours else {}


class Coded:
    """A classifier that is given classes as the numbers from 0: some of the packages take or know no others."""

    def __init__(self, model: Any):
        self.model = model

    def fit(self, X: Any, y: Any) -> Coded:
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model.fit(X, codes)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[np.asarray(self.model.predict(X)).astype(int)]

    def predict_proba(self, X: Any) -> Any:
        return self.model.predict_proba(X)


def _plain(path: str, **arguments: Any) -> Callable[..., Any]:
    """Return what makes an estimator that takes the table as it is."""
    module, name = path.split(":")

    def make(numbers: list[bool], seed: int, **settings: Any) -> Any:
        return getattr(import_module(module), name)(**arguments, random_state=seed, **settings)

    return make


def _one_hot(path: str, *steps: str, seeded: bool = True, coded: bool = False, **arguments: Any) -> Callable[..., Any]:
    """Return what makes an estimator behind a column for each category, a missing value included.

    Numbers pass the steps, of sklearn: those that know no missing values get the mean for them.
    """
    module, name = path.split(":")

    def make(numbers: list[bool], seed: int, **settings: Any) -> Any:
        from sklearn.compose import make_column_transformer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder

        estimator = getattr(import_module(module), name)(
            **arguments, **({"random_state": seed} if seeded else {}), **settings
        )
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        columns = [[k for k, number in enumerate(numbers) if number == kind] for kind in (False, True)]
        prepare = make_pipeline(*(_STEPS[step]() for step in steps)) if steps else "passthrough"
        encode = make_column_transformer((encoder, columns[0]), (prepare, columns[1]))
        pipeline = make_pipeline(encode, estimator)
        return Coded(pipeline) if coded else pipeline

    return make


def _impute() -> Any:
    from sklearn.impute import SimpleImputer

    return SimpleImputer(keep_empty_features=True)


def _scale() -> Any:
    from sklearn.preprocessing import StandardScaler

    return StandardScaler()


_STEPS: Mapping[str, Callable[[], Any]] = {"impute": _impute, "scale": _scale}


def _ebm(name: str) -> Callable[..., Any]:
    def make(numbers: list[bool], seed: int, **settings: Any) -> Any:
        from interpret import glassbox

        kinds = ["continuous" if number else "nominal" for number in numbers]
        return getattr(glassbox, name)(feature_types=kinds, random_state=seed, n_jobs=1, **settings)

    return make


class BinnedScorecard:
    """The scorecard of optbinning: columns in bins, and a logistic regression on their weights of evidence."""

    def __init__(self, numbers: list[bool]):
        self.numbers = numbers

    def fit(self, X: Any, y: Any) -> BinnedScorecard:
        from optbinning import BinningProcess, Scorecard
        from sklearn.linear_model import LogisticRegression

        categories = [name for name, number in zip(X.columns, self.numbers, strict=True) if not number]
        process = BinningProcess(list(X.columns), categorical_variables=categories or None)
        self.card = Scorecard(process, LogisticRegression()).fit(self._objects(X), y)
        return self

    def predict(self, X: Any) -> Any:
        return self.card.predict(self._objects(X))

    def predict_proba(self, X: Any) -> Any:
        return self.card.predict_proba(self._objects(X))

    def _objects(self, X: Any) -> Any:
        """Return the table with categories as text: optbinning does not read those of pandas."""
        return X.astype({
            name: object for name, number in zip(X.columns, self.numbers, strict=True) if not number
        })  # fmt: skip


def _binned(numbers: list[bool], seed: int) -> Any:
    return Coded(BinnedScorecard(numbers))


def _measure_network(fitted: Any) -> Size:
    network = fitted.network_
    return int(network.edges), len(network.used_columns)


def _measure_tree(fitted: Any) -> Size:
    tree = fitted[-1].tree_
    return int(tree.node_count) - 1, _count_columns(fitted, tree.feature[tree.feature >= 0])


def _measure_trees(fitted: Any) -> Size:
    """Return the leaves of a forest, or the rules of boosted stumps: of two leaves, one says the opposite."""
    trees = [each.tree_ for each in fitted[-1].estimators_]
    features = np.unique(np.concatenate([tree.feature[tree.feature >= 0] for tree in trees]))
    stumps = hasattr(fitted[-1], "estimator_weights_")
    return len(trees) if stumps else sum(int(tree.n_leaves) for tree in trees), _count_columns(fitted, features)


def _measure_boosting(fitted: Any) -> Size:
    model = fitted[-1] if hasattr(fitted, "steps") else fitted
    leaves = sum(tree["num_leaves"] for tree in model.booster_.dump_model()["tree_info"])
    features = np.flatnonzero(model.feature_importances_)
    return leaves, len(features) if model is fitted else _count_columns(fitted, features)


def _measure_coefficients(fitted: Any) -> Size:
    coefficients = np.atleast_2d(fitted[-1].coef_)
    return int(np.count_nonzero(coefficients)), _count_columns(fitted, np.flatnonzero(coefficients.any(axis=0)))


def _measure_figs(fitted: Any) -> Size:
    nodes, splits = list(fitted[-1].trees_), []
    while nodes:
        node = nodes.pop()
        if node.left is not None:
            splits.append(node.feature)
            nodes += [node.left, node.right]
    return len(splits), _count_columns(fitted, splits)


def _measure_rulefit(fitted: Any) -> Size:
    """Return the coefficients that are not zero, and the conditions of the rules among them."""
    model = fitted[-1]
    places = {name: k for k, name in enumerate(model.feature_placeholders)}
    linear = np.flatnonzero(np.asarray(model.coef[: len(places)])).tolist()
    rules = [[places[name] for name, _ in rule.agg_dict] for rule in model.rules_without_feature_names_]
    return len(linear) + sum(map(len, rules)), _count_columns(fitted, [*linear, *chain(*rules)])


def _measure_bins(fitted: Any) -> Size:
    table = fitted.card.table("detailed")
    used = table[(table["Coefficient"] != 0) & (table["Count"] > 0)]
    return len(used), int(used["Variable"].nunique())


def _measure_cells(fitted: Any) -> Size:
    """Return the numbers that the curves and surfaces of an EBM are made of."""
    return sum(scores.size for scores in fitted.term_scores_), len({k for term in fitted.term_features_ for k in term})


def _count_columns(pipeline: Any, features: Iterable[int]) -> int:
    """Return how many columns of the table some encoded features come from."""
    encoder, numbers = ((step, columns) for _, step, columns in pipeline[0].transformers_[:2])
    sizes = [len(values) for values in encoder[0].categories_] if encoder[1] else []
    owners = np.concatenate([np.repeat(encoder[1], sizes), numbers[1]]).astype(int)
    return len(set(owners[list(features)].tolist()))


def _rules(**settings: Any) -> Model:
    make = _plain("conceptrules:ConceptRuleClassifier", n_jobs=1)
    return Model("conceptrules", make, _measure_network, settings, digest.SEARCH)


def _card(**settings: Any) -> Model:
    make = _plain("conceptrules:ScorecardClassifier", n_jobs=1)
    return Model("conceptrules", make, _measure_network, settings, digest.POINTS)


def _numbers(**settings: Any) -> Model:
    make = _plain("conceptrules:ScorecardRegressor", n_jobs=1)
    return Model("conceptrules", make, _measure_network, settings, digest.NUMBERS)


_LIGHT: dict[str, Any] = {"n_jobs": 1, "verbose": -1}
MODELS = {
    # LightGBM is the clock of the others, so it comes first.
    "lightgbm": Model("lightgbm", _plain("lightgbm:LGBMClassifier", **_LIGHT), _measure_boosting),
    "cart": Model("scikit-learn", _one_hot("sklearn.tree:DecisionTreeClassifier"), _measure_tree),
    "cart-20": Model(
        "scikit-learn", _one_hot("sklearn.tree:DecisionTreeClassifier"), _measure_tree, {"max_leaf_nodes": 20}
    ),
    "linear": Model(
        "scikit-learn",
        _one_hot("sklearn.linear_model:LogisticRegression", "impute", "scale"),
        _measure_coefficients,
    ),
    "boosted-rules": Model("imodels", _one_hot("imodels:BoostedRulesClassifier", "impute", coded=True), _measure_trees),
    "figs": Model("imodels", _one_hot("imodels:FIGSClassifier", "impute", coded=True), _measure_figs),
    "rulefit": Model(
        "imodels", _one_hot("imodels:RuleFitClassifier", "impute", coded=True), _measure_rulefit, two_classes=True
    ),
    "optbinning": Model("optbinning", _binned, _measure_bins, two_classes=True),
    "conceptrules-fast": _rules(effort="fast"),
    "conceptrules": _rules(),
    "scorecard": _card(),
    "scorecard-plain": _card(max_rule_length=1),
    "ebm": Model("interpret-core", _ebm("ExplainableBoostingClassifier"), _measure_cells),
    "forest": Model("scikit-learn", _one_hot("sklearn.ensemble:RandomForestClassifier", n_jobs=1), _measure_trees),
}
REGRESSORS = {
    "rules": _numbers(),
    "rules, 30 edges": _numbers(max_edges=30),
    "cart": Model("scikit-learn", _one_hot("sklearn.tree:DecisionTreeRegressor"), _measure_tree),
    "cart-20": Model(
        "scikit-learn", _one_hot("sklearn.tree:DecisionTreeRegressor"), _measure_tree, {"max_leaf_nodes": 20}
    ),
    "linear": Model(
        "scikit-learn",
        _one_hot("sklearn.linear_model:LinearRegression", "impute", seeded=False),
        _measure_coefficients,
    ),
    "boosted-rules": Model("imodels", _one_hot("imodels:BoostedRulesRegressor", "impute"), _measure_trees),
    "figs": Model("imodels", _one_hot("imodels:FIGSRegressor", "impute"), _measure_figs),
    "rulefit": Model("imodels", _one_hot("imodels:RuleFitRegressor", "impute"), _measure_rulefit),
    "forest": Model("scikit-learn", _one_hot("sklearn.ensemble:RandomForestRegressor", n_jobs=1), _measure_trees),
    # Not with its own way of categories, which costs it 0.9 of R2 on a table of 167 rows.
    "lightgbm": Model("lightgbm", _one_hot("lightgbm:LGBMRegressor", **_LIGHT), _measure_boosting),
    "ebm": Model("interpret-core", _ebm("ExplainableBoostingRegressor"), _measure_cells),
}
"""For tables with a number to predict."""
