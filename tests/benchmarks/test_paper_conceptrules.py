"""The column conceptrules: what is recorded of it, and what the tables make of the records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.paper import conceptrules_tables, tables
from benchmarks.paper.__main__ import listed
from benchmarks.paper.baselines import Refused
from benchmarks.paper.conceptrules_runs import KINDS, classifier, run_fold, settings_of_column
from benchmarks.paper.records import Fold, Run, read_all, write_entry, write_fold
from benchmarks.paper.reference import BEST, CARD, COLUMN, FAST, NAMES, PAST, data_names, paper_best, paper_cell
from benchmarks.paper.results import read_results
from benchmarks.paper.runner import Plan, settings_of
from conceptrules import datasets

ROOT = Path(__file__).parents[2]
FRONTIER = [
    {"edges": 3, "by_bounds": 3, "validation": 0.7, "f1": 0.71},
    {"edges": 20, "by_bounds": 26, "validation": 0.8, "f1": 0.79},
    {"edges": 90, "by_bounds": 99, "validation": 0.79, "f1": 0.9},
    {"edges": 250, "by_bounds": 280, "validation": 0.82, "f1": 0.8},
]


def put(root: Path, data: str, f1: float, by_bounds: int = 40, model: str = COLUMN, folds: int = 5) -> None:
    for number in range(folds):
        scores = {"f1": f1, "accuracy": f1, "f1_common": min(1.0, f1 + 0.1)}
        extra = {"fires": [0.25, 0.5, 0.25], "frontier": FRONTIER}
        edges = {"edges": by_bounds - 5, "by_bounds": by_bounds}
        chosen = {"edge_penalty": 2.5}
        fold = Fold(number, scores, {"fit": 1.5}, chosen, 0.8, edges, extra)
        write_fold(Run(data, model), fold, {}, root=root, place={"processor": "P", "cores": 2})


def put_cart(root: Path, data: str, edges: int) -> None:
    for number in range(5):
        fold = Fold(number, {"f1": 0.5, "accuracy": 0.5, "f1_common": 0.5}, edges={"edges": edges})
        write_fold(Run(data, "cart"), fold, {}, root=root, place={"processor": "P", "cores": 2})


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """Every data set at the paper's CRS cell; ten of them with a twentieth of CART's edges, two with three times."""
    for place, data in enumerate(data_names()):
        put(tmp_path, data, paper_cell(data, "crs") / 100)
        put_cart(tmp_path, data, 800 if place < 10 else 13)
    return tmp_path


def figures_of(root: Path) -> dict[str, list[str]]:
    rows = [
        line.split(" | ") for line in conceptrules_tables.verdict_table(read_results(root)).splitlines() if "| " in line
    ]
    return {row[0].removeprefix("| "): [cell.removesuffix(" |") for cell in row[1:]] for row in rows[2:]}


def row_of(text: str, data: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(f"| {data} |"))


def test_every_figure_has_a_verdict(whole: Path) -> None:
    found = figures_of(whole)
    assert found["mean macro-F1"] == [">= 87.0", "86.98", "**missed**"]
    assert found["at or above the paper's CRS"] == ["on >= 8 of 12", "on 12", "met"]
    assert found["adult"] == [">= 80", "80.95", "met"]
    assert found["magic04"][2] == "**missed**"
    assert found["nursery, classes with at least 5 training rows"][1:] == ["100.00", "met"]
    assert found["aim: mean of the best of each row"] == [">= 89.08", "86.98", "**missed**"]
    assert found["edges: fewer than CART's"] == ["on >= 10 of 12", "on 10", "met"]
    assert found["edges: more than twice CART's"] == ["on none", "on 2 (tic-tac-toe, wine)", "**missed**"]
    assert found["edges on connect-4, as a share of CART's"] == ["<= 0.100", "0.050", "met"]
    assert found["edges: median over the sets"] == ["< 150", "40.0", "met"]
    assert found["time on adult, default"][1] == "not run"
    assert found["adult with at most 25 edges"] == [">= 77.5", "71.00", "**missed**"]
    assert found["adult with at most 300 edges"] == [">= 79.7", "80.00", "met"]


def test_nothing_is_met_before_it_is_run(tmp_path: Path) -> None:
    put(tmp_path, "adult", 0.9, folds=4)
    for name, (_, measured, met) in figures_of(tmp_path).items():
        assert met == "open", name
        assert measured in ("not run", "on 0"), name


def test_part_of_the_sets_meets_what_the_others_cannot_undo(tmp_path: Path) -> None:
    for data in data_names()[:8]:
        put(tmp_path, data, 0.9999)
    found = figures_of(tmp_path)
    assert found["mean macro-F1"] == [">= 87.0", "99.99 on 8 of 12 sets", "open"]
    assert found["at or above the paper's CRS"] == ["on >= 8 of 12", "on 8", "met"]


def test_held_out_rows_choose_on_the_frontier_not_test_rows() -> None:
    found = [conceptrules_tables.best_within(FRONTIER, most) for most in (2, 25, 100, 300)]
    assert found == [None, FRONTIER[0], FRONTIER[1], FRONTIER[3]]


def test_cells_are_compared_as_they_are_printed(tmp_path: Path) -> None:
    put(tmp_path, "adult", 0.809496)
    text = conceptrules_tables.column_table(read_results(tmp_path))
    assert "**1 of 1** data sets (adult)" in text
    assert row_of(text, "adult") == "| adult | **80.95** | 80.95 (0.00) | 80.95 (0.00) | 90.95 |"


def test_the_column_stands_in_table_1(whole: Path) -> None:
    text = tables.table_1(read_results(whole))
    assert row_of(text, "data").endswith(f"| {COLUMN} |")
    assert row_of(text, "wine").endswith("| **97.78** ± 0.00<br>97.78 (0.00) |")
    assert row_of(text, "**mean**").endswith("| **86.98**<br>86.98 (0.00) |")


def test_the_best_of_the_paper_is_the_issue_s() -> None:
    assert paper_best("letRecog") == 96.51
    assert round(sum(map(paper_best, data_names())) / 12, 2) == 89.08


def test_edges_beside_those_of_cart(whole: Path) -> None:
    row = row_of(conceptrules_tables.edges_table(read_results(whole)), "adult")
    assert row == "| adult | 40.0 | 35.0 | 800 | 0.050 |"
    assert row_of(conceptrules_tables.fires_table(read_results(whole)), "adult") == "| adult | 25.0 | 50.0 | 25.0 |"


def test_rules_and_scorecards_stand_beside_each_other_when_all_are_run(whole: Path) -> None:
    for data in data_names():
        put(whole, data, 0.9, model=BEST)
        assert conceptrules_tables.heads_table(read_results(whole)) == ""
        put(whole, data, 0.97, by_bounds=70, model=CARD)
    text = conceptrules_tables.heads_table(read_results(whole))
    assert row_of(text, "wine") == "| wine | 97.78 | 90.00 | 97.00 | 97.78 |"
    assert (
        row_of(text, "at or above the paper's CRS")
        == "| at or above the paper's CRS | 12 of 12 | 7 of 12 | 8 of 12 |  |"
    )
    assert row_of(text, "edges, median") == "| edges, median | 40 | 40 | 70 |  |"


def test_times_are_multiples_of_lightgbm(tmp_path: Path) -> None:
    fold = {"lightgbm": 0.1, "default": 30.1, "fast": 5.0, "fast_f1": 0.785}
    for number in range(5):
        write_entry("fit_times", {"data": "adult", "fold": number, "threads": 1, **fold}, "data", "fold", root=tmp_path)
    found = figures_of(tmp_path)
    assert found["time on adult, default"] == [
        "<= 300 LightGBM fits",
        "301 (30.10 s and 0.100 s of processor time, 1 thread)",
        "**missed**",
    ]
    assert found['time on adult, effort="fast"'][2] == "met"
    assert found['adult, effort="fast"'] == [">= 78", "78.50", "met"]


def test_all_means_the_papers_models() -> None:
    read = listed(tuple(NAMES), PAST)
    assert read("all") == tuple(NAMES)
    assert read("conceptrules,cart") == (COLUMN, "cart")
    assert all(settings_of(run).inputs == "table" for run in Plan(("wine",), PAST).runs())


def test_settings_are_the_same_for_all_sets_but_for_what_chess_is() -> None:
    for model in PAST:
        found = {data: settings_of_column(data, model).fixed for data in data_names()}
        kinds = found["chess"].pop("kinds")  # type: ignore[attr-defined]
        assert kinds == {name: list(order) for name, order in KINDS["chess"].items()}
        assert all(fixed == found["wine"] for fixed in found.values())
    assert settings_of_column("wine", COLUMN).fixed == {}
    assert settings_of_column("wine", CARD).fixed == {}
    assert settings_of_column("wine", FAST).fixed == {"effort": "fast"}


def test_every_run_has_the_settings_that_it_would_have_today() -> None:
    runs = [record for record in read_all() if record.run.model in PAST]
    assert len(runs) == 16
    for record in runs:
        given = settings_of_column(record.run.data, record.run.model)
        assert given.as_dict() == record.settings, record.run
        assert classifier(record.run.model, given, 0).random_state == 0


def test_chess_is_described_as_it_is() -> None:
    columns: Any = datasets.load("chess").X
    assert set(KINDS["chess"]) == set(columns.column_names)
    for name, order in KINDS["chess"].items():
        assert set(columns[name].to_pylist()) <= set(order)


def test_cut_points_of_all_rows_are_refused() -> None:
    with pytest.raises(Refused, match="--protocol fold"):
        run_fold("wine", COLUMN, "published", 0, 0, settings_of_column("wine", COLUMN))


@pytest.mark.parametrize("model", [FAST, CARD])
def test_a_fold_is_recorded(model: str) -> None:
    fold = run_fold("wine", model, "fold", 0, 0, settings_of_column("wine", model))
    assert set(fold.scores) == {"f1", "accuracy", "f1_common"}
    assert fold.scores["f1"] > 0.8
    assert fold.edges["by_bounds"] >= fold.edges["edges"] > 0
    assert ("fires" in fold.extra) is (model == FAST)
    assert sum(fold.extra.get("fires", [1])) == pytest.approx(1)
    mine = [point for point in fold.extra["frontier"] if point["validation"] == fold.validation]
    assert [(point["by_bounds"], point["f1"]) for point in mine] == [(fold.edges["by_bounds"], fold.scores["f1"])]
    assert fold.seconds["fit"] > 0


def test_other_seeds_are_shown_where_there_are_some(whole: Path) -> None:
    assert conceptrules_tables.chance_table(read_results(whole)) == ""
    for number in range(5):
        scores = {"f1": 0.78, "accuracy": 0.8, "f1_common": 0.8}
        fold = Fold(number, scores, edges={"edges": 50, "by_bounds": 60})
        write_fold(Run("adult", COLUMN, seed=1), fold, {}, root=whole, place={"processor": "P", "cores": 2})
    (line,) = [
        line
        for line in conceptrules_tables.chance_table(read_results(whole)).splitlines()
        if line.startswith("| adult")
    ]
    assert line == "| adult | 80.95 | 79.47 ± 1.48 (78.00 to 80.95) | 80.95 | 1 of 2 | 50.0 (40.0 to 60.0) |"
