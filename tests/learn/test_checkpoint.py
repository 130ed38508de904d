"""Checkpoints: what is kept, what is refused, and that a fit that goes on from one ends as if nothing had happened."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conceptrules import InputError
from conceptrules.learn.checkpoint import Checkpoint, _hash, digest
from tests.people import entangled, quick_mllp, quick_search

TABLE = entangled(120)


class Killed(Exception):
    """The process would be gone here."""


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write at every piece."""
    monkeypatch.setattr("conceptrules.learn.checkpoint._SHARE", float("inf"))


def stop_after(writes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    done, write = [0], Checkpoint._write

    def counted(self: Checkpoint) -> None:
        write(self)
        done[0] += 1
        if done[0] >= writes:
            raise Killed

    monkeypatch.setattr(Checkpoint, "_write", counted)


FITS = {
    "search": quick_search,
    "search without a forest": lambda: quick_search(effort="default"),
    "mllp": lambda: quick_mllp(max_epochs=30),
    "mllp with refit": lambda: quick_mllp(max_epochs=40, patience=10, refit=True, negation=True),
}


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("kind", FITS)
def test_fits_that_stop_at_any_writing_end_the_same(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conceptrules.learn.search.search.FOREST_UP_TO", 50)  # the table is larger than that
    alone, file, stops = FITS[kind]().fit(*TABLE), tmp_path / "run.ckpt", 0
    for writes in (1, 2, 3, 7, 10_000):
        with pytest.MonkeyPatch.context() as patch:
            stop_after(writes, patch)
            try:
                fitted = FITS[kind]().fit(*TABLE, checkpoint=file)
            except Killed:
                stops += 1
                assert file.exists()
    assert stops >= 3
    assert fitted.network_ == alone.network_
    assert fitted.history_ == alone.history_
    assert [one.network for one in fitted.frontier_] == [one.network for one in alone.frontier_]
    assert list(tmp_path.iterdir()) == []


def begun(file: Path, fit: Any = None) -> None:
    """Leave the checkpoint of a fit that was stopped."""
    with pytest.MonkeyPatch.context() as patch:
        stop_after(1, patch)
        with pytest.raises(Killed):
            (fit or quick_search()).fit(*TABLE, checkpoint=file)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            lambda file: quick_search(random_state=1).fit(*TABLE, checkpoint=file),
            "another random_state or another table",
        ),
        (lambda file: quick_search(max_edges=5).fit(*TABLE, checkpoint=file), "other settings"),
        (lambda file: quick_search().fit(*entangled(121), checkpoint=file), "another random_state or another table"),
        (lambda file: quick_search().fit(*TABLE, sample_weight=np.full(120, 2), checkpoint=file), "other weights"),
        (lambda file: quick_mllp().fit(*TABLE, checkpoint=file), "the other learner"),
    ],
)
def test_checkpoint_of_another_run_is_refused_and_left_alone(other: Any, message: str, tmp_path: Path) -> None:
    file = tmp_path / "run.ckpt"
    begun(file)
    content = file.read_bytes()
    with pytest.raises(InputError, match=rf"run\.ckpt belongs to another run \(.*{message}"):
        other(file)
    assert file.read_bytes() == content


def test_checkpoint_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(tmp_path / "run.ckpt")
    monkeypatch.setattr("conceptrules.learn.checkpoint.__version__", "99")
    with pytest.raises(InputError, match="another version of conceptrules"):
        quick_search().fit(*TABLE, checkpoint=tmp_path / "run.ckpt")


@pytest.mark.parametrize("content", [b"", b"age,job\n1,nurse\n", b"PK\x03\x04 and no more"])
def test_file_that_is_no_checkpoint_is_refused_and_left_alone(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "run.ckpt").write_bytes(content)
    with pytest.raises(InputError, match="is not a checkpoint, or it is damaged"):
        quick_search().fit(*TABLE, checkpoint=tmp_path / "run.ckpt")
    assert (tmp_path / "run.ckpt").read_bytes() == content


def test_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.ckpt"
    begun(file)
    content = bytearray(file.read_bytes())
    for place in range(60, len(content), 997):
        content[place] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(InputError, match="is not a checkpoint, or it is damaged"):
        quick_search().fit(*TABLE, checkpoint=file)


