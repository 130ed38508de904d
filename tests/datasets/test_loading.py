from __future__ import annotations

import gzip
import os

import numpy as np
import pytest

from conceptrules import datasets
from conceptrules.datasets.catalogue import catalogue
from conceptrules.datasets.tictactoe import LINES

EMBEDDED = [name for name, entry in catalogue().items() if entry.embedded]
needs_files = pytest.mark.skipif("CONCEPTRULES_DATA" not in os.environ, reason="needs $CONCEPTRULES_DATA")


def rows(data: datasets.Dataset) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in data.X.columns), data.y.tolist(), strict=True))


def check_shape(data: datasets.Dataset) -> None:
    entry = catalogue()[data.name]
    assert data.X.shape == (entry.rows, entry.columns)
    assert len(data.y) == entry.rows
    assert len(np.unique(data.y)) == entry.classes
    assert data.target not in data.X.column_names


def test_the_embedded_ones_are_these():
    assert EMBEDDED == ["breast-cancer", "tic-tac-toe", "wine"]
    assert len(datasets.names()) == 13


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_sets_need_no_file(name, monkeypatch):
    monkeypatch.delenv("CONCEPTRULES_DATA", raising=False)
    assert datasets.find(name) is None
    check_shape(datasets.load(name))


def test_x_has_won_exactly_the_positive_boards():
    for *board, label in rows(datasets.load("tic-tac-toe")):
        assert (label == "positive") == any(all(board[square - 1] == "x" for square in line) for line in LINES)


@needs_files
@pytest.mark.parametrize("name", [name for name in datasets.names() if name != "breast-cancer"])
def test_files_have_the_shape_and_kinds_of_the_catalogue(name):
    data = datasets.load(name, folder=os.environ["CONCEPTRULES_DATA"])
    check_shape(data)
    text = {field.name for field in data.X.schema if field.type == "string"}
    assert text == set(data.X.column_names) - set(catalogue()[name].continuous)


@needs_files
@pytest.mark.parametrize("name", ["tic-tac-toe", "wine"])
def test_an_embedded_set_equals_its_file(name):
    embedded, file = datasets.load(name), datasets.load(name, folder=os.environ["CONCEPTRULES_DATA"])
    assert embedded.X.column_names == file.X.column_names
    assert rows(embedded) == rows(file)


def write(folder, text: str) -> None:
    (folder / "adult.csv.gz").write_bytes(gzip.compress(text.encode()))


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
