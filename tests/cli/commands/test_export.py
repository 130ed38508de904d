"""`conceptrules export`, run as a user would."""

from __future__ import annotations

from pathlib import Path

import pytest

from conceptrules.cli import main
from conceptrules.export import export
from conceptrules.export.verify import comparison as module
from conceptrules.export.verify.comparison import Mismatch, Outcome
from conceptrules.io.model_file import load, save
from tests.export.sql.test_query import measured


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(measured(), "model.json")
    Path("data.csv").write_text("age,id,other\n10,a,1\n40,b,2\n,a,3\n")


@pytest.fixture
def run(capsysbinary):
    def running(*arguments: str, code: int = 0) -> tuple[str, str]:
        with pytest.raises(SystemExit) as end:
            main(["export", "model.json", *arguments])
        out, err = capsysbinary.readouterr()
        assert end.value.code == code, err
        return out.decode(), err.decode()

    return running


def test_the_text_goes_to_standard_output_and_the_proof_to_standard_error(run):
    out, err = run("--to", "python")
    assert out == export(load("model.json"), "python")
    assert err.startswith("verified: the same class and the same fired rules as the model on ")


def test_options_of_sql_and_rows_of_a_table(run):
    options = ["--dialect", "sqlite", "--table", "people", "--view", "scored", "--reasons", "--probabilities"]
    out, err = run(
        "--to", "sql", *options, "--keep", "other", "--column", "age=AGE", "--prefix", "q_", "--data", "data.csv"
    )
    _, alone = run("--to", "sql", *options)
    assert int(err.split()[-2]) == int(alone.split()[-2]) + 3
    for part in ('CREATE VIEW "scored"', '"people"', '"other"', '"AGE"', "q_prediction", "q_rules", "q_probability_z"):
        assert part in out


def test_the_proof_says_what_was_compared_with_what(run):
    """Without reasons, the fired rules are those of another query, which is not written."""
    _, err = run("--to", "sql", "--reasons")
    assert err.startswith("verified: the same class and the same fired rules as the model on ")
    out, err = run("--to", "sql")
    assert "rules" not in out.partition("FROM concepts_1")[0].rpartition("SELECT")[2]
    assert err.startswith(
        "verified: the same class as the model (and the same fired rules, from the same query with reasons) on "
    )


def test_a_column_of_numbers_that_the_table_has_as_true_and_false(run):
    out, _ = run("--to", "sql", "--dialect", "snowflake", "--no-verify", "--type", "age=boolean")
    assert 'CASE WHEN source."age" THEN 1 WHEN NOT source."age" THEN 0 END' in out
    untold = run("--to", "sql", "--dialect", "postgres", "--no-verify")
    assert run("--to", "sql", "--dialect", "postgres", "--no-verify", "--type", "age=boolean") == untold
    _, err = run("--to", "sql", "--type", "age=boolean")
    assert err.startswith("verified: ")


def test_no_proof_if_not_wanted_or_not_possible(run):
    assert run("--to", "c", "--no-verify")[1] == ""
    assert run("--to", "sql", "--dialect", "mysql")[1].startswith("not verified: mysql does not run here")
    assert run("--to", "markdown")[1].startswith("not verified: it is text for people")


def test_a_file_is_written_whole(run):
    out, _ = run("--to", "latex", "-o", "rules.tex")
    assert out == ""
    assert Path("rules.tex").read_text(encoding="utf-8") == export(load("model.json"), "latex")
    assert sorted(path.name for path in Path().iterdir()) == ["data.csv", "model.json", "rules.tex"]


def test_a_mismatch_writes_nothing(run, monkeypatch):
    monkeypatch.setattr(module, "compare", lambda *_, **__: Outcome(9, (Mismatch({"age": 1.0}, "'x'", "'y'"),)))
    out, err = run("--to", "c", "-o", "decide.c", code=2)
    assert (
        "differs from the network on 1 of 9 rows: the export says 'x', the network 'y', on the row {'age': 1.0}" in err
    )
    assert out == ""
    assert not Path("decide.c").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "cobol"], "there is no export to 'cobol'; there are c,"),
        (["--to", "c", "--dialect", "duckdb"], "the export to c has no option 'dialect'; it has name"),
        (["--to", "sql", "--name", "x"], "the export to sql has no option 'name'"),
        (["--to", "sql", "--column", "age"], "should read model name=table name"),
        (["--to", "sql", "--column", "age=a", "--column", "age=b"], "--column names 'age' twice"),
        (["--to", "sql", "--type", "age"], "--type 'age' should read model name=type, for example smoker=boolean"),
        (["--to", "sql", "--type", "age=number", "--type", "age=boolean"], "--type names 'age' twice"),
        (["--to", "sql", "--type", "age=text"], "cannot be read from the type 'text', nor could Python read it"),
        (["--to", "c", "--type", "age=boolean"], "the export to c has no option 'types'"),
        (["--to", "sql", "--column", "aeg=a"], "has no column 'aeg' to give another name; did you mean 'age'?"),
        (["--to", "sql", "-o", "model.json"], "is the file model.json itself"),
        (["--to", "sql", "-o", "nowhere/x.sql"], "does not exist"),
        (["--to", "c", "--no-verify", "--data", "data.csv"], "--data is what the export is verified on"),
        (["--to", "c", "--data", "none.csv"], "none.csv"),
    ],
)
def test_mistakes_are_one_line(run, arguments, message):
    out, err = run(*arguments, code=2)
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


def test_standard_input_is_either_the_model_or_the_table(capsys):
    with pytest.raises(SystemExit) as end:
        main(["export", "-", "--to", "python", "--data", "-"])
    assert end.value.code == 2
    assert "only one input can come from standard input" in capsys.readouterr().err


def test_the_name_of_the_file_says_the_format(run):
    _, err = run("-o", "rules.dmn")
    assert err.startswith("verified: the same class as the model on ")
    assert Path("rules.dmn").read_text(encoding="utf-8") == export(load("model.json"), "dmn")
    assert "say the format with --to: one of dbt, sql" in run("-o", "rules.sql", code=2)[1]
    assert "say the format with --to: one of c, dbt" in run("-o", "other.json", code=2)[1]


def test_dmn_comes_in_as_a_model(run, capsysbinary):
    run("-o", "rules.dmn")
    with pytest.raises(SystemExit) as end:
        main(["read-dmn", "rules.dmn", "-o", "again.json"])
    assert end.value.code == 0
    assert b"else" in capsysbinary.readouterr().out
    assert load("again.json").classes == load("model.json").classes
    Path("rules.dmn").write_bytes(b"\xff\xfe")
    for file, message in (("rules.dmn", "rules.dmn is no DMN: it is not text in UTF-8"), ("none.dmn", "none.dmn")):
        with pytest.raises(SystemExit) as end:
            main(["read-dmn", file, "-o", "third.json"])
        assert end.value.code == 2
        assert message in capsysbinary.readouterr().err.decode()
    assert not Path("third.json").exists()
