from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from conceptrules import datasets
from conceptrules.datasets.loading import LINES, catalogue

EMBEDDED = [name for name, entry in catalogue().items() if entry.embedded]
needs_files = pytest.mark.skipif("CONCEPTRULES_DATA" not in os.environ, reason="needs $CONCEPTRULES_DATA")


def rows(data: datasets.Dataset) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in data.X.columns), data.y.tolist(), strict=True))


def paper_folder() -> Path:
    """Return the folder of the paper's tables, so that the embedded ones are read from their files too."""
    path = datasets.find("adult")
    assert path is not None
    return path.parent


def check_shape(data: datasets.Dataset) -> None:
    entry = catalogue()[data.name]
    assert data.X.shape == (entry.rows, entry.columns)
    assert len(data.y) == entry.rows
    assert len(np.unique(data.y)) == entry.classes
    assert data.target not in data.X.column_names


def test_the_embedded_ones_are_these():
    assert EMBEDDED == ["breast-cancer", "tic-tac-toe", "wine"]
    assert len(catalogue()) == 13
    assert set(catalogue()) <= set(datasets.names())


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_sets_need_no_file(name, monkeypatch):
    monkeypatch.delenv("CONCEPTRULES_DATA", raising=False)
    assert datasets.find(name) is None
    check_shape(datasets.load(name))


def test_x_has_won_exactly_the_positive_boards():
    for *board, label in rows(datasets.load("tic-tac-toe")):
        assert (label == "positive") == any(all(board[square - 1] == "x" for square in line) for line in LINES)


@needs_files
@pytest.mark.parametrize("name", [name for name in catalogue() if name != "breast-cancer"])
def test_files_have_the_shape_and_kinds_of_the_catalogue(name):
    data = datasets.load(name, folder=paper_folder())
    check_shape(data)
    text = {field.name for field in data.X.schema if field.type == "string"}
    assert text == set(data.X.column_names) - set(catalogue()[name].continuous)


@needs_files
@pytest.mark.parametrize("name", ["tic-tac-toe", "wine"])
def test_an_embedded_set_equals_its_file(name):
    embedded, file = datasets.load(name), datasets.load(name, folder=paper_folder())
    assert embedded.X.column_names == file.X.column_names
    assert rows(embedded) == rows(file)


def write(folder, text: str, name: str = "adult") -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))


def test_only_the_empty_field_is_missing(tmp_path):
    header = "age,fnlwgt,education-num,capital-gain,capital-loss,hours-per-week,word,class\n"
    write(tmp_path, header + "1,1,1,1,1,1,NA,x\n,1,1,1,1,1.5,none,y\n3,1,1,1,1,1,,x\n4,1,1,1,1,1,null,1\n")
    data = datasets.load("adult", folder=tmp_path)
    assert data.X["word"].to_pylist() == ["NA", "none", None, "null"]
    assert data.X["age"].to_pylist() == [1, None, 3, 4]
    assert data.y.tolist() == ["x", "y", "x", "1"]


def test_another_file_of_that_name_is_noticed(tmp_path):
    write(tmp_path, "a,class\n1,x\n")
    with pytest.raises(datasets.DatasetError, match=r"no column 'age'.*not the data set 'adult'"):
        datasets.load("adult", folder=tmp_path)


def test_a_missing_file_says_what_to_put_where(tmp_path, monkeypatch):
    with pytest.raises(datasets.DatasetError, match=r"adult\.csv\.gz: put it into .*doi:10\.24432/C5XW20"):
        datasets.load("adult", folder=tmp_path)
    monkeypatch.delenv("CONCEPTRULES_DATA", raising=False)
    with pytest.raises(datasets.DatasetError, match=r"set \$CONCEPTRULES_DATA"):
        datasets.load("adult")


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(datasets.DatasetError, match="did you mean 'mushroom'"):
        datasets.load("mushrooms")


MANIFEST = """
[[dataset]]
name = "NAME"
file = "NAME.csv.gz"
target = "kind"
rows = 2
classes = 2
continuous = ["a number"]
discrete = ["code"]
"""


def test_a_manifest_adds_tables_and_says_which_columns_are_numbers(tmp_path, monkeypatch):
    for folder, name in (("first", "ours"), ("second", "wine")):
        write(tmp_path / folder, "code,a number,kind\n1,2,x\n,2.5,y\n", name)
        (tmp_path / folder / "MANIFEST.toml").write_text(MANIFEST.replace("NAME", name))
    monkeypatch.setenv("CONCEPTRULES_DATA", f"{tmp_path / 'first'}{os.pathsep}{tmp_path / 'second'}")
    assert set(datasets.names()) == {*catalogue(), "ours"}
    data = datasets.load("ours")
    assert data.X.to_pydict() == {"code": ["1", None], "a number": [2, 2.5]}
    assert (data.target, data.citation, data.y.tolist()) == ("kind", "", ["x", "y"])
    with (tmp_path / "first" / "MANIFEST.toml").open(
        "a"
    ) as file:  # tables with a number to predict are not ours to load
        file.write('\n[[dataset]]\nname = "mpg"\ntarget = "mpg"\nrows = 2\nkind = "regression"\ncontinuous = []\n')
    assert set(datasets.names()) == {*catalogue(), "ours"}
    # The name of an embedded table means that table, unless the call names the folder of the other one.
    assert datasets.load("wine").X.num_rows == 178
    assert datasets.load("wine", folder=tmp_path / "second").X.num_rows == 2
    (tmp_path / "first" / "ours.csv.gz").unlink()
    with pytest.raises(datasets.DatasetError, match=r"put it into .*first or .*second$"):
        datasets.load("ours")
