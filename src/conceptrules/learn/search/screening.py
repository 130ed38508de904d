"""Wide tables: the search looks at the columns that tell the most about the classes, each by itself.

Every look at a rule goes over all columns, and of thousands of them nearly all say nothing. Columns are chosen anew in
each fold, from the rows that are learned from there: held-out rows never have a say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Columns, Rows
from conceptrules.learn.search.regularization_path import Path, Snapshot

MOST = 512
"""Columns that the search looks at."""
CELLS = 1 << 21
"""Cells of the table, or of histograms of its columns, that are looked at together."""


@dataclass(frozen=True, slots=True, eq=False)
class ScreenedPath:
    """A path through networks that know only some columns, told in terms of all of them."""

    path: Path
    kept: NDArray[np.intp]

    def at(self, penalty: float) -> Snapshot:
        """Return the network of a penalty, in rows."""
        found = self.path.at(penalty)
        return replace(found, rules=found.rules._replace(column=self.kept[found.rules.column]))


def most_telling(rows: Rows, columns: Columns, most: int = MOST) -> NDArray[np.intp]:
    """Return the columns, in their order, of which one condition tells the most about the classes (Gini's measure)."""
    count, width = len(columns.bins), int(columns.bins.max(initial=0)) + 1
    step = max(1, CELLS // max(len(rows.label), width * rows.mass.shape[1]))
    told = [_told(rows, columns, slice(start, start + step), width) for start in range(0, count, step)]
    return np.sort(np.argsort(-np.concatenate(told), kind="stable")[:most])


def only(rows: Rows, columns: Columns, kept: NDArray[np.intp]) -> tuple[Rows, Columns]:
    """Return the rows and what their codes mean, with these columns only."""
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


def _told(rows: Rows, columns: Columns, some: slice, width: int) -> NDArray[np.float64]:
    """Return how pure the two sides of the best condition on each column are, the rows of each weighed."""
    codes, ordered = rows.codes[:, some], columns.ordered[some]
    cells = (codes + np.arange(codes.shape[1]) * width).ravel()
    held = np.stack(
        [np.bincount(cells, np.repeat(mass, codes.shape[1]), codes.shape[1] * width) for mass in rows.mass.T]
    ).reshape(-1, codes.shape[1], width)
    total = held.sum(axis=2, keepdims=True)
    # One side is a category, or all bins up to one; behind the last bin is that of gaps.
    side = np.where(ordered[:, None] > 0, held.cumsum(axis=2), held)
    return (_purity(side) + _purity(np.maximum(total - side, 0))).max(axis=1)


def _purity(side: NDArray[np.float64]) -> NDArray[np.float64]:
    return (side**2).sum(axis=0) / np.maximum(side.sum(axis=0), np.finfo(np.float64).tiny)
