"""Tables in chunks: the same answers, bytes and errors as from the whole table, however it is cut."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv, parquet

from conceptrules.cli import columns, main
from conceptrules.cli.commands.predict import AddedColumns, map_in_order, write_predictions
from conceptrules.cli.files import csv_header, csv_rows
from conceptrules.io.model_file import save
from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing
from conceptrules.tables.files import chunks
from conceptrules.tables.files.table_reader import TextStream, open_file

LEVELS = [Level([Rule([Literal(0)]), Rule([Literal(1)]), Rule([Literal(2)])], [Concept([0, 2]), Concept([1])])]
NETWORK = RuleNetwork(
    [Column("age"), Column("job", "category", ("cook", "1", "a,b"))],
    [Interval("age", 40), Equals("job", "1"), Missing("job")],
    LEVELS,
    ["old", "young"],
    default="young",
)
MICROSECONDS = 86_400e6
TIMES = RuleNetwork(
    [Column("when", "datetime")],
    [Interval("when", MICROSECONDS * 18_000), Missing("when"), Interval("when", high=0)],
    LEVELS,
    ["late", "early"],
    default="early",
)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small(monkeypatch):
    """Chunks of a few bytes or rows."""

    def shrink(size: int) -> None:
        monkeypatch.setattr(chunks, "TEXT_CHUNK", size)
        monkeypatch.setattr(chunks, "CELLS", size)

    return shrink


def whole(network: RuleNetwork, name: str) -> bytes:
    """What it should be: the table read and answered at once."""
    source = open_file(name)
    table = source.copy().append_column("prediction", [network.predict(columns.read_rows(source, network)).tolist()])
    return csv_header(table.column_names) + csv_rows(table)


def streamed(network: RuleNetwork, name: str, threads: int = 2) -> bytes:
    write_predictions(AddedColumns(network), [name], "out.csv", threads)
    return Path("out.csv").read_bytes()


ADVERSARIAL = {
    "a category that looks like a number at first": "job,age\n" + "1,2\n" * 20 + "cook,41\n",
    "whole numbers, then fractions, then none": "job,age\n" + "cook,2\n" * 9 + "1,40.5\nx,\ny,nan\nz, 50 \n",
    "quotes, delimiters and newlines": 'job,age,note\n"a,b",41,"two\nlines"\n"1",1,"say ""hi"""\ncook,50,5" pipe\n' * 1,
    "a quote within a field, then a quoted newline": 'note,x,age,job\n5" pipe,"two\nlines",41,1\n6" pipe,b,1,cook\n',
    "characters after a closing quote": 'job,age\n"co"ok,41\n"1",2\n"a"b"c,3\n',
    "blank lines": "\n\njob,age\n\ncook,41\n\n\n1,2\n\n",
    "other ends of lines": "job,age\r\ncook,41\r\n1,2\r\n",
    "old ends of lines": "job,age\rcook,41\r1,2\r",
    "no end of the last line": "job,age\ncook,41\n1,2",
    "a mark at the start": "\ufeffjob,age\ncook,41\n1,2\n",
    "a header in quotes over two lines": '"age","job","no\nte"\n41,"cook",\n1,"1",x\n',
    "letters of several bytes": "job,age,é\ncafé,41,ü\n1,2,日本\n",
    "missing values of all kinds": 'job,age,x\n,,\n"",41,""\n1,,NA\n',
    "no rows": "job,age\n",
    "numbers as text pass through as written": "id,job,age\n007,cook,41.50\n1e3,1,0x\n".replace("0x", "00"),
}


@pytest.mark.parametrize("text", ADVERSARIAL.values(), ids=ADVERSARIAL)
@pytest.mark.parametrize("size", [1, 7, 16, 40, 1 << 20])
def test_the_bytes_are_those_of_the_whole_table(small, text, size):
    Path("in.csv").write_bytes(text.encode())
    expected = whole(NETWORK, "in.csv")
    small(size)
    assert streamed(NETWORK, "in.csv") == expected


def test_names_alone_are_a_table_without_rows():
    Path("in.csv").write_text("job,age")
    assert streamed(NETWORK, "in.csv") == b"job,age,prediction\n"


FIELDS = st.sampled_from(["", "1", "cook", "a,b", 'q"', '"', "\n", "\r\n", "x y", "é"])
ROWS = st.lists(st.tuples(FIELDS, FIELDS, st.sampled_from(["", "41", "-3.5", " 7", "nan"])), max_size=9)
WRITTEN = st.sampled_from(["plain", "quoted", "raw"])


def _written(field: str, how: str) -> str:
    """In quotes always, or where needed; raw, a quote in a field that does not begin with one is left as it is."""
    needed = field.startswith('"') or any(c in field for c in ",\r\n") or (how == "plain" and '"' in field)
    return '"' + field.replace('"', '""') + '"' if needed or how == "quoted" else field


