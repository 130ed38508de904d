"""Learning from a table that is larger than memory: read it to disk, search, and describe what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conceptrules.binarize import Binarizer
from conceptrules.learn.progress import reading_progress, search_progress
from conceptrules.learn.search.binned_table import binned_table
from conceptrules.learn.search.description import governed
from conceptrules.learn.search.fit import SearchResult, penalties_to_try
from conceptrules.learn.search.policy_masks import under
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.shards.description import Provenance, added, count_block, describe_counted, store_networks
from conceptrules.learn.shards.fit import SAMPLE, fit_store, store_task
from conceptrules.learn.shards.on_disk import OnDisk, check_room
from conceptrules.learn.shards.reading import Wanted, read_classes, read_values, write_codes
from conceptrules.model.errors import InputError, warn
from conceptrules.model.pareto import Choice
from conceptrules.model.policy import Fair, Implies, LeastPrecision, LeastRows, Locked, Policy
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
        classes = read_classes(source, wanted, show)
        worth = check_class_weight(how.class_weight, classes.labels, classes.weight)
        read_values(source, wanted, classes, binarizer, how.threads, show)
        table = binned_table(binarizer)
        files, hashes, again = write_codes(source, wanted, classes, table, folder, show)
    binarizer.inspection_ = (*binarizer.inspection_, *again)
    store = OnDisk(files, how.threads)
    task = store_task(
        store,
        table,
        classes.labels,
        how.settings,
        class_weight=worth,
        max_bins=how.max_bins,
        validation_fraction=how.validation_fraction,
        rng=rng,
    )
    if how.policy is not None:
        task = replace(task, task=under(how.policy, task.task))
    with search_progress(penalties_to_try(task.task), how.verbose) as watch:
        found = fit_store(store, task, how.threads, watch)
    if found.interrupted:
        warn(f"the search was interrupted; the best network so far is kept ({len(found.history)} penalties tried)")
    networks = store_networks(found.networks, task)
    counted = added(store.over_blocks(lambda block: count_block(networks, block, task.first_key)))
    seen = Provenance(files.rows, hashes.kept.tolist(), hashes.different, binarizer.categories_dropped_)
    choices = tuple(
        governed(describe_counted(one, counts, task, seen, how.parameters), how.policy)
        for one, counts in zip(found.networks, counted, strict=True)
    )
    return LearnedTable(binarizer, classes.labels, choices, found)
