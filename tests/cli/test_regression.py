"""`conceptrules fit --regression`, and what the other commands do with its model file."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conceptrules.cli import main
from conceptrules.io import load

Run = Callable[..., tuple[str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    areas = [37 * i % 120 for i in range(240)]
    lines = [f"{3 * n},{'ab'[n % 2]},{100 + 50 * (n > 60) + 20 * (n % 2) + n % 3 / 2}" for n in areas]
    Path("homes.csv").write_text("\n".join(["area,kind,price", *lines]) + "\n")

    def running(*arguments: str, code: int = 0) -> tuple[str, str]:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capsys.readouterr()
        assert end.value.code == code, err
        return out, err

    return running


FIT = ("fit", "homes.csv", "-t", "price", "-o", "model.json", "--effort", "fast")


def test_a_number_is_learned_and_predicted(run: Run) -> None:
    assert "--regression predicts the number, and --bins 4" in run(*FIT, code=2)[1]
    summary = json.loads(run(*FIT, "--regression", "--step", "5", "--json")[0])
    assert summary["scoring"] == "r2"
    assert summary["score"] > 0.9
    network = load("model.json")
    assert (network.classes, network.target, network.head.step) == ((), "price", 5.0)
    assert "add up to price" in run("rules", "model.json")[0]
    rows = list(csv.DictReader(run("predict", "model.json", "homes.csv", "--reasons")[0].splitlines()))
    assert all(float(row["prediction"]) == 5 * int(row["score"]) for row in rows)
    assert any(row["reasons"].startswith("area <= ") for row in rows)
    scores = json.loads(run("evaluate", "model.json", "homes.csv", "--json")[0])
    assert scores["r2"] > 0.9
    assert scores["rmse"] < scores["mean_rmse"]
    assert "always the mean" in run("evaluate", "model.json", "homes.csv")[0]
    assert "price is " in run("explain", "model.json", "homes.csv", "--row", "3")[0]


def test_counts_are_learned_with_their_exposure_from_one_file_or_several(run: Run) -> None:
    lines = [f"{'ab'[i % 2]},{i % 5 + 1},{(i % 5 + 1) * (1 + 3 * (i % 2))}" for i in range(400)]
    for name, part in (("all", lines), ("one", lines[:150]), ("two", lines[150:])):
        Path(f"{name}.csv").write_text("\n".join(["kind,years,claims", *part]) + "\n")
    counts = ("-t", "claims", "--effort", "fast", "--regression", "--loss", "poisson", "--exposure", "years")
    summary = json.loads(run("fit", "all.csv", *counts, "-o", "all.json", "--json")[0])
    assert summary["scoring"] == "d2_poisson"
    run("fit", "one.csv", "two.csv", *counts, "-o", "parts.json", "--quiet")
    card = load("all.json")
    assert load("parts.json") == card
    assert [column.name for column in card.columns] == ["kind"]
    assert card.predict([{"kind": "a"}, {"kind": "b"}]).tolist() == pytest.approx([1, 4], rel=0.02)
    scores = json.loads(run("evaluate", "all.json", "all.csv", "-t", "claims", "--exposure", "years", "--json")[0])
    assert scores["r2"] > 0.99
    assert "D2 of the Poisson deviance" in run("fit", "all.csv", *counts, "-o", "all.json")[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--regression", "--bins", "4"), "give one of them"),
        (("--regression", "--scorecard"), "a way to learn of its own"),
        (("--regression", "--loss", "absolute"), "loss is 'absolute'; use one of"),
        (("--regression", "--exposure", "area"), "--exposure is for --regression --loss poisson"),
        (("--regression", "--loss", "poisson", "--exposure", "area"), "exposure is 0 in row 0"),
        (("--regression", "--cutoff", "3"), "--cutoff is no option of --method regression"),
        (("--regression", "--checkpoint", "saved"), "does not know scorecards yet"),
    ],
)
def test_options_that_do_not_go_together_are_refused(run: Run, options: tuple[str, ...], message: str) -> None:
    assert message in " ".join(run(*FIT, *options, code=2)[1].split())


def test_the_readers_of_a_model_take_one_that_predicts_a_number(run: Run) -> None:
    run(*FIT, "--regression", "--step", "5", "--quiet")
    assert "counted on" in run("measure", "model.json", "homes.csv", "-o", "again.json")[1]
    records = json.loads(run("rules", "again.json", "--json")[0])
    assert {record["for"] for record in records} == {"price"}
    assert all(record["precision"] is None for record in records)
    assert "bias" in run("evaluate", "model.json", "homes.csv", "--by", "kind")[0]
    run("draw", "model.json", "-o", "card.svg")
    run("report", "model.json", "homes.csv", "-o", "report.html", "--include-rows")
    assert "Predicted and true" in Path("report.html").read_text()


def test_what_needs_classes_is_refused(run: Run) -> None:
    run(*FIT, "--regression", "--step", "5", "--quiet")
    assert "needs classes" in run("predict", "model.json", "homes.csv", "--probabilities", code=2)[1]
    assert "learns from numbers" in run("fit", "homes.csv", "-t", "kind", "-o", "x.json", "--regression", code=2)[1]


def test_folds_score_numbers_too(run: Run) -> None:
    learn = ("homes.csv", "-t", "price", "--regression", "--effort", "fast", "--step", "5")
    out, _ = run("evaluate", "--cv", "3", *learn)
    assert [line.split("  ")[0] for line in out.splitlines()[:4]] == ["R2", "RMSE", "MAE", "edges"]
    folds = json.loads(run("evaluate", "--cv", "3", *learn, "--json")[0])
    assert [fold["rows"] for fold in folds] == [80, 80, 80]
    assert min(fold["r2"] for fold in folds) > 0.9
    assert "--cv 900 is out of range: from 2 to 240, the rows" in run("evaluate", "--cv", "900", *learn, code=2)[1]


def test_predictions_have_intervals(run: Run) -> None:
    run(*FIT, "--regression", "--step", "5")
    rows = list(csv.DictReader(run("predict", "model.json", "homes.csv", "--interval", "0.9")[0].splitlines()))
    expected = load("model.json").predict_interval([[float(row["area"]), row["kind"]] for row in rows])
    assert [[float(row["lower"]), float(row["upper"])] for row in rows] == expected.tolist()
    assert "coverage is 9.0; give a share" in run("predict", "model.json", "homes.csv", "--interval", "9", code=2)[1]
    run("fit", "homes.csv", "-t", "kind", "-o", "kinds.json", "--effort", "fast")
    assert "intervals are of numbers" in run("predict", "kinds.json", "homes.csv", "--interval", "0.9", code=2)[1]


def test_a_copy_of_a_number_stands_out(run: Run) -> None:
    lines = Path("homes.csv").read_text().splitlines()
    copies = [f"{line},{2 * float(line.rpartition(',')[2])}" for line in lines[1:]]
    Path("leak.csv").write_text("\n".join([f"{lines[0]},fee", *copies]) + "\n")
    (finding,) = json.loads(run("inspect", "leak.csv", "-t", "price", "--regression", "--json")[0])
    assert finding["text"] == "column 'fee' alone tells the number on 100% of the rows (a copy of the target?)"
    assert "give one of them" in run("inspect", "leak.csv", "-t", "price", "--regression", "--bins", "4", code=2)[1]
