"""Rows in files give what rows in memory give, and a full disk is told and leaves nothing."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from conceptrules.kernels.shards.values import WEIGHT_UNIT, shard_of
from conceptrules.learn.shards import on_disk
from conceptrules.learn.shards.in_memory import InMemory
from conceptrules.learn.shards.on_disk import OnDisk, ShardFiles, check_room
from conceptrules.model.errors import InputError
from tests.people import quick_search


@pytest.mark.parametrize("weighted", [False, True])
def test_files_hold_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weighted: bool) -> None:
    monkeypatch.setattr(on_disk, "_BLOCK", 64)
    rng = np.random.default_rng(0)
    codes, target = rng.integers(0, 5, (300, 3)).astype(np.uint8), rng.integers(0, 2, 300)
    weight = rng.integers(1, 4, 300) if weighted else np.ones(300, np.int64)
    shard = shard_of(codes, target, weight.astype(float))
    with ShardFiles(tmp_path, 3, weighted) as files:
        for rows in np.array_split(np.arange(300), 7):
            files.add(shard.take(rows))
    store, plain = OnDisk(files, 2), InMemory([shard])
    assert store.rows == 300
    assert (store.highest() == plain.highest()).all()
    for one, other in zip(store.pick(50), plain.pick(50), strict=True):
        assert (one == other).all()
    assert sum(store.over_blocks(lambda block: int(block.weight.sum()))) == weight.sum() * WEIGHT_UNIT
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
    check_room(small_disk, 1000, 10, False)
    with pytest.raises(InputError, match=r"the disk of .* is full: 0.28 GB are needed; make room, or name a folder"):
        check_room(small_disk, 10_000_000, 10, True)


def test_a_disk_that_fills_up_is_told(small_disk: Path) -> None:
    shard = shard_of(np.zeros((100_000, 3), np.uint8), np.zeros(100_000, np.int64), np.ones(100_000))
    with (
        pytest.raises(InputError, match=r"the disk of .* is full; make room"),
        ShardFiles(small_disk, 3, False) as files,
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
