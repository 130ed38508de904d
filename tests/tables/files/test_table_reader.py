"""Reading and writing tables, without any learning."""

from __future__ import annotations

import datetime as dt
import gzip

import pyarrow as pa
import pytest

from conceptrules.cli.files import write_table
from conceptrules.model.errors import InputError
from conceptrules.tables.files.table_reader import open_file


@pytest.fixture
def read(tmp_path):
    """All columns of a file with this content."""

    def reading(content: bytes | str, name: str = "data.csv", kinds: dict[str, str] | None = None) -> dict[str, list]:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        source = open_file(str(path))
        return source.read(source.columns, kinds).to_pydict()

    return reading


TEXT = "a,b\n1,x\n2,y\n"
VALUES = {"a": [1, 2], "b": ["x", "y"]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("data.csv", TEXT),
        ("DATA.CSV", TEXT),
        ("data.tsv", TEXT.replace(",", "\t")),
        ("data.csv.gz", gzip.compress(TEXT.encode(), mtime=0)),
        ("data.tsv.gz", gzip.compress(TEXT.replace(",", "\t").encode(), mtime=0)),
        ("bom.csv", "\ufeff" + TEXT),
        ("lines.csv", TEXT.replace("\n", "\r\n")),
        ("blank.csv", "\n" + TEXT + "\n\n"),
    ],
)
def test_the_suffix_says_how_to_read(read, name, content):
    assert read(content, name) == VALUES


def test_parquet_is_read_and_written(tmp_path):
    path = str(tmp_path / "data.parquet")
    write_table(pa.table(VALUES), path)
    source = open_file(path)
    assert source.columns == ["a", "b"]
    assert source.read(["b"]).to_pydict() == {"b": ["x", "y"]}


def test_only_the_empty_field_is_missing(read):
    assert read("a,b\nNA,1\nnull,\n,3\nnone,4\n") == {"a": ["NA", "null", None, "none"], "b": [1, None, 3, 4]}


def test_kinds_say_how_to_read(read):
    assert read("zip,n\n01,1\n02,2\n", kinds={"zip": "category", "n": "number"}) == {
        "zip": ["01", "02"],
        "n": [1.0, 2.0],
    }


def test_a_time_of_day_is_a_duration_since_midnight(read):
    assert read("t\n14:30:00\n") == {"t": [dt.timedelta(hours=14, minutes=30)]}


def test_a_type_that_changes_late_changes_the_whole_column(read):
    with pytest.warns(UserWarning, match="300000 of 300001 values are numbers"):
        column = read("a,b\n" + "1,1\n" * 300_000 + "x,1.5\n")
    assert (column["a"][0], column["b"][-1]) == ("1", 1.5)


WORD = "age,b\n\n1,x\n-2.5e3,y\n,z\n" + "7,x\n" * 7 + "NA,x\n?,y\n"


def test_a_few_words_among_numbers_are_told_with_the_first_line(read):
    with pytest.warns(UserWarning, match="'age'") as told:
        read(WORD.replace("?", "+.5"))
    assert [str(warning.message) for warning in told] == [
        "column 'age' is text, but 10 of 11 values are numbers; the first other value is 'NA' (line 13); if that "
        "means missing, say --missing NA; if the column is meant to be text, say --kind age=category"
    ]


def test_words_are_fine_where_there_are_many_or_the_kind_is_told(read):
    assert read(WORD)["age"][-2:] == ["NA", "?"]  # 9 of 11
    assert read(WORD.replace("?", "5"), kinds={"age": "category"})["age"][-1] == "5"
    assert read("a,b\n,1\n,2\n") == {"a": [None, None], "b": [1, 2]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3\n", "line 3: Expected 2 columns, got 1: 3"),
        ('a,b\n"1\n1",2\n\n3,4,5\n', "line 5: Expected 2 columns, got 3"),
        ('a,b\n1,2\n3,"4\n5,6\n', "line 3: a quote is opened and not closed"),
        (b"a,b\n1,caf\xe9\n", "line 2: the text is not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "line 1: the text is not UTF-8"),
        ("", "data.csv is empty"),
        ("a,b,a\n1,2,3\n", "has 2 columns of the name 'a'"),
    ],
)
def test_what_is_not_valid_is_refused_with_its_line(read, content, message):
    with pytest.raises(InputError, match=message):
        read(content)


def test_a_value_of_the_wrong_kind_is_named_with_its_line_and_column(read):
    with pytest.raises(InputError, match="line 3: column 'n' should hold numbers, found 'two'"):
        read("a,n\nx,1\ny,two\n", kinds={"n": "number"})


@pytest.mark.parametrize(
    ("name", "message"),
    [("data.csv.gz", "not a complete gzip file"), ("data.parquet", "not a Parquet file"), ("data.xlsx", "must end in")],
)
def test_files_that_are_not_what_they_seem_are_refused(read, name, message):
    with pytest.raises(InputError, match=message):
        read(b"1,2,3,4,5,6,7,8", name)


def test_codes_with_leading_zeros_stay_text(read):
    content = "zip,n,share\n01234,1,0.5\n90210,0,00.25\n,-5,7\n"
    with pytest.warns(
        UserWarning, match="column 'zip' has numbers with leading zeros, and is read as text .--kind zip=n"
    ):
        found = read(content)
    assert found == {"zip": ["01234", "90210", None], "n": [1, 0, -5], "share": [0.5, 0.25, 7]}
    assert read(content, kinds={"zip": "number"})["zip"] == [1234, 90210, None]
