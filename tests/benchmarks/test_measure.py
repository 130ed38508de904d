"""The benchmark's own arithmetic: times in turns, ratios, verdicts, and records that read back as they were."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import jsonl
from benchmarks.speed import report
from benchmarks.speed.measure import Measurement, Plan, exponent, faster, interleaved, slower


def test_tasks_take_turns_and_the_first_round_does_not_count():
    calls = []
    tasks = {"ours": lambda: calls.append("o"), "baseline": lambda: calls.append("b")}
    times = interleaved(tasks, repeats=3, calls=2)
    assert "".join(calls) == "ob" + "oobb" * 3
    assert {name: len(taken) for name, taken in times.items()} == {"ours": 3, "baseline": 3}
    assert all(taken > 0 for taken in times["ours"])


def test_neighbours_in_time_are_compared():
    times = {"ours": [1.0, 2.0], "baseline": [10.0, 40.0]}
    assert faster(times, "baseline") == [10, 20]
    assert slower(times, "baseline") == [0.1, 0.05]


def test_the_exponent_is_that_of_a_power():
    assert exponent([10, 100, 1000], [3 * size**1.5 for size in (10, 100, 1000)]) == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("values", "target", "at_least", "met"),
    [
        ([1, 5, 100], 5, True, True),
        ([1, 4, 100], 5, True, False),
        ([1, 5, 100], 5, False, True),
        ([1, 6, 100], 5, False, False),
        ([math.nan], 5, True, False),
        ([math.nan], 5, False, False),
        ([7], None, True, True),
    ],
)
def test_the_median_meets_the_target_or_not(values, target, at_least, met):
    assert Measurement("one", values, target, at_least).met is met


def test_a_record_reads_back_as_it_was(tmp_path, capsys):
    groups = {
        "a": [Measurement("fast", [200, 100, 300], 100, times={"ours": [1.0]}, details={"rows": 3})],
        "b": [Measurement("slow", [3.25], 2, at_least=False, unit="s"), Measurement("told", [1])],
    }
    again = report.read(report.keep(groups, Plan(), datetime.now(UTC), tmp_path / "speed.jsonl"))
    assert again == groups
    assert report.shortfalls(again) == ["b: slow: 3.25 s, wanted at most 2 s"]
    assert "| fast | 200 | 100 to 300 | at least 100 | ok |" in report.markdown(again)
    report.show(again)
    assert "short" in capsys.readouterr().out


def test_a_group_that_is_measured_again_replaces_its_record(tmp_path):
    path, one = tmp_path / "speed.jsonl", Measurement("x", [1])
    report.keep({"a": [one, one], "b": [one]}, Plan(), datetime(2026, 1, 1, tzinfo=UTC), path)
    report.keep({"a": [Measurement("x", [2])]}, Plan(), datetime(2026, 1, 2, tzinfo=UTC), path)
    report.keep({"a": [Measurement("x", [3])]}, Plan(), datetime(2026, 1, 3, tzinfo=UTC), path, "cuda")
    assert {group: [each.value for each in found] for group, found in report.read(path).items()} == {
        "a": [2, 3],
        "b": [1],
    }


@pytest.mark.parametrize("name", ["speed", "gpu"])
def test_the_tables_of_the_documentation_are_those_of_the_record(name):
    """If this fails, something was measured and docs/performance.md does not have it."""
    page = (Path(__file__).parents[2] / "docs" / "performance.md").read_text(encoding="utf-8").splitlines()
    found = report.markdown(report.read(jsonl.RECORDS / f"{name}.jsonl")).splitlines()
    rows = [line for line in found if line.startswith("| ")]
    assert len(rows) > 10
    assert [row for row in rows if row not in page and not row.startswith("|  |")] == []
