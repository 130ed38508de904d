"""Runs behind the figures, and what the bits of a fold allow: on rows of the training fold alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import jsonl
from benchmarks.paper import bit_bounds, cut_points, figure_runs
from benchmarks.paper.folds import load, paper_folds, tuning_split
from benchmarks.paper.records import FOLDS
from benchmarks.paper.training_data import divided, fold_of
from conceptrules import Binarizer
from conceptrules.learn.mllp.train import FitJob, Score

PLACE = figure_runs.Place("cpu", 1)


def test_the_rows_of_a_choice_are_training_rows_of_the_fold() -> None:
    rows, y = fold_of("wine", 3), load("wine").y
    train, _ = list(paper_folds(len(y)))[3]
    for negation in (False, True):
        parts = divided("wine", 3, 1, negation)
        weights = parts.training.weight.sum(), parts.validation.weight.sum()
        assert sum(weights) == rows.training.weight.sum() == len(train)
        assert weights[1] == pytest.approx(len(train) / 5, abs=3)
        assert parts.training.inputs == (1 + negation) * rows.training.inputs


def test_cut_points_see_the_test_rows_only_as_published() -> None:
    wine = load("wine")
    published = [fold_of("wine", number, "published").binarizer.predicates_ for number in range(2)]
    whole = Binarizer().fit(wine.X, wine.y).predicates_
    assert published == [whole, whole]
    assert fold_of("wine", 0).binarizer.predicates_ != whole
    assert fold_of("wine", 0, "published").y_test.tolist() == fold_of("wine", 0).y_test.tolist()


def test_the_gap_is_looked_at_every_ten_epochs(tmp_path: Path) -> None:
    given = {"layers": [8], "binarization_rate": 0.5, "negation": True}
    figure_runs.gap("wine", given, PLACE, epochs=30, root=tmp_path)
    found = jsonl.read(tmp_path / "gap.jsonl")
    assert sorted(one["epoch"] for one in found) == [10, 20, 30]
    for one in found:
        assert one["none"] + one["one"] + one["several"] == pytest.approx(1, abs=1e-5)
    assert max(one["mllp_f1"] for one in found) > 0.5  # it has learned something


def test_each_structure_has_a_point_for_each_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure_runs, "STRUCTURES", [(4,), (4, 4, 4)])
    monkeypatch.setattr(figure_runs, "RATES", (0.0, 0.5))
    figure_runs.rates(PLACE, "wine", epochs=20, root=tmp_path)
    found = jsonl.read(tmp_path / "rates.jsonl")
    assert {(len(one["layers"]), one["rate"]) for one in found} == {(1, 0.0), (1, 0.5), (3, 0.0), (3, 0.5)}
    assert all(one["epoch"] in (10, 20) and 0 < one["f1"] <= 1 for one in found)


def test_cut_points_have_seen_the_rows_they_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen or unseen: the rows to learn from and those that judge are the same, and only the bits differ."""
    seen: list[FitJob] = []

    def look(jobs: Sequence[FitJob]) -> dict[int, Score]:
        seen.extend(jobs)
        return {number: Score(0.5, 10, 0.0, 0.5, 0.1 * (1 + number % 4), 0.5, 10, 0.0) for number in range(len(jobs))}

    monkeypatch.setattr(cut_points, "best_on_training_rows", look)
    y = load("wine").y
    train, test = next(iter(paper_folds(len(y))))
    found = cut_points.scores("wine", train, test, 2, cut_points.RECIPE)
    wanted = {"held seen": 0.1, "held unseen": 0.2, "test seen": 0.3, "test unseen": 0.4}
    assert found == {way: pytest.approx(score) for way, score in wanted.items()}
    learned, held = tuning_split(y[train], 0)
    counts = [(job.training.weight.sum(), job.validation.weight.sum()) for job in seen[:4]]
    assert counts == [(len(learned), len(held))] * 2 + [(len(train), len(test))] * 2
    fold, inputs = 2 * len(fold_of("wine", 0).binarizer.predicates_), [job.training.inputs for job in seen[:4]]
    assert inputs[0] == inputs[3] == fold  # of all training rows
    assert fold not in (inputs[1], inputs[2])


def test_the_look_is_the_best_on_training_rows_after_half_of_the_epochs() -> None:
    recipe = replace(cut_points.RECIPE, layers=(4,), max_epochs=4, min_steps=1, snapshot_every=1)
    train, test = next(iter(paper_folds(len(load("wine").y))))
    job = cut_points.job_of("wine", train, train, test, recipe, 0)
    looks = [snapshots[0].score for _, snapshots in figure_runs.watched([job], PLACE, {})]
    assert [look.epoch for look in looks] == [1, 2, 3, 4]
    chosen = cut_points.best_on_training_rows([job])[0]
    assert chosen.epoch in (3, 4)
    assert chosen.training_f1 == max(look.training_f1 for look in looks[2:])


def test_bits_bound_what_can_be_learned(tmp_path: Path) -> None:
    bit_bounds.measure(["tic-tac-toe", "blogger"], tmp_path)
    found = {entry["data"]: entry for entry in jsonl.read(tmp_path / "bit_bounds.jsonl")}
    assert found["tic-tac-toe"]["bound"] == [1.0] * FOLDS  # no two rows are alike
    assert all(0.9 < score < 1 for score in found["tic-tac-toe"]["forest"])
    assert min(found["blogger"]["bound"]) < 1  # rows that contradict each other
