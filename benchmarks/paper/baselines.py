"""The paper's baselines: how each learns and answers, and how many edges it has.

Edges, in the paper's words, are those of the model's structure: a tree has one from each node to each of its children,
so one less than it has nodes; a forest has those of all its trees. A rule list has one edge for each condition of each
rule and one from the rule to its answer. Models without such a structure have no count.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.paper import external_models
from benchmarks.paper.folds import Inputs, bit_inputs, plain_inputs, tuning_split
from benchmarks.paper.records import Fold
from benchmarks.paper.scores import macro_f1, scores
from benchmarks.paper.settings import Settings

Options = Mapping[str, Any]


class Refused(Exception):
    """Something that the model needs is not installed; the message says what, and how to get it."""


class CannotRun(Exception):
    """The model cannot run on this data set at all; the message, which says why, goes into the record."""


@dataclass(frozen=True, eq=False)
class Learned:
    """The answers of a fitted model on the rows it was asked about."""

    answers: np.ndarray
    seconds: Mapping[str, float]
    edges: Mapping[str, int] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


Learner = Callable[[Inputs, Options, int], Learned]


def run_fold(data: str, model: str, protocol: str, seed: int, fold: int, settings: Settings) -> Fold:
    """Choose on the training rows, learn on all of them, and only then look at the test rows."""
    check_installed(model)
    inputs = (bit_inputs if settings.inputs == "bits" else plain_inputs)(data, fold, protocol)
    start = perf_counter()
    chosen, validation = choose(MODELS[model], inputs, settings, seed)
    tuned = perf_counter() - start
    learned = _learn(MODELS[model], inputs, settings, chosen, seed)
    seconds = {**learned.seconds, "tune": tuned} if settings.search else learned.seconds
    found = scores(inputs.y_test, learned.answers, inputs.y_train)
    return Fold(fold, found, seconds, chosen, validation, learned.edges, learned.extra)


def choose(learner: Learner, inputs: Inputs, settings: Settings, seed: int) -> tuple[dict[str, Any], float | None]:
    """Return the settings with the best macro-F1 on validation rows, a fifth of the training rows; the first of equals.

    The test rows are not even there: what it learns from and is scored on are both parts of the training rows.
    """
    candidates = list(settings.candidates())
    if len(candidates) == 1:
        return candidates[0], None
    fitted, held = tuning_split(inputs.y_train, seed)
    if settings.tune_rows and len(fitted) > settings.tune_rows:
        fitted = np.sort(np.random.default_rng(seed).choice(fitted, settings.tune_rows, replace=False))
    x, y = inputs.train, inputs.y_train
    inner = Inputs(x[fitted], x[held], inputs.names, y[fitted], y[held])
    found = [macro_f1(inner.y_test, _learn(learner, inner, settings, one, seed).answers) for one in candidates]
    best = int(np.argmax(found))
    return candidates[best], found[best]


def check_installed(model: str) -> None:
    if model == "gbdt" and find_spec("lightgbm") is None:
        raise Refused("GBDT needs LightGBM: pip install 'conceptrules[bench]'")
    problem = {"c45": external_models.weka_problem, "sbrl": external_models.sbrl_problem}.get(model, lambda: "")()
    if problem:
        raise Refused(problem)


def _learn(learner: Learner, inputs: Inputs, settings: Settings, chosen: Options, seed: int) -> Learned:
    return learner(_standardised(inputs) if settings.standardise else inputs, {**settings.fixed, **chosen}, seed)


def _standardised(inputs: Inputs) -> Inputs:
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(inputs.train)
    return Inputs(
        scaler.transform(inputs.train), scaler.transform(inputs.test), inputs.names, inputs.y_train, inputs.y_test
    )


def _estimator(make: Callable[[Options, int], Any], edges: Callable[[Any], int] | None = None) -> Learner:
    """Return a learner out of a scikit-learn estimator. What it warns of (no convergence, say) goes into the record."""

    def learn(inputs: Inputs, options: Options, seed: int) -> Learned:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            start = perf_counter()
            model = make(options, seed).fit(inputs.train, inputs.y_train)
            middle = perf_counter()
            answers = model.predict(inputs.test)
            end = perf_counter()
        said = sorted({warning.category.__name__ for warning in caught})
        return Learned(
            answers,
            {"fit": middle - start, "predict": end - middle},
            {"edges": edges(model)} if edges else {},
            {"warnings": said} if said else {},
        )

    return learn


def tree_edges(tree: Any) -> int:
    return int(tree.tree_.node_count) - 1


def _cart(options: Options, seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=seed, **options)


def _forest(options: Options, seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=seed, n_jobs=1, **options)


def _logistic(options: Options, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(random_state=seed, **options)


def _vectors(options: Options, seed: int) -> Any:
    from sklearn.svm import SVC, LinearSVC

    plain = {key: value for key, value in options.items() if key not in ("kernel", "cache_size", "max_iter")}
    if options["kernel"] == "linear":
        # liblinear counts passes over all rows, libsvm pairs of rows: not the same number.
        return LinearSVC(random_state=seed, dual="auto", max_iter=5000, **plain)
    return SVC(kernel="rbf", cache_size=options["cache_size"], max_iter=options["max_iter"], **plain)


def _perceptron(options: Options, seed: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier(activation="relu", random_state=seed, **options)


def _boosted(options: Options, seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, deterministic=True, force_row_wise=True, verbose=-1, **options)


def _boosted_edges(model: Any) -> int:
    """Return the edges of all trees. A node has two children, so each leaf but the first adds two edges."""
    return sum(2 * (tree["num_leaves"] - 1) for tree in model.booster_.dump_model()["tree_info"])


def _c45(inputs: Inputs, options: Options, seed: int) -> Learned:
    found = external_models.j48(inputs, options)
    return Learned(found.answers, found.seconds, {"edges": found.edges}, found.extra)


def _sbrl(inputs: Inputs, options: Options, seed: int) -> Learned:
    found = external_models.rule_list(inputs, options, seed)
    return Learned(found.answers, found.seconds, {"edges": found.edges}, found.extra)


MODELS: dict[str, Learner] = {
    "c45": _c45,
    "cart": _estimator(_cart, tree_edges),
    "sbrl": _sbrl,
    "lr": _estimator(_logistic),
    "svm": _estimator(_vectors),
    "plnn": _estimator(_perceptron),
    "gbdt": _estimator(_boosted, _boosted_edges),
    "rf10": _estimator(_forest, lambda forest: sum(map(tree_edges, forest.estimators_))),
    "rf100": _estimator(_forest, lambda forest: sum(map(tree_edges, forest.estimators_))),
}
