"""`conceptrules monitor`, run as a user would run it."""

from __future__ import annotations

import json

import pytest

from conceptrules.cli import main
from conceptrules.io.model_file import save
from conceptrules.monitor import monitoring_sql
from conceptrules.tables.files import chunks
from tests.monitor.examples import learn, make_rows, targets_of

POLICY = '[[monitor]]\nwhen = "csi > 0.2"\n\n[[monitor]]\nwhen = "precision < 0.1"\nconfidence = 0.9\n'


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind in ("decision", "numbers"):
        X, y = make_rows(300, 0.4, seed=7)
        save(learn(kind), f"{kind}.json")
        table = X.assign(label=targets_of(kind, X, y), day=["2024-01-31", "2024-02-01", "2024-02-02"] * 100)
        table.to_csv(f"{kind}.csv", index=False)
    (tmp_path / "policy.toml").write_text(POLICY)


@pytest.fixture
def run(capsys):
    def running(*arguments: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as end:
            main(["monitor", *arguments])
        out, err = capsys.readouterr()
        assert end.value.code == code, out + err
        return out or err

    return running


@pytest.mark.parametrize("kind", ["decision", "numbers"])
def test_chunks_give_what_python_gives(run, kind, monkeypatch):
    X, y = make_rows(300, 0.4, seed=7)
    expected = learn(kind).monitor(X, targets_of(kind, X, y), time=["2024-01-31", "2024-02-01", "2024-02-02"] * 100)
    monkeypatch.setattr(chunks, "TEXT_CHUNK", 2000)
    output = run(f"{kind}.json", f"{kind}.csv", "--labels", "label", "--time", "day", "--json")
    plain = json.loads(output)
    assert plain["changes"] == list(expected.changes)
    assert plain["rules"] == json.loads(json.dumps(expected.plain()["rules"]))
    assert [name for name, _ in expected.periods] == list(plain["periods"]) == ["2024-01", "2024-02"]


def test_a_trigger_that_fires_is_the_exit_code(run, tmp_path):
    options = ["decision.json", "decision.csv", "--policy", "policy.toml", "--history", "h.jsonl", "--html", "p.html"]
    assert "FIRED csi > 0.2: csi of region is" in run(*options, "--labels", "label", code=1)
    run(*options, code=1)
    assert len((tmp_path / "h.jsonl").read_text().splitlines()) == 2
    assert "Over runs" in (tmp_path / "p.html").read_text()
    assert "of reference" in run(
        "decision.json", "decision.csv", "--reference", "decision.csv", "--policy", "policy.toml"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--labels", "lable"], "there is no column 'lable' in decision.csv; did you mean 'label'?"),
        (["--labels", "day"], "no class of the model"),
        (["--every", "hour"], "--every 'hour' is unknown"),
        (["--html", "decision.csv"], "is the file decision.csv itself"),
        (["--history", "policy.toml"], "policy.toml: line 1 is no line of a history of monitoring"),
        (["--policy", "wrong.toml"], "there is no figure 'psy'; did you mean 'psi'"),
    ],
)
def test_what_cannot_be_monitored(run, tmp_path, options, message):
    (tmp_path / "wrong.toml").write_text('[[monitor]]\nwhen = "psy > 1"\n')
    before = sorted(path.name for path in tmp_path.iterdir())
    assert message in run("decision.json", "decision.csv", *options, code=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_labels_of_some_rows_only(run, tmp_path):
    text = (tmp_path / "decision.csv").read_text().replace(",yes,", ",,", 3)
    (tmp_path / "gaps.csv").write_text(text)
    assert "the target column 'label' has no value in 3 of 300 rows" in run(
        "decision.json", "gaps.csv", "--labels", "label", code=2
    )


def test_the_query_is_that_of_python(run, tmp_path):
    query = run("decision.json", "--sql", "q.sql", "--labels", "label", "--table", "new", "--column", "age=AGE")
    assert query == ""
    expected = monitoring_sql(learn("decision"), table="new", labels="label", columns={"age": "AGE"})
    assert (tmp_path / "q.sql").read_text() == expected
    assert "{{ ref('new') }}" in run("decision.json", "--sql", "-", "--table", "new", "--dbt-above", "0.2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a table of new rows"),
        (["--dbt-above", "0.2"], "--sql tests/drift.sql"),
        (["decision.csv", "--sql", "q.sql"], "leave out decision.csv"),
        (["--sql", "q.sql", "--dialect", "excel"], "there is no dialect 'excel'"),
        (["--sql", "decision.json"], "is the file decision.json itself"),
    ],
)
def test_a_query_that_cannot_be_written(run, tmp_path, arguments, message):
    assert message in run("decision.json", *arguments, code=2)
    assert not (tmp_path / "q.sql").exists()
