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

from conceptrules import ConceptRuleClassifier, Policy
from conceptrules.io.model_file import dumps
from conceptrules.learn import task as task_module
from conceptrules.learn.coding import reading, store, table_coding
from conceptrules.model.errors import InputError
from conceptrules.model.policy import Fair, Forbidden, LeastPrecision, LeastRows, Locked, Monotone
from conceptrules.tables.files import chunks
from tests.people import entangled, quick_search


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    X, y = entangled(400)
    return X.assign(y=y)


@pytest.fixture
def in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables are learned from as large ones are, in small batches and blocks."""
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)
    monkeypatch.setattr(chunks, "CELLS", 400)
    monkeypatch.setattr(store, "_BLOCK", 128)
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
    monkeypatch.setattr(task_module, "SAMPLE", 150)
    monkeypatch.setattr(task_module, "WATCH", 20)
    monkeypatch.setattr(task_module, "MORE", 200)
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


ORDER = ("young", "care", "old")
POLICIES = {
    "none": Policy(),
    "masks": Policy((Forbidden("height"), Monotone("age", "up", ORDER))),
    "locked": Policy((Locked("age > 61.5", "old"), LeastRows(9), LeastPrecision(0.4))),
    "fair": Policy((Forbidden("job"), Fair("job", "old", 0.6))),
}


@pytest.mark.usefixtures("in_batches")
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_is_kept_and_proved_of_all_rows_from_memory_and_from_files(
    table: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, large: bool
) -> None:
    if large:
        for constant, value in {"SAMPLE": 150, "WATCH": 20, "MORE": 200}.items():
            monkeypatch.setattr(task_module, constant, value)
    arrow, policy = pa.Table.from_pandas(table, preserve_index=False), POLICIES[name]
    in_batches, in_memory = (_fitted(given, tmp_path, policy=policy) for given in (arrow.to_reader(90), table))
    assert dumps(in_batches.network_) == dumps(in_memory.network_)
    for choice in in_batches.frontier_:
        assert choice.network.policy == policy
        assert {verdict.outcome for verdict in choice.network.proof.verdicts} <= {"proved"}
    assert in_batches.network_.prove(policy, data=table, labels=table["y"]).proved


@pytest.mark.usefixtures("in_batches")
@pytest.mark.parametrize("given", [{"groups": "house"}, {"time": "day"}, {"X_val": "given"}, {"checkpoint": "kept"}])
@pytest.mark.parametrize("large", [False, True])
def test_groups_time_validation_rows_and_checkpoints_are_the_same_from_memory_and_from_files(
    table: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str], large: bool
) -> None:
    if large:
        for constant, value in {"SAMPLE": 150, "WATCH": 20, "MORE": 200}.items():
            monkeypatch.setattr(task_module, constant, value)
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 99, len(table)), "D")
    whole = table.assign(house=rng.integers(0, 60, len(table)), day=days)
    part, rest = whole.iloc[:320], whole.iloc[320:]
    fits = []
    for kind in ("memory", "file"):
        inputs = dict(given)
        X: Any = part
        if kind == "file":
            X = tmp_path / "part.parquet"
            part.to_parquet(X, index=False)
            rest.to_parquet(tmp_path / "rest.parquet", index=False)
        if "X_val" in given:
            inputs["X_val"] = rest if kind == "memory" else tmp_path / "rest.parquet"
        if "checkpoint" in given:
            inputs["checkpoint"] = tmp_path / f"{kind}.ckpt"
        fits.append(quick_search().fit(X, "y", scratch=tmp_path, **inputs))
    assert dumps(fits[0].network_) == dumps(fits[1].network_)
    assert {"house", "day"} - set(given.values()) == {"house", "day"} & set(fits[1].feature_names_in_)
    source = "given" if "X_val" in given else "held back"
    assert fits[0].network_.training.validation.source == source


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
        (lambda: fit(file, "y", groups="jbo"), "groups is 'jbo', but the table has no such column; did you mean 'job'"),
        (lambda: fit(file, "y", time=np.arange(400)), "time needs the name of a column"),
        (lambda: fit(file, "y", groups="job", time="age"), "groups and time both say which rows are held out"),
        (lambda: fit(file, "y", policy_data=table), "policy_data is for a table in memory"),
        (lambda: fit(file, "y", X_val=table, y_val=table["y"]), "X_val has to be of the same kind as X"),
        (lambda: fit(file, "y", X_val=file, y_val="z"), "in X_val the classes are in the column 'y' as in X"),
        (lambda: fit(file, "y", X_val=file, groups="job"), "X_val and groups both say which rows are held out"),
        (lambda: fit(file, "y", y_val="y"), "X_val is not; give the table of the validation rows"),
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
