"""Batches are worked on side by side, few at a time, and what comes of them comes in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Barrier

import numpy as np
import pyarrow as pa
import pytest

from conceptrules.learn.shards.batches import batch_of, over_batches
from conceptrules.learn.shards.wanted import Wanted
from conceptrules.model.errors import InputError


@dataclass
class Counting:
    """A source of batches of ten rows that counts how many were asked for."""

    count: int
    name: str = "counting"
    schema: pa.Schema = field(default_factory=lambda: pa.schema([("a", pa.int64())]))
    asked: int = 0

    @property
    def rows(self) -> int:
        return 10 * self.count

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        for number in range(self.count):
            self.asked += 1
            yield pa.table({"a": np.arange(10) + 10 * number}).select(list(columns))


def _nothing(what: str, rows: int, size: int) -> None:
    pass


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_what_is_found_comes_in_order_and_few_batches_are_ahead(threads: int) -> None:
    source = Counting(20)
    seen: list[tuple[int, int]] = []
    for found in over_batches(
        source, ["a"], lambda table, first: (table["a"][0].as_py(), first), threads, _nothing, ""
    ):
        assert source.asked <= len(seen) + threads + 1
        seen.append(found)
    assert seen == [(first, first) for first in range(0, 200, 10)]


def test_threads_work_at_the_same_time() -> None:
    together = Barrier(3, timeout=20)
    waited = over_batches(Counting(6), ["a"], lambda table, first: together.wait(), 3, _nothing, "")
    assert sorted(waited) == [0, 0, 1, 1, 2, 2]


def test_the_error_is_that_of_the_first_bad_batch() -> None:
    def fails(table: pa.Table, first: int) -> int:
        if first >= 30:
            raise InputError(f"row {first}")
        return first

    found = over_batches(Counting(9), ["a"], fails, 4, _nothing, "")
    assert [next(found) for _ in range(3)] == [0, 10, 20]
    with pytest.raises(InputError, match="row 30"):
        next(found)


def test_rows_without_weight_are_no_rows() -> None:
    wanted, labels = Wanted("y", "w", ("a",)), np.array(["no", "yes"], object)
    table = pa.table({"a": [1, 2, 3], "y": ["yes", None, "no"], "w": [0.5, 0.0, 2.0]})
    batch = batch_of(table, 0, wanted, labels)
    assert batch.target.tolist() == [1, 0]
    assert batch.weight is not None
    assert (batch.weight / 2**24).tolist() == [0.5, 2.0]
    assert batch.table.rows == 2
    assert batch_of(table.slice(1, 1), 1, wanted, labels).table.rows == 0