@given(rows=ROWS, how=st.lists(WRITTEN, min_size=9, max_size=9), size=st.integers(1, 60))
def test_any_rows_give_the_same_bytes_however_they_are_cut(rows, how, size):
    lines = [",".join(_written(field, style) for field in row) for row, style in zip(rows, how, strict=False)]
    data = "\n".join(["note,job,age", *lines, ""]).encode()
    parts = list(chunks.split_rows(TextStream("a text", ",", io.BytesIO(data)), size))
    assert b"".join(parts) == data
    options = {
        "parse_options": csv.ParseOptions(newlines_in_values=True),
        "convert_options": csv.ConvertOptions(column_types=dict.fromkeys(("note", "job", "age"), pa.string())),
    }
    names = csv.ReadOptions(column_names=["note", "job", "age"], use_threads=False)
    expected = csv.read_csv(pa.BufferReader(data), **options).to_pylist()
    found = [
        row
        for part in parts
        if part.strip(b"\r\n")
        for row in csv.read_csv(pa.BufferReader(part), names, **options).to_pylist()
    ]
    assert found[1:] == expected


@pytest.mark.parametrize("name", ["in.csv.gz", "in.tsv", "in.tsv.gz"])
def test_other_formats_of_text_stream_too(small, name):
    text = "job\tage\n" + "cook\t41\n1\t2\na,b\t3\n" * 9
    text = text if "tsv" in name else text.replace("a,b", "x").replace("\t", ",")
    Path(name).write_bytes(gzip.compress(text.encode(), mtime=0) if name.endswith(".gz") else text.encode())
    expected = whole(NETWORK, name)
    small(10)
    assert streamed(NETWORK, name) == expected


MOMENTS = ["2021-03-05", "2021-03-05 14:30", "1960-01-01 00:00:00.123456789", "", "1980-01-01T10:00:01"]


def test_dates_and_times_are_read_alike_in_every_chunk(small):
    Path("in.csv").write_text("when,n\n" + "".join(f"{value},1\n" for value in MOMENTS * 3))
    expected = whole(TIMES, "in.csv")
    small(1)
    assert streamed(TIMES, "in.csv") == expected
    assert b"late" in expected
    assert b"early" in expected


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_times_with_and_without_a_zone_do_not_mix(small, size):
    Path("in.csv").write_text("when,n\n2021-03-05 14:30,1\n2021-03-05 14:30Z,1\n")
    small(size)
    with pytest.raises(InputError, match="'when' has values with a time zone and values without"):
        streamed(TIMES, "in.csv")


LATE = {
    "cook,41\n" * 50 + "cook,old\n": "in.csv, line 52: column 'age' should hold numbers, found 'old'",
    "cook,41\n\n" * 50 + "cook,41,1\n": "in.csv, line 102: Expected 2 columns, got 3",
    '"two\nlines",41\n' * 20 + "cook,x\n": "in.csv, line 42: column 'age' should hold numbers, found 'x'",
    "cook,41\r\n" * 50 + "cook,x\r\n": "in.csv, line 52: column 'age'",
    "cook,41\n" * 50 + '"cook,41\n': "in.csv, line 52: a quote is opened and not closed",
}


@pytest.mark.parametrize(("rows", "message"), LATE.items(), ids=range(len(LATE)))
@pytest.mark.parametrize("size", [1, 30, 1 << 20])
def test_an_error_on_a_late_row_names_its_line_and_leaves_no_file(small, rows, message, size):
    Path("in.csv").write_text("job,age\n" + rows, newline="")
    small(size)
    with pytest.raises(InputError, match=message):
        streamed(NETWORK, "in.csv")
    assert [path.name for path in Path().iterdir()] == ["in.csv"]


def test_late_text_that_is_not_utf_8_is_named_by_its_line(small):
    Path("in.csv").write_bytes(b"job,age\n" + b"cook,41\n" * 50 + b"caf\xe9,1\n")
    small(20)
    with pytest.raises(InputError, match=r"in\.csv, line 52: the text is not UTF-8"):
        streamed(NETWORK, "in.csv")


def test_a_late_value_that_is_no_time_is_named_by_its_line(small):
    Path("in.csv").write_text("when,n\n" + "2021-03-05,1\n" * 9 + "soon,1\n")
    small(20)
    with pytest.raises(
        InputError, match=r"in\.csv, line 11: column 'when' should hold dates and times .* found 'soon'"
    ):
        streamed(TIMES, "in.csv")


