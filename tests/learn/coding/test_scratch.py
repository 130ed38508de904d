"""The scratch folder goes at the end, after errors, and after a crash with the next run."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from conceptrules.learn.coding.scratch import open_scratch_folder
from conceptrules.model.errors import InputError


def test_the_folder_is_removed_at_the_end_and_after_an_error(tmp_path: Path) -> None:
    with open_scratch_folder(tmp_path) as folder:
        (folder / "file").write_text("content")
        assert folder.parent == tmp_path
    assert not list(tmp_path.iterdir())
    with pytest.raises(RuntimeError), open_scratch_folder(tmp_path) as folder:
        raise RuntimeError
    assert not list(tmp_path.iterdir())


def test_a_folder_in_use_stays_and_that_of_a_killed_run_goes(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        with open_scratch_folder(tmp_path) as folder:
            (folder / "file").write_text("content")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert len(list(tmp_path.iterdir())) == 2  # the folder and its lock
    with open_scratch_folder(tmp_path) as mine:
        assert sorted(path.name for path in tmp_path.iterdir()) == [mine.name, f"{mine.name}.lock"]
        with open_scratch_folder(tmp_path):
            assert mine.is_dir()
        assert mine.is_dir()
    assert not list(tmp_path.iterdir())


def test_a_place_that_is_none_is_told(tmp_path: Path) -> None:
    for place, message in ((tmp_path / "none", "there is no folder"), (3, "give the name of a folder")):
        with pytest.raises(InputError, match=message), open_scratch_folder(place):
            pass
