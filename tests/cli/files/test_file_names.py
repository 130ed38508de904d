"""Names of files that cannot be written are refused before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from conceptrules.cli.files.file_names import check_output, naming
from conceptrules.model.errors import InputError


def test_an_error_of_a_temporary_file_names_the_users():
    with pytest.raises(FileNotFoundError) as told, naming("mine.csv"):
        Path("none/.mine.csv.1.tmp").write_text("")
    assert told.value.filename == "mine.csv"


@pytest.mark.parametrize(
    ("name", "message"), [("no/out.csv", "does not exist"), (".", "is a folder"), ("/dev/null", "not an ordinary file")]
)
def test_outputs_that_cannot_be_are_refused_early(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        check_output(name)
