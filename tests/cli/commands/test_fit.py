"""`conceptrules fit`: from several files and large ones, and with a checkpoint that stays until the model is there."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from conceptrules.cli import learner, main
from conceptrules.io.model_file import load
from conceptrules.learn.checkpoint import Checkpoint
from conceptrules.learn.coding import table_coding
from conceptrules.model.text import rule_count
from tests.people import entangled


@pytest.fixture
def table(tmp_path: Path) -> str:
    X, y = entangled(120)
    X.assign(group=y).to_csv(tmp_path / "people.csv", index=False)
    return str(tmp_path / "people.csv")


def fit(table: str, output: Path, *options: str) -> int | str | None:
    with pytest.raises(SystemExit) as end:
        main(["fit", table, "--target", "group", "-o", str(output), "--effort", "fast", "-q", *options])
    return end.value.code


def test_checkpoint_changes_nothing_and_is_gone_in_the_end(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = list[bool]()
    remove = Checkpoint.remove

    def seen(self: Checkpoint) -> None:
        there.append((tmp_path / "kept.json").exists())
        remove(self)

    monkeypatch.setattr(Checkpoint, "remove", seen)
    fit(table, tmp_path / "plain.json")
    fit(table, tmp_path / "kept.json", "--checkpoint", str(tmp_path / "run.ckpt"))
    assert (tmp_path / "plain.json").read_bytes() == (tmp_path / "kept.json").read_bytes()
    assert there == [True]
    assert not (tmp_path / "run.ckpt").exists()


def test_json_has_what_is_told_in_words(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit(table, tmp_path / "model.json", "--scoring", "accuracy", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    network = load(tmp_path / "model.json")
    assert (found["rules"], found["edges"]) == (rule_count(network), network.edges)
    assert (found["rows"], found["scoring"], found["scored_on"]) == (120, "accuracy", "held-out")
    labels = pd.read_csv(table)["group"]
    assert found["commonest"] == labels.mode()[0]
    assert found["base_score"] == pytest.approx((labels == found["commonest"]).mean())
    assert found["score"] > found["base_score"]
    assert found["seconds"] > 0
    assert fit(table, Path("-"), "--json") == 2
    assert "both write to standard output" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["people.csv", "model.json"])
def test_checkpoint_must_not_be_another_file(
    name: str, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path(table).read_bytes()
    assert fit(table, tmp_path / "model.json", "--checkpoint", str(tmp_path / name))
    assert "which would be lost; name another one" in capsys.readouterr().err
    assert Path(table).read_bytes() == before


def test_several_files_and_a_pattern_give_the_model_of_one_file(table: str, tmp_path: Path) -> None:
    rows = pd.read_csv(table)
    for part in range(3):
        rows.iloc[part * 40 : part * 40 + 40].to_csv(tmp_path / f"part-{part}.csv", index=False)
        rows.iloc[part * 40 : part * 40 + 40].to_parquet(tmp_path / f"part-{part}.parquet")
    fit(table, tmp_path / "one.json")
    wanted = (tmp_path / "one.json").read_bytes()
    for files in (["part-*.csv"], ["part-*.parquet"], [f"part-{part}.parquet" for part in range(3)]):
        names = [str(tmp_path / name) for name in files]
        assert not fit(names[0], tmp_path / "many.json", *names[1:], "--scratch", str(tmp_path))
        assert (tmp_path / "many.json").read_bytes() == wanted


def test_a_large_text_is_read_in_batches_and_gives_the_same_model(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--drop", "height", "--kind", "age=category")
    fit(table, tmp_path / "one.json", *options)
    monkeypatch.setattr(learner, "LARGE", 100)
    monkeypatch.setattr(table_coding, "IN_MEMORY", 0)
    fit(table, tmp_path / "large.json", *options)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "large.json").read_bytes()


def test_what_several_files_cannot_have_is_told(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "second.csv").write_text(Path(table).read_text())
    for options, message in (
        (["--bins", "3"], "--bins needs the whole table in memory"),
        (["--groups", "jbo"], "did you mean 'job'"),
        (["--method", "mllp"], "--method mllp needs the whole table in memory"),
        (["--drop", "hight"], "did you mean 'height'"),
        (["-"], "- is standard input"),
        (["none-*.csv"], "no file matches none-*.csv"),
    ):
        assert fit(table, tmp_path / "model.json", str(tmp_path / "second.csv"), *options)
        assert message in capsys.readouterr().err


def test_relations_and_words_are_learned_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(debt, income, note) for debt in range(1, 13) for income in range(1, 13) for note in ("Call back!", "ok")]
    lines = [f"{d},{i},{n},{'bad' if d > i or 'Call' in n else 'good'}" for d, i, n in rows]
    loans, model = tmp_path / "loans.csv", tmp_path / "model.json"
    loans.write_text("debt,net income,note,group\n" + "\n".join(lines) + "\n")
    options = ["--kind", "note=text", "--relation", "debt - net income"]
    assert fit(str(loans), model, *options) == 0
    assert "debt - net income <= 0" in str(load(model))
    with pytest.raises(SystemExit) as end:
        main(["predict", str(model), str(loans), "-o", str(tmp_path / "out.csv")])
    assert end.value.code == 0
    answers = pd.read_csv(tmp_path / "out.csv").iloc[:, -1].tolist()
    assert answers == pd.read_csv(loans)["group"].tolist()
    assert fit(str(loans), model, "--relation", "debt / incme") == 2
    assert "did you mean 'net income'" in capsys.readouterr().err
    assert fit(str(loans), model, "--relation", "debt") == 2
    assert "should read like 'debt / income'" in capsys.readouterr().err
