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

from conceptrules import ConceptRuleClassifier, classifier
from conceptrules.io.model_file import dumps
from conceptrules.learn.shards import fit as shards_fit
from conceptrules.learn.shards import on_gpu
from conceptrules.learn.shards.in_memory import InMemory
from conceptrules.learn.shards.on_gpu import OnGpu
from conceptrules.model.errors import InputError
from tests.learn.shards.test_fit import some_table
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


def test_the_classifier_goes_over_rows_there_too(monkeypatch):
    """The same model file, with the device in the place of a GPU where there is none."""
    monkeypatch.setattr(classifier, "IN_MEMORY", 0)
    for name, value in {"SAMPLE": 40, "WATCH": 10, "MORE": 60}.items():
        monkeypatch.setattr(shards_fit, name, value)
    monkeypatch.setattr(classifier, "check_device", lambda device: None)
    X, y = some_table(np.random.default_rng(0))
    X, y = X[:, :1], y == "a"  # the interpreter is slow
    quick = {"effort": "fast", "max_edges": 2, "random_state": 0, "n_jobs": 1}
    here, there = (ConceptRuleClassifier(**quick, device=device).fit(X, y) for device in ("cpu", DEVICE + ":0"))
    assert dumps(there.network_) == dumps(here.network_)
    assert there.n_passes_ == here.n_passes_ > 0


def test_a_card_that_is_too_small_is_told(monkeypatch):
    monkeypatch.setattr(on_gpu, "free_memory", lambda device: 1000)
    shard = some_shard(np.random.default_rng(0), some_columns(np.random.default_rng(0)), 400)
    with pytest.raises(InputError, match=r"400 rows need 0\.0 GB of the GPU's memory.*use device='cpu'"):
        OnGpu(InMemory([shard]), "cuda:0")
