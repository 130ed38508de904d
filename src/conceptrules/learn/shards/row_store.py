"""All that the search knows of the rows of a large table: whole numbers that add up, and the rows of smallest keys.

What is behind it is arrays in memory, files, workers of a cluster or a GPU. Whatever it is, however the rows are dealt
to shards and in whatever order they come: the answers are the same, bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import CODES
from conceptrules.kernels.shards.confusion import MEMBERS, WORD, Networks
from conceptrules.kernels.shards.values import Shard
from conceptrules.learn.search.regularization_path import Snapshot

Candidate = Sequence[Snapshot]
"""A network, or three that vote."""
_KEYS = 2**64


class RowStore(Protocol):
    """The rows of a table."""

    rows: int
    """How many there are, repeats included."""
    passes: int
    """How often all rows were gone over until now."""

    def highest(self) -> NDArray[np.uint8]:
        """Return the highest code of each column."""
        ...

    def pick(self, count: int) -> Shard:
        """Return the `count` different rows of smallest keys, with the weight that each has in each of its classes."""
        ...

    def confusion(self, candidates: Sequence[Candidate], classes: int, first_key: int) -> NDArray[np.int64]:
        """Return [candidate, true class, answer]: the weight of the rows whose key is `first_key` or above."""
        ...


def picked(ask: Callable[[int], Sequence[Shard]], rows: int, count: int) -> Shard:
    """Return the `count` different rows of smallest keys; `ask` gives those of each shard whose key is below a bound.

    The bound is a guess that is right where few rows are repeated; it says how often is asked, not what comes out.
    """
    bound = _KEYS * min(4 * count, rows) // max(rows, 1)
    while True:
        found = merged(ask(bound), count)
        if bound == _KEYS or len(row_starts(found)) == count:
            return found
        bound = min(16 * bound, _KEYS)


def below(shard: Shard, bound: int, count: int) -> Shard:
    """Return the `count` different rows of smallest keys of a shard, of those whose key is below a bound."""
    if bound < _KEYS:
        shard = shard.take(shard.key < np.uint64(bound))
    return merged([shard], count)


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


def as_masks(candidates: Sequence[Candidate], columns: int) -> Networks:
    """Return networks as the passes read them; one that several candidates have is there once."""
    different = {id(one): one for candidate in candidates for one in candidate}
    places = {number: place for place, number in enumerate(different)}
    snapshots = list(different.values())
    lengths = [-(-len(one.rules.owner) // WORD) for one in snapshots]
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    allowed = np.ones((columns, CODES, int(first[-1]) * WORD), np.bool_)
    owner = np.zeros(int(first[-1]) * WORD, np.int64)
    used = np.zeros(columns, np.bool_)
    for snapshot, start in zip(snapshots, (first[:-1] * WORD).tolist(), strict=True):
        rules = snapshot.rules
        turn = np.empty(len(snapshot.order), np.int64)
        turn[snapshot.order] = np.arange(len(snapshot.order))
        for place, rule in enumerate(np.argsort(turn[rules.owner], kind="stable").tolist(), start):
            owner[place] = rules.owner[rule]
            for condition in range(rules.length[rule]):
                allowed[rules.column[rule, condition], :, place] &= rules.allowed[rule, condition] != 0
                used[rules.column[rule, condition]] = True
        # What is left of the last word are no rules.
        end = start + len(rules.owner)
        padding = slice(end, start + -(-len(rules.owner) // WORD) * WORD)
        allowed[:, :, padding] = False
    if not used.any():  # a rule without conditions, or padding, needs a column to stand in
        used[:1] = True
    column = np.flatnonzero(used)
    mask = np.packbits(allowed[column], axis=2, bitorder="little").view("<u8").astype(np.uint64)
    member = np.full((len(candidates), MEMBERS), -1, np.int64)
    for number, candidate in enumerate(candidates):
        member[number, : len(candidate)] = [places[id(one)] for one in candidate]
    default = np.array([one.default for one in snapshots], np.int64)
    return Networks(column, mask, first, owner, default, member)
