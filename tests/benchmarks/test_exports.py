"""The benchmark of the exports: it finds what differs, and its records say what was run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import jsonl
from benchmarks.exports import comparison, hostile, report, size
from benchmarks.exports.comparison import Cell, Task
from conceptrules.datasets import DatasetError, load
from conceptrules.export import export
from conceptrules.export.verify.comparison import Mismatch, Outcome
from conceptrules.io.model_file import save


def test_a_data_set_is_learned_and_compared(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RECORDS", tmp_path)
    chosen = {name: comparison.ENGINES[name] for name in ("python", "onnx", "duckdb")}
    monkeypatch.setattr(comparison, "ENGINES", chosen)
    assert comparison.run(["tic-tac-toe"], 0) == 0
    printed = capsys.readouterr().out
    assert printed.count("0 of 5,958") == 3
    assert "0 mismatches in 17,874 comparisons" in printed
    (record,) = jsonl.read(tmp_path / "exports.jsonl")
    assert {name: cell["mismatches"] for name, cell in record["engines"].items()} == dict.fromkeys(chosen, 0)
    assert record["data"] == "tic-tac-toe"
    assert record["hash"].startswith("sha256:")
    assert {"onnxruntime", "duckdb", "node"} <= set(record["versions"])


def test_a_mismatch_fails_the_run_and_shows_the_row(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RECORDS", tmp_path)
    wrong = Outcome(5, (Mismatch({"x": 1}, "'a'", "'b'"),))
    monkeypatch.setattr(comparison, "compare", lambda *arguments, **options: wrong)
    monkeypatch.setattr(comparison, "ENGINES", {"python": ("python", {})})
    assert comparison.run(["hostile"], 0) == 1
    printed = capsys.readouterr().out
    assert "1 of 5" in printed
    assert "hostile in python: the export says 'a', the network 'b', on the row {'x': 1}" in printed


def test_nothing_compared_is_no_success(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RECORDS", tmp_path)
    assert comparison.run(["no such data set"], 0) == 1


def test_what_is_refused_or_not_run_is_told(capsys):
    task = Task("hostile", hostile.network())
    cell = comparison.compared(task, "postgres")  # without names that the table can have
    assert cell.skipped is not None
    assert cell.skipped.startswith("refused: ")
    report.show_comparison([cell, Cell("hostile", "pmml", 0, 0, 0.0, "there is no Java")], ["postgres", "pmml"])
    printed = capsys.readouterr().out
    assert printed.count("not run") == 2
    assert "pmml: there is no Java" in printed


def test_every_hostile_name_is_a_column_a_category_and_some_are_classes():
    network = hostile.network()
    assert [column.name for column in network.columns] == list(hostile.NAMES)
    assert network.classes == hostile.NAMES[:8]
    used = {literal.index for rule in network.levels[0].rules for literal in rule.literals}
    assert {network.predicates[index].column for index in used} == set(hostile.NAMES)


def test_both_ways_of_scoring_a_file_agree(tmp_path):
    try:
        load("adult")
    except DatasetError as error:
        pytest.skip(str(error))
    network = comparison.learned("adult", 0).network
    save(network, tmp_path / "model.json")
    (tmp_path / "model.sql").write_text(export(network, "sql", dialect="duckdb"))
    size.make(tmp_path / "in.parquet", 3000, 0)
    clock, cores, different = size.race(tmp_path, 1, 1)
    assert different == 0
    assert [len(taken) for times in (clock, cores) for taken in times.values()] == [1, 1, 1, 1]
    assert all(taken[0] > 0 for taken in cores.values())


def test_the_table_of_times_has_rows_per_second(capsys):
    report.show_size({"one": [2.0, 4.0, 5.0], "other": [1.0]}, {"one": [8.0], "other": [10.0]}, 1000)
    printed = capsys.readouterr().out
    assert printed.splitlines()[1].split()[1:] == ["4.00", "250", "200", "to", "500", "8.00", "125"]


def test_a_run_of_the_same_size_replaces_its_record(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RECORDS", tmp_path)
    for seconds, rows in ((1.0, 10), (2.0, 10), (3.0, 100)):
        entry = {"rows": rows, "seed": 0, "seconds": {"a": [seconds]}}
        path = report.keep("size", datetime(2021, 3, 5, 14, 30, tzinfo=UTC), [entry], ("rows", "seed"))
    assert [(one["rows"], one["seconds"]["a"], one["started"]) for one in jsonl.read(path)] == [
        (10, [2.0], "2021-03-05T14:30:00+00:00"),
        (100, [3.0], "2021-03-05T14:30:00+00:00"),
    ]


def test_the_table_of_the_documentation_is_that_of_the_record():
    """If this fails, exports were compared and docs/exports.md does not have it."""
    page = (Path(__file__).parents[2] / "docs" / "exports.md").read_text(encoding="utf-8").splitlines()
    for entry in jsonl.read(jsonl.RECORDS / "exports.jsonl"):
        cells = [f"{cell['mismatches']} of {cell['rows']:,}" for cell in entry["engines"].values()]
        assert f"| {entry['data']} | {entry['edges']:,} | {' | '.join(cells)} |" in page
