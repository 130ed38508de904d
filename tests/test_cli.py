"""The commands, run as a user would run them, on small tables."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from conceptrules.cli import main
from conceptrules.rules.file import load, save
from conceptrules.rules.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.rules.predicate import Column, Equals, Interval

FAST = ["--layers", "8", "--max-epochs", "20", "--quiet"]
ROWS = "".join(f"{age},{job},{'old' if age > 40 else 'young'}\n" for age in range(20, 60) for job in ("nurse", "cook"))
TABLE = "age,job,class\n" + ROWS


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(TABLE)
    columns = [Column("age"), Column("job", "category", ("cook", "nurse"))]
    levels = [Level([Rule([Literal(0)])], [Concept([0]), Concept()])]
    predicates = [Interval("age", 40), Equals("job", "cook")]
    save(RuleNetwork(columns, predicates, levels, ["old", "young"], default="young"), "model.json")


@pytest.fixture
def run(capsys):
    """Run a command; its standard output and error."""

    def running(*arguments: str, code: int = 0) -> tuple[str, str]:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capsys.readouterr()
        assert end.value.code == code, err
        return out, err

    return running


@pytest.fixture
def refused(run):
    """Run a command that fails by a mistake of the user: one line, exit code 2, no file left behind."""

    def running(*arguments: str) -> str:
        before = sorted(Path().iterdir())
        out, err = run(*arguments, code=2)
        assert out == ""
        assert err.startswith("error: ")
        assert err.count("\n") == 1
        assert sorted(Path().iterdir()) == before
        return err

    return running


def test_fit_then_evaluate_predict_and_show(run, tmp_path):
    _, err = run("fit", "data.csv", "--target", "class", "-o", "new.json", "--layers", "8", "--max-epochs", "100")
    assert "learned from 80 rows" in err
    out, _ = run("evaluate", "new.json", "data.csv")
    assert "accuracy  1.0000" in out
    out, _ = run("rules", "new.json")
    assert "age" in out
    out, _ = run("predict", "new.json", "data.csv")
    assert [line.rsplit(",", 2)[1:] for line in out.splitlines()[1:]] == [
        2 * [row.rsplit(",")[-1]] for row in ROWS.splitlines()
    ]


def test_fit_twice_gives_equal_networks(run):
    run("fit", "data.csv", "-t", "class", "-o", "one.json", *FAST)
    run("fit", "data.csv", "-t", "class", "-o", "two.json", "--n-jobs", "1", *FAST)
    assert load("one.json") == load("two.json")


def test_fit_to_standard_output_and_columns_chosen(run):
    out, _ = run("fit", "data.csv", "-t", "class", "-o", "-", "--drop", "job", *FAST)
    assert [column["name"] for column in json.loads(out)["columns"]] == ["age"]
    out, _ = run("fit", "data.csv", "-t", "class", "-o", "-", "--only", "job,age", "--kind", "age=category", *FAST)
    assert [column["kind"] for column in json.loads(out)["columns"]] == ["category", "category"]


def test_a_target_of_fractions_can_be_told_to_be_classes(run, tmp_path):
    (tmp_path / "data.csv").write_text("a,size\n" + "x,1.5\ny,2.5\n" * 20)
    out, _ = run("fit", "data.csv", "-t", "size", "-o", "-", "--kind", "size=category", *FAST)
    assert json.loads(out)["classes"] == ["1.5", "2.5"]


def test_predict_keeps_the_columns_as_they_are_and_counts_what_is_new(run, tmp_path):
    (tmp_path / "new.csv").write_text("id,job,age\n007,nurse,41.50\n008,pilot,\n")
    out, err = run("predict", "model.json", "new.csv")
    assert out == "id,job,age,prediction\n007,nurse,41.50,old\n008,pilot,,young\n"
    assert err.splitlines() == [
        "column 'age': 1 of 2 rows have a value that training never saw",
        "column 'job': 1 of 2 rows have a value that training never saw",
    ]


def test_predict_of_no_rows_is_no_rows(run, tmp_path):
    (tmp_path / "new.csv").write_text("age,job\n")
    assert run("predict", "model.json", "new.csv")[0] == "age,job,prediction\n"


def test_predict_from_parquet_to_parquet(run, tmp_path):
    parquet.write_table(pa.table({"age": [41, 20], "job": ["cook", "cook"]}), "new.parquet")
    run("predict", "model.json", "new.parquet", "-o", "out.parquet")
    assert parquet.read_table("out.parquet")["prediction"].to_pylist() == ["old", "young"]


def test_predict_reads_standard_input(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"age,job\n50,cook\n")))
    assert run("predict", "model.json", "-")[0] == "age,job,prediction\n50,cook,old\n"


def test_evaluate_counts_a_class_that_the_model_never_saw(run, tmp_path):
    (tmp_path / "test.csv").write_text("age,job,class\n50,cook,old\n30,cook,young\n30,cook,ancient\n50,cook,young\n")
    out, _ = run("evaluate", "model.json", "test.csv")
    assert [line.split() for line in out.splitlines()] == [
        ["accuracy", "0.5000"],
        ["macro-F1", "0.3889"],  # 2/3, 1/2 and 0
        ["edges", "2"],
        [],
        ["true", "\\", "predicted", "old", "young", "ancient"],
        ["old", "1", "0", "0"],
        ["young", "1", "1", "0"],
        ["ancient", "0", "1", "0"],
    ]


def test_evaluate_by_cross_validation(run):
    out, _ = run("evaluate", "data.csv", "--target", "class", "--cv", "2", *FAST[:-1])
    assert "over 2 folds" in out
    matrix = [line.split()[1:] for line in out.splitlines()[-2:]]
    assert sum(int(count) for row in matrix for count in row) == 80


def test_datasets_are_listed_and_written(run, tmp_path):
    out, _ = run("datasets", "--folder", str(tmp_path))
    assert "not found: adult.csv.gz" in out
    run("datasets", "tic-tac-toe", "-o", "game.csv")
    assert (tmp_path / "game.csv").read_text().splitlines()[1] == "x,x,x,x,o,o,x,o,o,positive"


def test_the_demo_finds_the_eight_winning_lines(run):
    assert "8 of 8 winning lines are rules" in run("demo")[0]


FIT = ["fit", "data.csv", "-o", "new.json", "--target"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*FIT, "clas"], "no column 'clas' in data.csv; did you mean 'class'?"),
        ([*FIT, "class", "--drop", "jobb"], "did you mean 'job'?"),
        ([*FIT, "class", "--only", "age,wage"], "did you mean 'age'?"),
        ([*FIT, "class", "--drop", "class"], "--drop names the target"),
        ([*FIT, "class", "--drop", "age,job"], "no column of data.csv is left to learn from"),
        ([*FIT, "class", "--layers", "64,64"], "odd number"),
        ([*FIT, "class", "--layers", "many"], "--layers 'many' is neither auto nor numbers"),
        ([*FIT, "class", "--layers", "-3"], "-3"),
        ([*FIT, "class", "--rate", "1.0"], "1.0"),
        ([*FIT, "class", "--kind", "age"], "should read column=kind"),
        ([*FIT, "class", "--kind", "age=colour"], "colour"),
        (["fit", "data.csv", "-t", "class", "-o", "no/model.json"], "does not exist; make it first"),
        (["fit", "none.csv", "-t", "class", "-o", "new.json"], "none.csv: No such file"),
        (["predict", "none.json", "data.csv"], "No such file"),
        (["predict", "data.csv", "data.csv"], "data.csv"),
        (["predict", "-", "-"], "cannot both come from standard input"),
        (["predict", "model.json", "data.csv", "-o", "out.txt"], "must end in one of .csv, .parquet"),
        (["evaluate", "model.json", "data.csv", "--target", "Class"], "did you mean 'class'?"),
        (["evaluate", "model.json"], "give a model and a table"),
        ([*FIT, "class", "--seed", "-1"], "--seed -1 is out of range"),
        ([*FIT, "class", "--n-jobs", "0"], "n_jobs is 0"),
        (["evaluate", "data.csv", "--cv", "5"], "say it with --target"),
        (["evaluate", "data.csv", "--target", "class", "--cv", "1"], "--cv 1 is out of range"),
        (["datasets", "wines"], "did you mean 'wine'?"),
    ],
)
def test_mistakes_in_the_command_are_one_line(refused, arguments, message):
    assert message in refused(*arguments)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("age,class\n", "bad.csv has column names but no rows"),
        ("age,class\n1,x\n2,\n", "'class' has no value in 1 of 2 rows, first in row 2"),
        ("age,class\n1,1.5\n2,nan\n", "'class' has no value in 1 of 2 rows, first in row 2"),
        ("age,class\n1,x\n2,x\n", "'class' is 'x' in every row"),
        (
            "age,class\n1,1.5\n2,2.5\n3,3.25\n",
            "fractions such as 1.5, not classes; if each one is a class, say --kind class=category",
        ),
        ("age,age,class\n1,2,x\n", "2 columns of the name 'age'"),
        ("age,class\n1,x\n2\n", "bad.csv, line 3"),
        ("class\nx\ny\n", "no column of bad.csv is left"),
    ],
)
def test_mistakes_in_the_table_are_one_line(refused, tmp_path, table, message):
    (tmp_path / "bad.csv").write_text(table)
    assert message in refused("fit", "bad.csv", "--target", "class", "-o", "new.json")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("age,jobs\n1,cook\n", "no column 'job' in new.csv; did you mean 'jobs'?"),
        ("age,job\nold,cook\n", "line 2: column 'age' should hold numbers, found 'old'"),
        ("age,job,prediction\n1,cook,x\n", "already has a column 'prediction'"),
    ],
)
def test_tables_that_do_not_fit_the_model_are_one_line(refused, tmp_path, table, message):
    (tmp_path / "new.csv").write_text(table)
    assert message in refused("predict", "model.json", "new.csv", "-o", "out.csv")


def test_which_target_is_asked_if_it_is_not_clear(refused, tmp_path):
    (tmp_path / "two.csv").write_text("age,job,a,b\n1,cook,x,y\n")
    assert "it could be 'a' or 'b'; say it with --target" in refused("evaluate", "model.json", "two.csv")


def test_a_control_character_cannot_reach_the_terminal(refused, tmp_path):
    (tmp_path / "new.csv").write_text("age,\x1b[2J\n1,cook\n")
    assert "\x1b" not in refused("predict", "model.json", "new.csv")
