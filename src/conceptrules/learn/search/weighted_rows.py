"""Rows to learn from: equal rows of the table are one row, which has a weight in each class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import NO_GROUPS, Groups, Rows

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]


def keep_rows_with_weight(codes: Codes, mass: Floats, raw: Floats | None = None, groups: Groups = NO_GROUPS) -> Rows:
    """Return the rows that have any weight, raw or not."""
    kept = mass.sum(axis=1) > 0
    if raw is not None:
        kept |= raw.sum(axis=1) > 0
    codes, mass = np.ascontiguousarray(codes[kept]), np.ascontiguousarray(mass[kept])
    single = (mass > 0).sum(axis=1) == 1
    rows = Rows(codes, mass, np.where(single, mass.argmax(axis=1), -1).astype(np.int64))
    if raw is None:
        return rows
    share = np.ascontiguousarray(groups.share[kept]) if len(groups.total) else groups.share
    return rows._replace(raw=np.ascontiguousarray(raw[kept]), groups=groups._replace(share=share))


def has_rows_for_trees(rows: Rows) -> bool:
    """Return whether a class has two different rows on average: with fewer, scikit-learn's trees warn."""
    return bool(np.count_nonzero(rows.mass) >= 2 * np.count_nonzero(rows.mass.any(axis=0)))
