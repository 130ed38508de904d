"""How a command ends when its streams are closed, its reader goes away, or Ctrl-C is pressed while it is imported."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conceptrules.cli import main
from conceptrules.io.model_file import save
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Interval

COMMAND = f"'{sys.executable}' -c 'from conceptrules.cli import main; main()'"
LEVEL = Level([Rule([Literal(0)])], [Concept([0]), Concept()])


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(RuleNetwork([Column("age")], [Interval("age", 41)], [LEVEL], ["old", "young"], default="young"), "model.json")


def run(command: str) -> tuple[int, str, str]:
    """What bash says of a command: its exit code and what it wrote."""
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("rules model.json >&-", 2, "error: standard output is closed; write > /dev/null if it is not needed\n"),
        ("rules model.json >&- 2>&-", 2, ""),
        ("rules none.json 2>&-", 2, ""),
        ("predict model.json - <&-", 2, "error: standard input is empty; it needs a row of column names"),
        ("rules - <&-", 2, "error: standard input: not a conceptrules model"),
    ],
)
def test_closed_streams_are_told_in_a_line(command: str, code: int, message: str) -> None:
    found, out, err = run(f"{COMMAND} {command}")
    assert (found, out) == (code, "")
    assert err.startswith(message)
    assert len(err.splitlines()) <= 1


@pytest.mark.parametrize("command", ["rules model.json", "rules model.json --json", "schema"])
def test_a_reader_that_goes_away_is_no_verdict(command: str) -> None:
    """Exit code 1 would mean that something was refuted."""
    code, out, err = run(f"set -o pipefail; {COMMAND} {command} | true")
    assert (code, out, err) == (128 + 13, "", "")


def test_ctrl_c_while_the_commands_are_imported(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("conceptrules.cli._run", interrupt)
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 128 + signal.SIGINT
    assert capsys.readouterr() == ("", "")


def test_nothing_is_imported_before_ctrl_c_is_caught() -> None:
    loaded = "import sys, conceptrules.cli; print(*(name for name in sys.modules if name.startswith('conceptrules')))"
    names = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout.split()
    assert set(names) <= {"conceptrules", "conceptrules._lazy", "conceptrules.cli"}
