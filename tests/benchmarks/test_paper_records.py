"""Records: folds merge, an interrupted run goes on, and nothing is ever half written."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from benchmarks import jsonl
from benchmarks.paper import runner
from benchmarks.paper.records import Fold, Run, missing, read, read_all, remove, this_place, write_entry, write_fold

RUN = Run("wine", "cart")
PLACE = {"python": "3", "processor": "P", "cores": 2}


def scored(number: int, f1: float = 0.5) -> Fold:
    return Fold(number, {"f1": f1}, {"fit": 1.0}, {"C": 1.0}, 0.4, {"edges": 7}, {"warnings": ["W"]})


def test_a_fold_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    write_fold(RUN, scored(2), {"a": 1}, root=tmp_path, place=PLACE)
    record = read(RUN, tmp_path)
    assert record is not None
    assert record.folds == (scored(2),)
    assert record.run == RUN
    assert record.settings == {"a": 1}
    assert record.places == (PLACE,)
    assert list(record.times) == [2]


def test_quick_runs_stand_beside_the_committed_ones_seed_by_seed_and_over_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    roots = tmp_path / "committed", tmp_path / "quick"
    for name, root in zip(("RECORDS", "QUICK"), roots, strict=True):
        monkeypatch.setattr(runner, name, root)
    for seed, committed, quick in [(0, 0.9, 0.85), (3, 0.8, 0.83)]:
        for f1, root in zip((committed, quick), roots, strict=True):
            for number in range(5):
                write_fold(Run("wine", "cart", seed=seed), scored(number, f1), {}, root=root, place=PLACE)
    runner.compare(runner.Plan(("wine",), ("cart",), seed=(0, 3)))
    runner.compare(runner.Plan(("adult",), ("cart",)))
    assert [line.split() for line in capsys.readouterr().err.splitlines() if "data" not in line] == [
        ["wine", "cart", "0", "85.00", "±", "0.00", "90.00", "±", "0.00", "-5.00"],
        ["wine", "cart", "3", "83.00", "±", "0.00", "80.00", "±", "0.00", "+3.00"],
        ["wine", "cart", "all", "84.00", "±", "1.00", "85.00", "±", "5.00", "-1.00"],
        ["adult", "cart", "0", "not", "run", "not", "run"],
    ]


def test_folds_merge_in_order_and_a_later_one_replaces_its_own(tmp_path: Path) -> None:
    for fold in (scored(3), scored(1), scored(3, 0.75)):
        write_fold(RUN, fold, {}, root=tmp_path, place=PLACE)
    record = read(RUN, tmp_path)
    assert record is not None
    assert [(fold.fold, fold.scores["f1"]) for fold in record.folds] == [(1, 0.5), (3, 0.75)]


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    assert missing("wine", "cart", root=tmp_path) == [0, 1, 2, 3, 4]
    for number in (0, 1):
        write_fold(RUN, scored(number), {}, root=tmp_path, place=PLACE)
    assert missing("wine", "cart", root=tmp_path) == [2, 3, 4]
    assert missing("wine", "cart", "published", root=tmp_path) == [0, 1, 2, 3, 4]
    assert missing("wine", "cart", "fold", 1, root=tmp_path) == [0, 1, 2, 3, 4]
    for number in (2, 3, 4):
        write_fold(RUN, scored(number), {}, root=tmp_path, place=PLACE)
    record = read(RUN, tmp_path)
    assert missing("wine", "cart", root=tmp_path) == []
    assert record is not None
    assert record.complete


def test_a_fold_that_failed_is_done_unless_it_is_tried_again(tmp_path: Path) -> None:
    for number in range(5):
        write_fold(RUN, scored(number) if number else Fold(0, failed="too long"), {}, root=tmp_path, place=PLACE)
    record = read(RUN, tmp_path)
    assert record is not None
    assert not record.complete
    assert record.failed == "too long"
    assert missing("wine", "cart", root=tmp_path) == []
    assert missing("wine", "cart", root=tmp_path, retry=True) == [0]


def test_folds_that_end_at_the_same_moment_are_all_kept(tmp_path: Path) -> None:
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda number: write_fold(RUN, scored(number), {}, root=tmp_path, place=PLACE), range(5)))
    assert missing("wine", "cart", root=tmp_path) == []
    assert [path.name for path in tmp_path.iterdir()] == ["baselines.jsonl"]


def test_the_place_of_each_fold_is_known(tmp_path: Path) -> None:
    other = {**PLACE, "cores": 16}
    for number, place in enumerate((PLACE, other, PLACE)):
        path = write_fold(RUN, scored(number), {}, root=tmp_path, place=place)
    (content,) = jsonl.read(path)
    assert content["places"] == [PLACE, other]
    assert [entry["place"] for entry in content["folds"]] == [0, 1, 0]


def test_files_are_small_and_plain(tmp_path: Path) -> None:
    fold = Fold(0, {"f1": np.float64(1 / 3)}, edges={"edges": np.int64(9)}, extra={"shares": np.array([0.25, 2 / 3])})
    path = write_fold(RUN, fold, {}, root=tmp_path, place=PLACE)
    (line,) = path.read_text(encoding="utf-8").splitlines()
    assert '"f1":0.333333' in line
    assert '"edges":9' in line
    assert '"shares":[0.25,0.666667]' in line
    assert "failed" not in line


def test_other_files_are_not_taken_for_runs(tmp_path: Path) -> None:
    write_fold(RUN, scored(0), {}, root=tmp_path, place=PLACE)
    for rate in (1 / 3, 0.1, 0.1):
        path = write_entry("rates", {"data": "wine", "rate": rate, "f1": 2 / 3}, "data", "rate", root=tmp_path)
    assert [record.run for record in read_all(tmp_path)] == [RUN]
    lines = '{"data":"wine","rate":0.1,"f1":0.666667}', '{"data":"wine","rate":0.333333,"f1":0.666667}'
    assert path.read_text(encoding="utf-8").splitlines() == list(lines)


def test_runs_of_an_experiment_share_a_file_and_keep_to_their_lines(tmp_path: Path) -> None:
    """A line is found by its key as a whole: seed 1 is not seed 10, and `cart` is no part of another name."""
    runs = [Run("wine", "cart", seed=seed) for seed in (10, 1, 0)] + [Run("adult", "rf10"), Run("wine", "crs")]
    for number, run in enumerate(runs):
        write_fold(run, scored(number), {}, root=tmp_path, place=PLACE)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["baselines.jsonl", "crs.jsonl"]
    lines = (tmp_path / "baselines.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines == sorted(lines)
    assert [[fold.fold for fold in found.folds] for run in runs if (found := read(run, tmp_path))] == [
        [0],
        [1],
        [2],
        [3],
        [4],
    ]
    remove(runs[1], tmp_path)
    remove(Run("banknote", "cart"), tmp_path)
    assert [read(run, tmp_path) is None for run in runs] == [False, True, False, False, False]


def test_this_place_names_what_matters() -> None:
    assert {"python", "conceptrules", "numpy", "scikit-learn", "cores", "machine"} <= this_place().keys()


@pytest.mark.parametrize(
    ("run", "fold", "words"),
    [
        (Run("wine", "cart", "mine"), scored(0), "no protocol 'mine'"),
        (RUN, scored(5), "no fold 5"),
        (RUN, Fold(0, {"accuracy": 1.0}), "no f1"),
        (RUN, Fold(0), "no f1"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, run: Run, fold: Fold, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        write_fold(run, fold, {}, root=tmp_path, place=PLACE)
    assert not list(tmp_path.iterdir())


def test_what_is_no_number_leaves_the_file_alone(tmp_path: Path) -> None:
    path = write_fold(RUN, scored(0), {}, root=tmp_path, place=PLACE)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON compliant"):
        write_fold(RUN, scored(1, float("nan")), {}, root=tmp_path, place=PLACE)
    assert path.read_bytes() == before
