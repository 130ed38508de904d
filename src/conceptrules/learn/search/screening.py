"""Wide tables: the search considers only the columns that tell the most about the classes, each on its own.

Every step of the search scans all columns, and of thousands of them nearly all are uninformative. Columns are selected
anew in each fold, from its training rows: held-out rows never have a say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Columns, Rows
from conceptrules.learn.search.path import LearnedPath, Snapshot

MAX_COLUMNS = 512
"""The most columns that the search considers."""
CELLS = 1 << 21
"""Cells of the table, or of histograms of its columns, that are counted together."""


@dataclass(frozen=True, slots=True, eq=False)
class ScreenedPath:
    """A path of networks on selected columns, with the numbers of these among all columns."""

    path: LearnedPath
    kept: NDArray[np.intp]

    def learn_at(self, penalty: float) -> Snapshot:
        """Return the network of a penalty, in rows."""
        snapshot = self.path.learn_at(penalty)
        return replace(snapshot, rules=snapshot.rules._replace(column=self.kept[snapshot.rules.column]))


def select_columns(rows: Rows, columns: Columns, most: int = MAX_COLUMNS) -> NDArray[np.intp]:
    """Return the columns, in order, whose best single condition separates the classes best (by Gini impurity)."""
    count, width = len(columns.bins), int(columns.bins.max(initial=0)) + 1
    step = max(1, CELLS // max(len(rows.label), width * rows.mass.shape[1]))
    purity = [_measure_purity(rows, columns, slice(start, start + step), width) for start in range(0, count, step)]
    return np.sort(np.argsort(-np.concatenate(purity), kind="stable")[:most])


def take_columns(rows: Rows, columns: Columns, kept: NDArray[np.intp]) -> tuple[Rows, Columns]:
    """Return the rows and the meaning of their codes for these columns only."""
    bins, apart = columns.bins[kept], columns.apart
    fewer = columns._replace(
        bins=bins,
        gaps=columns.gaps[kept],
        askable=columns.askable[kept],
        ordered=columns.ordered[kept],
        cost=columns.cost[kept],
        may_ask=np.ascontiguousarray(columns.may_ask[:, kept]),
        apart=np.ascontiguousarray(apart[np.ix_(kept, kept)]) if apart.size else apart,
        start=np.concatenate([[0], np.cumsum(bins + 1)]),
    )
    return rows._replace(codes=np.ascontiguousarray(rows.codes[:, kept])), fewer


def _measure_purity(rows: Rows, columns: Columns, part: slice, width: int) -> NDArray[np.float64]:
    """Return the weighted purity of the two sides of the best condition on each column."""
    codes, ordered = rows.codes[:, part], columns.ordered[part]
    cells = (codes + np.arange(codes.shape[1]) * width).ravel()
    mass = np.stack(
        [np.bincount(cells, np.repeat(weight, codes.shape[1]), codes.shape[1] * width) for weight in rows.mass.T]
    ).reshape(-1, codes.shape[1], width)
    total = mass.sum(axis=2, keepdims=True)
    # One side is a category, or all bins up to some bin; after the last bin comes that of missing values.
    side = np.where(ordered[:, None] > 0, mass.cumsum(axis=2), mass)
    return (_purity(side) + _purity(np.maximum(total - side, 0))).max(axis=1)


def _purity(side: NDArray[np.float64]) -> NDArray[np.float64]:
    return (side**2).sum(axis=0) / np.maximum(side.sum(axis=0), np.finfo(np.float64).tiny)
