"""More rows for a small table: training rows mixed with one another, with the classes that a forest expects of them.

A forest is a better learner than a few rules, and it can be asked about any number of rows. Rules that are learned from
its answers as well have fewer gaps, and cut points that do not hang on single rows. Nothing of the forest is in the
network.
"""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from conceptrules.kernels.search.values import Columns, Rows
from conceptrules.learn.search.weighted_rows import Codes, Floats, keep_rows_with_weight

FEWEST, _MANY = 2000, 4000
"""The number of mixed rows: four for each row, but no fewer than `FEWEST`; beyond `_MANY` only one for each row."""
_CELLS = 2_000_000
"""Values of all mixed rows together: of a table with thousands of columns there are fewer such rows."""
WEIGHT = 3.0
"""What all mixed rows weigh together, in terms of the rows of the table."""
_ALIKE = 0.75
"""The share of mixed rows whose two parents are of one class."""


class Forest:
    """Half of the trees are extremely randomised, half are those of a random forest; their mean answers."""

    def __init__(self, rows: Rows, columns: Columns, trees: int, seed: int) -> None:
        self.columns, self.classes = columns, rows.mass.shape[1]
        row, label = np.nonzero(rows.mass)
        inputs, weight = self._inputs(rows.codes[row]), rows.mass[row, label]
        kinds = (ExtraTreesClassifier, RandomForestClassifier)
        self.parts = [kind(trees // 2, random_state=seed).fit(inputs, label, weight) for kind in kinds]

    def shares(self, codes: Codes) -> Floats:
        """Return (rows, classes): how probable each class is."""
        inputs, shares = self._inputs(codes), np.zeros((len(codes), self.classes))
        for part in self.parts:
            shares[:, part.classes_] += part.predict_proba(inputs) / len(self.parts)
        return shares

    def _inputs(self, codes: Codes) -> Floats:
        """Return ordered columns as numbers, and a column for each category of the others."""
        parts = []
        for j, (bins, ordered) in enumerate(zip(self.columns.bins, self.columns.ordered, strict=True)):
            column = codes[:, j, None]
            parts.append(column if ordered else column == np.arange(bins + 1))
        return np.hstack(parts).astype(np.float32)


def mixed(rows: Rows, count: int, rng: np.random.Generator) -> Codes:
    """Return rows that have a tenth to nine tenths of their values from another row, most often of the same class."""
    row, label = np.nonzero(rows.mass)
    weight = rows.mass[row, label]
    first = rng.choice(len(row), count, p=weight / weight.sum())
    second = rng.choice(len(row), count, p=weight / weight.sum())
    alike = rng.random(count) < _ALIKE
    for c in np.unique(label):
        members, wanted = np.flatnonzero(label == c), np.flatnonzero(alike & (label[first] == c))
        second[wanted] = rng.choice(members, len(wanted), p=weight[members] / weight[members].sum())
    taken = rng.random((count, rows.codes.shape[1])) < rng.uniform(0.1, 0.9, (count, 1))
    return np.where(taken, rows.codes[row[second]], rows.codes[row[first]])


def mixed_rows(rows: int, columns: int) -> int:
    """Return how many mixed rows there are for a table of so many rows and columns."""
    return min(max(FEWEST, min(4 * rows, _MANY), rows), max(_CELLS // columns, rows))


def augmented(rows: Rows, forest: Forest, rng: np.random.Generator) -> Rows:
    """Return the rows with mixed ones behind them."""
    count = mixed_rows(*rows.codes.shape)
    codes = mixed(rows, count, rng)
    mass = forest.shares(codes) * (WEIGHT * rows.mass.sum() / count)
    raw, groups = (None if not len(rows.raw) else np.concatenate([rows.raw, np.zeros_like(mass)])), rows.groups
    if len(groups.total):
        groups = groups._replace(share=np.concatenate([groups.share, np.zeros((count, len(groups.total)))]))
    return keep_rows_with_weight(np.concatenate([rows.codes, codes]), np.concatenate([rows.mass, mass]), raw, groups)
