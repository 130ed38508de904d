"""The short form: one change that tests notice, and what changes are."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("resource")  # limits are Unix

from tests.soak.mutants import NO_CHANGE, SOURCE, Runner, changed, check_unchanged, mirrored_tests, mutants

PRECISION = SOURCE / "model" / "precision.py"


def test_every_change_differs_from_the_module_and_from_all_others() -> None:
    texts = [changed(mutant) for mutant in mutants(PRECISION)]
    assert len(texts) >= 10
    assert len({PRECISION.read_text(), *texts}) == len(texts) + 1


def test_what_mypy_sees_to_is_not_changed(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("@dataclass(frozen=True, slots=True, eq=False)\nclass A:\n    b: int = field(repr=False)\n")
    found = [(mutant.line, mutant.what) for mutant in mutants(module)]
    assert found == [(1, "True instead of False"), (3, "True instead of False")]


def test_the_mirrored_tests_a_module_come_first() -> None:
    names = [Path(name).name for name in mirrored_tests(PRECISION)]
    assert names[0] == "test_precision.py"
    assert "test_network.py" in names


def test_a_change_is_noticed() -> None:
    one = next(mutant for mutant in mutants(PRECISION) if mutant.what == "return None")
    with Runner() as runner:
        assert runner.fails(PRECISION, one.number)


def test_tests_that_fail_without_a_change_are_told() -> None:
    asked: list[int] = []

    def fails(module: Path, number: int) -> bool:
        asked.append(number)
        return module == PRECISION

    with pytest.raises(AssertionError, match=r"tests fail without a change: model$"):
        check_unchanged([PRECISION, SOURCE / "logic" / "solver.py"], fails)
    assert asked == [NO_CHANGE] * 2
