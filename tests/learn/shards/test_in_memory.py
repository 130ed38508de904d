"""What a store of rows answers does not depend on the shards, nor on the order of the rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.search.values import empty_rules
from conceptrules.kernels.shards.values import WEIGHT_UNIT, Shard, fixed_weights, row_keys, shard_of
from conceptrules.learn.search.regularization_path import Snapshot
from conceptrules.learn.shards.in_memory import InMemory
from conceptrules.learn.shards.picking import merged
from conceptrules.model.evaluation import first_firing
from tests.strategies_search import seeded, some_columns, some_rules

CLASSES = 3


def some_shard(rng: np.random.Generator, columns, size: int) -> Shard:
    codes = np.stack([rng.integers(0, bins + 1, size) for bins in columns.bins], axis=1).astype(np.uint8)
    return shard_of(codes, rng.integers(CLASSES, size=size), rng.integers(1, 4, size) / 2)


def dealt(shard: Shard, rng: np.random.Generator, parts: int) -> list[Shard]:
    """Deal the rows of a shard to several, in any order."""
    part = rng.integers(parts, size=len(shard.key))
    order = rng.permutation(len(shard.key))
    return [shard.take(order[part[order] == number]) for number in range(parts)]


def some_network(rng: np.random.Generator, columns, rules: int) -> Snapshot:
    return Snapshot(some_rules(rng, columns, CLASSES, rules), rng.permutation(CLASSES), int(rng.integers(3)), 0.0, 0)


@given(seeded(), st.integers(1, 60), st.integers(1, 5), st.integers(1, 80))
def test_rows_of_smallest_keys_are_the_same_from_any_shards(rng, size, parts, count):
    columns = some_columns(rng)
    shard = some_shard(rng, columns, size)
    weights: dict[tuple[int, bytes, int], int] = {}
    for codes, target, weight, key in zip(*shard, strict=True):
        row = (int(key), codes.tobytes(), int(target))
        weights[row] = weights.get(row, 0) + int(weight)
    kept = sorted({row[:2] for row in weights})[:count]
    plain = sorted((row, weight) for row, weight in weights.items() if row[:2] in kept)

    found = InMemory(dealt(shard, rng, parts), threads=2).pick(count)

    rows = zip(*found, strict=True)
    assert [((int(key), codes.tobytes(), int(c)), int(weight)) for codes, c, weight, key in rows] == plain


def test_two_rows_with_one_key_stay_two_rows():
    codes, key = np.array([[1, 0], [0, 1], [1, 0]], np.uint8), np.full(3, 7, np.uint64)
    shard = Shard(codes, np.zeros(3, np.uint16), np.full(3, WEIGHT_UNIT), key)
    found = merged([shard], 2)
    assert found.codes.tolist() == [[0, 1], [1, 0]]
    assert found.weight.tolist() == [WEIGHT_UNIT, 2 * WEIGHT_UNIT]


def test_many_repeats_of_few_rows_are_found_by_a_higher_bound():
    codes = np.repeat(np.arange(100, dtype=np.uint8)[:, None], 1000, axis=0)
    store = InMemory([shard_of(codes, np.zeros(len(codes), np.int64), np.ones(len(codes)))])
    found = store.pick(60)
    assert sorted(row_keys(np.arange(100, dtype=np.uint8)[:, None]))[:60] == found.key.tolist()
    assert (found.weight == 1000 * WEIGHT_UNIT).all()
    assert 1 < store.passes < 5


@given(seeded(), st.integers(1, 50), st.integers(1, 4))
def test_confusions_are_those_of_the_plain_evaluation(rng, size, parts):
    columns = some_columns(rng)
    shard = some_shard(rng, columns, size)
    networks = [some_network(rng, columns, rules) for rules in (0, 1, 70, 130, 3, 5)]
    first_key = int(np.sort(shard.key)[size // 3])

    store = InMemory(dealt(shard, rng, parts), threads=2)
    found = store.confusion(networks, CLASSES, first_key)

    assert store.passes == 1
    counted = shard.key >= first_key
    for network, confusion in zip(networks, found, strict=True):
        answers = first_firing(network.fired(shard.codes), network.order.tolist(), network.default)
        plain = np.zeros((CLASSES, CLASSES), np.int64)
        np.add.at(plain, (shard.target[counted], answers[counted]), shard.weight[counted])
        assert np.array_equal(confusion, plain)


@given(seeded(), st.integers(1, 4))
def test_the_highest_codes_are_those_of_all_shards(rng, parts):
    columns = some_columns(rng)
    shard = some_shard(rng, columns, 30)
    found = InMemory([one for one in dealt(shard, rng, parts) if len(one.key)]).highest()
    assert np.array_equal(found, shard.codes.max(axis=0))


def test_a_weight_is_a_whole_number_of_units_and_never_vanishes():
    assert fixed_weights(np.array([0, 1e-12, 0.5, 1, 3])).tolist() == [
        0,
        1,
        WEIGHT_UNIT // 2,
        WEIGHT_UNIT,
        3 * WEIGHT_UNIT,
    ]


def test_keys_are_those_of_the_published_hashes():
    def plain(row: bytes) -> int:
        key = 0xCBF29CE484222325
        for byte in row:
            key = (key ^ byte) * 0x100000001B3 % 2**64
        key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        key = (key ^ key >> 27) * 0x94D049BB133111EB % 2**64
        return key ^ key >> 31

    codes = np.random.default_rng(0).integers(0, 256, (50, 9)).astype(np.uint8)
    assert row_keys(codes).tolist() == [plain(row.tobytes()) for row in codes]


def test_rules_without_conditions_always_hold():
    rules = empty_rules(1)
    rules.length[0], rules.owner[0] = 0, 1
    shard = shard_of(np.zeros((4, 5), np.uint8), np.array([0, 0, 0, 1]), np.ones(4))
    found = InMemory([shard]).confusion([Snapshot(rules, np.array([0, 1]), 0, 0.0, 0)], 2, 0)
    assert (found // WEIGHT_UNIT).tolist() == [[[0, 3], [0, 1]]]
