"""`conceptrules diff` and `conceptrules schema`, run as a user would run them."""

from __future__ import annotations

import io
import json

import pytest

from conceptrules.cli import main
from conceptrules.cli.commands import diff as difference
from conceptrules.io.model_file import dumps, save, schema
from conceptrules.logic.difference import RowChanges, diff
from tests.io.test_versions import WHOLE
from tests.logic.test_difference import people as network
from tests.logic.test_equivalence import pigeons


@pytest.fixture(autouse=True)
def _models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(network("aj", "G"), "old.json")
    save(network("aj", "G", "J", cut=30), "new.json")
    (tmp_path / "data.csv").write_text("age,job,gain\n29,nurse,0\n50,nurse,0\n20,smith,9999\n29,cook,1\n")


@pytest.fixture
def run(capsys):
    def running(*arguments: str, code: int) -> str:
        with pytest.raises(SystemExit) as end:
            main(["diff", *arguments])
        out, err = capsys.readouterr()
        assert end.value.code == code, err
        return out or err

    return running


DIFFERENT = """\
yes
  + job != nurse
  ~ age > 27 and job = nurse
    age > 30 and job = nurse
cut points of 'age': 27 -> 30
yes fires on some rows only in the old model, on others only in the new one
no fires on the same rows in both
2 of 4 rows get another class
  row 1: yes -> no
  row 4: no -> yes
not every row gets the same class from both; this one is yes -> no:
  age = 30.0, job = nurse, gain = 5000.0
"""


def test_models_that_differ(run):
    assert run("old.json", "new.json", "data.csv", code=1) == DIFFERENT


def test_models_that_are_the_same(run):
    text = "the rules are the same\nyes fires on the same rows in both\nno fires on the same rows in both\n"
    assert run("old.json", "old.json", code=0) == text + "every row gets the same class from both\n"


def test_json(run):
    found = json.loads(run("old.json", "new.json", "data.csv", "--json", code=1))
    assert found["sections"][0]["added"] == ["job != nurse"]
    assert found["logic"][0] == {"name": "yes", "old_implies_new": False, "new_implies_old": False}
    assert found["data"] == {"rows": 4, "different": 2, "first": [[0, "yes", "no"], [3, "no", "yes"]]}
    assert (found["same"], found["decisions"]) == (False, ["yes", "no"])


def test_json_of_dates_and_infinities(run):
    save(WHOLE, "old.json")
    save(network("a"), "new.json")
    assert json.loads(run("old.json", "new.json", "--json", code=1))["same"] is False


def test_standard_input(run, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(dumps(network("aj", "G")).encode())

    monkeypatch.setattr("sys.stdin", Stdin)
    assert "the rules are the same" in run("old.json", "-", code=0)
    assert "only one input can come from standard input" in run("-", "-", code=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["old.json"], "Missing argument"),
        (["old.json", "none.json"], "error: none.json: No such file"),
        (["old.json", "data.csv"], "error: data.csv: not a conceptrules model"),
        (["old.json", "new.json", "new.json"], "error: "),
    ],
)
def test_mistakes(run, arguments, message):
    assert message in run(*arguments, code=2)


def test_what_is_not_decided_has_an_exit_code_of_its_own(monkeypatch):
    monkeypatch.setattr("conceptrules.logic.difference.WORK", 1000)
    found = diff(pigeons(9), network("a"))
    assert found.same is None
    assert difference.exit_code(found) == difference.UNDECIDED
    text = difference.as_text(found)
    assert text.endswith("whether every row gets the same class from both is not decided: too large")
    assert "yes is not decided: too large" in text
    assert difference.exit_code(difference.replace(found, data=RowChanges(9, 1, ()))) == difference.DIFFERENT


def test_the_schema_is_printed(capsys):
    with pytest.raises(SystemExit) as end:
        main(["schema"])
    assert end.value.code == 0
    assert capsys.readouterr().out == schema()
