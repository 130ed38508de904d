"""What is imported is declared, and the archives hold what a user needs and nothing else."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from functools import cache, partial
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DISTRIBUTIONS = packages_distributions()
DEVELOPERS = {"bench", "dist", "test"}


def names_of(requirements: list[str]) -> set[str]:
    """The distributions that requirements name, spelled one way."""
    return {spelled(re.split(r"[\[<>=;~! ]", requirement)[0]) for requirement in requirements}


def spelled(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


CORE = names_of(PROJECT["dependencies"])
EXTRAS = {
    name for extra, needed in PROJECT["optional-dependencies"].items() if extra not in DEVELOPERS
    for name in names_of(needed)
}  # fmt: skip


@cache
def imported() -> dict[str, set[str]]:
    """The modules that each third-party package is imported in, wherever in the module."""
    found: dict[str, set[str]] = {}
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [node.module]
            else:
                continue
            for name in {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"conceptrules"}:
                found.setdefault(name, set()).add(str(path.relative_to(SOURCES)))
    return found


def distributions_of(module: str) -> set[str]:
    """The distributions that bring a module; one that is not installed is taken to have the module's name."""
    return {spelled(name) for name in DISTRIBUTIONS.get(module, [module])}


def test_every_import_is_declared() -> None:
    found = imported()
    assert {"joblib", "llvmlite", "numpy"} <= set(found)
    undeclared = {name: places for name, places in found.items() if not distributions_of(name) & (CORE | EXTRAS)}
    assert undeclared == {}


def test_every_core_dependency_is_imported() -> None:
    used = {name for module in imported() for name in distributions_of(module)}
    assert used >= CORE


# What is defined in terms of an extra (a kernel of Triton, a tree of sqlglot), and imported by functions alone.
_MLLP = ("active_weights", "adam", "compiling", "cpu", "loops", "passes", "vectors")
_GPU = ("gpu", "gpu_state", "gpus", "triton_kernels")
_SQL = ("columns", "derived", "guarded", "literals", "names", "query", "readings", "reasons", "scores", "trusting")
_STUDIO = ("checks", "editor", "effects", "frame", "history", "learning", "rules")
BEHIND_EXTRAS = {f"conceptrules.kernels.mllp.{name}" for name in (*_MLLP, *_GPU)} | {
    *(f"conceptrules.learn.mllp.{name}" for name in ("cpu_engine", "gpu_engine")),
    *(f"conceptrules.export.onnx.{name}" for name in ("columns", "model")),
    *(f"conceptrules.export.sql.{name}" for name in _SQL),
    *(f"conceptrules.export.verify.{name}" for name in ("databases", "onnxruntime", "sql_engine")),
    "conceptrules.monitor.warehouse",
    *(f"conceptrules.studio.pages.{name}" for name in _STUDIO),
}
WITHOUT = """
import importlib, pkgutil, sys
class Missing:
    def find_spec(self, name, *_):
        if name.split(".")[0] in sys.argv:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
import conceptrules
def failed(name):
    print(name)
for module in pkgutil.walk_packages(conceptrules.__path__, "conceptrules.", onerror=failed):
    try:
        importlib.import_module(module.name)
    except ImportError:
        failed(module.name)
"""


def test_what_an_extra_brings_is_imported_only_when_asked_for() -> None:
    extras = [module for module in imported() if not distributions_of(module) & CORE]
    assert {"torch", "matplotlib", "sqlglot"} <= set(extras)
    run = subprocess.run([sys.executable, "-c", WITHOUT, *extras], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == BEHIND_EXTRAS


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source archive, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    tools = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    run = partial(subprocess.run, cwd=ROOT, check=True, capture_output=True, env=os.environ | tools)
    run([sys.executable, "-c", "import sys, mesonpy; mesonpy.build_sdist(sys.argv[1])", folder])
    (source,) = folder.iterdir()
    run([sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", folder, source])
    return folder


def committed() -> set[str]:
    """Every file of the package, as it is named in a wheel: a source archive is made of what git knows."""
    run = subprocess.run(["git", "ls-files", "."], cwd=SOURCES, capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_the_source_archive_is_small_and_has_no_records(archives: Path) -> None:
    (path,) = archives.glob("*.tar.gz")
    assert path.stat().st_size < 2_000_000
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {f"src/{name}" for name in committed()}
    assert names >= {"README.md", "CHANGELOG.md", "LICENSE", "meson.build", "pyproject.toml", "docs/learning.md"}
    assert {name.split("/")[0] for name in names if "/" in name} == {"src", "docs"}


def test_the_wheel_has_the_whole_package(archives: Path) -> None:
    (path,) = archives.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        (metadata,) = (archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA"))
    kernels = {name for name in names if Path(name).suffix in (".so", ".pyd")}
    assert names - kernels == committed()
    sources = {name.removesuffix(".pyx") for name in names if name.endswith(".pyx")}
    assert {name.partition(".")[0] for name in kernels} == sources | {"conceptrules/kernels/_cyutility"}
    assert "-cp311-abi3-" in path.name  # one wheel for all versions of Python
    assert {Path(name).suffix for name in names} >= {".jinja", ".js", ".css", ".json", ".toml", ".typed"}
    for label in ("Homepage", "Documentation", "Issues", "Changelog"):
        assert f"Project-URL: {label}, https://" in metadata
    assert "License-Expression: MIT" in metadata
