"""Predictions on several files: one output, as if the files had been one, and nothing written where they do not fit."""

from __future__ import annotations

import datetime as dt
import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from conceptrules.cli import main
from conceptrules.cli.commands.predict import AddedColumns, write_predictions
from conceptrules.io.model_file import save
from conceptrules.model.errors import ColumnTypeError, InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing
from conceptrules.tables.files import chunks

NETWORK = RuleNetwork(
    [Column("age"), Column("job", "category", ("cook", "1"))],
    [Interval("age", 40), Equals("job", "1"), Missing("job")],
    [Level([Rule([Literal(0)]), Rule([Literal(1)]), Rule([Literal(2)])], [Concept([0, 2]), Concept([1])])],
    ["old", "young"],
    default="young",
)
AGES = [float(age) for age in range(20, 60)]
WHOLE = pa.table({"age": AGES, "job": ["cook", "1", "x", None] * 10, "note": list(map(str, range(40)))})


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=[30, 1 << 20])
def _cut(request, monkeypatch):
    """Chunks of a few bytes or rows, and such as hold each file."""
    monkeypatch.setattr(chunks, "TEXT_CHUNK", request.param)
    monkeypatch.setattr(chunks, "CELLS", request.param)


def in_parts(folder: str = ".", table: pa.Table = WHOLE) -> list[str]:
    Path(folder).mkdir(exist_ok=True)
    names = [str(Path(folder) / f"part-{part}.parquet") for part in range(3)]
    for part, name in enumerate(names):
        parquet.write_table(table.slice(part * 15, 15), name)
    return names


def run(*arguments: str) -> int | str | None:
    with pytest.raises(SystemExit) as end:
        main(["predict", *arguments])
    return end.value.code


def written() -> set[str]:
    return {path.name for path in Path().iterdir() if path.name.startswith((".", "out"))}


@pytest.mark.usefixtures("_cut")
@pytest.mark.parametrize("given", [["parts/part-*.parquet"], ["parts"], ["parts/part-0.parquet", "parts/part-[12].*"]])
@pytest.mark.parametrize("output", ["out.parquet", "out.csv"])
def test_parts_of_a_table_give_what_the_table_gives(given, output):
    save(NETWORK, "model.json")
    in_parts("parts")
    parquet.write_table(WHOLE, "whole.parquet")
    assert run("model.json", "whole.parquet", "-o", f"whole-{output}") == 0
    assert run("model.json", *given, "-o", output) == 0
    if output == "out.csv":
        assert Path(output).read_bytes() == Path(f"whole-{output}").read_bytes()
    else:
        assert parquet.read_table(output).equals(parquet.read_table(f"whole-{output}"), check_metadata=True)


@pytest.mark.usefixtures("_cut")
def test_texts_follow_each_other_in_the_order_given_with_the_columns_of_the_first():
    Path("b.csv").write_text("job,age,id\n" + "cook,41,007\n1,2,x\n" * 5)
    Path("a.csv.gz").write_bytes(gzip.compress(b'id,age,job\n"a,b",50,1\n'))
    Path("c.tsv").write_text("job\tage\tid\n")
    count, unseen = write_predictions(AddedColumns(NETWORK), ["b.csv", "c.tsv", "a.csv.gz"], "out.csv")
    rows = "cook,41,007,old\n1,2,x,young\n" * 5 + '1,50,"a,b",old\n'
    assert Path("out.csv").read_text() == "job,age,id,prediction\n" + rows
    assert (count, dict(+unseen)) == (11, {})


def test_numbers_of_several_widths_are_written_as_one_that_holds_all():
    parquet.write_table(pa.table({"age": pa.array([50, 2], pa.int8()), "job": ["1", "x"], "n": [1, 2]}), "a.parquet")
    other = {"n": [0.5, None], "job": pa.array(["x", None], pa.large_string()), "age": [41.5, None]}
    parquet.write_table(pa.table(other), "b.parquet")
    parquet.write_table(pa.table({"age": [1.0], "job": pa.nulls(1), "n": pa.nulls(1)}), "c.parquet")
    write_predictions(AddedColumns(NETWORK), ["a.parquet", "b.parquet", "c.parquet"], "out.parquet")
    found = parquet.read_table("out.parquet")
    assert found.to_pydict() == {
        "age": [50, 2, 41.5, None, 1],
        "job": ["1", "x", "x", None, None],
        "n": [1, 2, 0.5, None, None],
        "prediction": ["old", "young", "old", "old", "old"],
    }
    assert [str(kind) for kind in found.schema.types] == ["double", "large_string", "double", "string"]


