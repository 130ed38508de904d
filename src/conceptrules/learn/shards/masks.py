"""Networks as the passes over rows read them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conceptrules.kernels.search.values import CODES
from conceptrules.kernels.shards.values import WORD, Networks
from conceptrules.learn.search.regularization_path import Snapshot


def as_masks(snapshots: Sequence[Snapshot], columns: int) -> Networks:
    """Return networks as the passes read them."""
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
    default = np.array([one.default for one in snapshots], np.int64)
    return Networks(column, mask, first, owner, default)
