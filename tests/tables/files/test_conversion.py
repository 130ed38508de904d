"""Text that is read in chunks is what it is when it is read at once."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from conceptrules.model.errors import InputError
from conceptrules.tables.files import chunks
from conceptrules.tables.files.conversion import convert
from conceptrules.tables.files.formats import USUAL
from conceptrules.tables.files.table_reader import open_file

COLUMNS = {
    "whole": str,
    "fraction_late": lambda i: "0.5" if i == 190 else str(i),
    "word": lambda i: ("a", "b", "")[i % 3],
    "word_late": lambda i: "word" if i == 199 else str(i),
    "date": lambda i: f"2020-01-{i % 28 + 1:02}",
    "moment_late": lambda i: f"2020-01-{i % 28 + 1:02}" + (" 10:00" if i > 100 else ""),
    "written_date": lambda i: f"{i % 28 + 1}.3.2021",
    "zip": lambda i: f"0{i}" if i > 150 else str(i + 100),
    "zero_and_fraction": lambda i: "007" if i > 190 else f"{i}.5",
    "truth": lambda i: ("true", "false")[i % 2],
    "time": lambda i: f"{i % 24:02}:30",
    "censored": lambda i: "<0.5" if i == 170 else f"{i / 10}",
    "gaps": lambda i: "",
    "gaps_first": lambda i: "" if i < 150 else str(i),
}


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(chunks, "TEXT_CHUNK", 500)
    rows = [list(COLUMNS), *([make(i) for make in COLUMNS.values()] for i in range(200))]
    path = tmp_path / "table.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    return path


def test_each_column_is_what_the_whole_text_says(text: Path, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        convert([str(text)], tmp_path / "table.parquet", list(COLUMNS), {}, USUAL, lambda count: None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = open_file(str(text)).read(list(COLUMNS))
    parts = open_file(str(tmp_path / "table.parquet")).read(list(COLUMNS))
    assert parts.to_pydict() == whole.to_pydict()
    messages = [str(one.message) for one in told]
    assert any("'zip' has numbers with leading zeros" in message for message in messages)
    assert any("'word_late' is read as text" in message for message in messages)
    assert len(messages) == 2


def test_what_the_user_says_of_a_column_holds(text: Path, tmp_path: Path) -> None:
    convert(
        [str(text)], tmp_path / "table.parquet", ["whole", "zip"], {"whole": "category", "zip": "number"}, USUAL, print
    )
    parts = open_file(str(tmp_path / "table.parquet")).read(["whole", "zip"])
    assert parts["whole"].to_pylist()[:2] == ["0", "1"]
    assert parts["zip"].to_pylist()[-1] == 199


def test_a_row_that_cannot_be_read_is_told_with_its_line(text: Path, tmp_path: Path) -> None:
    text.write_text(text.read_text() + "too,few\n")
    with pytest.raises(InputError, match=r"table.csv, line 202"):
        convert([str(text)], tmp_path / "table.parquet", ["whole"], {}, USUAL, lambda count: None)


def test_times_with_and_without_a_zone_do_not_go_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "TEXT_CHUNK", 50)
    path = tmp_path / "table.csv"
    path.write_text("at\n" + "2020-01-01 10:00:00\n" * 5 + "2020-01-01 10:00:00Z\n" * 5)
    with pytest.raises(InputError, match="with a time zone and values without"):
        convert([str(path)], tmp_path / "table.parquet", ["at"], {}, USUAL, lambda count: None)
