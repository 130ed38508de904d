"""The first MLLP on a machine says that it compiles; a later one does not. What is kept is of the code as it is."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from numba.core.caching import CacheImpl
from numba.core.dispatcher import Dispatcher

from conceptrules.kernels import mllp as package
from conceptrules.kernels.mllp import compiling, vectors
from conceptrules.kernels.mllp.compiling import NOTE, announced

FIT = """
from conceptrules import MLLPClassifier
MLLPClassifier(layers=(4,), max_epochs=1).fit([[k % 20] for k in range(40)], (["a"] * 10 + ["b"] * 10) * 2)
"""


def test_a_silent_fit_without_compiled_kernels_says_so(tmp_path: Path) -> None:
    """Its first line is all that is waited for."""
    command, environment = [sys.executable, "-c", FIT], os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        process.kill()
    assert line == NOTE + "\n"


def test_kernels_of_others_are_not_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    with announced():
        assert njit(lambda x: x + 1)(1) == 2
    assert capsys.readouterr().err == ""


def kernels() -> list[Dispatcher]:
    """Every compiled function of the package; those of a GPU need packages that may be missing."""
    modules = []
    for found in pkgutil.walk_packages(package.__path__, "conceptrules.kernels.mllp."):
        try:
            modules.append(importlib.import_module(found.name))
        except ModuleNotFoundError as error:
            if error.name not in ("torch", "triton"):
                raise
    return [value for module in modules for value in vars(module).values() if isinstance(value, Dispatcher)]


ADD = "from conceptrules.kernels.mllp.compiling import kernel\n@kernel()\ndef add(x): return x + 1\n"


def misses_of(path: Path) -> int:
    """How often the kernel `add` of a file had to be compiled; a new run of the file stands for a new process."""
    compiling.sources.cache_clear()
    add = runpy.run_path(str(path))["add"]
    assert add(1) == 2
    return sum(add.stats.cache_misses.values())


def test_it_is_said_once_and_not_again_where_kernels_are_on_the_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "add.py"
    path.write_text(ADD)
    for said in (NOTE + "\n", ""):
        add = runpy.run_path(str(path), run_name="conceptrules.add")["add"]
        with announced():
            assert add(1) == 2
        assert capsys.readouterr().err == said


def test_a_kernel_is_compiled_again_when_another_of_its_folder_changed(tmp_path: Path) -> None:
    path, neighbour, stranger = (tmp_path / name for name in ("here/add.py", "here/other.py", "there/other.py"))
    for file in (path, neighbour, stranger):
        file.parent.mkdir(exist_ok=True)
        file.write_text(ADD)
    found = [misses_of(path), misses_of(path)]
    neighbour.write_text(ADD + "# changed\n")
    found += [misses_of(path), misses_of(path)]
    stranger.write_text(ADD + "# changed\n")
    assert [*found, misses_of(path)] == [1, 0, 1, 0, 0]


def test_a_kernel_is_compiled_again_when_the_module_of_a_type_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on the disk names the class of a named tuple, and cannot be unpickled without it."""
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("old_pair", "new_pair"):
        (tmp_path / f"{module}.py").write_text("from collections import namedtuple\nPair = namedtuple('Pair', 'one')\n")
        path = tmp_path / "add.py"
        path.write_text(ADD.replace("x + 1", "x.one + 1") + f"from {module} import Pair\n")
        compiling.sources.cache_clear()
        loaded = runpy.run_path(str(path))
        assert loaded["add"](loaded["Pair"](1)) == 2
        assert sum(loaded["add"].stats.cache_misses.values()) == 1
        del sys.modules[module]
        (tmp_path / f"{module}.py").unlink()


def test_every_kernel_is_kept_with_the_sources_of_its_folder() -> None:
    assert len(kernels()) > 20
    for kernel in kernels():
        stamp = compiling.sources(Path(kernel.py_func.__code__.co_filename).parent)
        assert kernel._cache._cache_file._version[1] == stamp, kernel


def test_a_kernel_without_a_place_on_the_disk_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "add.py"
    path.write_text(ADD)
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    assert runpy.run_path(str(path))["add"](1) == 2


def test_no_kernel_leaves_rounding_to_the_compiler() -> None:
    """Else it comes out otherwise in another function, and one thread and two would not agree to the last bit."""
    assert not [kernel for kernel in kernels() if kernel.targetoptions.get("fastmath")]

    @njit
    def every_operation(values: np.ndarray) -> float:
        x = vectors.load(values, 0, 0)
        x = vectors.multiply_add(x, x, vectors.broadcast(np.float32(1))) + x * x - x / x
        return vectors.sum_lanes(vectors.one_minus(values[0, 0, 0], x))

    every_operation(np.ones((1, 1, vectors.LANES), np.float32))
    (written,) = every_operation.inspect_llvm().values()
    assert "fmul" in written or "fadd" in written
    assert not re.search(r"\b(fast|reassoc|contract|arcp|nsz|afn)\b", written)
