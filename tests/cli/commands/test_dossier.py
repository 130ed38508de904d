"""`conceptrules dossier`, run as a user would run it."""

from __future__ import annotations

import hashlib

import pytest

from conceptrules.cli import main
from conceptrules.io.model_file import save
from tests.monitor.examples import learn, make_rows, targets_of


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = make_rows(200, 0.4, seed=7)
    for kind in ("decision", "numbers"):
        save(learn(kind), f"{kind}.json")
        X.assign(label=targets_of(kind, X, y)).to_csv(f"{kind}.csv", index=False)
    (tmp_path / "empty.csv").write_text("region,income,age,label\n")
    (tmp_path / "other.csv").write_text("regoin,label\nnorth,yes\n")


@pytest.fixture
def run(capsys):
    def running(*arguments: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as end:
            main(["dossier", *arguments])
        out, err = capsys.readouterr()
        assert end.value.code == code, out + err
        return out + err

    return running


@pytest.mark.parametrize("kind", ["decision", "numbers"])
def test_the_folder_names_the_table_and_its_hash(run, tmp_path, kind):
    said = run(f"{kind}.json", f"{kind}.csv", "-o", "folder", "--by", "region")
    assert "14 questions to the owner are open" in said
    text = (tmp_path / "folder" / "dossier.md").read_text()
    assert f"| file | {kind}.csv |" in text
    assert hashlib.sha256((tmp_path / f"{kind}.csv").read_bytes()).hexdigest() in text
    assert (tmp_path / "folder" / "model.json").read_bytes() == (tmp_path / f"{kind}.json").read_bytes()
    assert not (tmp_path / "folder" / "certificate.json").exists()
    assert str(tmp_path) not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decision.csv", "-o", "."], "is in the folder that is written"),
        (["decision.csv", "-o", "decision.csv"], "decision.csv is a file; name a folder"),
        (["other.csv", "-o", "folder", "-t", "label"], "no column 'region' in other.csv"),
        (["empty.csv", "-o", "folder"], "empty.csv"),
        (["decision.csv", "-o", "folder", "--by", "regoin"], "there is no column 'regoin'"),
        (["decision.csv", "-o", "folder", "--owner", "none.toml"], "none.toml"),
        (["decision.csv", "-o", "folder", "--target", "age"], "no value of the column 'age'"),
    ],
)
def test_what_gives_no_dossier(run, tmp_path, arguments, message):
    before = sorted(path.name for path in tmp_path.iterdir())
    assert message in run("decision.json", *arguments, code=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
