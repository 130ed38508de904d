"""Tables are written whole or not at all, with as few quotes as can be."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyarrow import parquet

from conceptrules.cli.files.writer import write_table


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
