"""Names of files that cannot be written are refused before any work; tables are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from conceptrules.cli.files import check_output, name_errors_after, write_table
from conceptrules.model.errors import InputError


def test_an_error_of_a_temporary_file_names_the_users():
    with pytest.raises(FileNotFoundError) as told, name_errors_after("mine.csv"):
        Path("none/.mine.csv.1.tmp").write_text("")
    assert told.value.filename == "mine.csv"


@pytest.mark.parametrize(
    ("name", "message"), [("no/out.csv", "does not exist"), (".", "is a folder"), ("/dev/null", "not an ordinary file")]
)
def test_outputs_that_cannot_be_are_refused_early(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        check_output(name)


def test_csv_is_quoted_only_where_it_must_be(tmp_path):
    path = tmp_path / "out.csv"
    write_table(pa.table({"a b": ["x", None], "c": [1.5, 2.0]}), str(path))
    assert path.read_text() == "a b,c\nx,1.5\n,2\n"
    write_table(pa.table({"a,b": ["x,y", 'say "hi"']}), str(path))
    assert path.read_text() == '"a,b"\n"x,y"\n"say ""hi"""\n'


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "out.parquet"
    path.write_text("old")

    def fail(table, file):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(parquet, "write_table", fail)
    with pytest.raises(OSError, match="disk full"):
        write_table(pa.table({"a": [1, 2]}), str(path))
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("out.parquet", "old")]
