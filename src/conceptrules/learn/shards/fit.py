"""From a store of rows to the Pareto front, for tables of any size.

A table that fits into a sample is learned from as always, with folds. Of a larger one, the rows of smallest keys are
the sample that a path of networks is learned from, the best of them is improved on more rows, up to a million, and a
fifth of all rows, those of the highest keys, is held out and chooses the network in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Rows
from conceptrules.kernels.shards.values import KEYS, WEIGHT_UNIT, Shard
from conceptrules.learn.row_groups import HELD_BACK, TRAINING, equal_rows
from conceptrules.learn.search.binned_table import BinnedTable, places, recoded
from conceptrules.learn.search.fit import Judge, SearchTask
from conceptrules.learn.search.merged_rows import Fold, merged, rows_of
from conceptrules.learn.search.regularization_path import Snapshot
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.search.task import folds_of, with_fewer_bins
from conceptrules.learn.shards.picking import row_starts
from conceptrules.learn.shards.row_store import RowStore

SAMPLE = 100_000
"""Different rows that a path is learned from, unless the table has no more than that."""
WATCH = 50_000
"""Different rows besides that say when the path is at its end."""
MORE = 1_000_000
"""Different rows that the best network is improved on. What is held out, and all others, do not teach."""
_HELD = KEYS // 5 * 4
"""The first key of the rows that are held out of a table that is larger than a sample."""


@dataclass(frozen=True, slots=True, eq=False)
class StoreTask:
    """What there is to learn from a store of rows."""

    task: SearchTask
    source: str
    """Where the rows that choose the network are from."""
    first_key: int | None
    """The first key of the rows that choose the network; None: folds of the sample, which is the whole table, do."""
    finer: BinnedTable
    """How the store's codes are read."""


def store_task(
    store: RowStore,
    table: BinnedTable,
    classes: NDArray[Any],
    settings: SearchSettings,
    *,
    class_weight: NDArray[np.float64],
    max_bins: int | None = None,
    validation_fraction: float | None = None,
    rng: np.random.Generator,
) -> StoreTask:
    """Return the task of learning from a store. `table` says what its codes mean, `class_weight` what a row weighs.

    It is that of `search_task` where the table fits into the sample.
    """
    picked = store.pick(MORE + WATCH)
    starts = row_starts(picked)
    if len(starts) <= SAMPLE:
        return _whole(picked, table, classes, settings, class_weight, max_bins, validation_fraction, rng)
    watch = starts[-min(WATCH, len(starts) // 5)]
    more = picked.take(slice(watch)).below(_HELD)
    sample = more.take(slice(starts[SAMPLE]))
    fine = _rows(sample, sample.codes, class_weight)
    coarse = with_fewer_bins(table, fine, max_bins)

    def rows(shard: Shard) -> Rows:
        return _rows(shard, recoded(shard.codes, table, coarse), class_weight)

    learned = rows(sample)
    # A gap that the sample does not show may be in another row.
    columns = coarse.columns(recoded(store.highest()[None], table, coarse), len(classes))
    fold = Fold(learned, rows(picked.take(slice(watch, None))))
    seed, names = int(rng.integers(2**31)), tuple(classes.tolist())
    task = SearchTask(coarse, columns, names, learned, [fold], settings, seed, class_weight)
    task = replace(task, judge=_judge(store, task, places(table, coarse)))
    if len(more.key) > len(sample.key):
        task = replace(task, more=rows(more))
    return StoreTask(task, HELD_BACK, _HELD, table)


def _whole(
    picked: Shard,
    table: BinnedTable,
    classes: NDArray[Any],
    settings: SearchSettings,
    class_weight: NDArray[np.float64],
    max_bins: int | None,
    validation_fraction: float | None,
    rng: np.random.Generator,
) -> StoreTask:
    """Return the task of `search_task` for a table that was picked as a whole."""
    target, weight = picked.target.astype(np.int64), picked.weight / WEIGHT_UNIT
    rows = merged(picked.codes, target, weight, class_weight)
    coarse = with_fewer_bins(table, rows, max_bins)
    codes = recoded(picked.codes, table, coarse)

    def some(chosen: NDArray[np.bool_] | slice) -> Rows:
        return merged(codes[chosen], target[chosen], weight[chosen], class_weight)

    rows, together = some(slice(None)), equal_rows(picked.codes)
    mass, folds = weight * class_weight[target], settings.tries.folds
    parts = folds_of(together, classes, target, mass, some, rows, folds, validation_fraction, rng)
    source = TRAINING if parts[0].held is rows else HELD_BACK
    columns, names = coarse.columns(rows.codes, len(classes)), tuple(classes.tolist())
    seed = int(rng.integers(2**31))
    return StoreTask(SearchTask(coarse, columns, names, rows, parts, settings, seed, class_weight), source, None, table)


def _judge(store: RowStore, task: SearchTask, place: NDArray[np.uint8]) -> Judge:
    """Return what judges networks by all rows that are held out; `place` is the bin of each code of the store."""

    def judge(snapshots: Sequence[Snapshot]) -> NDArray[np.float64]:
        finer = [_on_finer(snapshot, place) for snapshot in snapshots]
        counts = store.confusion(finer, len(task.classes), _HELD)
        return counts / WEIGHT_UNIT * task.class_weight[:, None]

    return judge


def _rows(picked: Shard, codes: NDArray[np.uint8], class_weight: NDArray[np.float64]) -> Rows:
    """Return rows that were picked, in the order of their keys, which is that of nothing else."""
    starts = row_starts(picked)
    mass = np.zeros((len(starts), len(class_weight)))
    mass[np.searchsorted(starts, np.arange(len(codes)), "right") - 1, picked.target] = picked.weight / WEIGHT_UNIT
    return rows_of(codes[starts], mass * class_weight)


def _on_finer(snapshot: Snapshot, place: NDArray[np.uint8]) -> Snapshot:
    """Return a network that reads codes with more cuts."""
    allowed = np.take_along_axis(snapshot.rules.allowed, place[snapshot.rules.column], axis=2)
    return replace(snapshot, rules=snapshot.rules._replace(allowed=allowed))
