"""`conceptrules explain`, run as a user would run it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from conceptrules.cli import main
from conceptrules.io.model_file import save
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = [Column("age"), Column("job", "category", ("cook", "nurse"))]
    levels = [Level([Rule([Literal(0)]), Rule([Literal(1)])], [Concept([0]), Concept([1]), Concept()])]
    predicates = [Interval("age", 40), Equals("job", "cook")]
    save(RuleNetwork(columns, predicates, levels, [1, 2, 3], default=3), "model.json")
    (tmp_path / "rows.csv").write_text("age,job,class\n50,nurse,1\n30,nurse,3\n30,cook,2\n")
    (tmp_path / "row.csv").write_text("age,job\n50,nurse\n")


@pytest.fixture
def run(capsys):
    def running(*arguments: str, code: int = 0) -> tuple[str, str]:
        with pytest.raises(SystemExit) as end:
            main(["explain", *arguments])
        out, err = capsys.readouterr()
        assert end.value.code == code, err
        return out, err

    return running


def test_one_row_as_text(run):
    out, err = run("model.json", "row.csv")
    assert out.startswith("1: only this class fires.\n\n1 because\n  R1.1: age > 40\n")
    assert "3 if\n  age <= 40 (such as 40) instead of age = 50" in out
    assert err == ""


def test_a_row_of_several_with_a_note(run):
    out, err = run("model.json", "rows.csv", "--row", "3")
    assert out.startswith("2: only this class fires.")
    assert err == "rows.csv has 3 rows; explained: row 3 (--row and --rows choose)\n"
    out, err = run("model.json", "rows.csv", "--rows", "2")
    assert [line for line in out.splitlines() if line.startswith("row ")] == ["row 1", "row 2"]
    assert "rows 1 to 2" in err
    out, err = run("model.json", "rows.csv", "--rows", "9")
    assert (out.count("counterfactual"), err) == (3, "")


def test_fixed_columns_and_a_wanted_class(run):
    out, _ = run("model.json", "row.csv", "--fixed", "age, job")
    assert "Nothing that the row could say gives another class while age and job stay; this is proved." in out
    out, _ = run("model.json", "row.csv", "--to", "2")
    assert "2 if\n  age <= 40 (such as 40) instead of age = 50\n  job = cook instead of job = nurse\n" in out


def test_several_rows_may_have_the_wanted_class_already(run):
    out, _ = run("model.json", "rows.csv", "--rows", "3", "--to", "2", "--json")
    found = [json.loads(line) for line in out.splitlines()]
    assert [(each["label"], each["to"], each["counterfactual"]["label"]) for each in found] == [
        (1, 2, 2),
        (3, 2, 2),
        (2, None, 1),
    ]


def test_a_row_that_has_the_wanted_class_already_is_no_mistake(run):
    out, _ = run("model.json", "row.csv", "--to", "1")
    assert out.startswith("row 1 is 1 already\n1: only this class fires.")
    out, err = run("model.json", "row.csv", "--to", "1", "--json")
    assert json.loads(out)["to"] is None
    assert err == "row 1 is 1 already\n"


def test_a_rule_is_asked_for_by_its_number(run):
    out, _ = run("model.json", "row.csv", "--rule", "R1.1")
    assert "R1.1 holds on this row\n  age > 40\n" in out


def test_json_has_no_control_characters(run):
    name = "age\x9b31m\u202e"
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    save(RuleNetwork([Column(name)], [Interval(name, 40)], [level], ["in\x9b", "out"]), "odd.json")
    Path("odd.csv").write_text(f"{name}\n50\n", encoding="utf-8")
    out, _ = run("odd.json", "odd.csv", "--json")
    assert out.strip().isprintable()
    assert json.loads(out)["label"] == "in\x9b"


def test_json_has_it_all(run):
    out, _ = run("model.json", "rows.csv", "--json", "--rows", "2")
    first, second = map(json.loads, out.splitlines())
    assert (first["label"], first["settled"], second["label"]) == (1, "one", 3)
    assert first["counterfactual"]["changes"][0]["example"] == 40
    assert first["counterfactual"]["proved"] is True
    assert first["fired"][0]["text"] == "age > 40"


def test_json_has_no_infinities(run):
    level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    columns, predicates = [Column("age")], [Interval("age", 1.7976931348623157e308)]
    save(RuleNetwork(columns, predicates, [level], ["in", "out"], default="out"), "huge.json")
    out, _ = run("huge.json", "row.csv", "--json")
    assert json.loads(out)["counterfactual"]["changes"][0]["example"] == str(math.inf)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--row", "0"), "rows count from 1"),
        (("--rows", "0"), "at least one is explained"),
        (("--row", "4"), "rows.csv has 3 rows"),
        (("--fixed", "agee"), "did you mean 'age'?"),
        (("--to", "4"), "the model has no such class; there are '1', '2', '3'"),
        (("--counterfactuals", "0"), "--counterfactuals 0 is out of range"),
        (("--rule", "R7.1"), "the network has no rule R7.1"),
    ],
)
def test_mistakes_are_one_line(run, arguments, message):
    out, err = run("model.json", "rows.csv", *arguments, code=2)
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err


def test_an_empty_table_has_no_row_to_explain(run, tmp_path):
    (tmp_path / "empty.csv").write_text("age,job\n")
    _, err = run("model.json", "empty.csv", code=2)
    assert "empty.csv has 0 rows" in err
