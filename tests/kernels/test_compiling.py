"""The first fit on a machine says that it compiles; a later one does not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conceptrules.kernels.compiling import NOTE, announced

FIT = """
from conceptrules import ConceptRuleClassifier
ConceptRuleClassifier(recipe="paper", layers=(4,), max_epochs=1).fit([[0], [1]] * 20, ["a", "b"] * 20)
"""
BITS = """
import numpy as np
from conceptrules.kernels.bits import fired
from conceptrules.kernels.compiling import announced
with announced():
    fired((1, 1, 1), np.ones(2, np.float32), np.ones((1, 1), np.uint64))
    fired((1, 1, 1), np.ones(2, np.float32), np.ones((1, 1), np.int64))
"""


def environment(cache: Path) -> dict[str, str]:
    return os.environ | {"NUMBA_CACHE_DIR": str(cache)}


def test_a_silent_fit_without_compiled_kernels_says_so(tmp_path: Path) -> None:
    """Its first line is all that is waited for."""
    command = [sys.executable, "-c", FIT]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment(tmp_path)) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        process.kill()
    assert line == NOTE + "\n"


def test_it_is_said_once_and_not_again_where_kernels_are_on_the_disk(tmp_path: Path) -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", BITS], capture_output=True, text=True, check=True, env=environment(tmp_path)
        )
        for _ in range(2)
    ]
    assert [run.stderr for run in said] == [NOTE + "\n", ""]


def test_kernels_of_others_are_not_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    from numba import njit

    with announced():
        assert njit(lambda x: x + 1)(1) == 2
    assert capsys.readouterr().err == ""
