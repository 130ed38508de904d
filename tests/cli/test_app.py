"""The commands, run as a user would run them, on small tables."""

from __future__ import annotations

import datetime as dt
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

from conceptrules import __version__
from conceptrules.cli import main
from conceptrules.cli.files import write_table
from conceptrules.io.model_file import load, save
from conceptrules.learn.mllp import cpu_engine
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval
from conceptrules.model.text import plural

# Many tables here are a few rows over and over, none of which can be held out.
pytestmark = pytest.mark.filterwarnings("ignore:class.* too few rows that differ")
FAST = ["--method", "mllp", "--layers", "8", "--max-epochs", "20", "--quiet"]
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


def test_limits_of_the_network(run):
    limits = ["--max-edges", "6", "--max-rules", "2", "--max-rule-length", "2", "--effort", "fast", "--no-negation"]
    run("fit", "data.csv", "--target", "class", "-o", "small.json", "--scoring", "accuracy", *limits)
    network = load("small.json")
    settings = dict(network.training.settings)
    assert network.edges <= 6
    assert [settings[name] for name in ("max_edges", "max_rules", "max_rule_length")] == [6, 2, 2]
    assert [settings[name] for name in ("effort", "scoring", "negation")] == ["fast", "accuracy", False]


def test_fit_then_evaluate_predict_and_show(run, tmp_path):
    _, err = run("fit", "data.csv", "--target", "class", "-o", "new.json")
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


def test_groups_and_the_newest_rows_are_held_out(run):
    """A street tells the class of one house only; low streets say what comes later, until day 160."""
    rng = np.random.default_rng(0)
    house, day, noise = np.repeat(np.arange(50), 4), rng.permutation(200), rng.integers(0, 1000, 200)
    answer = (rng.random(50) < 0.5)[house]
    table = {
        "house": house,
        "street": house * 7 % 50,
        "noise": noise,
        "date": np.datetime64("2024-01-01") + day,
        "day": day,
        "class": answer,
        "later": (house * 7 % 50 < 25) ^ (day >= 160),
    }
    pd.DataFrame(table).to_csv("data.csv", index=False)
    search = ["--effort", "fast", "--quiet"]
    fit = ["fit", "data.csv", "--only", "street,noise", "-o", "new.json", *search]

    def score(*options):
        run(*fit, *options)
        assert [column.name for column in load("new.json").columns] == ["street", "noise"]
        return load("new.json").training.validation

    alone, together = score("-t", "class"), score("-t", "class", "--groups", "house")
    assert alone.macro_f1 > together.macro_f1 + 0.1  # three members of a house are known where the fourth is held out
    assert together.macro_f1 < 0.7
    assert score("-t", "later").macro_f1 > 0.6
    for name in ("day", "date"):
        assert (found := score("-t", "later", "--time", name)).macro_f1 < 0.4
        assert (found.source, found.rows) == ("held back", 40)
    run("fit", "data.csv", "-t", "class", "--groups", "house", "-o", "new.json", *search)
    assert "house" not in [column.name for column in load("new.json").columns]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--groups", "age", "--time", "age"], "--groups and --time both say which rows are held out"),
        (["--groups", "jobs"], "there is no column 'jobs'"),
        (["--time", "class"], "--time names the target column 'class'"),
        (["--time", "job"], "time holds 'nurse', which has no order in time; give dates or numbers"),
        (["--groups", "gap"], "the column 'gap' of --groups has no value in 1 of 40 rows, first in row 3"),
        (["--groups", "one"], "groups has the same group for all rows"),
    ],
)
def test_columns_that_cannot_say_what_to_hold_out(refused, tmp_path, options, message):
    rows = [f"{age},nurse,{'' if age == 22 else 'x'},1,{'a' if age > 40 else 'b'}\n" for age in range(20, 60)]
    (tmp_path / "data.csv").write_text("age,job,gap,one,class\n" + "".join(rows))
    assert message in refused("fit", "data.csv", "-t", "class", "-o", "new.json", *options, *FAST)


