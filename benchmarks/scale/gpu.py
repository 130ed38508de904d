"""Passes over ten million rows of 14 columns on a GPU, against two cores: `python -m benchmarks.scale gpu FOLDER`.

`python -m benchmarks.scale gpu FOLDER prepare` goes first, on a machine with all that the package needs: it makes
networks and rows, counts on two cores what the networks answer, and keeps the networks and the counts in FOLDER. On
the machine with the GPU, NumPy, torch and Triton are enough: the rows are made again, and the counts have to be the
same, bit by bit.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import jsonl
from conceptrules.kernels.shards.values import KEYS, WEIGHT_UNIT, Networks, Shard

RECORD = jsonl.RECORDS / "scale.jsonl"
KEY = ("what", "way", "rows")
WHAT = "pass over 14 columns, 36 networks and 18 votes"
ROWS, COLUMNS, CLASSES, BINS = 10_000_000, 14, 2, 32
FIRST_KEY = KEYS // 10
"""Nine rows in ten count."""
FILE = "gpu.npz"


def made_rows() -> Shard:
    """Return rows whose keys are chance: what they are does not matter for the time of a pass."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, BINS, (ROWS, COLUMNS), np.uint8)
    target = rng.integers(0, CLASSES, ROWS, np.uint16)
    key = rng.integers(0, KEYS, ROWS, np.uint64, endpoint=False)
    return Shard(codes, target, np.full(ROWS, WEIGHT_UNIT), key)


def sums(shard: Shard) -> np.ndarray:
    """Return numbers that tell whether rows are the same."""
    return np.array([part.sum(dtype=np.uint64) for part in (shard.codes[::97], shard.target, shard.key)])


def made_networks() -> Networks:
    """Return 36 networks of up to 200 rules of two to four conditions, and votes of three of them."""
    from conceptrules.kernels.search.values import empty_rules
    from conceptrules.learn.search.regularization_path import Snapshot
    from conceptrules.learn.shards.masks import as_masks

    rng, networks = np.random.default_rng(1), []
    for number in range(36):
        count = 2 + 200 * number // 36
        rules = empty_rules(count)
        rules.owner[:] = rng.integers(0, CLASSES, count)
        rules.length[:] = rng.integers(2, 5, count)
        for column in rules.column:
            column[:] = rng.permutation(COLUMNS)[: rules.column.shape[1]]
        cut = rng.integers(4, BINS // 2, rules.column.shape)
        rules.allowed[:] = np.arange(rules.allowed.shape[2]) < cut[:, :, None]
        networks.append(Snapshot(rules, rng.permutation(CLASSES), int(rng.integers(CLASSES)), 0.0, 0))
    votes = [tuple(networks[place : place + 3]) for place in range(18)]
    return as_masks([*((one,) for one in networks), *votes], COLUMNS)


def prepare(folder: Path) -> dict[str, Any]:
    """Count on two cores, and keep what the GPU has to say as well."""
    from operator import methodcaller

    from conceptrules.learn.shards.in_memory import InMemory

    networks, store = made_networks(), InMemory([made_rows()], threads=2)
    count = methodcaller("confusion", networks, CLASSES, FIRST_KEY)
    count(store._shards[0].take(slice(1000)))  # compiled
    start, cpu = perf_counter(), process_time()
    counts = np.sum(store.over_blocks(count), axis=0)
    seconds, cpu = perf_counter() - start, process_time() - cpu
    folder.mkdir(exist_ok=True)
    np.savez_compressed(folder / FILE, counts=counts, sums=sums(store._shards[0]), **networks._asdict())
    return {"way": "two cores", "seconds": seconds, "cpu": cpu, "same": True}


def on_card(folder: Path) -> dict[str, Any]:
    """Count on the GPU, compare, and time it."""
    import torch

    from conceptrules.kernels.shards.gpu import RowsOnCard

    kept = np.load(folder / FILE)
    networks, shard = Networks(*(kept[name] for name in Networks._fields)), made_rows()
    assert np.array_equal(sums(shard), kept["sums"]), "another NumPy makes other rows of the same seed"
    start = perf_counter()
    card = RowsOnCard(shard, "cuda")
    torch.cuda.synchronize()
    sent = perf_counter() - start
    start = perf_counter()
    same = bool(np.array_equal(card.confusion(networks, CLASSES, FIRST_KEY), kept["counts"]))
    first = perf_counter() - start
    times = []
    for _ in range(5):
        start = perf_counter()
        card.confusion(networks, CLASSES, FIRST_KEY)
        times.append(perf_counter() - start)
    start = perf_counter()
    picked = len(card.below(KEYS // 10).key)
    name = torch.cuda.get_device_name()
    found = {"sent_seconds": sent, "compiled_seconds": first, "pick_seconds": perf_counter() - start, "picked": picked}
    return {"way": name, "seconds": min(times), "same": same, **found}


def main(folder: str, step: str = "card") -> None:
    """Measure, print and keep a line."""
    found = (prepare if step == "prepare" else on_card)(Path(folder))
    entry = jsonl.rounded({"what": WHAT, "way": found.pop("way"), "rows": ROWS, **found})
    jsonl.put(RECORD, [entry], KEY)
    print(json.dumps(entry))
    sys.exit(0 if entry["same"] else 1)
