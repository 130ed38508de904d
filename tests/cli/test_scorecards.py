"""What the commands do with the model file of a scorecard; those that know none say so."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conceptrules.cli import main
from conceptrules.io import load, save
from conceptrules.model import Interval, Level, Literal, Points, Rule, RuleNetwork
from tests.model.test_heads import CARD, COLUMNS, PREDICATES

Run = Callable[..., tuple[str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    save(CARD, "model.json")
    Path("rows.csv").write_text("age,debt,class\n50,2000,bad\n20,0,good\n60,0,good\n,1500,bad\n")

    def running(*arguments: str, code: int = 0) -> tuple[str, str]:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capsys.readouterr()
        assert end.value.code == code, err
        return out, err

    return running


def test_predictions_come_with_the_score_and_without_statistics_with_probabilities(run: Run) -> None:
    out, _ = run("predict", "model.json", "rows.csv", "--probabilities", "--reasons")
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["prediction"] for row in rows] == ["bad", "good", "bad", "good"]
    assert [row["score"] for row in rows] == ["4", "-1", "2", "1"]
    assert [row["probability_bad"] for row in rows] == ["0.4", "0.1", "0.4", "0.1"]
    assert [row["reasons"] for row in rows] == [
        "age > 41 (-3); debt > 1000 (-2)",
        "age <= 41 (-3); debt <= 1000 (-2)",
        "age > 41 (-3)",
        "age is missing (-3)",
    ]


def test_several_classes_have_a_score_each(run: Run) -> None:
    head = Points([[3, 0, 1], [0, 0, 0], [-1, 2, 0]], [0, 0, 1], offsets=[0, 0, 0])
    save(RuleNetwork(COLUMNS, PREDICATES, CARD.levels, ["a", "b", "c"], head=head), "several.json")
    out, _ = run("predict", "several.json", "rows.csv")
    first = next(csv.DictReader(out.splitlines()))
    assert [first[f"score_{name}"] for name in "abc"] == ["2", "2", "2"]


def test_the_card_in_words_and_as_records(run: Run) -> None:
    out, _ = run("rules", "model.json")
    assert out == f"{CARD}\n"
    records = json.loads(run("rules", "model.json", "--json")[0])
    assert [(record["text"], record["points"]) for record in records] == [
        ("always", 1),
        ("age > 41", 3),
        ("not (1000 < debt <= 5000)", -2),
    ]


def test_rows_are_explained_by_points(run: Run) -> None:
    out, _ = run("explain", "model.json", "rows.csv", "--row", "3")
    assert out.startswith("bad, since the score of 2 is at least 2. The chance of bad is 40.0%.")
    lines = run("explain", "model.json", "rows.csv", "--rows", "4", "--json")[0].splitlines()
    for line in map(json.loads, lines):
        assert sum(each["points"][0] for each in line["contributions"]) == line["scores"][0]


def test_it_is_evaluated_by_its_scores(run: Run) -> None:
    out, _ = run("evaluate", "model.json", "rows.csv", "--target", "class")
    for name in ("AUC", "Brier score", "KS", "Gini", "log loss", "score  bad from"):
        assert name in out
    values = json.loads(run("evaluate", "model.json", "rows.csv", "--target", "class", "--json")[0])
    assert values["score_rows"] == [[-1, [1, 0]], [1, [0, 1]], [2, [1, 0]], [4, [0, 1]]]
    assert values["auc"] == 0.75
    Path("groups.csv").write_text("age,debt,sex,class\n50,2000,f,bad\n20,0,m,good\n60,0,f,good\n,1500,m,bad\n")
    assert "by sex" in run("evaluate", "model.json", "groups.csv", "--target", "class", "--by", "sex")[0]
    values = json.loads(run("evaluate", "model.json", "groups.csv", "-t", "class", "--by", "sex", "--json")[0])
    assert [(each["group"], each["rows"]) for each in values["groups"]] == [("f", 2), ("m", 2)]
    run("report", "model.json", "groups.csv", "-t", "class", "--by", "sex", "-o", "report.html")
    assert "How good it is on each group" in Path("report.html").read_text()
    assert "--by scores the groups" in run("report", "model.json", "--by", "sex", "-o", "report.html", code=2)[1]


def test_it_is_measured_and_exported_and_verified(run: Run) -> None:
    run("measure", "model.json", "rows.csv", "--target", "class", "-o", "measured.json")
    assert load("measured.json").statistics.scores == ((-1, (1, 0)), (1, (0, 1)), (2, (1, 0)), (4, (0, 1)))
    for to in ("sql", "python"):
        assert "verified: the same class" in run("export", "model.json", "--to", to, "--data", "rows.csv")[1]


def test_a_scorecard_is_learned_from_a_table(run: Run) -> None:
    rows = [f"{x % 10},{x % 7},{'bad' if x % 10 > 6 or x % 7 > 4 else 'good'}" for x in range(200)]
    Path("data.csv").write_text("\n".join(["age,debt,class", *rows]))
    fit = ["fit", "data.csv", "--target", "class", "-o", "card.json"]
    _, err = run(*fit, "--scorecard", "--max-edges", "12", "--max-points", "5", "--cutoff", "0.3", "--effort", "fast")
    assert "log loss 0." in err
    assert "negative" not in err
    network = load("card.json")
    assert network.head is not None
    assert network.edges <= 12
    assert max(abs(value) for row in network.head.points for value in row) <= 5
    chances = [chance for score, chance in network.head.probabilities if score >= network.head.cutoff]
    assert min(chances) >= 0.3
    _, err = run(*fit, "--method", "scorecard", "--scoring", "roc_auc", "--effort", "fast")
    assert "AUC" in err
    assert "always answering" not in err
    out, _ = run("evaluate", "data.csv", "--target", "class", "--cv", "2", "--scorecard", "--effort", "fast")
    assert "over 2 folds" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scorecard", "--method", "mllp"], "--scorecard and --method mllp are two ways to learn; give one of them"),
        (["--scorecard", "--max-rules", "3"], "--max-rules is no option of --method scorecard; add --method search"),
        (["--max-points", "3"], "--max-points is no option of --method search; add --method scorecard, or leave"),
        (["--scorecard", "--checkpoint", "saved"], "--checkpoint does not know scorecards yet; leave it out"),
        (["--scorecard", "--cutoff", "1.5"], "cutoff is 1.5; give a probability"),
    ],
)
def test_options_that_do_not_go_together(run: Run, arguments: list[str], message: str) -> None:
    _, err = run("fit", "rows.csv", "--target", "class", "-o", "card.json", *arguments, code=2)
    assert message in err


def test_overlapping_rules_are_added_up_to_bins(run: Run) -> None:
    level = Level([Rule([Literal(0)]), Rule([Literal(1)])], ())
    head = Points([[3], [2]], [0], cutoff=3, probabilities=[(0, 0.5)])
    tests = [Interval("age", 41), Interval("age", 60)]
    save(RuleNetwork(COLUMNS, tests, [level], ["good", "bad"], head=head), "card.json")
    lines = run("rules", "card.json", "--bins")[0].splitlines()
    assert lines[4:6] == ["age  > 41, <= 60      +3", "     > 60             +5"]


def test_what_serves_one_head_only_says_so(run: Run) -> None:
    _, err = run("predict", "model.json", "rows.csv", "--abstain", "none", code=2)
    assert "abstaining does not know scorecards yet" in err
    save(RuleNetwork(COLUMNS, PREDICATES, CARD.levels, (), head=Points([[3], [1], [2]], [0], step=0.5)), "number.json")
    for other in (["number.json", "model.json"], ["model.json", "number.json"]):
        assert "one of these predicts a number, and the other a class" in run("diff", *other, code=2)[1]
