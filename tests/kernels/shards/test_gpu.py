"""The passes of a GPU give the same whole numbers: in Triton's interpreter where there is none, else on the device."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'conceptrules[gpu]'")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton", reason="triton is not installed: pip install 'conceptrules[gpu]'")

from conceptrules.learn.shards.in_memory import InMemory
from conceptrules.learn.shards.on_gpu import OnGpu
from tests.learn.shards.test_in_memory import CLASSES, dealt, some_network, some_shard
from tests.strategies_search import seeded, some_columns


@settings(max_examples=5)
@given(rng=seeded())
def test_a_gpu_answers_as_memory_does(rng):
    columns = some_columns(rng)
    shard = some_shard(rng, columns, int(rng.integers(1, 400)))
    memory, card = InMemory([shard]), OnGpu(InMemory(dealt(shard, rng, 2)), DEVICE)
    networks = [some_network(rng, columns, rules) for rules in (0, 1, 70, 5)]
    candidates = [(one,) for one in networks] + [tuple(networks[:3])]
    first_key = int(np.sort(shard.key)[len(shard.key) // 3])
    assert np.array_equal(
        card.confusion(candidates, CLASSES, first_key), memory.confusion(candidates, CLASSES, first_key)
    )
    assert np.array_equal(card.highest(), memory.highest())
    for count in (1, 20, 500):
        for found, expected in zip(card.pick(count), memory.pick(count), strict=True):
            assert np.array_equal(found, expected)
    assert card.passes == memory.passes