@pytest.mark.parametrize("order", ["S<M<L", "S < M < L"])
def test_an_order_is_told(run, tmp_path, order):
    (tmp_path / "data.csv").write_text("size,n,class\n" + "S,1,a\nM,2,b\nL,10,b\n" * 10)
    kinds = ["--kind", f"size={order}", "--kind", "n=10<2<1"]
    run("fit", "data.csv", "-t", "class", "-o", "new.json", *kinds, *FAST)
    network = load("new.json")
    assert network.columns == (Column("size", "ordinal", ("S", "M", "L")), Column("n", "ordinal", (10, 2, 1)))
    assert ("kinds", ("size=S<M<L", "n=10<2<1")) in network.training.settings
    (tmp_path / "new.csv").write_text("n,size\n1,S\n2,XL\n,M\n")
    _, err = run("predict", "new.json", "new.csv")
    assert err.splitlines() == [
        f"column {name!r}: 1 of 3 rows have a value that the model has no category for, or no value, where training "
        "always had one"
        for name in network.used_columns
    ]


def test_an_order_of_numbers_fits_a_column_of_text_and_the_other_way_round(run, tmp_path):
    rows = {"n": ["1", "2", "10"] * 10, "size": [1, 2, 3] * 10, "class": ["a", "b", "b"] * 10}
    parquet.write_table(pa.table(rows), tmp_path / "data.parquet")
    kinds = ["--kind", "n=1<2<10", "--kind", "size=1<2<3"]
    run("fit", "data.parquet", "-t", "class", "-o", "new.json", *kinds, *FAST)
    assert [column.categories for column in load("new.json").columns] == [(1, 2, 10), (1, 2, 3)]
    run("predict", "new.json", "data.parquet", "-o", "answers.csv")


def test_a_target_of_fractions_can_be_told_to_be_classes(run, tmp_path):
    (tmp_path / "data.csv").write_text("a,size\n" + "x,1.5\ny,2.5\n" * 20)
    out, _ = run("fit", "data.csv", "-t", "size", "-o", "-", "--kind", "size=category", *FAST)
    assert json.loads(out)["classes"] == ["1.5", "2.5"]


def test_predict_keeps_the_columns_as_they_are_and_counts_what_is_new(run, tmp_path):
    (tmp_path / "new.csv").write_text("id,job,age\n007,nurse,41.50\n008,pilot,\n")
    out, err = run("predict", "model.json", "new.csv")
    assert out == "id,job,age,prediction\n007,nurse,41.50,old\n008,pilot,,young\n"
    assert err.splitlines() == [
        "column 'age': 1 of 2 rows have no value, where training always had one"
    ]  # no rule uses the job, of which one is new


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
        [],
        ["balanced", "accuracy", "0.5000"],
        [],
        ["class", "rows", "precision", "recall", "F1", "AUC"],
        ["old", "1", "0.5000", "1.0000", "0.6667", "-"],
        ["young", "2", "0.5000", "0.5000", "0.5000", "-"],
        ["ancient", "1", "-", "0.0000", "0.0000", "-"],
    ]


def test_evaluate_tells_the_scores_of_probabilities_and_cut_offs(run):
    run("measure", "model.json", "data.csv", "-o", "measured.json")
    out, _ = run("evaluate", "measured.json", "data.csv", "--positive", "old")
    for line in ("AUC                1.0000", "Gini               1.0000", "KS                 1.0000"):
        assert line in out
    assert "old from  answered  precision  recall      F1  false alarms" in out
    assert "log loss" in out
    assert (
        "positive is 'x'; the classes are 'old', 'young'"
        in run("evaluate", "measured.json", "data.csv", "--positive", "x", code=2)[1]
    )


def test_evaluate_by_cross_validation(run):
    out, _ = run("evaluate", "data.csv", "--target", "class", "--cv", "2", *FAST[:-1])
    assert "over 2 folds" in out
    first, matrix, scores = out.split("\n\n")
    counts = [line.split()[1:] for line in matrix.splitlines()[-2:]]
    assert sum(int(count) for row in counts for count in row) == 80
    assert all("over 2 folds" in line for line in (*first.splitlines(), *scores.splitlines()))


def test_datasets_are_listed_and_written(run, tmp_path):
    out, _ = run("datasets", "--folder", str(tmp_path))
    assert "not found: adult.csv.gz" in out
    run("datasets", "tic-tac-toe", "-o", "game.csv")
    assert (tmp_path / "game.csv").read_text().splitlines()[1] == "x,x,x,x,o,o,x,o,o,positive"


def test_the_demo_finds_the_eight_winning_lines_and_writes_a_report(run):
    out, _ = run("demo")
    assert "8 of 8 winning lines are rules" in out
    path = Path("conceptrules-demo.html").resolve()
    assert f"A report of it is in {path}" in out
    assert "Tic-tac-toe: has x won?" in path.read_text(encoding="utf-8")


