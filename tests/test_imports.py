"""Importing stays light, and so does predicting from a file. Each check needs an interpreter of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks.fuzz.seeds import network_of
from conceptrules.io.model_file import save
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Interval

HEAVY = {"numpy", "sklearn", "scipy", "numba", "narwhals", "pyarrow", "pandas", "polars", "rich", "typer", "torch"}
FIT = "ConceptRuleClassifier(effort='fast').fit([[k % 20] for k in range(40)], ['a', 'b'] * 20)"
HEAVY |= {"matplotlib", "typst", "jinja2"}


def loaded_by(code: str) -> set[str]:
    """The heavy packages that are loaded after running `code` in a new interpreter."""
    code += "\nimport sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return HEAVY & set(run.stdout.split())


def test_import_loads_nothing_heavy():
    assert loaded_by("import conceptrules; conceptrules.__version__") == set()


def test_the_estimators_need_no_numba_and_load_only_the_base_of_scikit_learn():
    """Its trees, forests and metrics take longer to load than all of this package; the fits that need them do it."""
    code = "import sys; from conceptrules import ConceptRuleClassifier, ScorecardClassifier, ScorecardRegressor\n"
    code += f"print(*sys.modules); {FIT}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported, fitted = (line.split() for line in run.stdout.splitlines())
    parts = {name.split(".")[1] for name in imported if name.startswith("sklearn.")}
    assert "base" in parts
    assert parts.isdisjoint({"ensemble", "linear_model", "metrics", "model_selection", "neighbors", "tree"})
    assert "numba" not in fitted


def test_predicting_from_a_file_needs_neither_scikit_learn_nor_numba(tmp_path):
    levels = [Level([Rule([Literal(0)])], [Concept([0]), Concept()])]
    path = tmp_path / "model.json"
    save(RuleNetwork([Column("age")], [Interval("age", 27)], levels, ["old", "young"], default="young"), path)
    code = (
        f"import conceptrules; assert list(conceptrules.load({str(path)!r}).predict([[30], [20]])) == ['old', 'young']"
    )
    assert loaded_by(code) <= {"numpy", "narwhals"}


def test_loading_a_file_needs_no_package_at_all(tmp_path):
    path = tmp_path / "model.json"
    save(network_of(500), path)
    assert loaded_by(f"import conceptrules; assert conceptrules.load({str(path)!r}).classes") == set()


def test_drawing_needs_no_library_for_pictures(tmp_path):
    levels = [Level([Rule([Literal(0)])], [Concept([0]), Concept()])]
    path = tmp_path / "model.json"
    save(RuleNetwork([Column("age")], [Interval("age", 27)], levels, ["old", "young"]), path)
    code = f"import conceptrules; network = conceptrules.load({str(path)!r}); network.draw(); network._repr_html_()"
    assert loaded_by(code + "; network.draw('old')") <= {"numpy", "narwhals"}


def test_the_command_line_starts_without_scikit_learn_and_numba():
    assert loaded_by("import conceptrules.cli.app").isdisjoint({"sklearn", "numba", "pandas", "torch"})


MISSING = """
import sys
class Missing:
    def find_spec(self, name, *_):
        if name.split(".")[0] in ("numba", "llvmlite") or name == "conceptrules.kernels._cyutility":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
"""


def test_the_trainer_on_a_gpu_needs_neither_numba_nor_compiled_kernels():
    """The machine with the GPU may have no compiler, and a plain checkout of the sources."""
    pytest.importorskip("torch", reason="torch is not installed: pip install 'conceptrules[gpu]'")
    code = MISSING + "import conceptrules.mllp, conceptrules.learn.mllp.gpu_engine"
    assert "torch" in loaded_by(code)