def test_a_row_without_end_is_refused(small, monkeypatch):
    Path("in.csv").write_text('job,age\ncook,1\n"cook' + "x" * 500)
    small(10)
    monkeypatch.setattr(chunks, "LONGEST_ROW", 100)
    with pytest.raises(InputError, match=r"line 3: this row is longer than 0 MB; is a quote opened and not closed\?"):
        streamed(NETWORK, "in.csv")


def test_gzip_that_is_cut_short_late_leaves_no_file(small):
    data = gzip.compress(("job,age\n" + "".join(f"cook,{n * 7919 % 1000}\n" for n in range(5000))).encode(), mtime=0)
    Path("in.csv.gz").write_bytes(data[:-20])
    small(1000)
    with pytest.raises(InputError, match="not a complete gzip file"):
        streamed(NETWORK, "in.csv.gz")
    assert [path.name for path in Path().iterdir()] == ["in.csv.gz"]


def _parquet(**columns_: object) -> bytes:
    parquet.write_table(pa.table(columns_), "in.parquet", row_group_size=7)
    return Path("in.parquet").read_bytes()


def test_parquet_in_chunks_is_the_whole_table_with_its_types(small):
    ages = [float(n) if n % 5 else None for n in range(20, 60)]
    jobs = pa.array((["cook", "1", "x", None] * 10), pa.string()).dictionary_encode()
    days = [[dt.date(2021, 3, 5)]] * 40
    _parquet(age=ages, job=jobs, days=days)
    source = parquet.read_table("in.parquet")
    expected = source.append_column("prediction", [NETWORK.predict(source.select(["age", "job"])).tolist()])
    small(9)
    write_predictions(AddedColumns(NETWORK), ["in.parquet"], "out.parquet")
    found = parquet.read_table("out.parquet")
    assert found.schema.equals(expected.schema)
    assert found.schema.metadata == expected.schema.metadata
    assert found.to_pylist() == expected.to_pylist()


@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_text_comes_out_of_parquet_as_it_went_in(small, kind):
    frame = pd.DataFrame({"age": [41.0, 2.0, 3.0] * 7, "job": ["cook", None, "1"] * 7, "note": ["x", "", None] * 7})
    source = pa.Table.from_pandas(frame).cast(
        pa.schema([("age", pa.float64()), ("job", kind), ("note", kind)], {"by": "us"})
    )
    parquet.write_table(source, "in.parquet")
    source = parquet.read_table("in.parquet")
    small(9)
    write_predictions(AddedColumns(NETWORK), ["in.parquet"], "out.parquet")
    found = parquet.read_table("out.parquet")
    assert found.drop_columns("prediction").equals(source)
    assert found.schema.metadata == source.schema.metadata
    assert found["prediction"].to_pylist() == NETWORK.predict(source.select(["age", "job"])).tolist()


def test_nested_columns_do_not_go_into_csv():
    _parquet(age=[1.0], job=["x"], days=[[1]])
    with pytest.raises(InputError, match=r"column 'days' is of the type list.* which CSV cannot hold"):
        streamed(NETWORK, "in.parquet")


def test_a_wrong_type_that_shows_late_is_told_with_its_row(small):
    _parquet(age=[1.0] * 20, job=pa.array([None] * 18 + [dt.date(2021, 3, 5)] * 2))
    small(10)
    with pytest.raises(ColumnTypeError, match=r"in\.parquet, counting from row 15: column 'job' .* row 3 holds"):
        streamed(NETWORK, "in.parquet")


def test_unseen_values_are_counted_over_all_chunks(small):
    Path("in.csv").write_text("job,age\n" + "pilot,\ncook,1\n" * 20)
    small(16)
    rows, unseen = write_predictions(AddedColumns(NETWORK), ["in.csv"], "out.csv")
    assert (rows, dict(+unseen)) == (40, {"age": 20, "job": 20})


@pytest.mark.parametrize(
    ("classes", "answers"),
    [(["a", "b"], ["a", "b"]), ([1, 2.5], [1.0, 2.5]), ([True, "x"], ["True", "x"]), ([2**70, 1], [str(2**70), "1"])],
)
def test_predictions_have_one_type_in_all_chunks(small, classes, answers):
    network = RuleNetwork(
        [Column("age")], [Interval("age", 40)], [Level([Rule([Literal(0)])], [Concept(), Concept([0])])], classes
    )
    _parquet(age=[1.0] * 10 + [50.0] * 10)
    small(5)
    write_predictions(AddedColumns(network), ["in.parquet"], "out.parquet")
    assert parquet.read_table("out.parquet")["prediction"].to_pylist() == [answers[0]] * 10 + [answers[1]] * 10


