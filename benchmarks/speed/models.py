"""What predicts: a network of about 100 edges, and what a user would run instead, all trained on the same rows."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.speed.tables import adult, numeric_columns
from conceptrules import MLLPClassifier
from conceptrules.model.network import Concept, Level, Rule

EDGES = 100


@cache
def ours(seed: int) -> MLLPClassifier:
    """A fitted classifier whose network has about 100 edges: learned rules, gathered from as many seeds as it takes.

    How many edges one short fit leaves depends on the last digit of a weight; this does not.
    """
    data = adult()
    chosen: dict[Rule, set[int]] = {}
    for attempt in count(seed):
        clf = MLLPClassifier(layers=(128,), binarization_rate=0.7, max_epochs=20, random_state=attempt, n_jobs=1)
        (level,) = clf.fit(data.X, data.y).network_.levels
        for number, concept in enumerate(level.concepts):
            for rule in concept.rules:
                chosen.setdefault(level.rules[rule], set()).add(number)
                if sum(len(rule.literals) + len(owners) for rule, owners in chosen.items()) >= EDGES:
                    clf.network_ = replace(clf.network_, levels=(_level(chosen, len(clf.classes_)),), statistics=None)
                    return clf
    raise AssertionError


def _level(chosen: dict[Rule, set[int]], classes: int) -> Level:
    owned = ([k for k, owners in enumerate(chosen.values()) if number in owners] for number in range(classes))
    return Level(tuple(chosen), tuple(Concept(tuple(rules)) for rules in owned))


def text_columns() -> list[str]:
    numbers = numeric_columns(adult().X)
    return [name for name in adult().X.column_names if name not in numbers]


class Boosted:
    """LightGBM, 100 trees, categorical columns natively. It reads pandas only, and text only as categories."""

    def __init__(self, threads: int) -> None:
        table = adult().X.to_pandas()
        self.kinds = {name: pd.CategoricalDtype(sorted(table[name].dropna().unique())) for name in text_columns()}
        self.model = lightgbm.LGBMClassifier(n_estimators=100, n_jobs=threads, random_state=0, verbose=-1)
        self.model.fit(table.astype(self.kinds), adult().y)

    def predict(self, table: Any) -> np.ndarray:
        frame = table if isinstance(table, pd.DataFrame) else table.to_pandas()
        plain = any(not isinstance(frame[name].dtype, pd.CategoricalDtype) for name in self.kinds)
        return np.asarray(self.model.predict(frame.astype(self.kinds) if plain else frame))


def tree(table: pd.DataFrame) -> Pipeline:
    """A decision tree behind scikit-learn's encoder, fitted on a table of the library that it will predict on."""
    encoder = OneHotEncoder(handle_unknown="ignore")
    columns = make_column_transformer((encoder, text_columns()), remainder="passthrough")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning)
        return make_pipeline(columns, DecisionTreeClassifier(random_state=0)).fit(table, adult().y)
