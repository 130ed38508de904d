"""One network, and one model file, from rows in memory, in files and in streams, however they are dealt and ordered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

from conceptrules import ConceptRuleClassifier, Policy, classifier
from conceptrules.io.model_file import dumps
from conceptrules.learn.shards import fit as store_fit
from conceptrules.learn.shards import on_disk, reading
from conceptrules.model.errors import InputError
from conceptrules.model.policy import Forbidden, Monotone
from conceptrules.tables.files import chunks
from tests.people import entangled, quick_search


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    X, y = entangled(400)
    return X.assign(y=y)


@pytest.fixture
def in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables are learned from as large ones are, in small batches and blocks."""
    monkeypatch.setattr(classifier, "IN_MEMORY", 0)
    monkeypatch.setattr(chunks, "CELLS", 400)
    monkeypatch.setattr(on_disk, "_BLOCK", 128)
    monkeypatch.setattr(chunks, "TEXT_CHUNK", 1000)


def _in_memory(table: pd.DataFrame, **parameters: Any) -> str:
    return dumps(quick_search(**parameters).fit(table.drop(columns="y"), table["y"]).network_)


def _fitted(given: Any, scratch: Path, weight: str | None = None, **parameters: Any) -> ConceptRuleClassifier:
    clf = quick_search(**parameters).fit(given, "y", sample_weight=weight, scratch=scratch)
    assert not [path for path in scratch.iterdir() if path.name.startswith("conceptrules-")], "scratch is left behind"
    return clf


def _sources(table: pd.DataFrame, folder: Path) -> dict[str, Any]:
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    parquet.write_table(arrow, folder / "one.parquet", row_group_size=90)
    for part in range(9):
        parquet.write_table(arrow.slice(part * 45, 45), folder / f"part-{part}.parquet")
    table.to_csv(folder / "one.csv", index=False)
    shuffled = arrow.take(np.random.default_rng(0).permutation(len(table)))
    return {
        "one file": folder / "one.parquet",
        "nine files": str(folder / "part-*.parquet"),
        "nine files, last first": [folder / f"part-{part}.parquet" for part in range(8, -1, -1)],
        "CSV": str(folder / "one.csv"),
        "dataset": dataset.dataset(folder / "one.parquet"),
        "stream, shuffled": shuffled.to_reader(77),
        "LazyFrame": polars.from_arrow(arrow).lazy(),
        "DuckDB": duckdb.from_arrow(arrow),
    }


def test_small_tables_are_learned_from_as_in_memory(table: pd.DataFrame, tmp_path: Path) -> None:
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    parquet.write_table(arrow, tmp_path / "one.parquet")
    wanted = _in_memory(table)
    assert dumps(_fitted(tmp_path / "one.parquet", tmp_path).network_) == wanted
    assert dumps(_fitted(table, tmp_path).network_) == wanted  # a table in memory may have the target as well
    assert dumps(_fitted(arrow, tmp_path).network_) == wanted


@pytest.mark.usefixtures("in_batches")
def test_one_model_file_from_all_sources(table: pd.DataFrame, tmp_path: Path) -> None:
    wanted = _in_memory(table)
    for name, given in _sources(table, tmp_path).items():
        assert dumps(_fitted(given, tmp_path).network_) == wanted, name


@pytest.mark.usefixtures("in_batches")
def test_weights_are_repeats_and_a_weight_of_zero_is_no_row(table: pd.DataFrame, tmp_path: Path) -> None:
    weight = np.random.default_rng(0).integers(0, 3, len(table))
    weighed = pa.Table.from_pandas(table.assign(weight=weight), preserve_index=False)
    clf = quick_search().fit(table.drop(columns="y"), table["y"], sample_weight=weight)
    assert dumps(_fitted(weighed.to_reader(50), tmp_path, "weight").network_) == dumps(clf.network_)


@pytest.mark.usefixtures("in_batches")
def test_rows_outside_of_the_sample_choose_and_calibrate(
    table: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_fit, "SAMPLE", 150)
    monkeypatch.setattr(store_fit, "WATCH", 20)
    monkeypatch.setattr(store_fit, "MORE", 200)
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    order = np.random.default_rng(1).permutation(len(table))
    first, again = (_fitted(some, tmp_path) for some in (arrow.to_reader(50), arrow.take(order).to_reader(33)))
    assert dumps(first.network_) == dumps(again.network_)
    assert any(line["refined"] for line in first.history_)
    in_memory = _fitted(arrow, tmp_path)
    assert dumps(in_memory.network_) == dumps(first.network_)
    network, X = first.network_, table.drop(columns="y")
    measured = network.measure(X, table["y"]).statistics
    assert network.statistics is not None
    assert measured is not None
    assert network.statistics.patterns == measured.patterns  # of all rows
    assert network.statistics.covered == measured.covered
    assert network.statistics.decided == measured.decided
    assert network.training is not None
    assert network.training.rows == len(table)
    validation = network.training.validation
    assert validation is not None
    assert 0.1 < validation.rows / len(table) < 0.3  # those of the highest keys
    assert validation.source == "held back"
    right = sum(share * rows for _, share, rows in validation.reliability) / validation.rows
    stated = sum(mean * rows for mean, _, rows in validation.reliability) / validation.rows
    assert abs(right - stated) < 0.02  # probabilities are those of rows that were not learned from
    assert json.loads(dumps(network))


