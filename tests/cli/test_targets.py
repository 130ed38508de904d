"""A target that is a quantity: refused with the way out, which leads through all commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from conceptrules.cli import main
from conceptrules.cli.targets import find_cuts, label_ranges
from conceptrules.io.model_file import load
from conceptrules.model.errors import InputError
from conceptrules.model.values import name_ranges, parse_cuts
from conceptrules.report.model_card import model_card

Run = Callable[..., str]


@pytest.fixture
def run(capsys, tmp_path, monkeypatch) -> Run:
    monkeypatch.chdir(tmp_path)
    rows = [(size, 3 * size + 100) for size in range(120)]
    Path("homes.csv").write_text("size,price\n" + "".join(f"{size},{price}\n" for size, price in rows))
    parquet.write_table(
        pa.table({"size": [size for size, _ in rows], "price": [price for _, price in rows]}), "homes.parquet"
    )

    def running(*arguments: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capsys.readouterr()
        assert end.value.code == code, err
        return out + err

    return running


@pytest.mark.parametrize("table", ["homes.csv", "homes.parquet"])
def test_a_quantity_is_refused_and_ranges_of_it_are_classes_everywhere(run: Run, table: str) -> None:
    fit = ["fit", table, "-t", "price", "-o", "model.json", "--effort", "fast"]
    assert "'price' seems to be a quantity: it has 120 different numbers in 120 rows" in (said := run(*fit, code=2))
    assert said.rstrip().endswith("--bins 4, or predict the number itself: --regression")
    run(*fit, "--bins", "3")
    assert sorted(load("model.json").classes) == ["217 to 337", "over 337", "up to 217"]
    assert re.search(r"accuracy  (1\.0|0\.9)", run("evaluate", "model.json", table))
    run("measure", "model.json", table, "-o", "again.json")
    run("report", "model.json", table, "-o", "report.html")
    assert "over 3 folds" in run("evaluate", table, "-t", "price", "--cv", "3", "--bins", "2", "--effort", "fast")


def test_names_of_single_rows_are_refused_as_a_target(run: Run) -> None:
    Path("people.csv").write_text("age,name\n" + "".join(f"{age},person {age}\n" for age in range(30)))
    assert "30 different labels in 30 rows" in run("fit", "people.csv", "-t", "name", "-o", "model.json", code=2)


def test_ranges_are_of_numbers(run: Run) -> None:
    Path("people.csv").write_text("age,name\n1,a\n2,b\n")
    said = run("fit", "people.csv", "-t", "name", "--bins", "2", "-o", "model.json", code=2)
    assert "--bins makes ranges of numbers, but the target column 'name' holds others" in said


def test_a_value_that_ends_a_range_is_in_it() -> None:
    assert label_ranges(np.array([-1.0, 1.0, 1.5, 9.0]), [1.0, 3.5]).tolist() == [
        "up to 1",
        "up to 1",
        "1 to 3.5",
        "over 3.5",
    ]


@pytest.mark.parametrize("ends", [[0.1], [-2.5, 1e-07, 3e20], [1.0, 2.0, 3.0]])
def test_the_names_say_what_the_ranges_are(ends: list[float]) -> None:
    assert parse_cuts(name_ranges(ends)) == ends


@pytest.mark.parametrize("classes", [["up to 1"], ["yes", "no"], ["up to 1", "over 2"], [1, 2], ["up to x", "over x"]])
def test_other_names_are_no_ranges(classes: list[object]) -> None:
    assert parse_cuts(classes) is None


def test_ranges_need_values_to_lie_between() -> None:
    assert find_cuts(np.array([0.0, 1.0, 1.0, 1.0]), 4) == [0.0]
    with pytest.raises(InputError, match="one range only"):
        find_cuts(np.ones(9), 3)
    with pytest.raises(InputError, match="--bins 1 is out of range"):
        find_cuts(np.arange(9.0), 1)


def test_ranges_keep_their_order_in_every_table(run: Run) -> None:
    """Not the order of the alphabet, in which `up to 99` would come last."""
    rows = [f"{x % 10},{100 * (x % 10) + x % 7}" for x in range(300)]
    Path("data.csv").write_text("\n".join(["size,price", *rows]))
    fit = ["data.csv", "--target", "price", "--effort", "fast"]
    run("fit", *fit, "--bins", "3", "-o", "model.json")
    run("report", "model.json", "data.csv", "-o", "report.html")
    written = Path("report.html").read_text("utf-8")
    evaluated = run("evaluate", "model.json", "data.csv")
    for said in (
        evaluated,
        evaluated[evaluated.index("precision") :],
        run("evaluate", *fit, "--bins", "3", "--cv", "3"),
        written[written.index("The data it learned from") :],
        written[written.index('aria-label="Confusion matrix"') :],
        model_card(load("model.json"), title="sizes").markdown(),
    ):
        places = [said.index(name) for name in ("up to 302", "302 to 604", "over 604")]
        assert places == sorted(places)
