"""What is read of a table does not depend on how many threads read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from conceptrules import Binarizer
from conceptrules.binarize import known_values
from conceptrules.learn.search.binned_table import binned_table
from conceptrules.learn.shards.reading import read_classes, read_values, write_codes
from conceptrules.learn.shards.wanted import wanted_columns
from conceptrules.model.errors import ConceptRulesError
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
    wanted = wanted_columns(source.schema.names, "y", weight, ("weight",) if weight is None else ())
    classes = read_classes(source, wanted, threads, _nothing).classes()
    table = binned_table(read_values(source, wanted, classes, binarizer, threads, _nothing))
    folder = file.parent / f"{weight} {threads}"
    folder.mkdir()
    _, hashes, again = write_codes(source, wanted, classes, table, folder, threads, _nothing)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    return (
        classes.by_label,
        binarizer.cuts_,
        binarizer.columns_,
        binarizer.inspection_,
        hashes.kept.tolist(),
        again,
        files,
    )


@pytest.mark.parametrize("weight", [None, "weight"])
def test_any_number_of_threads_reads_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weight: str | None
) -> None:
    monkeypatch.setattr(chunks, "CELLS", 1000)  # a batch without any weight is among them
    monkeypatch.setattr(known_values, "MAX_COUNTED_VALUES", 300)
    parquet.write_table(_table(), tmp_path / "table.parquet")
    one, *others = [_read(tmp_path / "table.parquet", weight, threads) for threads in (1, 2, 7)]
    assert [finding.columns for finding in one[5]] == [("number", "again")]
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