FIT = ["fit", "data.csv", "-o", "new.json", "--target"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*FIT, "clas"], "no column 'clas' in data.csv; did you mean 'class'?"),
        ([*FIT, "class", "--drop", "jobb"], "did you mean 'job'?"),
        ([*FIT, "class", "--only", "age,wage"], "did you mean 'age'?"),
        ([*FIT, "class", "--drop", "class"], "--drop names the target"),
        ([*FIT, "class", "--drop", "age,job"], "no column of data.csv is left to learn from"),
        ([*FIT, "class", "--method", "mllp", "--layers", "64,64"], "odd number"),
        ([*FIT, "class", "--layers", "64"], "--layers is no option of --method search; add --method mllp, or leave"),
        ([*FIT, "class", "--max-epochs", "400"], "--max-epochs is no option of --method search; add --method mllp"),
        ([*FIT, "class", "--device", "cpu"], "--device is no option of --method search; add --method mllp, or leave"),
        ([*FIT, "class", "--method", "mllp", "--max-edges", "9"], "--max-edges is no option of --method mllp; add"),
        ([*FIT, "class", "--method", "cake"], "--method 'cake' is unknown; use search, mllp, scorecard or regression"),
        ([*FIT, "class", "--effort", "none"], "effort is 'none'"),
        ([*FIT, "class", "--scoring", "luck"], "scoring is 'luck'"),
        ([*FIT, "class", "--max-edges", "0"], "max_edges is 0"),
        ([*FIT, "class", "--method", "mllp", "--layers", "many"], "--layers 'many' is neither auto nor numbers"),
        ([*FIT, "class", "--method", "mllp", "--layers", "-3"], "-3"),
        ([*FIT, "class", "--method", "mllp", "--rate", "1.0"], "1.0"),
        ([*FIT, "class", "--kind", "age"], "should read column=kind"),
        ([*FIT, "class", "--kind", "age=colour"], "colour"),
        ([*FIT, "class", "--kind", "job=ordinal"], "'job' is to be ordinal, but nothing says in which order"),
        ([*FIT, "class", "--kind", "job=cook<smith"], "'job' holds 'nurse' in row 0, which is not in the order"),
        ([*FIT, "class", "--kind", "job=cook<"], "the order 'cook<', with nothing beside a <"),
        (["fit", "data.csv", "-t", "class", "-o", "no/model.json"], "does not exist; make it first"),
        (["fit", "none.csv", "-t", "class", "-o", "new.json"], "none.csv: No such file"),
        (["predict", "none.json", "data.csv"], "No such file"),
        (["predict", "data.csv", "data.csv"], "data.csv"),
        (["predict", "-", "-"], "only one input can come from standard input"),
        (["predict", "model.json", "data.csv", "-o", "out.txt"], "must end in one of .csv, .parquet"),
        (["evaluate", "model.json", "data.csv", "--target", "Class"], "did you mean 'class'?"),
        (["evaluate", "model.json"], "give a model and a table"),
        ([*FIT, "class", "--max-categories", "0"], "max_categories is 0; it needs a whole number from 1 to 255"),
        ([*FIT, "class", "--seed", "-1"], "--seed -1 is out of range"),
        ([*FIT, "class", "--n-jobs", "0"], "n_jobs is 0"),
        (["evaluate", "data.csv", "--cv", "5"], "say it with --target"),
        (["evaluate", "data.csv", "--target", "class", "--cv", "1"], "--cv 1 is out of range"),
        (["datasets", "wines"], "did you mean 'wine'?"),
        (["fit", "data.csv", "-t", "class", "-o", "data.csv"], "-o data.csv is the name of a table"),
        (["fit", "data.csv", "-t", "class", "-o", "new.TSV.gz"], "name it for example model.json"),
        (["predict", "model.json", "data.csv", "-o", "./data.csv"], "-o ./data.csv is the file data.csv itself"),
        (["evaluate", "model.json", "data.csv", "-t", "job"], "no value of the column 'job' of data.csv is a class"),
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
            "fractions such as 1.5, not classes; --regression predicts the number, and --bins 4 makes four ranges of "
            "it; if each one is a class, say --kind class=category",
        ),
        ("age,age,class\n1,2,x\n", "2 columns of the name 'age'"),
        ("age,class\n1,x\n2\n", "bad.csv, line 3"),
        ("class\nx\ny\n", "no column of bad.csv is left"),
        ("age;class\n1;x\n2;y\n", "whose only column is 'age;class'; is ';' its delimiter?"),
        ("age,class\n" + "1, 1.5\n2,2\n" * 5 + "3,NA\n", "fractions such as  1.5, not classes"),
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


