"""Learning from a table that is larger than memory: read it to disk, search, and describe what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.kernels.shards.values import Shard, shard_of
from conceptrules.learn.checkpoint import Checkpoint
from conceptrules.learn.progress import reading_progress, search_progress
from conceptrules.learn.search.binned_table import binned_table
from conceptrules.learn.search.coded_network import CodedNetwork
from conceptrules.learn.search.description import governed
from conceptrules.learn.search.fit import SearchResult, fit, penalties_to_try
from conceptrules.learn.search.policy_masks import under
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.shards.description import (
    Counted,
    Provenance,
    added,
    count_block,
    describe_counted,
    store_networks,
)
from conceptrules.learn.shards.fit import SAMPLE, store_task
from conceptrules.learn.shards.in_memory import InMemory
from conceptrules.learn.shards.on_disk import OnDisk, check_room
from conceptrules.learn.shards.reading import read_classes, read_values, write_codes
from conceptrules.learn.shards.row_store import RowStore
from conceptrules.learn.shards.wanted import Wanted
from conceptrules.learn.training_data import TrainingData
from conceptrules.model.errors import InputError
from conceptrules.model.pareto import Choice
from conceptrules.model.policy import Fair, Implies, LeastPrecision, LeastRows, Locked, Policy
from conceptrules.tables.hashes import SKETCH_SIZE
from conceptrules.tables.labels import check_class_weight
from conceptrules.tables.sources import Source

IN_MEMORY = SAMPLE
"""Rows of a table that is read as a whole: so many are searched as they are in any case."""


@dataclass(frozen=True, slots=True, eq=False)
class LearnedTable:
    """What came of a table."""

    binarizer: Binarizer
    classes: NDArray[Any]
    choices: tuple[Choice, ...]
    found: SearchResult
    passes: int
    """How often all rows were gone over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HowToLearn:
    """What the user asks for."""

    settings: SearchSettings
    policy: Policy | None
    class_weight: Any
    max_bins: int | None
    validation_fraction: float | None
    threads: int
    verbose: bool
    parameters: Mapping[str, Any]
    checkpoint: Checkpoint | None = None


def check_policy_for_files(policy: Policy | None) -> None:
    """Raise an `InputError` if a policy has clauses that need all rows at once."""
    for kind in (Locked, Implies, LeastRows, LeastPrecision, Fair):
        for clause in () if policy is None else policy.of_kind(kind):
            raise InputError(
                f"{clause.name} cannot be kept while learning from more rows than are searched in memory; leave it out "
                "and prove it of the network afterwards, or learn from a sample in memory"
            )


def learn_from_source(
    source: Source, wanted: Wanted, binarizer: Binarizer, how: HowToLearn, folder: Path, rng: np.random.Generator
) -> LearnedTable:
    """Learn from a table in batches; `folder` takes its codes."""
    check_policy_for_files(how.policy)
    check_room(folder, source.rows, len(wanted.features), wanted.weight is not None)
    with reading_progress(how.verbose) as show:
        classes = read_classes(source, wanted, how.threads, show).classes()
        worth = check_class_weight(how.class_weight, classes.labels, classes.weight)
        read_values(source, wanted, classes, binarizer, how.threads, show)
        table = binned_table(binarizer)
        files, hashes, again = write_codes(source, wanted, classes, table, folder, how.threads, show)
    binarizer.inspection_ = (*binarizer.inspection_, *again)
    seen = Provenance(files.rows, hashes.kept.tolist(), hashes.n_distinct, binarizer.categories_dropped_)
    return learn_from_store(OnDisk(files, how.threads), binarizer, classes.labels, worth, seen, how, rng)


def learn_from_memory(data: TrainingData, how: HowToLearn, rng: np.random.Generator) -> LearnedTable:
    """Learn from a table in memory as from one in batches."""
    codes = binned_table(data.binarizer).codes(data.table)
    store = InMemory([shard_of(codes, data.target, data.weight)], how.threads)
    hashes = np.unique(data.hashes)
    seen = Provenance(len(data.target), hashes[:SKETCH_SIZE].tolist(), len(hashes), data.binarizer.categories_dropped_)
    worth = data.weights_of_classes(data.target, data.weight)
    return learn_from_store(store, data.binarizer, data.classes, worth, seen, how, rng)


def learn_from_store(
    store: RowStore,
    binarizer: Binarizer,
    classes: NDArray[Any],
    class_weight: NDArray[np.float64],
    seen: Provenance,
    how: HowToLearn,
    rng: np.random.Generator,
) -> LearnedTable:
    """Learn from rows wherever they are, and describe what was found by one more pass over them."""
    task = store_task(
        store,
        binned_table(binarizer),
        classes,
        how.settings,
        class_weight=class_weight,
        max_bins=how.max_bins,
        validation_fraction=how.validation_fraction,
        rng=rng,
    )
    if how.policy is not None:
        task = replace(task, task=under(how.policy, task.task))
    with search_progress(penalties_to_try(task.task), how.verbose) as watch:
        found = fit(task.task, how.threads, watch, how.checkpoint)
    networks = store_networks(found.networks, task)
    counted = added(store.over_blocks(partial(_counts, networks, task.first_key)))
    choices = tuple(
        governed(describe_counted(one, counts, task, seen, how.parameters), how.policy)
        for one, counts in zip(found.networks, counted, strict=True)
    )
    return LearnedTable(binarizer, classes, choices, found, store.passes)


def _counts(networks: Sequence[CodedNetwork], first_key: int | None, block: Shard) -> list[Counted]:
    return count_block(networks, block, first_key)
