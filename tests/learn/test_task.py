"""From a store of rows to a task: the same from any shards, for tables that fit into a sample and for larger ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptrules.kernels.search.shards import Shard
from conceptrules.learn import task as task_module
from conceptrules.learn.coding.store import MemoryStore
from conceptrules.learn.search.search import search_networks
from conceptrules.learn.search.settings import SearchSettings
from conceptrules.learn.task import make_task, scale_policy
from conceptrules.model.policy import LeastRows, Monotone, Policy
from tests.learn.tasks import code_in_memory, fit_options, learn, make_shard, spread_rows, summarise
from tests.strategies_search import seeded

FAST = SearchSettings(effort="fast")


def some_table(rng, size=120):
    X = np.round(rng.normal(size=(size, 4)), 2)
    X[rng.random(size) < 0.05, 1] = np.nan
    y = np.where((X[:, 0] > 0.3) & ~(X[:, 2] > 1) | (X[:, 1] < -1), "a", "b")
    return X, np.where(rng.random(size) < 0.1, "c", y)


@pytest.fixture
def small_sample(monkeypatch):
    for name, value in {"SAMPLE": 120, "WATCH": 60, "MORE": 240}.items():
        monkeypatch.setattr(task_module, name, value)


def from_shards(X, y, weight, rng, parts, search=FAST, **more):
    options = fit_options(search, **more)
    coded = code_in_memory(X, y, options, sample_weight=weight)
    (shard,) = coded.store._shards
    coded = replace(coded, store=MemoryStore(spread_rows(shard, rng, parts), threads=2))
    return summarise(search_networks(make_task(coded, options), 1, lambda trial: None)), coded.store.passes


@pytest.mark.parametrize("max_bins", [None, 5])
def test_a_table_that_fits_into_the_sample_is_gone_over_once(max_bins):
    X, y = some_table(np.random.default_rng(0))
    weight = np.random.default_rng(1).integers(1, 5, len(y)) / 2
    more = {"max_bins": max_bins, "class_weight": "balanced"}
    first, passes = from_shards(X, y, weight, np.random.default_rng(2), 1, SearchSettings(), **more)
    assert from_shards(X, y, weight, np.random.default_rng(2), 3, SearchSettings(), **more)[0] == first
    assert passes == 1


@pytest.mark.parametrize("max_bins", [None, 5])
@settings(max_examples=4)
@given(rng=seeded())
def test_any_shards_in_any_order_with_repeats_or_weights_give_the_same_networks(max_bins, rng):
    X, y = some_table(rng, 300)
    y = np.where(y == "c", "b", y)  # with less noise, a few held-out rows see that there are rules
    weight = rng.integers(1, 4, len(y)).astype(float)
    repeated = np.repeat(np.arange(len(y)), weight.astype(int))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"SAMPLE": 120, "WATCH": 60, "MORE": 240}.items():
            patch.setattr(task_module, name, value)
        first, passes = from_shards(X, y, weight, rng, 1, max_bins=max_bins)
        assert from_shards(X, y, weight, rng, 7, max_bins=max_bins)[0] == first
        assert from_shards(X[repeated], y[repeated], None, rng, 3, max_bins=max_bins)[0] == first
    assert any(trial.refined for trial in first[2])
    # One to pick the sample, one for gaps, one to judge.
    assert passes == 3


@pytest.mark.usefixtures("small_sample")
def test_groups_of_a_large_table_are_judged_or_learned_from():
    rng = np.random.default_rng(0)
    X, y = some_table(rng, 300)
    group = rng.integers(0, 40, 300)
    options = fit_options(FAST)
    coded = code_in_memory(X, y, options, groups=group)
    task = make_task(coded, options)
    (shard,) = coded.store._shards
    held_out = shard.key >= np.uint64(task.remainder.first_key)
    assert 0.05 < held_out.mean() < 0.5
    assert not set(group[held_out]) & set(group[~held_out])


@pytest.mark.usefixtures("small_sample")
@pytest.mark.parametrize("kind", [np.asarray, lambda day: pd.Timestamp("2026-01-01") + pd.to_timedelta(day, "D")])
def test_the_newest_rows_of_a_large_table_judge(kind):
    rng = np.random.default_rng(0)
    X, y = some_table(rng, 300)
    day = rng.integers(0, 90, 300)
    options = fit_options(FAST, validation_fraction=0.3)
    coded = code_in_memory(X, y, options, time=kind(day))
    first_key = make_task(coded, options).remainder.first_key
    (shard,) = coded.store._shards
    held_out = shard.key >= np.uint64(first_key)
    assert abs(held_out.mean() - 0.3) < 0.05
    assert day[held_out].min() > day[~held_out].max()


@pytest.mark.usefixtures("small_sample")
def test_rows_that_are_given_judge_a_large_table():
    rng = np.random.default_rng(0)
    (X, y), (X_val, y_val) = some_table(rng, 300), some_table(rng, 70)
    options = fit_options(FAST)
    task = make_task(code_in_memory(X, y, options, X_val=X_val, y_val=y_val), options)
    assert task.source == "given"
    assert (task.remainder.store.rows, task.remainder.first_key) == (70, 0)
    result = search_networks(task, 1, lambda trial: None)
    assert result.networks[result.chosen].network.edges


def test_rows_of_one_class_and_group_are_merged_and_others_are_not():
    plain = make_shard(np.zeros((4, 1), np.uint8), [0, 0, 1, 0], np.ones(4))
    member = np.array([[0], [1], [0], [0]], np.uint8)
    merged = MemoryStore([plain._replace(member=member)]).pick(9)
    assert isinstance(merged, Shard)
    rows = zip(merged.target.tolist(), merged.member.ravel().tolist(), (merged.weight >> 24).tolist(), strict=True)
    assert sorted(rows) == [(0, 0, 2), (0, 1, 1), (1, 0, 1)]


def test_a_sample_has_to_show_some_more_rows_of_a_rule_than_its_share():
    policy = Policy((LeastRows(1000), Monotone("age", "up", ("a", "b"))))
    assert scale_policy(policy, 1.0) is policy
    assert scale_policy(None, 0.1) is None
    assert set(scale_policy(policy, 0.1).clauses) == {LeastRows(120), Monotone("age", "up", ("a", "b"))}
    assert scale_policy(Policy((LeastRows(2),)), 1e-9).clauses == (LeastRows(1),)


@pytest.mark.filterwarnings("ignore:class.* too few rows")
@settings(max_examples=20)
@given(seeded(), st.booleans())
def test_neither_order_nor_repeats_of_rows_leave_a_trace(rng, whole):
    X, y = some_table(rng, 60)
    weight = rng.integers(1, 4, len(y)) * (1.0 if whole else 0.25)
    order = rng.permutation(len(y))
    first = learn(X, y, FAST, sample_weight=weight)
    assert summarise(learn(X[order], y[order], FAST, sample_weight=weight[order])) == summarise(first)
