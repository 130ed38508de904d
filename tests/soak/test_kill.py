"""The short form: two kinds of fits, 30 kills, and one full disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource")  # SIGKILL, fork and limits are Unix

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "tests.soak.kill"]


def test_killed_fits_end_with_the_same_network_and_history() -> None:
    run = subprocess.run(COMMAND, capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    kills, in_writing, runs = map(int, run.stdout.split())
    assert kills >= 30
    assert in_writing >= 3
    assert runs >= 2
