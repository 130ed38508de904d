"""More rows for a small table: training rows mixed with one another, and labelled by a forest.

A forest predicts better than a few rules, and it can label any number of rows. Rules that are learned from its labels
as well have fewer gaps, and cut points that do not depend on single rows. The network keeps nothing of the forest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Columns, Rows
from conceptrules.learn.search.tree_start import has_rows_for_trees
from conceptrules.learn.task import Task, keep_rows_with_weight

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]
FOREST_UP_TO = 4_000
"""Rows up to which a table gets mixed rows that a forest labels. Larger ones have enough rows of their own."""
FEWEST, _MANY = 2000, 4000
"""The number of mixed rows: four for each row, but no fewer than `FEWEST`; beyond `_MANY` only one for each row."""
_CELLS = 2_000_000
"""The most values of all mixed rows together: a table with thousands of columns gets fewer mixed rows."""
WEIGHT = 3.0
"""The weight of all mixed rows together, relative to that of the table's rows."""
_ALIKE = 0.75
"""The share of mixed rows whose two parents are of one class."""


def uses_forest(task: Task[Any]) -> bool:
    """Return whether mixed rows are learned from as well: the table is small, but not too small for a forest."""
    sources = (task.rows, *(fold.training for fold in task.folds))
    small = bool(task.settings.effort_level.trees) and len(task.rows.label) <= FOREST_UP_TO
    return small and all(map(has_rows_for_trees, sources))


class Forest:
    """A forest of which half of the trees are extremely randomised; the mean of all trees predicts."""

    def __init__(self, rows: Rows, columns: Columns, trees: int, seed: int, bootstrap: bool = False) -> None:
        """With `bootstrap`, all trees learn from resamples: their shares are softer, and closer to probabilities."""
        from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

        self.columns, self.classes = columns, rows.mass.shape[1]
        row, label = np.nonzero(rows.mass)
        inputs, weight = make_forest_inputs(rows.codes[row], columns), rows.mass[row, label]
        forests = (
            ExtraTreesClassifier(trees // 2, bootstrap=bootstrap, random_state=seed),
            RandomForestClassifier(trees // 2, random_state=seed),
        )
        self.parts = [forest.fit(inputs, label, weight) for forest in forests]

    def predict_shares(self, codes: Codes) -> Floats:
        """Return (rows, classes): the probability of each class."""
        inputs, shares = make_forest_inputs(codes, self.columns), np.zeros((len(codes), self.classes))
        for part in self.parts:
            shares[:, part.classes_] += part.predict_proba(inputs) / len(self.parts)
        return shares


def make_forest_inputs(codes: Codes, columns: Columns) -> Floats:
    """Return ordered columns as numbers, and a column for each category of the others."""
    parts = []
    for j, (bins, ordered) in enumerate(zip(columns.bins, columns.ordered, strict=True)):
        column = codes[:, j, None]
        parts.append(column if ordered else column == np.arange(bins + 1))
    return np.hstack(parts).astype(np.float32)


def mix_rows(rows: Rows, count: int, rng: np.random.Generator) -> Codes:
    """Return rows that take a tenth to nine tenths of their values from another row, most often of the same class."""
    row, label = np.nonzero(rows.mass)
    weight = rows.mass[row, label]
    first = rng.choice(len(row), count, p=weight / weight.sum())
    second = rng.choice(len(row), count, p=weight / weight.sum())
    alike = rng.random(count) < _ALIKE
    for c in np.unique(label):
        members, matched = np.flatnonzero(label == c), np.flatnonzero(alike & (label[first] == c))
        second[matched] = rng.choice(members, len(matched), p=weight[members] / weight[members].sum())
    from_second = rng.random((count, rows.codes.shape[1])) < rng.uniform(0.1, 0.9, (count, 1))
    return np.where(from_second, rows.codes[row[second]], rows.codes[row[first]])


def count_mixed_rows(rows: int, columns: int) -> int:
    """Return how many mixed rows a table of this size gets."""
    return min(max(FEWEST, min(4 * rows, _MANY), rows), max(_CELLS // columns, rows))


def augment_rows(rows: Rows, forest: Forest, rng: np.random.Generator) -> Rows:
    """Return the rows, followed by mixed ones."""
    count = count_mixed_rows(*rows.codes.shape)
    codes = mix_rows(rows, count, rng)
    mass = forest.predict_shares(codes) * (WEIGHT * rows.mass.sum() / count)
    raw, groups = (None if not len(rows.raw) else np.concatenate([rows.raw, np.zeros_like(mass)])), rows.groups
    if len(groups.total):
        groups = groups._replace(share=np.concatenate([groups.share, np.zeros((count, len(groups.total)))]))
    return keep_rows_with_weight(np.concatenate([rows.codes, codes]), np.concatenate([rows.mass, mass]), raw, groups)