def _forge(file: Path, change: Any, *, sealed: bool) -> int:
    """Change the arrays of a checkpoint, with a hash that fits or without. Returns how many there are."""
    with np.load(file) as stored:
        content = {name: stored[name] for name in stored.files}
    arrays = {name: array for name, array in content.items() if name not in ("about", "hash")}
    for name, array in arrays.items():
        content[name] = arrays[name] = change(name, array)
    if sealed:
        content["hash"] = np.array(_hash(str(content["about"]), arrays))
    with file.open("wb") as stream:
        np.savez(stream, **content)
    return len(arrays)


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("number", [2**40, -1])
@pytest.mark.parametrize("part", ["owner", "length", "column", "size"])
def test_numbers_that_no_network_has_are_refused(part: str, number: int, sealed: bool, tmp_path: Path) -> None:
    """They would be indices in compiled loops."""
    with pytest.MonkeyPatch.context() as patch:
        stop_after(9, patch)  # the first networks have no rules
        patch.setattr("conceptrules.learn.checkpoint._SHARE", float("inf"))
        with pytest.raises(Killed):
            quick_search().fit(*TABLE, checkpoint=tmp_path / "run.ckpt")
    change = lambda name, array: np.full_like(array, number) if name.endswith(f"/{part}") else array  # noqa: E731
    assert _forge(tmp_path / "run.ckpt", change, sealed=sealed) > 1
    with pytest.raises(InputError, match=r"run\.ckpt is not a checkpoint, or it is damaged"):
        quick_search().fit(*TABLE, checkpoint=tmp_path / "run.ckpt")


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("change", [lambda array: array * np.nan, lambda array: array[..., :-1]])
def test_weights_that_no_training_has_are_refused(change: Any, sealed: bool, tmp_path: Path) -> None:
    begun(tmp_path / "run.ckpt", quick_mllp(max_epochs=30))
    assert _forge(tmp_path / "run.ckpt", lambda _, array: change(array), sealed=sealed) > 1
    with pytest.raises(InputError, match=r"run\.ckpt is not a checkpoint, or it is damaged"):
        quick_mllp(max_epochs=30).fit(*TABLE, checkpoint=tmp_path / "run.ckpt")


def test_another_number_that_a_network_could_have_is_noticed(tmp_path: Path) -> None:
    begun(tmp_path / "run.ckpt", quick_mllp(max_epochs=30))
    _forge(tmp_path / "run.ckpt", lambda _, array: array * np.float32(0.5), sealed=False)
    with pytest.raises(InputError, match="its content does not give its hash"):
        quick_mllp(max_epochs=30).fit(*TABLE, checkpoint=tmp_path / "run.ckpt")


def test_checkpoint_with_pickled_objects_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.ckpt"
    with file.open("wb") as stream:
        np.savez(stream, about=np.array([{"run": {}}], dtype=object))
    with pytest.raises(InputError, match="is not a checkpoint"):
        quick_search().fit(*TABLE, checkpoint=file)


@pytest.mark.parametrize(
    ("estimator", "checkpoint", "message"),
    [
        (quick_search(random_state=None), "run.ckpt", "checkpoint needs a random_state"),
        (quick_search(), 7, "checkpoint is 7; give the name of a file"),
        (quick_search(), "no/such/folder/run.ckpt", "there is no folder"),
        (quick_mllp(random_state=None), "run.ckpt", "checkpoint needs a random_state"),
    ],
)
def test_bad_checkpoints_are_refused_before_the_table_is_read(estimator: Any, checkpoint: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        estimator.fit(None, None, checkpoint=checkpoint)


def test_gpu_and_checkpoint_exclude_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conceptrules.mllp.check_device", lambda *_: None)
    with pytest.raises(InputError, match="a checkpoint is for training on a CPU, but device is 'cuda'"):
        quick_mllp(device="cuda").fit(*TABLE, checkpoint="run.ckpt")


@pytest.mark.usefixtures("eager")
def test_full_disk_leaves_the_last_good_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, save, calls = tmp_path / "run.ckpt", np.savez, [0]

    def full(stream: Any, **arrays: Any) -> None:
        calls[0] += 1
        if calls[0] > 3:
            stream.write(b"half of it")
            raise OSError(errno.ENOSPC, "No space left on device")
        save(stream, **arrays)

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", full)
        with pytest.raises(InputError, match=r"No space left on device; the last good checkpoint is still there\."):
            quick_search().fit(*TABLE, checkpoint=file)
    assert list(tmp_path.iterdir()) == [file]
    assert quick_search().fit(*TABLE, checkpoint=file).network_ == quick_search().fit(*TABLE).network_


def test_writing_takes_a_tenth_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, writes = [0.0], list[float]()
    monkeypatch.setattr("conceptrules.learn.checkpoint.monotonic", lambda: clock[0])

    def write(self: Checkpoint) -> None:
        writes.append(clock[0])
        clock[0] += 2.0

    monkeypatch.setattr(Checkpoint, "_write", write)
    checkpoint = Checkpoint(tmp_path / "run.ckpt")
    for second in range(100):
        clock[0] = max(clock[0], float(second))
        checkpoint.put(str(second), None, {})
    assert writes == [0, 22, 44, 66, 88]


def test_interrupted_fit_keeps_its_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = [0]

    def interrupt(*_: Any) -> bool:
        seen[0] += 1
        if seen[0] == 3:
            raise KeyboardInterrupt
        return False

    monkeypatch.setattr("conceptrules.learn.search.search._should_stop", interrupt)
    with pytest.warns(UserWarning, match="the search was interrupted"), pytest.raises(KeyboardInterrupt):
        quick_search().fit(*TABLE, checkpoint=tmp_path / "run.ckpt")
    assert (tmp_path / "run.ckpt").exists()


def test_digest_tells_values_apart() -> None:
    values = [1, 1.0, "1", (1,), ((1,),), np.array([1]), np.array([1.0]), np.array([[1]]), (np.array([1]), 1)]
    assert len({digest(value) for value in values}) == len(values)
