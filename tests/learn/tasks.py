"""Tasks and results of the search, made from tables in memory stage by stage."""

from __future__ import annotations

from typing import Any

import numpy as np

from conceptrules.binarize import Binarizer
from conceptrules.kernels.search.passes import hash_codes
from conceptrules.kernels.search.shards import Shard, fixed_weights
from conceptrules.learn.coding.table_coding import CodedTable, code_table
from conceptrules.learn.inputs import FitInputs, FitOptions
from conceptrules.learn.search.search import SearchResult, search_networks
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.task import make_task
from conceptrules.model.content_hash import content_hash


def fit_options(settings: SearchSettings, **options: Any) -> FitOptions[SearchSettings]:
    """The options of a fit, by default those of the estimator."""
    usual: dict[str, Any] = {
        "policy": None,
        "class_weight": None,
        "binarizer": Binarizer(None, 255, "thresholds", 254),
        "max_bins": None,
        "validation_fraction": None,
        "threads": 1,
        "verbose": False,
        "parameters": {},
        "rng": np.random.default_rng(0),
        "estimate_bytes": lambda rows, columns, classes: 0.0,
    }
    return FitOptions(settings=settings, **{**usual, **options})


def code_in_memory(X: Any, y: Any, options: FitOptions[Any], **inputs: Any) -> CodedTable:
    """A table in memory, coded; nothing else is needed to use its store."""
    with code_table(FitInputs(X=X, y=y, **inputs), options) as coded:
        return coded


def learn(X: Any, y: Any, settings: SearchSettings, watch: Any = lambda trial: None, **inputs: Any) -> SearchResult:
    """What the search makes of a table in memory."""
    threads = inputs.pop("threads", 1)
    options = fit_options(settings)
    return search_networks(make_task(code_in_memory(X, y, options, **inputs), options), threads, watch)


def summarise(result: SearchResult) -> tuple[Any, ...]:
    """All that has to be equal where two searches should be."""
    return [content_hash(learned.network) for learned in result.networks], result.chosen, result.history


def make_shard(codes: Any, target: Any, weight: Any) -> Shard:
    """Rows of no groups, whose keys are hashes of their content."""
    codes = np.ascontiguousarray(codes)
    member = np.zeros((len(codes), 0), np.uint8)
    return Shard(
        codes, np.asarray(target).astype(np.uint16), fixed_weights(np.asarray(weight, float)), hash_codes(codes),
        member, np.zeros((len(codes), 0)),
    )  # fmt: skip


def spread_rows(shard: Shard, rng: np.random.Generator, parts: int) -> list[Shard]:
    """The rows of a shard in several, in any order."""
    part = rng.integers(parts, size=len(shard.key))
    order = rng.permutation(len(shard.key))
    return [shard.take(order[part[order] == number]) for number in range(parts)]
