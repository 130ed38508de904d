"""Learning from a store: as from memory where the table fits, the same network from any shards where it does not."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

from conceptrules import Binarizer
from conceptrules.kernels.shards.values import shard_of
from conceptrules.learn.search.binned_table import binned_table
from conceptrules.learn.search.fit import fit
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.search.task import search_task
from conceptrules.learn.shards import fit as shards_fit
from conceptrules.learn.shards.fit import store_task
from conceptrules.learn.shards.in_memory import InMemory
from conceptrules.learn.training_data import read_training_data
from conceptrules.model.content_hash import content_hash
from tests.learn.shards.test_in_memory import dealt
from tests.strategies_search import seeded

FAST = SearchSettings(effort="fast")
BINS = partial(Binarizer, None, 255, "thresholds", 254)


def some_table(rng, size=120):
    X = np.round(rng.normal(size=(size, 4)), 2)
    X[rng.random(size) < 0.05, 1] = np.nan
    y = np.where((X[:, 0] > 0.3) & ~(X[:, 2] > 1) | (X[:, 1] < -1), "a", "b")
    return X, np.where(rng.random(size) < 0.1, "c", y)


def hashes(found):
    return [content_hash(one.network) for one in found.networks], found.chosen, found.history


def from_shards(data, weight, rng, parts, search=FAST, max_bins=None):
    table = binned_table(data.binarizer)
    shards = dealt(shard_of(table.codes(data.table), data.target, weight), rng, parts)
    store = InMemory(shards, threads=2)
    class_weight = data.weights_of_classes(data.target, weight)
    task = store_task(
        store,
        table,
        data.classes,
        search,
        class_weight=class_weight,
        max_bins=max_bins,
        rng=np.random.default_rng(0),
    )
    return hashes(fit(task.task, 1, lambda trial: None)), store.passes


@pytest.mark.parametrize("max_bins", [None, 5])
def test_a_table_that_fits_into_the_sample_gives_the_network_of_the_usual_search(max_bins):
    X, y = some_table(np.random.default_rng(0))
    weight = np.random.default_rng(1).integers(1, 5, len(y)) / 2
    data = read_training_data(X, y, BINS(), weight, "balanced")
    task, _ = search_task(data, settings=SearchSettings(), max_bins=max_bins, rng=np.random.default_rng(0))
    usual = hashes(fit(task, 1, lambda trial: None))
    found, passes = from_shards(data, weight, np.random.default_rng(2), 3, SearchSettings(), max_bins)
    assert found == usual
    assert passes == 1


@pytest.mark.parametrize("max_bins", [None, 5])
@settings(max_examples=4)
@given(rng=seeded())
def test_any_shards_in_any_order_with_repeats_or_weights_give_the_same_networks(max_bins, rng):
    X, y = some_table(rng)
    weight = rng.integers(1, 4, len(y)).astype(float)
    data = read_training_data(X, y, BINS(), weight, None)
    repeated = np.repeat(np.arange(len(y)), weight.astype(int))
    again = read_training_data(X[repeated], y[repeated], BINS(), None, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards_fit, "SAMPLE", 60)
        patch.setattr(shards_fit, "WATCH", 10)
        patch.setattr(shards_fit, "MORE", 80)
        first, passes = from_shards(data, weight, rng, 1, max_bins=max_bins)
        assert from_shards(data, weight, rng, 7, max_bins=max_bins)[0] == first
        assert from_shards(again, again.weight, rng, 3, max_bins=max_bins)[0] == first
    assert any(trial.refined for trial in first[2])
    # One to pick the sample, one for gaps, one to judge.
    assert passes == 3
