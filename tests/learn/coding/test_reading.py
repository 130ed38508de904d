"""What is read of a table does not depend on how many threads read it; few batches are read ahead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from conceptrules import Binarizer
from conceptrules.binarize import known_values
from conceptrules.kernels.search.shards import concatenate_shards
from conceptrules.learn.binned_table import make_binned_table
from conceptrules.learn.coding.encoding import Coding, HoldoutKeys
from conceptrules.learn.coding.reading import (
    encode_read,
    fit_to_counts,
    map_batches,
    plan_counting,
    read_batch,
    read_classes,
)
from conceptrules.learn.inputs import ColumnRoles
from conceptrules.model.errors import ConceptRulesError, InputError
from conceptrules.tables.files import chunks
from conceptrules.tables.sources import ParquetFiles

pytestmark = pytest.mark.filterwarnings("ignore:column")


def _nothing(what: str, rows: int, size: int) -> None:
    pass


def _table(rows: int = 3000) -> pa.Table:
    rng = np.random.default_rng(0)
    number, text = rng.normal(size=rows), rng.pareto(0.7, rows).astype(int)
    return pa.table(
        {
            "number": number,
            "whole": pa.array(rng.integers(0, 90, rows), mask=rng.random(rows) < 0.1),
            "text": [f"t{one}" for one in text],
            "truth": rng.random(rows) < 0.3,
            "again": number * 2,
            "y": np.where((number > 0.3) ^ (rng.random(rows) < 0.1), "yes", "no"),
            "weight": np.where(np.arange(rows) // 500 == 2, 0, rng.integers(1, 4, rows)),
        }
    )


def _read(file: Path, weight: str | None, threads: int, kinds: Any = None) -> tuple[Any, ...]:
    source, binarizer = ParquetFiles((str(file),)), Binarizer(kinds, 255, "thresholds", 254)
    features = tuple(name for name in source.schema.names if name not in ("y", "weight"))
    roles = ColumnRoles("y", weight, features)
    classes = read_classes(source, roles, threads, _nothing).check_classes()
    fit_to_counts(roles, classes, binarizer, plan_counting(source, roles, classes.labels, threads, _nothing))
    coding = Coding(make_binned_table(binarizer), classes.labels, HoldoutKeys(), {})
    encode = partial(encode_read, roles, coding)
    batches = list(map_batches(source, roles.all_columns, encode, threads, _nothing, "codes"))
    shard = concatenate_shards([batch.shard for batch in batches])
    return (
        classes.rows.tolist(),
        binarizer.cuts_,
        binarizer.columns_,
        binarizer.inspection_,
        [batch.hashes.tolist() for batch in batches],
        [values.tolist() for values in shard],
    )


@pytest.mark.parametrize("weight", [None, "weight"])
def test_any_number_of_threads_reads_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weight: str | None
) -> None:
    monkeypatch.setattr(chunks, "CELLS", 1000)  # a batch without any weight is among them
    monkeypatch.setattr(known_values, "MAX_COUNTED_VALUES", 300)
    parquet.write_table(_table(), tmp_path / "table.parquet")
    one, *others = [_read(tmp_path / "table.parquet", weight, threads) for threads in (1, 2, 7)]
    for other in others:
        assert other == one


@pytest.mark.parametrize("threads", [1, 4])
def test_the_first_bad_row_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    monkeypatch.setattr(chunks, "CELLS", 400)
    table, rows = _table(), np.arange(3000)
    labels, weight = table["y"].to_numpy(zero_copy_only=False), table["weight"].to_numpy()
    level = pa.array(np.where(np.isin(rows, (1234, 2900)), "odd", "low"))
    for number, (name, column, kinds, message) in enumerate(
        (
            ("y", pa.array(labels, mask=np.isin(rows, (777, 1500))), None, "no value in row 777"),
            ("weight", pa.array(np.where(rows >= 901, -1, weight)), None, "holds -1.0 in row 901"),
            ("text", level, {"text": ["low", "high"]}, "holds 'odd' in row 1234"),
        )
    ):
        bad = table.set_column(table.column_names.index(name), name, column)
        parquet.write_table(bad, tmp_path / f"{number}.parquet")
        with pytest.raises(ConceptRulesError, match=message):
            _read(tmp_path / f"{number}.parquet", "weight" if name == "weight" else None, threads, kinds)


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


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_what_is_found_comes_in_order_and_few_batches_are_ahead(threads: int) -> None:
    source = Counting(20)
    seen: list[tuple[int, int]] = []
    for found in map_batches(source, ["a"], lambda table, first: (table["a"][0].as_py(), first), threads, _nothing, ""):
        assert source.asked <= len(seen) + threads + 1
        seen.append(found)
    assert seen == [(first, first) for first in range(0, 200, 10)]


def test_threads_work_at_the_same_time() -> None:
    together = Barrier(3, timeout=20)
    waited = map_batches(Counting(6), ["a"], lambda table, first: together.wait(), 3, _nothing, "")
    assert sorted(waited) == [0, 0, 1, 1, 2, 2]


def test_the_error_is_that_of_the_first_bad_batch() -> None:
    def fails(table: pa.Table, first: int) -> int:
        if first >= 30:
            raise InputError(f"row {first}")
        return first

    found = map_batches(Counting(9), ["a"], fails, 4, _nothing, "")
    assert [next(found) for _ in range(3)] == [0, 10, 20]
    with pytest.raises(InputError, match="row 30"):
        next(found)


def test_rows_without_weight_are_no_rows() -> None:
    roles, labels = ColumnRoles("y", "w", ("a",)), np.array(["no", "yes"], object)
    table = pa.table({"a": [1, 2, 3], "y": ["yes", None, "no"], "w": [0.5, 0.0, 2.0]})
    batch = read_batch(table, 0, roles, labels)
    assert batch.target.tolist() == [1, 0]
    assert batch.weight is not None
    assert (batch.weight / 2**24).tolist() == [0.5, 2.0]
    assert batch.table.rows == 2
    assert read_batch(table.slice(1, 1), 1, roles, labels).table.rows == 0
