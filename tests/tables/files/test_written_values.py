"""Dates as people write them, and numbers beyond a limit."""

from __future__ import annotations

import datetime as dt
import warnings
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptrules.model.errors import InputError
from conceptrules.tables.files.chunks import open_chunks
from conceptrules.tables.files.formats import TextFormat, text_format
from conceptrules.tables.files.table_reader import open_file
from conceptrules.tables.files.written_values import parse_censored, read_dates

DAYS = [dt.date(2024, 3, 1), dt.date(2023, 12, 31), dt.date(1999, 1, 20)]
FORMS = ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%d %b %Y", "%d %B %Y", "%b %d, %Y",
         "%d-%b-%Y"]  # fmt: skip


def column(texts: list[str | None]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(texts, pa.string())])


@pytest.mark.parametrize("form", FORMS)
def test_common_forms_are_read(form: str) -> None:
    texts = [*(day.strftime(form) for day in DAYS), None]
    found = read_dates(column(texts)).values
    assert found.type == pa.date32()
    assert found.to_pylist() == [*DAYS, None]
    timed = read_dates(column([f"{text} 14:05" for text in texts[:-1]])).values
    assert timed.to_pylist() == [dt.datetime.combine(day, dt.time(14, 5)) for day in DAYS]


@given(st.lists(st.dates(dt.date(1000, 1, 1)), min_size=1), st.sampled_from(FORMS))
def test_what_is_read_is_what_was_written_or_told_to_be_open(days: list[dt.date], form: str) -> None:
    found = read_dates(column([day.strftime(form) for day in days]))
    if found.values is None:
        assert found.ambiguous
        assert all(day.day <= 12 for day in days)
        found = read_dates(column([day.strftime(form) for day in days]), day_first=form.startswith("%d"))
    assert found.values.to_pylist() == days


def test_afternoons() -> None:
    found = read_dates(column(["12/31/2023 12:05 am", "1/2/2024 1:05:07 PM"])).values
    assert found.to_pylist() == [dt.datetime(2023, 12, 31, 0, 5), dt.datetime(2024, 1, 2, 13, 5, 7)]


@pytest.mark.parametrize(
    "texts", [["31.02.2024"], ["13/13/2024"], ["1 Foo 2024"], ["31/12/2024", "12/31/2024"], ["a"], []]
)
def test_what_is_no_date(texts: list[str]) -> None:
    assert read_dates(column(texts)).values is None


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def write(*values: str, **text: bool) -> pa.ChunkedArray:
        (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{value},1\n" for value in values))
        return open_file(str(tmp_path / "t.csv"), TextFormat(**text))

    return write


def test_a_file_has_dates(written) -> None:
    assert written("01.03.2024", "31.03.2024").read(["a"])["a"].to_pylist() == [
        dt.date(2024, 3, 1),
        dt.date(2024, 3, 31),
    ]
    assert written("3/1/2024", "").read(["a"], {"a": "category"})["a"].to_pylist() == ["3/1/2024", None]


def test_open_orders_are_told_and_can_be_said(written) -> None:
    with pytest.warns(UserWarning, match="'a' holds dates such as '3/1/2024' in which either.*--dates day-first"):
        assert written("3/1/2024", "4/5/2024").read(["a"])["a"].to_pylist() == ["3/1/2024", "4/5/2024"]
    for kind in ("date", "datetime"):
        with pytest.raises(InputError, match="either number could be the month; say --dates"):
            written("3/1/2024", "4/5/2024").read(["a"], {"a": kind})
    assert written("3/1/2024", day_first=True).read(["a"], {"a": "date"})["a"].to_pylist() == [dt.date(2024, 1, 3)]
    assert written("3/1/2024", day_first=False).read(["a"])["a"].to_pylist() == [dt.date(2024, 3, 1)]


def test_a_column_of_dates_with_a_few_words_is_text_and_told(written) -> None:
    days = [f"{day:02}.03.2024" for day in range(1, 25)]
    with pytest.warns(UserWarning, match="nearly all of it is dates; the first other value is 'soon'.*--missing soon"):
        assert written(*days, "soon").read(["a"])["a"].type == pa.string()
    with pytest.raises(InputError, match=r"line 26: column 'a' should hold dates such as 2021-03-05, found 'soon'"):
        written(*days, "soon").read(["a"], {"a": "date"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<0.5", 0.45),
        ("< 5", 4.5),
        ("<=5", 5),
        (">100", 100.5),
        (">=.25", 0.25),
        (">-1.50", -1.495),
        ("5", None),
        ("<x", None),
    ],
)
def test_censored_numbers_are_just_beyond_their_limit(text: str, value: float | None) -> None:
    assert parse_censored(text) == value


def test_censored_values_are_read_as_numbers_and_told(written) -> None:
    with pytest.warns(UserWarning, match="'a' has 2 values such as '<0.5' among its numbers.*'<0.5' as 0.45"):
        assert written("<0.5", "", "0.7", "12", "<0.5").read(["a"])["a"].to_pylist() == [0.45, None, 0.7, 12, 0.45]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert written("<0.5", "3").read(["a"], {"a": "number"})["a"].to_pylist() == [0.45, 3]
        assert written("<0.5", "3").read(["a"], {"a": "category"})["a"].to_pylist() == ["<0.5", "3"]
        assert written("<0.5", "3", "low").read(["a"])["a"].type == pa.string()
    with pytest.raises(InputError, match="line 4: column 'a' should hold numbers, found 'low'"):
        written("<0.5", "3", "low").read(["a"], {"a": "number"})


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "latin-1", "UTF8"])
def test_other_encodings_are_read_whole_and_in_chunks(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text("größe,b\n" + "é,1\n" * 5000 + "ü,2\n", encoding=encoding)
    text = text_format("", "", "", encoding)
    whole = open_file(str(file), text).read(["größe", "b"])
    assert whole["größe"].to_pylist() == ["é"] * 5000 + ["ü"]
    with open_chunks(str(file), text=text) as table:
        parts = [chunk.open().read(["größe"])["größe"].to_pylist() for chunk in table.chunks()]
    assert [value for part in parts for value in part] == whole["größe"].to_pylist()


def test_wrong_encodings_are_told(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(b"a,b\ncaf\xe9,1\n")
    with pytest.raises(InputError, match="line 2: the text is not UTF-8; save it so, or say --encoding cp1252"):
        open_file(str(file))
    with pytest.raises(InputError, match=r"t\.csv is not written in the --encoding that was given: 'ascii'"):
        open_file(str(file), text_format("", "", "", "ascii"))
    with pytest.raises(InputError, match="--encoding 'utf-9' is unknown"):
        text_format("", "", "", "utf-9")
