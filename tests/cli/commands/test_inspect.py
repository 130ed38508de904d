"""The table of what is worth a look, and JSON where a command prints results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conceptrules.cli import main


@pytest.fixture(autouse=True)
def _table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"p{n},{n % 7},{'yes' if n % 7 > 3 else 'no'},{'ok' if n % 2 else 'bad'}" for n in range(140)]
    Path("data.csv").write_text("\n".join(["id,size,large,state", *lines]) + "\n")


def output(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    out, err = capsys.readouterr()
    assert (end.value.code, err) == (0, "")
    return out


def test_what_was_found_is_a_table_with_the_way_out(capsys):
    lines = output(capsys, "inspect", "data.csv", "--target", "large").splitlines()
    assert lines[0].split() == ["about", "found", "what", "to", "do"]
    assert [line.split()[0] for line in lines[1:]] == ["identifier", "leak"]
    assert "is left out; --keep" in lines[1]


def test_the_same_as_json(capsys):
    found = json.loads(output(capsys, "inspect", "data.csv", "--target", "large", "--json"))
    assert [one["columns"] for one in found] == [["id"], ["size"]]
    assert {one["topic"] for one in found} == {"identifier", "leak"}


def test_a_sound_table_is_told_so(capsys):
    said = output(capsys, "inspect", "data.csv", "--target", "state", "--drop", "id,large")
    assert said == "nothing stands out in 1 column of 140 rows\n"


def test_results_are_printed_as_json(capsys):
    output(capsys, "fit", "data.csv", "-t", "large", "--only", "size", "--effort", "fast", "-q", "-o", "model.json")
    rules = json.loads(output(capsys, "rules", "model.json", "--json"))
    assert "size" in rules[0]["text"]
    with pytest.raises(SystemExit):
        main(["evaluate", "model.json", "data.csv", "--json"])
    scores = json.loads(capsys.readouterr().out)
    assert scores["accuracy"] == 1
    assert scores["confusion"] == [[80, 0], [0, 60]]
    assert {one["name"] for one in json.loads(output(capsys, "datasets", "--json"))} >= {"wine", "tic-tac-toe"}


def test_a_fold_has_an_object_of_its_own(capsys):
    options = ("--target", "state", "--only", "size", "--effort", "fast", "--cv", "2", "--json")
    folds = json.loads(output(capsys, "evaluate", "data.csv", *options))
    assert [sum(map(sum, fold["confusion"])) for fold in folds] == [70, 70]