def test_a_wrong_type_in_a_column_that_no_rule_uses_leaves_no_file_behind(refused):
    parquet.write_table(pa.table({"age": [41, 20], "job": [None, dt.date(2021, 3, 5)]}), "new.parquet")
    assert "column 'job'" in refused("predict", "model.json", "new.parquet", "-o", "out.csv")


def test_a_link_to_the_input_is_the_input(refused, tmp_path):
    (tmp_path / "link.json").symlink_to("data.csv")
    assert "is the file data.csv itself" in refused("fit", "data.csv", "-t", "class", "-o", "link.json")
    (tmp_path / "model.csv").symlink_to("model.json")
    assert "is the file model.json itself" in refused("predict", "model.json", "data.csv", "-o", "model.csv")
    assert (tmp_path / "data.csv").read_text() == TABLE


def test_fit_tells_the_score_on_held_out_rows_beside_the_base_rate(run, tmp_path):
    fit = ["fit", "data.csv", "-t", "class", "-o", "new.json", "--effort", "fast"]
    assert re.search(r"macro-F1 (1.000|0.9\d\d) on held-out rows \(always answering young has 0.3\d\d\)", run(*fit)[1])
    _, err = run(*fit, "--scoring", "accuracy")
    assert re.search(r"accuracy (1.000|0.9\d\d) on held-out rows \(always answering young has 0.525\)", err)
    rows = "".join(f"{number * 7919 % 1000 / 10},{'yes' if number % 20 == 3 else 'no'}\n" for number in range(200))
    (tmp_path / "data.csv").write_text("coin,class\n" + rows)
    said = run(*fit, "--scoring", "accuracy")[1]
    assert "no rule is better than always answering no" in said
    assert run("rules", "new.json")[0].startswith("No rule is better than always answering no.")


def test_evaluate_tells_rows_that_the_model_learned_from(run, tmp_path):
    rows = "".join(f"{age / 7:.3f},{'old' if age > 140 else 'young'}\n" for age in range(280))
    (tmp_path / "data.csv").write_text("age,class\n" + rows)
    run("fit", "data.csv", "-t", "class", "-o", "new.json", *FAST)
    assert "note: the model learned from 100% of these rows" in run("evaluate", "new.json", "data.csv")[1]
    (tmp_path / "other.csv").write_text("age,class\n" + rows.replace(".", ".9"))
    assert run("evaluate", "new.json", "other.csv")[1] == ""


@pytest.mark.parametrize("labels", [("01", "02"), ("False", "True"), ("1.0", "2.0"), ("1", "x")])
def test_labels_in_text_stay_as_they_are(run, tmp_path, labels):
    (tmp_path / "data.csv").write_text("a,size\n" + f"x,{labels[0]}\ny,{labels[1]}\n" * 20)
    run("fit", "data.csv", "-t", "size", "-o", "new.json", *FAST)
    assert load("new.json").classes == labels
    assert "accuracy  1.0000" in run("evaluate", "new.json", "data.csv")[0]


def test_fractions_in_parquet_are_refused_unless_told(run, tmp_path):
    parquet.write_table(pa.table({"a": ["x", "y"] * 20, "size": [1.5, 2.0] * 20}), "data.parquet")
    command = ["fit", "data.parquet", "-t", "size", "-o", "new.json", *FAST]
    assert "fractions such as 1.5, not classes" in run(*command, code=2)[1]
    run(*command, "--kind", "size=category")
    assert load("new.json").classes == ("1.5", "2")


