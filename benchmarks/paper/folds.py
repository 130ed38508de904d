"""The paper's folds, and what a model gets to see of each: two protocols.

`fold`: cut points, categories and every choice come from the training rows. `published`: cut points and categories come
from all rows, as in the authors' script; only then are the rows divided.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from conceptrules import datasets
from conceptrules.binarize import Binarizer
from conceptrules.datasets import Dataset


@dataclass(frozen=True, eq=False)
class Inputs:
    """Numbers to learn from and numbers to test on, with the names of their columns."""

    train: np.ndarray
    test: np.ndarray
    names: tuple[str, ...]
    y_train: np.ndarray
    y_test: np.ndarray


@dataclass(frozen=True, slots=True)
class Encoded:
    """A column in numbers: continuous as it is, or one bit a category."""

    names: tuple[str, ...]
    values: np.ndarray


def paper_folds(rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the folds of the paper's authors: pandas' `sample(frac=1, random_state=0)`, then a shuffled KFold."""
    order = np.random.RandomState(0).permutation(rows)
    for train, test in KFold(5, shuffle=True, random_state=0).split(order):
        yield order[train], order[test]


def rows_of_fold(rows: int, fold: int) -> tuple[np.ndarray, np.ndarray]:
    return list(paper_folds(rows))[fold]


def tuning_split(y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """80 and 20 % of the training rows, class by class: every fifth row of a shuffled class is for validation.

    The third of each five, so that a class with one or two rows stays in training.
    """
    order = np.random.default_rng(seed).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    starts = np.r_[0, np.flatnonzero(y[order][1:] != y[order][:-1]) + 1]
    place = np.arange(len(y)) - np.repeat(starts, np.diff(np.r_[starts, len(y)]))
    held = place % 5 == 2
    return np.sort(order[~held]), np.sort(order[held])


@cache
def load(name: str) -> Dataset:
    return datasets.load(name)


def plain_inputs(name: str, fold: int, protocol: str) -> Inputs:
    """Return what the baselines get: continuous columns as they are, one bit a category; a gap is a category."""
    data = load(name)
    train, test = rows_of_fold(len(data.y), fold)
    known = train if protocol == "fold" else np.arange(len(data.y))
    columns = [_encode(column, data.X[column].to_pylist(), known) for column in data.X.column_names]
    values = np.concatenate([column.values for column in columns], axis=1)
    names = tuple(name for column in columns for name in column.names)
    return Inputs(values[train], values[test], names, data.y[train], data.y[test])


def bit_inputs(name: str, fold: int, protocol: str) -> Inputs:
    """Return the bits of the Binarizer, for models that read nothing else."""
    data = load(name)
    train, test = rows_of_fold(len(data.y), fold)
    known = train if protocol == "fold" else np.arange(len(data.y))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constant columns")  # mushroom has one, veil-type, and that is known
        binarizer = Binarizer(keep=data.X.column_names).fit(data.X.take(known), data.y[known])
    bits = binarizer.transform(data.X)
    names = tuple(map(str, binarizer.get_feature_names_out()))
    return Inputs(bits[train], bits[test], names, data.y[train], data.y[test])


def _encode(name: str, values: list[Any], known: np.ndarray) -> Encoded:
    if not any(isinstance(value, str) for value in values):
        return Encoded((name,), np.array(values, dtype=np.float64)[:, None])
    categories = sorted({values[row] for row in known} - {None})
    if any(values[row] is None for row in known):
        categories.append(None)
    cells = np.array(values, dtype=object)
    bits = np.stack([cells == category for category in categories], axis=1)
    names = tuple(f"{name} is missing" if category is None else f"{name} = {category}" for category in categories)
    return Encoded(names, bits.astype(np.float64))