@pytest.mark.usefixtures("in_batches")
def test_masks_of_a_policy_hold_and_what_needs_all_rows_is_refused(table: pd.DataFrame, tmp_path: Path) -> None:
    reader = pa.Table.from_pandas(table, preserve_index=False).to_reader
    policy = Policy((Forbidden("height"), Monotone("age", "up", ("young", "care", "old"))))
    clf = _fitted(reader(), tmp_path, policy=policy)
    assert "height" not in clf.network_.used_columns
    assert clf.network_.prove(policy).proved
    with pytest.raises(InputError, match="cannot be kept while learning from more rows"):
        _fitted(reader(), tmp_path, min_rows=5)


def test_what_is_wrong_is_told_before_any_work(table: pd.DataFrame, tmp_path: Path) -> None:
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    parquet.write_table(arrow, tmp_path / "one.parquet")
    parquet.write_table(arrow.slice(0, 0), tmp_path / "none.parquet")
    file = tmp_path / "one.parquet"
    fit = quick_search().fit
    for call, message in (
        (lambda: fit(file, "z"), "y is 'z', but the table has no such column"),
        (lambda: fit(file, "yy"), "did you mean 'y'?"),
        (lambda: fit(file, table["y"]), "the name of the target column, such as 'y'"),
        (lambda: fit(file, "y", sample_weight="wt"), "sample_weight is 'wt'"),
        (lambda: fit(file, "y", sample_weight="y"), "sample_weight is the target column"),
        (lambda: fit(file, "y", sample_weight=np.ones(400)), "sample_weight needs the name of a column"),
        (lambda: fit(file, "y", groups="job"), "groups is not supported for tables that are read in batches"),
        (lambda: fit(file, "y", checkpoint=tmp_path / "c"), "checkpoint is not supported for tables"),
        (lambda: fit(file, "y", scratch=tmp_path / "none"), "there is no folder"),
        (lambda: fit(tmp_path / "none.parquet", "y"), "none.parquet has columns but no rows"),
        (lambda: fit(tmp_path / "other.parquet", "y"), "there is no file"),
        (lambda: quick_search(kinds={"jbo": "category"}).fit(file, "y"), "did you mean 'job'"),
        (lambda: fit(table, "z"), "the table has no column 'z'"),
    ):
        with pytest.raises(InputError, match=message):
            call()


@pytest.mark.usefixtures("in_batches")
def test_bad_labels_and_weights_are_told_with_their_rows(table: pd.DataFrame, tmp_path: Path) -> None:
    rows = np.arange(len(table))
    gap = table.assign(y=table["y"].where(rows != 321))
    for some, weight, message in (
        (gap, None, "the target column 'y' has no value in row 321"),
        (table.assign(y="a"), None, "1 class, 'a'"),
        (table.assign(y=rows / 7), None, "fractions"),
        (table.assign(y=[f"n{row}" for row in rows]), None, "most of them on one or two rows"),
        (table.assign(w=np.where(rows == 300, -1, 1)), "w", "holds -1.0 in row 300"),
        (table.assign(w="heavy"), "w", "it needs numbers"),
        (table.assign(w=0), "w", "are zero"),
    ):
        with pytest.raises(InputError, match=message):
            _fitted(pa.Table.from_pandas(some, preserve_index=False).to_reader(90), tmp_path, weight)
    assert [path.name for path in tmp_path.iterdir()] == []


@pytest.mark.usefixtures("in_batches")
def test_columns_that_say_the_same_are_told_and_wide_tables_are_read_in_turns(
    table: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_COUNTS", 1)
    twice = table.assign(again=table["age"] * 2, same=table["job"])
    reader = pa.Table.from_pandas(twice, preserve_index=False).to_reader(90)
    found = [one.columns for one in _fitted(reader, tmp_path).binarizer_.inspection_ if one.topic == "duplicate"]
    assert found == [("age", "again"), ("job", "same")]
    wanted = _in_memory(table)
    assert dumps(_fitted(pa.Table.from_pandas(table, preserve_index=False).to_reader(), tmp_path).network_) == wanted