@pytest.mark.parametrize(
    ("classes", "column"),
    [
        (["1", "2"], pa.array([1.0, 2.0], "float32")),
        (["1", "2"], pa.array([1, 2])),
        ([1, 2], pa.array(["1.0", "2"])),
        ([1.0, 2.0], pa.array(["1", "2"])),
        ([False, True], pa.array(["false", "True"])),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_labels_are_compared_as_text(run, classes, column, suffix):
    levels = [Level([Rule([Literal(0)])], [Concept(), Concept([0])])]
    save(RuleNetwork([Column("age")], [Interval("age", 40)], levels, classes, default=classes[0]), "model.json")
    write_table(pa.table({"age": [30, 50], "class": column}), f"test.{suffix}")
    assert "accuracy  1.0000" in run("evaluate", "model.json", f"test.{suffix}")[0]


@pytest.mark.parametrize(
    ("categories", "zips"),
    [
        ((1, 2), pa.array(["1", "2", None])),
        ((1, 2), pa.array(["1", "2", None], "large_string")),
        ((1, 2), pa.array([1.0, 2.0, None])),
        (("1", "2"), pa.array([1, 2, None])),
        (("1", "2"), pa.array([1.0, 2.0, float("nan")])),
        (("1", "2"), pa.array([1, 2, None]).dictionary_encode()),
        ((False, True), pa.array(["false", "true", None])),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_categories_are_read_as_the_model_has_them(run, categories, zips, suffix):
    if suffix == "csv" and pa.types.is_floating(zips.type):
        zips = pc.if_else(pc.is_nan(zips), None, zips)
    columns = [Column("zip", "category", categories, missing=True)]
    levels = [Level([Rule([Literal(0)])], [Concept([0]), Concept()])]
    save(RuleNetwork(columns, [Equals("zip", categories[1])], levels, ["a", "b"], default="b"), "model.json")
    write_table(pa.table({"id": [1, 2, 3], "zip": zips}), f"new.{suffix}")
    _, err = run("predict", "model.json", f"new.{suffix}", "-o", "out.parquet")
    assert parquet.read_table("out.parquet")["prediction"].to_pylist() == ["b", "a", "b"]
    assert err == ""


@pytest.mark.filterwarnings("default")
def test_each_warning_is_shown_once(run, tmp_path):
    (tmp_path / "data.csv").write_text("a,same,class\n" + "x,1,yes\ny,1,no\n" * 20)
    _, err = run("evaluate", "data.csv", "-t", "class", "--cv", "3", *FAST[:-1])
    assert err.count("note: ") == 1
    assert "'same'" in err


def test_a_model_on_a_stream_is_utf_8_whatever_the_terminal(run, refused, tmp_path, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    (tmp_path / "data.csv").write_text("a,class\n" + "x,caf\u00e9\ny,bar\n" * 20, encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", out)
        run("fit", "data.csv", "-t", "class", "-o", "-", *FAST)
    out.seek(0)
    monkeypatch.setattr("sys.stdin", out)
    assert "caf\u00e9" in run("rules", "-")[0]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe")))
    assert "standard input is not text (UTF-8)" in refused("rules", "-")


def test_the_version(run):
    assert run("--version")[0] == f"conceptrules {__version__}\n"


def test_one_rule_is_not_one_rules():
    assert [plural(count, "rule") for count in (0, 1, 2)] == ["0 rules", "1 rule", "2 rules"]


def test_what_the_terminal_cannot_show_is_no_reason_to_fail(run, tmp_path, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr("sys.stdout", out)
    (tmp_path / "data.csv").write_text("a,class\n" + "x,caf\u00e9\ny,bar\n" * 20, encoding="utf-8")
    run("evaluate", "data.csv", "-t", "class", "--cv", "2", *FAST[:-1])
    out.seek(0)
    text = out.read()
    assert "1.0000 +- 0.0000 over 2 folds" in text
    assert "caf\\xe9" in text


def test_which_target_is_asked_if_it_is_not_clear(refused, tmp_path):
    (tmp_path / "two.csv").write_text("age,job,a,b\n1,cook,x,y\n")
    assert "it could be 'a' or 'b'; say it with --target" in refused("evaluate", "model.json", "two.csv")


def test_a_control_character_cannot_reach_the_terminal(refused, tmp_path):
    (tmp_path / "new.csv").write_text("age,\x1b[2J\n1,cook\n")
    assert "\x1b" not in refused("predict", "model.json", "new.csv")


@pytest.mark.filterwarnings("always:training was interrupted")
def test_ctrl_c_ends_a_cross_validation_and_keeps_what_fit_has(run, monkeypatch):
    once, calls = cpu_engine.take_snapshot, []

    def interrupted(*given):
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return once(*given)

    monkeypatch.setattr(cpu_engine, "take_snapshot", interrupted)
    out, _ = run("evaluate", "data.csv", "-t", "class", "--cv", "3", *FAST[:-1], "--rate", "0.8", code=130)
    assert out == ""
    assert len(calls) == 3
    calls.clear()
    _, err = run("fit", "data.csv", "-t", "class", "-o", "so-far.json", *FAST, "--rate", "0.8", code=130)
    assert "training was interrupted; the best network so far is kept" in err
    assert load("so-far.json").target == "class"


@pytest.mark.filterwarnings("always::conceptrules.model.errors.ColumnWarning")
def test_columns_that_are_hardly_features_are_told_before_the_fit(run, tmp_path):
    rows = "".join(f"{number},2024,{line}\n" for number, line in enumerate(ROWS.splitlines()))
    (tmp_path / "data.csv").write_text("row id,year,age,job,class\n" + rows)
    _, err = run("fit", "data.csv", "-t", "class", "-o", "new.json", *FAST)
    assert "note: column 'row id' numbers the rows (an identifier?); --drop 'row id' leaves it out\n" in err
    assert "note: constant columns tell no classes apart: 'year'; --drop year leaves it out\n" in err
    assert "warning" not in err
    _, err = run("fit", "data.csv", "-t", "class", "-o", "new.json", *FAST, "--drop", "row id,year")
    assert "note" not in err
    _, err = run("evaluate", "data.csv", "-t", "class", "--cv", "2", *FAST[:-1])
    assert err.count("note: constant columns") == 1


@pytest.mark.filterwarnings("always::conceptrules.model.errors.ColumnWarning")
def test_identifiers_are_left_out_and_can_be_kept(run, tmp_path):
    rows = "".join(f"person {number},{line}\n" for number, line in enumerate(ROWS.splitlines()))
    (tmp_path / "data.csv").write_text("name,age,job,class\n" + rows)
    _, err = run("fit", "data.csv", "-t", "class", "-o", "new.json", *FAST)
    assert "note: not learned from: 'name' is different on every row (an identifier?); --keep name learns" in err
    assert '"name": "name"' not in (tmp_path / "new.json").read_text()
    _, err = run("fit", "data.csv", "-t", "class", "-o", "new.json", *FAST, "--keep", "name")
    assert "not learned from" not in err


@pytest.mark.filterwarnings("always:.*often means missing")
def test_words_that_often_mean_missing_are_told(run, tmp_path):
    (tmp_path / "odd.csv").write_text(TABLE.replace(",cook,", ",N/A,").replace("30,nurse", "30,?"))
    fit = ["fit", "odd.csv", "-t", "class", "-o", "new.json", *FAST]
    _, err = run(*fit)
    assert "warning: 'N/A', '?' (first in column 'job') often means missing" in err
    assert "say --missing 'N/A,?'" in err
    assert "missing" not in run(*fit, "--missing", "N/A,?")[1]
    assert "missing" not in run(*fit, "--kind", "job=category")[1]


def test_words_can_mean_missing_and_the_delimiter_can_be_told(run, tmp_path):
    lines = TABLE.replace(",", ";").replace("\n30;", "\n?;").replace(";cook;", ";NA;")
    (tmp_path / "odd.csv").write_text(lines)
    told = ["--delimiter", ";", "--missing", "NA,?"]
    run("fit", "odd.csv", "-t", "class", "-o", "new.json", *FAST, *told)
    age, job = load("new.json").columns
    assert (age.kind, age.missing, job.categories, job.missing) == ("number", True, ("nurse",), True)
    out, err = run("predict", "new.json", "odd.csv", *told)
    assert err == ""
    assert "?,nurse,young,young" in out  # as it was written, with commas
    assert "accuracy" in run("evaluate", "new.json", "odd.csv", *told)[0]
    assert "missing" in run("explain", "new.json", "odd.csv", "--row", "21", *told)[0]
    assert "counted on 80 rows" in run("measure", "new.json", "odd.csv", "-o", "counted.json", *told)[1]
    run("report", "new.json", "odd.csv", "-o", "report.html", *told)
    _, err = run("fit", "odd.csv", "-t", "class", "-o", "new.json", "--delimiter", "::", code=2)
    assert "--delimiter '::' should be one character" in err


@pytest.mark.filterwarnings("default")
def test_hints_name_options_of_the_command_line(tmp_path, capsys):
    """Each of these messages names a parameter of Python in Python."""
    size, price = ["low", "medium", "high"], "${:,}.00"
    lines = [f"{size[row % 3]},{price.format(row)},c{row % 7},{row * 7919 % 2}" for row in range(90)]
    (tmp_path / "t.csv").write_text("\n".join(["the size,price,code,class", *lines]) + "\n")
    with pytest.raises(SystemExit):
        main(["fit", "t.csv", "--target=class", "--effort=fast", "--max-categories=3", "-o", "m.json"])
    err = capsys.readouterr().err
    for hint in (
        "--kind 'the size=category'", "--kind price=category", "raise --max-categories", "--scoring balanced_accuracy",
    ):  # fmt: skip
        assert hint in err
    assert not re.search(r"kinds=|max_categories|class_weight|clf\.", err)
