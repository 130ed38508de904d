"""`conceptrules fit --checkpoint`: the same model file, and the checkpoint is there as long as the model is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from conceptrules.cli import main
from conceptrules.learn.checkpoint import Checkpoint
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


@pytest.mark.parametrize("name", ["people.csv", "model.json"])
def test_checkpoint_must_not_be_another_file(
    name: str, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path(table).read_bytes()
    assert fit(table, tmp_path / "model.json", "--checkpoint", str(tmp_path / name))
    assert "which would be lost; name another one" in capsys.readouterr().err
    assert Path(table).read_bytes() == before
