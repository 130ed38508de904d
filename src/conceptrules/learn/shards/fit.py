"""From a store of rows to the Pareto front: a sample is learned from, and all other rows choose the network.

The sample is the rows with the smallest keys. A table that fits into it is learned from as always, with folds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.kernels.search.values import Rows
from conceptrules.kernels.shards.values import WEIGHT_UNIT, Shard
from conceptrules.learn.holdout import HELD_BACK, TRAINING
from conceptrules.learn.row_groups import equal_rows
from conceptrules.learn.search.binned_table import BinnedTable, places, recoded
from conceptrules.learn.search.choice import Trial
from conceptrules.learn.search.fit import SearchResult, SearchTask, fit
from conceptrules.learn.search.merged_rows import Fold, merged
from conceptrules.learn.search.regularization_path import Snapshot
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.search.task import folds_of, with_fewer_bins
from conceptrules.learn.shards.masks import Candidate
from conceptrules.learn.shards.picking import row_starts
from conceptrules.learn.shards.row_store import RowStore

SAMPLE = 100_000
"""Different rows that are learned from."""
WATCH = 50_000
"""Different rows, of those that are not, that say when the search is done."""


@dataclass(frozen=True, slots=True, eq=False)
class StoreTask:
    """What there is to learn from a store of rows."""

    task: SearchTask
    source: str
    """Where the rows that choose the network are from."""
    first_key: int | None
    """The first key that is not in the sample; None: the sample is the whole table, and its folds choose."""
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
    picked, held = _parted(store.pick(SAMPLE + WATCH))
    rows = _rows(picked, picked.codes, class_weight)
    coarse = with_fewer_bins(table, rows, max_bins)
    codes = recoded(picked.codes, table, coarse)
    rows = rows if coarse is table else _rows(picked, codes, class_weight)
    names = tuple(classes.tolist())
    if held is None:
        target, weight = picked.target.astype(np.int64), picked.weight / WEIGHT_UNIT
        folds = folds_of(
            equal_rows(picked.codes),
            classes,
            target,
            weight * class_weight[target],
            lambda chosen: merged(codes[chosen], target[chosen], weight[chosen], class_weight),
            rows,
            settings.tries.folds,
            validation_fraction,
            rng,
        )
        source = TRAINING if folds[0].held is rows else HELD_BACK
        columns, first_key = coarse.columns(rows.codes, len(names)), None
    else:
        folds = [Fold(rows, _rows(held, recoded(held.codes, table, coarse), class_weight))]
        source, first_key = HELD_BACK, int(held.key[0])
        # A gap that the sample does not show may be in another row.
        columns = coarse.columns(recoded(store.highest()[None], table, coarse), len(names))
    seed = int(rng.integers(2**31))
    task = SearchTask(coarse, columns, names, rows, folds, settings, seed, class_weight)
    return StoreTask(task, source, first_key, table)


def fit_store(store: RowStore, found: StoreTask, threads: int, watch: Callable[[Trial], None]) -> SearchResult:
    """Search for networks. What comes out depends neither on the kind of store, nor on its shards or their order."""
    task, first_key = found.task, found.first_key
    if first_key is None:
        return fit(task, threads, watch)
    place = places(found.finer, task.table)

    def judge(candidates: Sequence[Candidate]) -> NDArray[np.float64]:
        own = {id(one): _on_finer(one, place) for candidate in candidates for one in candidate}
        finer = [[own[id(one)] for one in candidate] for candidate in candidates]
        counts = store.confusion(finer, len(task.classes), first_key)
        return counts / WEIGHT_UNIT * task.class_weight[:, None]

    return fit(task, threads, watch, judge=judge)


def _parted(picked: Shard) -> tuple[Shard, Shard | None]:
    """Return the sample, and the rows that are not in it, if there are any."""
    starts = row_starts(picked)
    if len(starts) <= SAMPLE:
        return picked, None
    end = starts[SAMPLE]
    # Rows with one key stay together, so that a key says whether a row is in the sample.
    while picked.key[end] == picked.key[end - 1]:
        end -= 1
    return picked.take(slice(end)), picked.take(slice(end, None))


def _rows(shard: Shard, codes: NDArray[np.uint8], class_weight: NDArray[np.float64]) -> Rows:
    return merged(codes, shard.target.astype(np.int64), shard.weight / WEIGHT_UNIT, class_weight)


def _on_finer(snapshot: Snapshot, place: NDArray[np.uint8]) -> Snapshot:
    """Return a network that reads codes with more cuts."""
    allowed = np.take_along_axis(snapshot.rules.allowed, place[snapshot.rules.column], axis=2)
    return replace(snapshot, rules=snapshot.rules._replace(allowed=allowed))
