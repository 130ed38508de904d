"""What a store of rows answers depends neither on the shards, in memory or in files, nor on the order of the rows."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.kernels.search.passes import hash_codes
from conceptrules.kernels.search.shards import WEIGHT_UNIT, Shard, fixed_weights
from conceptrules.kernels.search.values import CODES, empty_rules
from conceptrules.learn.coding import store as store_module
from conceptrules.learn.coding.store import DiskStore, MemoryStore, ShardFiles, check_disk_space, merge_equal_rows
from conceptrules.learn.search.coded_network import mask_networks
from conceptrules.learn.search.path import Snapshot
from conceptrules.model.errors import InputError
from conceptrules.model.evaluation import first_firing
from tests.learn.tasks import make_shard, spread_rows
from tests.people import quick_search
from tests.strategies_search import seeded, some_columns, some_rules

CLASSES = 3


def some_shard(rng: np.random.Generator, columns, size: int) -> Shard:
    codes = np.stack([rng.integers(0, bins + 1, size) for bins in columns.bins], axis=1).astype(np.uint8)
    return make_shard(codes, rng.integers(CLASSES, size=size), rng.integers(1, 4, size) / 2)


def some_network(rng: np.random.Generator, columns, rules: int) -> Snapshot:
    return Snapshot(some_rules(rng, columns, CLASSES, rules), rng.permutation(CLASSES), int(rng.integers(3)), 0.0, 0)


def same_codes(columns) -> np.ndarray:
    """The codes of the store are those of the networks."""
    return np.tile(np.arange(CODES, dtype=np.uint8), (len(columns.bins), 1))


@given(seeded(), st.integers(1, 60), st.integers(1, 5), st.integers(1, 80))
def test_rows_of_smallest_keys_are_the_same_from_any_shards(rng, size, parts, count):
    columns = some_columns(rng)
    shard = some_shard(rng, columns, size)
    if rng.random() < 0.5:  # a number to predict
        shard = shard._replace(number=rng.integers(3, size=(size, 1)) / 2)
    first_key = int(rng.choice([0, np.median(shard.key)]))
    weights: dict[tuple[int, bytes, int, tuple[float, ...]], int] = {}
    for codes, target, weight, key, _, number in zip(*shard, strict=True):
        row = (int(key), codes.tobytes(), int(target), tuple(number.tolist()))
        weights[row] = weights.get(row, 0) + int(weight)
    kept = sorted({row[:2] for row in weights if row[0] >= first_key})[:count]
    plain = sorted((row, weight) for row, weight in weights.items() if row[:2] in kept)

    found = MemoryStore(spread_rows(shard, rng, parts), threads=2).pick(count, first_key)

    rows = zip(*found, strict=True)
    assert [
        ((int(key), codes.tobytes(), int(c), tuple(number.tolist())), int(weight))
        for codes, c, weight, key, _, number in rows
    ] == plain


def test_two_rows_with_one_key_stay_two_rows():
    codes, key = np.array([[1, 0], [0, 1], [1, 0]], np.uint8), np.full(3, 7, np.uint64)
    shard = Shard(
        codes, np.zeros(3, np.uint16), np.full(3, WEIGHT_UNIT), key, np.zeros((3, 0), np.uint8), np.zeros((3, 0))
    )
    found = merge_equal_rows([shard], 2)
    assert found.codes.tolist() == [[0, 1], [1, 0]]
    assert found.weight.tolist() == [WEIGHT_UNIT, 2 * WEIGHT_UNIT]


def test_many_repeats_of_few_rows_are_found_by_a_higher_bound():
    codes = np.repeat(np.arange(100, dtype=np.uint8)[:, None], 1000, axis=0)
    store = MemoryStore([make_shard(codes, np.zeros(len(codes), np.int64), np.ones(len(codes)))])
    found = store.pick(60)
    assert sorted(hash_codes(np.arange(100, dtype=np.uint8)[:, None]))[:60] == found.key.tolist()
    assert (found.weight == 1000 * WEIGHT_UNIT).all()
    assert 1 < store.passes < 5


@given(seeded(), st.integers(1, 50), st.integers(1, 4))
def test_confusions_are_those_of_the_plain_evaluation(rng, size, parts):
    columns = some_columns(rng)
    shard = some_shard(rng, columns, size)
    networks = [some_network(rng, columns, rules) for rules in (0, 1, 70, 130, 3, 5)]
    first_key = int(np.sort(shard.key)[size // 3])

    store = MemoryStore(spread_rows(shard, rng, parts), threads=2)
    found = store.count_confusion(mask_networks(networks, same_codes(columns)), CLASSES, first_key)

    assert store.passes == 1
    counted = shard.key >= first_key
    for network, confusion in zip(networks, found, strict=True):
        answers = first_firing(network.find_fired(shard.codes), network.order.tolist(), network.default)
        plain = np.zeros((CLASSES, CLASSES), np.int64)
        np.add.at(plain, (shard.target[counted], answers[counted]), shard.weight[counted])
        assert np.array_equal(confusion, plain)


@given(seeded(), st.integers(1, 4))
def test_the_highest_codes_are_those_of_all_shards(rng, parts):
    columns = some_columns(rng)
    shard = some_shard(rng, columns, 30)
    found = MemoryStore([one for one in spread_rows(shard, rng, parts) if len(one.key)]).find_highest_codes()
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
    assert hash_codes(codes).tolist() == [plain(row.tobytes()) for row in codes]


def test_rules_without_conditions_always_hold():
    rules = empty_rules(1)
    rules.length[0], rules.owner[0] = 0, 1
    shard = make_shard(np.zeros((4, 5), np.uint8), np.array([0, 0, 0, 1]), np.ones(4))
    found = MemoryStore([shard]).count_confusion(
        mask_networks(
            [Snapshot(rules, np.array([0, 1]), 0, 0.0, 0)], np.tile(np.arange(CODES, dtype=np.uint8), (5, 1))
        ),
        2,
        0,
    )
    assert (found // WEIGHT_UNIT).tolist() == [[[0, 3], [0, 1]]]


@pytest.mark.parametrize("weighted", [False, True])
def test_files_hold_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weighted: bool) -> None:
    monkeypatch.setattr(store_module, "_BLOCK", 64)
    rng = np.random.default_rng(0)
    codes, target = rng.integers(0, 5, (300, 3)).astype(np.uint8), rng.integers(0, 2, 300)
    weight = rng.integers(1, 4, 300) if weighted else np.ones(300, np.int64)
    shard = make_shard(codes, target, weight.astype(float))
    if weighted:
        shard = shard._replace(member=rng.integers(0, 3, (300, 2)).astype(np.uint8))
    with ShardFiles(tmp_path, 3, 2 * weighted, weighted) as files:
        for rows in np.array_split(np.arange(300), 7):
            files.add(shard.take(rows))
    store, plain = DiskStore(files, 2), MemoryStore([shard])
    assert store.rows == 300
    assert (store.find_highest_codes() == plain.find_highest_codes()).all()
    for one, other in zip(store.pick(50), plain.pick(50), strict=True):
        assert (one == other).all()
    assert sum(store.map_blocks(lambda block: int(block.weight.sum()))) == weight.sum() * WEIGHT_UNIT
    assert store.passes == plain.passes + 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "none", tmp_path], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("a small disk needs root, who may mount a tmpfs")
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


def test_a_disk_that_is_too_small_is_told_before_any_work(small_disk: Path) -> None:
    check_disk_space(small_disk, 1000, 10, False)
    with pytest.raises(InputError, match=r"the disk of .* is full: 0.28 GB are needed; make room, or name a folder"):
        check_disk_space(small_disk, 10_000_000, 10, True)


def test_a_disk_that_fills_up_is_told(small_disk: Path) -> None:
    shard = make_shard(np.zeros((100_000, 3), np.uint8), np.zeros(100_000, np.int64), np.ones(100_000))
    with (
        pytest.raises(InputError, match=r"the disk of .* is full; make room"),
        ShardFiles(small_disk, 3) as files,
    ):
        files.add(shard)


@pytest.mark.parametrize("kind", ["stream", "LazyFrame"])
def test_a_stream_that_does_not_fit_is_told_and_leaves_nothing(small_disk: Path, kind: str) -> None:
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.random(200_000), "y": rng.choice(["a", "b"], 200_000)})
    given = table.to_reader() if kind == "stream" else pytest.importorskip("polars").from_arrow(table).lazy()
    with pytest.raises(InputError, match=r"the disk of .* is full; make room"):
        quick_search().fit(given, "y", scratch=small_disk)
    assert not list(small_disk.iterdir())
