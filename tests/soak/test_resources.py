"""The short form: one table measured, some hundred predictions, all work once."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

import pytest

from tests.soak.resources import left_behind, measured, predict_at_once

if not Path("/proc/self/clear_refs").exists():
    pytest.skip("the kernel's account of a process is Linux's", allow_module_level=True)


def test_memory_is_what_was_estimated() -> None:
    tall, wide, mixed = ("search", 20_000, 40, 2), ("search", 1_000, 1_500, 2), ("default", 800, 250, 2)
    assert all("MB taken" in said for said in measured([tall, wide, mixed]))


def test_predictions_from_threads_are_right() -> None:
    assert predict_at_once(400) == 400


def test_nothing_is_left_behind() -> None:
    assert left_behind() == []


def test_what_is_left_behind_is_told() -> None:
    opened, done = [], threading.Event()

    def careless(folder: Path) -> None:
        opened.append(Path(folder, "open").open("w"))  # noqa: SIM115
        threading.Thread(target=done.wait, name="forgotten", daemon=True).start()
        Path(tempfile.mkstemp(suffix=".lost")[1])

    left = " ".join(left_behind(work=(careless,)))
    done.set()
    for file in opened:
        file.close()
    assert "open file" in left
    assert "thread forgotten" in left
    assert ".lost" in left
