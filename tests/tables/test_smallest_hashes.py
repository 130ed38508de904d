"""The smallest hashes are the same in any order and dealt to any parts, and tell how many different ones there are."""

from __future__ import annotations

import numpy as np
import pytest

from conceptrules.tables import smallest_hashes
from conceptrules.tables.smallest_hashes import SmallestHashes


def test_parts_in_any_order_keep_the_smallest_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smallest_hashes, "KEPT", 100)
    rng = np.random.default_rng(0)
    hashes = rng.integers(0, 2**64, 3000, np.uint64)
    some = np.concatenate([hashes, hashes[:500]])
    for parts in (1, 7, 50):
        found = SmallestHashes()
        for part in np.array_split(rng.permutation(some), parts):
            found.add(part)
        assert found.kept.tolist() == np.unique(hashes)[:100].tolist()
        assert 2000 < found.different < 4500


def test_few_hashes_are_counted() -> None:
    found = SmallestHashes()
    found.add(np.zeros(0, np.uint64))
    found.add(np.array([3, 1, 3], np.uint64))
    assert found.different == 2
