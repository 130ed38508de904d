"""The suite of tables: data folders are found, runs resume, and the page says what the records say."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("lightgbm", reason="needs the extra `bench`")

from benchmarks import digest, jsonl
from benchmarks.paper.__main__ import THREADS
from benchmarks.tables import runs
from benchmarks.tables.__main__ import NAMES, main
from benchmarks.tables.comparison import (
    MINE,
    join_models,
    make_groups,
    rank_models,
    show_losses,
    show_means,
    show_wins,
)
from benchmarks.tables.models import MODELS
from benchmarks.tables.page import NUMBERS, RECORD, page
from benchmarks.tables.runs import KEY, Plan, measure, missing_jobs, run
from benchmarks.tables.scorecards import CARD, list_goals, show_tables
from benchmarks.tables.suite import Table, load, tables
from benchmarks.tables.summary import goals, summarise
from conceptrules.datasets.loading import Entry

MANIFEST = """
[[dataset]]
name = "{name}"
file = "{name}.csv.gz"
target = "kind"
rows = {rows}
classes = 3
continuous = ["number[1]"]
discrete = ["code"]
"""


def write_table(folder: Path, name: str, rows: int) -> None:
    rng = np.random.default_rng(rows)
    lines = [f"{a:.3f},{b}" for a, b in zip(rng.random(rows), rng.integers(0, 3, rows), strict=True)]
    kinds = ["low" if float(line[:5]) < 0.4 else "one" if line[-1] == "1" else "high" for line in lines]
    text = "number[1],code,kind\n" + "\n".join(map(",".join, zip(lines, kinds, strict=True)))
    folder.mkdir()
    (folder / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "MANIFEST.toml").write_text(MANIFEST.format(name=name, rows=rows))


@pytest.fixture(autouse=True)
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the numbers of threads that the command sets end with the test."""
    for name in THREADS:
        monkeypatch.setenv(name, os.environ.get(name, "1"))


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a suite of two tables in two folders, and return where records may be kept."""
    write_table(tmp_path / "first", "large", 90)
    write_table(tmp_path / "second", "wine", 60)
    monkeypatch.setenv("CONCEPTRULES_DATA", f"{tmp_path / 'first'}{os.pathsep}{tmp_path / 'second'}")
    load.cache_clear()
    yield tmp_path / "records.jsonl"
    load.cache_clear()


def test_the_tables_of_all_folders_are_found_the_smallest_first(suite: Path) -> None:
    assert list(tables()) == ["wine", "large"]
    table = load("wine")  # of the folder, not the embedded one
    assert table.frame.shape == (60, 2)
    assert table.numbers == [True, False]
    assert [str(kind) for kind in table.frame.dtypes] == ["float64", "category"]
    tested = np.concatenate([test for _, test in table.folds()])
    assert sorted(tested) == list(range(60))


def test_a_run_is_kept_and_goes_on_where_it_stopped(suite: Path) -> None:
    first = Plan(["wine"], ["cart", "lightgbm"], [1], path=suite)
    found = list(run(first))
    assert [(one["model"], one["fold"]) for one in found] == [("lightgbm", 1), ("cart", 1)]
    kept = jsonl.read(suite)
    assert kept == sorted((jsonl.rounded(one) for one in found), key=lambda one: one["model"])
    assert all(list(one)[:4] == list(KEY) for one in kept)
    cart = kept[0]
    assert cart["edges"] > 0
    assert cart["lightgbm_cpu"] == kept[1]["cpu"]
    assert cart["code"].startswith("scikit-learn ")
    assert missing_jobs(first) == []
    more = missing_jobs(Plan(["wine", "large"], ["cart", "lightgbm"], [0, 1], path=suite))
    assert [(job.table, job.fold) for job in more] == [("wine", 0), ("large", 0), ("large", 1)]


def test_ours_of_an_earlier_learner_and_what_failed_are_run_again_if_asked(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest, "learner", lambda name: f"{name} now")
    shared = {"table": "wine", "fold": 0, "seed": 0, "rows": 60}
    ours = {**shared, "model": "conceptrules", "code": "another", "learner": "search before", "f1": 0.5}
    same = {**shared, "model": "conceptrules-fast", "code": "another", "learner": "search now", "f1": 0.5}
    failed = {**shared, "model": "cart", "code": "another", "note": "failed: OSError"}
    fine = {**shared, "model": "forest", "code": "another", "f1": 0.5}
    order = (*KEY, "code", "learner", "f1", "note")
    jsonl.put(suite, [{key: one[key] for key in order if key in one} for one in (ours, same, failed, fine)], KEY)
    models = ["conceptrules", "conceptrules-fast", "cart", "forest"]
    assert missing_jobs(Plan(["wine"], models, [0], path=suite)) == []
    (job,) = missing_jobs(Plan(["wine"], models, [0], again=True, path=suite))
    assert set(job.missing) == {("cart", 0), ("conceptrules", 0)}


def test_seeds_are_for_ours_only(suite: Path) -> None:
    plan = Plan(["wine"], ["cart", "conceptrules-fast"], [0], seeds=(0, 1), path=suite)
    assert plan.pairs() == [("cart", 0), ("conceptrules-fast", 0), ("conceptrules-fast", 1)]


def test_a_fit_over_the_limit_leaves_a_note_and_its_other_folds_are_not_tried(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def slow(table: Any, fold: int, model: str, seed: int, limit: float) -> dict[str, Any]:
        tried.append((fold, model))
        return {"note": "stopped after 2 s"}

    monkeypatch.setattr(runs, "measure", slow)
    monkeypatch.setattr(runs, "warm_up", lambda name: None)
    plan = Plan(["wine"], ["lightgbm"], [0, 1, 2], limit=2.0, path=suite)
    assert [one["note"] for one in run(plan)] == ["stopped after 2 s"] * 3
    assert tried == [(0, "lightgbm")]


def test_the_limit_stops_a_fit(suite: Path) -> None:
    assert measure(load("large"), 0, "forest", 0, 0.001) == {"note": "stopped after 0.001 s"}


def test_the_models_on_the_command_line_are_those_there_are() -> None:
    assert set(NAMES) == set(MODELS)


def test_unknown_names_are_refused(suite: Path) -> None:
    with pytest.raises(SystemExit, match="no table 'wines'; known are wine, large"):
        main(["--tables", "wines"])


def test_a_suite_without_tables_says_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCEPTRULES_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match=r"no tables: set \$CONCEPTRULES_DATA"):
        main([])


def records(table: str, model: str, f1: float, *, seed: int = 0, **more: Any) -> list[dict[str, Any]]:
    shared = {"rows": 100, "f1": f1, "accuracy": f1, "log_loss": 1.0, "cpu": 2.0, "lightgbm_cpu": 1.0}
    about = {"code": f"{model} 1", "machine": "a machine"}
    key = {"table": table, "model": model, "seed": seed}
    return [{**key, "fold": fold, **shared, **about, **more} for fold in range(5)]


HAND_MADE = [
    *records("a", "conceptrules", 0.8, edges=10),
    *records("a", "conceptrules", 0.9, edges=20, seed=1),
    *records("a", "cart", 0.7, edges=30),
    *records("a", "lightgbm", 0.9, cpu=1.0),
    *records("b", "conceptrules", 0.6, edges=12),
    *records("b", "cart", 0.7, edges=8),
    *records("b", "lightgbm", 0.65, cpu=1.0),
    *records("b", "ebm", 0.65)[:4],
    {"table": "b", "model": "ebm", "seed": 0, "fold": 4, "rows": 100, "note": "stopped after 9 s"}
    | {"code": "ebm 1", "machine": "a machine"},
]


def test_a_cell_is_the_mean_of_whole_runs() -> None:
    found = summarise(HAND_MADE)
    cell = found["a"]["conceptrules"]
    assert (round(cell.f1, 6), round(cell.spread, 6), cell.edges, cell.ratio, cell.seeds) == (85.0, 5.0, 15, 2.0, 2)
    assert "ebm" not in found["b"]


def test_the_figures_that_are_wanted_stay_open_until_all_tables_are_there() -> None:
    found = {(goal.kind, goal.name): goal for goal in goals(summarise(HAND_MADE))}
    ahead = found["Must", "mean macro-F1 above CART's, points"]
    assert (ahead.value, ahead.state) == ("2.50 (2 of 39 tables)", "open")
    slowest = found["Must", "slowest table under 5,000 rows, seconds of one core"]
    assert (slowest.value, slowest.state) == ("2.00 (2 of 26 tables)", "open")
    every = [one | {"table": f"{one['table']}{k}"} for k in range(20) for one in HAND_MADE]
    states = {goal.name: goal.state for goal in goals(summarise(every)) if goal.kind == "Must"}
    assert states["mean macro-F1 above CART's, points"] == "missed"
    assert states["worst table against LightGBM, points of macro-F1"] == "met"
    assert states["fit in fits of LightGBM, median of the tables"] == "met"
    assert states["fit in fits of LightGBM, a million flights"] == "open"


def test_what_is_wanted_of_flights_is_of_the_default_effort() -> None:
    flights = [
        {"model": "conceptrules", "cpu": 30.0, "lightgbm_cpu": 2.0, "peak_bytes": 70, "code_bytes": 7},
        {"model": "conceptrules-fast", "cpu": 900.0, "lightgbm_cpu": 2.0, "peak_bytes": 7, "code_bytes": 7},
    ]
    found = {goal.name: (goal.value, goal.state) for goal in goals({}, flights)}
    assert found["fit in fits of LightGBM, a million flights"] == ("15.00", "met")
    assert found["memory in terms of the codes, a million flights"] == ("10.00", "missed")


def test_the_page_says_it_all() -> None:
    text = page(HAND_MADE, summarise(HAND_MADE), make_groups(HAND_MADE, []))
    assert "| a | 100 | 85.0 | 70.0 | 90.0 |" in text
    assert "| b | 100 | 12 | 8 |  |" in text
    assert "| b | 100 | 2.0 | 2.0 | 1.00 s |" in text
    assert "Fewer edges than CART: rules on 1 of 2 tables." in text
    assert "| rules | 1 | 2 | 5.00 | 5.00 | 33 % | 33 % |" in text
    assert "Furthest below LightGBM, rules: a −5.00, b −5.00." in text  # noqa: RUF001
    assert "Without a result: EBM on b: stopped after 9 s." in text


def test_the_report_is_made_from_the_records_alone(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    order = (*KEY, "rows")
    lines = [{key: one[key] for key in order} | one for one in HAND_MADE]
    path = jsonl.put(tmp_path / "records.jsonl", lines, KEY)
    assert main(["report", "--records", str(path), "--out", str(tmp_path)]) == 0
    assert (tmp_path / "RESULTS.md").read_text().startswith("# The suite of tables\n")
    assert {one.name for one in tmp_path.glob("*.png")} == {
        "against_lightgbm.png",
        "ranks.png",
        "score_and_size.png",
    }


def test_the_committed_page_is_what_the_records_say() -> None:
    records = jsonl.read(RECORD)
    committed = (Path(page.__code__.co_filename).parent / "RESULTS.md").read_text(encoding="utf-8")
    groups = make_groups(records, jsonl.read(NUMBERS))
    assert page(records, summarise(records), groups) == committed, (
        "the records or the learner have changed: run `make results`"
    )


def test_the_page_says_that_our_records_are_of_an_earlier_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = records("a", "conceptrules", 0.8, edges=10, code="conceptrules 0.1.0", learner="search now")
    for present, marked in (("search now", False), ("search later", True)):
        monkeypatch.setattr(digest, "current", lambda present=present: {"search": present})
        text = page(ours, summarise(ours), make_groups(ours, []))
        assert ("Our figures were measured with an earlier version of the learner" in text) == marked


def test_scorecards_are_compared_on_the_folds_that_both_models_have() -> None:
    def record(table: str, model: str, fold: int, auc: float, **more: float) -> dict[str, Any]:
        keys = {"table": table, "model": model, "fold": fold, "seed": 0, "rows": 100, "classes": 2}
        return {**keys, "auc": auc, "log_loss": 0.4, "edges": 20, "cpu": 0.5, "f1": 0.8, **more}

    cards = [record("loans", CARD, fold, 0.8 + fold / 100, lightgbm_cpu=0.01) for fold in range(5)]
    boosting = [record("loans", "lightgbm", fold, 0.81) for fold in range(5)]
    curves = [record("loans", "ebm", fold, 0.81, edges=4000) for fold in range(3)]
    reached = {goal.name: (goal.value, goal.state) for goal in list_goals([*cards, *boosting, *curves])}
    assert reached["two classes: AUC against LightGBM's, points"] == ("1.00 (1 table)", "met")
    assert reached["two classes, up to 10,000 rows: AUC against EBM's, points"] == ("0.00 (1 table)", "met")
    assert reached["the same: edges in cells of EBM's curves, median"] == ("0.005 (1 table)", "met")
    assert reached["fit in fits of LightGBM, median of the tables"] == ("50.00 (1 table)", "met")
    assert reached["several classes: AUC against LightGBM's, points"] == ("", "open")
    assert "| loans | 2 | 82.0 |" in show_tables([*cards, *boosting, *curves])


@pytest.mark.parametrize("name", sorted(set(MODELS) - set(MINE) - {"ebm"}))
def test_each_model_says_how_large_it_is_and_which_columns_it_asks_about(name: str) -> None:
    pytest.importorskip("imodels", reason="needs the extra `bench`")
    rng = np.random.default_rng(0)
    number, letter = rng.random(200), rng.choice(["a", "b_1"], 200)
    y = np.where(((number > 0.6) | (letter == "a")) ^ (rng.random(200) < 0.1), "yes", "no")
    number[:9] = np.nan
    table = pa.table({"unused": np.ones(200), "number": pa.array(number, from_pandas=True), "letter": letter})
    entry = Entry("small", "", 200, 3, 2, "", continuous=("unused", "number"))
    record = measure(Table(entry, table, y), 0, name, 0, 600)
    assert record["auc"] > 0.7
    assert record["edges"] >= 2
    assert record["columns"] == (3 if name == "optbinning" else 2)


def make_records(model: str, scores: list[float], **more: Any) -> list[dict[str, Any]]:
    return [
        record
        for k, score in enumerate(scores)
        for record in records(f"t{k}", model, 0.5, auc=score, classes=2, edges=7, columns=k + 1, seconds=1.0, **more)
    ]


def test_models_are_ranked_by_the_score_of_their_tables_and_a_stop_is_last() -> None:
    stopped = [{"table": "t3", "model": "figs", "seed": 0, "fold": 0, "rows": 100, "note": "stopped after 9 s"}]
    made = [
        *make_records("scorecard", [0.9, 0.9, 0.7, 0.9]),
        *make_records("lightgbm", [0.8, 0.8, 0.8, 0.8]),
        *make_records("figs", [0.7, 0.7, 0.9]),
        *make_records("ebm", [0.9]),
        *stopped,
    ]
    group, *_ = make_groups(made, [])
    ranks, critical = rank_models(group)
    assert ranks == {"scorecard": 1.5, "lightgbm": 2.0, "figs": 2.5}  # EBM was not tried everywhere
    assert critical == pytest.approx(2.343 * (3 * 4 / (6 * 4)) ** 0.5, abs=0.001)  # Demšar, 2006, Table 5
    assert join_models(ranks, critical) == [("scorecard", "figs")]
    assert join_models(ranks, 0.6) == [("scorecard", "lightgbm"), ("lightgbm", "figs")]
    assert "| FIGS | – | −3.33 (3 tables) | – | – | – |" in show_means(group)  # noqa: RUF001
    assert "| scorecard | 85.0 | +5.00 | 7 edges | 2 | 2.0 s |" in show_means(group)
    assert "On 1 of 4 tables (two classes), ours (scorecard) is behind" in show_losses([group], 1)
    assert "| t2 | 100 | 70.0 | FIGS: 90.0 | −20.00 |" in show_losses([group], 1)  # noqa: RUF001
    assert show_wins(group).endswith("EBM on 0 of 1, FIGS on 2 of 3, LightGBM on 3 of 4 tables.")
