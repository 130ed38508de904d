"""The columns of the library as it comes, rules and scorecards, on the raw table of a fold."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.paper.baselines import Refused
from benchmarks.paper.folds import load, rows_of_fold
from benchmarks.paper.records import Fold
from benchmarks.paper.reference import BEST, CARD, FAST
from benchmarks.paper.scores import macro_f1, scores
from benchmarks.paper.settings import Settings
from conceptrules import ConceptRuleClassifier, RuleNetwork, ScorecardClassifier
from conceptrules.model.evaluation import unpack
from conceptrules.model.statistics import edges, edges_by_bounds
from conceptrules.tables.prediction import find_firing_classes

FILES, RANKS = tuple("abcdefgh"), tuple("12345678")
PIECES = ("White_King", "White_Rook", "Black_King")
CHESS = {f"{piece}_{name}": order for piece in PIECES for name, order in (("file", FILES), ("rank", RANKS))}
KINDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {"chess": CHESS}
"""What a table does not say of itself: the files and ranks of a chess board have an order."""
EFFORTS = {FAST: "fast", BEST: "best"}
Learner = ConceptRuleClassifier | ScorecardClassifier


def settings_of_column(data: str, model: str) -> Settings:
    """Return the settings of a column, which are the same for all data sets but for what chess is."""
    fixed: dict[str, Any] = {"effort": EFFORTS[model]} if model in EFFORTS else {}
    if data in KINDS:
        fixed["kinds"] = {name: list(order) for name, order in KINDS[data].items()}
    return Settings(inputs="table", fixed=fixed)


def classifier(model: str, settings: Settings, seed: int) -> Learner:
    """Return an estimator with one thread: a run has as many processes as it may use."""
    learner = ScorecardClassifier if model == CARD else ConceptRuleClassifier
    return learner(random_state=seed, n_jobs=1, **settings.fixed)


def run_fold(data: str, model: str, protocol: str, seed: int, fold: int, settings: Settings) -> Fold:
    """Fit to the training rows as they stand in the table, and only then look at the test rows."""
    if protocol != "fold":
        raise Refused(f"{model} learns its cut points from training rows, as anybody would: give --protocol fold")
    table = load(data)
    train, test = rows_of_fold(len(table.y), fold)
    learner = classifier(model, settings, seed)
    start = perf_counter()
    messages = fitted(learner, table.X.take(train), table.y[train])
    middle = perf_counter()
    X, y = table.X.take(test), table.y[test]
    answers = learner.predict(X)
    end = perf_counter()
    network = learner.network_
    return Fold(
        fold,
        scores(y, answers, table.y[train]),
        {"fit": middle - start, "predict": end - middle},
        chosen(network),
        next(point.score for point in learner.frontier_ if point.network is network),
        {"edges": edges(network), "by_bounds": edges_by_bounds(network)},
        {
            **({"fires": fires(network, X)} if network.head is None else {}),
            "frontier": front_of(learner, X, y),
            **({"warnings": messages} if messages else {}),
        },
    )


def fitted(learner: Learner, X: Any, y: np.ndarray) -> list[str]:
    """Fit, and return what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.fit(X, y)
    return sorted({str(warning.message) for warning in caught})


def chosen(network: RuleNetwork) -> dict[str, Any]:
    """Return what held-out rows have chosen."""
    known = network.training
    return {"edge_penalty": known.edge_penalty} if known else {}


def fires(network: RuleNetwork, X: Any) -> list[float]:
    """Return the shares of rows on which no class fires, one does, several do."""
    count = np.minimum(unpack(find_firing_classes(network, X)).sum(axis=1), 2)
    shares: list[float] = (np.bincount(count, minlength=3) / len(count)).tolist()
    return shares


def front_of(learner: Learner, X: Any, y: np.ndarray) -> list[dict[str, float]]:
    """Return, for each network of the Pareto front, its edges, its score on held-out rows and its test macro-F1."""
    return [
        {
            "edges": edges(point.network),
            "by_bounds": edges_by_bounds(point.network),
            "validation": point.score,
            "f1": macro_f1(y, point.network.predict(X)),
        }
        for point in learner.frontier_
    ]
