"""A history grows by one line a run, and is of one model."""

from __future__ import annotations

import pytest

from conceptrules import InputError
from conceptrules.monitor.history import append_history
from conceptrules.monitor.page import draw_curves
from tests.monitor.examples import learn, make_rows

ROWS = make_rows(200, 0.3, seed=4)


def test_each_run_adds_a_line(tmp_path):
    path, result = tmp_path / "history.jsonl", learn("decision").monitor(*ROWS)
    first = append_history(path, result, "2026-01-01 00:00:00")
    second = append_history(path, result, "2026-02-01 00:00:00")
    assert second[:1] == first
    assert [line["when"] for line in second] == ["2026-01-01 00:00:00", "2026-02-01 00:00:00"]
    assert len(path.read_text().splitlines()) == 2
    assert second[0]["figures"]["accuracy"] == pytest.approx(result.figure("accuracy").value, abs=1e-6)
    curves = draw_curves([(line["when"], line["figures"]) for line in second])
    assert {curve.title for curve in curves} >= {"accuracy", "psi answers"}
    assert list(tmp_path.iterdir()) == [path]


def test_other_files_stay_as_they_are(tmp_path):
    path = tmp_path / "history.jsonl"
    append_history(path, learn("decision").monitor(*ROWS))
    before = path.read_bytes()
    with pytest.raises(InputError, match="is the history of another model"):
        append_history(path, learn("card").monitor(*ROWS))
    assert path.read_bytes() == before
    path.write_text("a,b\n")
    with pytest.raises(InputError, match="line 1 is no line of a history"):
        append_history(path, learn("decision").monitor(*ROWS))
    assert path.read_text() == "a,b\n"
