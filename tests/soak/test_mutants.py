"""The short form: one change that tests notice, and what changes are."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("resource")  # limits are Unix

from tests.soak import mutants as attack
from tests.soak.mutants import SOURCE, changed, check_unchanged, killed, mirrored_tests, mutants

PRECISION = SOURCE / "model" / "precision.py"


def test_every_change_differs_from_the_module_and_from_all_others() -> None:
    texts = [changed(mutant) for mutant in mutants(PRECISION)]
    assert len(texts) >= 10
    assert len({PRECISION.read_text(), *texts}) == len(texts) + 1


def test_the_mirrored_tests_a_module_come_first() -> None:
    names = [Path(name).name for name in mirrored_tests(PRECISION)]
    assert names[0] == "test_precision.py"
    assert "test_network.py" in names


def test_a_change_is_noticed() -> None:
    one = next(mutant for mutant in mutants(PRECISION) if mutant.what == "return None")
    assert killed(one)


def test_tests_that_fail_without_a_change_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(attack, "_fails", lambda module, number: asked.append(number) or module == PRECISION)
    with pytest.raises(AssertionError, match=r"tests fail without a change: model$"):
        check_unchanged([PRECISION, SOURCE / "logic" / "solver.py"])
    assert asked == [attack.NO_CHANGE] * 2