@pytest.mark.parametrize("threads", [1, 3])
def test_few_chunks_are_under_way_at_a_time_and_they_come_in_order(threads):
    """The reader waits for the writer, so memory does not grow with the table."""
    taken, written = 0, 0
    most = 0

    def items():
        nonlocal taken, most
        for number in range(200):
            taken += 1
            most = max(most, taken - written)
            yield number

    for number, result in enumerate(map_in_order(lambda item: item * 2, items(), threads)):
        assert result == number * 2
        written += 1
    assert written == 200
    assert most <= threads + 2


def test_after_a_failure_nothing_more_is_started():
    started = []

    def work(item: int) -> int:
        started.append(item)
        if item == 1:
            raise InputError("one")
        return item

    with pytest.raises(InputError, match="one"):
        list(map_in_order(work, iter(range(1000)), 2))
    assert len(started) < 10


def test_chunks_do_not_grow_with_the_table(small):
    """Ten times the rows are ten times the chunks, none of them larger."""
    small(1000)
    sizes = {}
    for times in (10, 100):
        Path("in.csv").write_text("job,age\n" + "cook,41\n" * 100 * times)
        with chunks.open_chunks("in.csv") as table:
            sizes[times] = [len(chunk.open().copy()) for chunk in table.chunks()]
        assert sum(sizes[times]) == 100 * times
    assert max(sizes[10]) == max(sizes[100])
    assert len(sizes[100]) >= 9 * len(sizes[10])


@pytest.mark.parametrize("shown", [True, False])
def test_progress_is_shown_only_in_a_terminal(small, monkeypatch, capsys, shown):
    save(NETWORK, "model.json")
    Path("in.csv").write_text("job,age\n" + "cook,41\n" * 100)
    monkeypatch.setenv("FORCE_COLOR" if shown else "NO_COLOR", "1")
    small(100)
    with pytest.raises(SystemExit) as end:
        main(["predict", "model.json", "in.csv"])
    out, err = capsys.readouterr()
    assert end.value.code == 0
    assert out.splitlines()[1] == "cook,41,old"
    assert ("100%" in err) == shown
    assert shown or not err


def test_a_reader_may_stop_reading(tmp_path):
    save(NETWORK, "model.json")
    Path("in.csv").write_text("job,age\n" + "cook,41\n" * 50_000)
    command = [sys.executable, "-c", "from conceptrules.cli import main; main()", "predict", "model.json", "in.csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"job,age,prediction\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_no_cores_is_refused():
    Path("in.csv").write_text("job,age\n")
    with pytest.raises(InputError, match="--n-jobs 0 is out of range"):
        write_predictions(AddedColumns(NETWORK), ["in.csv"], "out.csv", 0)


def test_probabilities_and_reasons_stand_beside_the_prediction():
    Path("data.csv").write_text("age,job\n50,cook\n20,1\n50,1\n20,cook\n")
    save(NETWORK, "bare.json")
    with pytest.raises(SystemExit) as end:
        main(["predict", "bare.json", "data.csv", "-o", "out.csv", "--probabilities"])
    assert end.value.code == 2
    counted = NETWORK.measure(open_file("data.csv").read(["age", "job"], {"job": "category"}), ["old", "young"] * 2)
    save(counted, "model.json")
    with pytest.raises(SystemExit) as end:
        main(["predict", "model.json", "data.csv", "-o", "out.csv", "--probabilities", "--reasons"])
    assert end.value.code == 0
    found = pd.read_csv("out.csv", dtype={"job": str})
    assert list(found) == ["age", "job", "prediction", "probability_old", "probability_young", "reasons"]
    assert found["prediction"].tolist() == ["old", "young", "old", "young"]
    assert [text.partition(";")[0] for text in found["reasons"]] == ["age > 40", "job = 1", "age > 40", "no rule holds"]
    assert found["reasons"][3] == "no rule holds; old if age > 40 (age <= 40)"
    stated = found[["probability_old", "probability_young"]].to_numpy()
    assert stated == pytest.approx(counted.predict_proba(found[["age", "job"]]))


@pytest.mark.parametrize(
    ("abstain", "answers"), [("none", "old,young,old,"), ("several", "old,young,,young"), ("both", "old,young,,")]
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_prediction_is_empty_where_it_is_to_abstain(abstain, answers, suffix):
    Path("data.csv").write_text("age,job\n50,cook\n20,1\n50,1\n20,cook\n")
    save(NETWORK, "model.json")
    with pytest.raises(SystemExit) as end:
        main(["predict", "model.json", "data.csv", "-o", f"out.{suffix}", "--abstain", abstain])
    assert end.value.code == 0
    found = csv.read_csv("out.csv") if suffix == "csv" else parquet.read_table("out.parquet")
    assert [value or "" for value in found["prediction"].to_pylist()] == answers.split(",")
