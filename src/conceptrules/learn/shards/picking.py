"""The rows of smallest keys: a sample that depends on the content of rows alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.shards.values import KEYS, Shard

_SPARE, _FEW = 1.2, 1000
"""So many times the wanted rows, and so many besides, are asked for: keys are chance, which is uneven for few rows."""


def picked(ask: Callable[[int], Sequence[Shard]], rows: int, count: int) -> Shard:
    """Return the `count` different rows of smallest keys; `ask` gives those of each shard whose key is below a bound.

    The bound is a guess that is right where few rows are repeated; it says how often is asked, not what comes out.
    """
    wanted = min(int(_SPARE * count) + _FEW, rows)
    bound = max(KEYS * wanted // max(rows, 1), 1)
    while True:
        found = merged(ask(bound), count)
        different = len(row_starts(found))
        if bound == KEYS or different == count:
            return found
        bound = min(int(_SPARE * bound * max(count / max(different, 1), 2)), KEYS)


def merged(shards: Sequence[Shard], count: int) -> Shard:
    """Return the `count` different rows of smallest keys, equal rows of a class merged, in the order of their keys."""
    rows = Shard(
        np.concatenate([shard.codes for shard in shards]),
        np.concatenate([shard.target for shard in shards]),
        np.concatenate([shard.weight for shard in shards]),
        np.concatenate([shard.key for shard in shards]),
    )
    rows = rows.take(np.lexsort((rows.target, rows.key)))
    if (rows.codes[1:] != rows.codes[:-1])[rows.key[1:] == rows.key[:-1]].any():  # two rows with one key
        rows = rows.take(np.lexsort((rows.target, *rows.codes.T[::-1], rows.key)))
    row = row_starts(rows)
    new = np.zeros(len(rows.key), np.bool_)
    new[row] = True
    new[1:] |= rows.target[1:] != rows.target[:-1]
    starts = np.flatnonzero(new)
    weight = np.add.reduceat(rows.weight, starts) if len(starts) else rows.weight
    kept = starts if len(row) <= count else starts[starts < row[count]]
    return Shard(rows.codes[kept], rows.target[kept], weight[: len(kept)], rows.key[kept])


def row_starts(rows: Shard) -> NDArray[np.intp]:
    """Return where each different row begins; those of several classes are there several times."""
    new = np.ones(len(rows.key), np.bool_)
    new[1:] = (rows.key[1:] != rows.key[:-1]) | (rows.codes[1:] != rows.codes[:-1]).any(axis=1)
    return np.flatnonzero(new)