def test_a_number_that_the_common_type_cannot_hold_is_refused():
    parquet.write_table(pa.table({"age": [1.0], "job": ["x"], "n": [2**60 + 1]}), "a.parquet")
    parquet.write_table(pa.table({"age": [1.0], "job": ["x"], "n": [0.5]}), "b.parquet")
    with pytest.raises(
        InputError, match=r"column 'n' is of the type int64 in a\.parquet, and cannot be written as doub"
    ):
        write_predictions(AddedColumns(NETWORK), ["a.parquet", "b.parquet"], "out.parquet")
    assert not written()


FILES = {
    "a.csv": "job,age\ncook,41\n",
    "fewer.csv": "job\ncook\n",
    "more.csv": "job,age,x\ncook,41,1\n",
    "taken.csv": "job,age,prediction\ncook,41,1\n",
    "late.csv": "job,age\ncook,41\ncook,old\n",
}
REFUSED = {
    ("none-*.csv",): "no file matches none-*.csv",
    ("a.csv", "gone.csv"): "there is no file gone.csv",
    ("empty",): "the folder empty has no files that end in .parquet",
    ("a.csv", "fewer.csv"): "fewer.csv has no column 'age', which a.csv has",
    ("a.csv", "more.csv"): "more.csv has a column 'x', which a.csv has not",
    ("a.csv", "a.csv"): "a.csv is named twice",
    ("a.csv", "part-0.parquet"): "part-0.parquet is Parquet and a.csv is text",
    ("part-0.parquet", "other.parquet"): "column 'age' is of the type string in other.parquet, but of the type double",
    ("a.csv", "-"): "- is standard input, which cannot be read together with files",
    ("a.csv", "late.csv"): "late.csv, line 3: column 'age' should hold numbers, found 'old'",
}


@pytest.mark.parametrize(("given", "message"), REFUSED.items(), ids=map(" ".join, REFUSED))
def test_what_does_not_fit_together_is_told_and_nothing_is_written(given, message, capsys):
    save(NETWORK, "model.json")
    in_parts()
    parquet.write_table(WHOLE.set_column(0, "age", [list(map(str, AGES))]), "other.parquet")
    Path("empty").mkdir()
    for name, text in FILES.items():
        Path(name).write_text(text)
    assert run("model.json", *given, "-o", "out.csv") == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not written()


def test_a_name_that_is_taken_is_told_of_the_first_file():
    Path("taken.csv").write_text(FILES["taken.csv"])
    Path("other.csv").write_text(FILES["taken.csv"])
    with pytest.raises(InputError, match=r"taken\.csv already has a column 'prediction'; rename it or take it out"):
        write_predictions(AddedColumns(NETWORK), ["taken.csv", "other.csv"], "out.csv")


def test_a_wrong_type_is_told_with_its_file_and_row(monkeypatch):
    monkeypatch.setattr(chunks, "CELLS", 10)
    days = pa.array([None] * 7 + [dt.date(2021, 3, 5)])
    parquet.write_table(pa.table({"age": [1.0] * 8, "job": pa.nulls(8)}), "a.parquet")
    parquet.write_table(pa.table({"age": [1.0] * 8, "job": days}), "b.parquet")
    with pytest.raises(ColumnTypeError, match=r"^b\.parquet, counting from row 5: column 'job'"):
        write_predictions(AddedColumns(NETWORK), ["a.parquet", "b.parquet"], "out.parquet")


def test_the_output_may_not_be_one_of_the_files(capsys):
    save(NETWORK, "model.json")
    in_parts("parts")
    assert run("model.json", "parts", "-o", "parts/part-1.parquet") == 2
    assert "which would be lost; name another one" in " ".join(capsys.readouterr().err.split())
