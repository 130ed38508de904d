"""The short form: a few tables of each kind, for each learner."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from conceptrules import ConceptRuleClassifier, InputError
from tests.soak.tables import attacked, check
from tests.strategies_bad_tables import many_classes, wide


@pytest.mark.parametrize(("learner", "count"), [("default", 5), ("fast", 30), ("mllp", 60)])
def test_bad_tables_work_or_get_an_error_of_ours(learner: str, count: int) -> None:
    tried = attacked(learner, 0, count)
    assert tried.total() >= count
    assert tried[f"fitted by {learner}"] >= 1


def test_extreme_shapes() -> None:
    assert check(wide(300, 12, 0), "fast") == "fitted by fast"
    assert check(many_classes(60, 3, 0), "mllp") == "fitted by mllp"


def test_a_warning_of_a_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaking(self: ConceptRuleClassifier, X: object) -> np.ndarray:
        warnings.warn("of NumPy", RuntimeWarning, stacklevel=1)
        return np.array(["a"] * 12)

    monkeypatch.setattr(ConceptRuleClassifier, "predict", leaking)
    with pytest.raises(AssertionError):
        check(wide(2, 12, 0), "fast")


def test_an_error_without_the_name_of_a_column_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def vague(self: ConceptRuleClassifier, X: object, y: object) -> None:
        raise InputError("something is wrong" if hasattr(X, "columns") else "something else")

    monkeypatch.setattr(ConceptRuleClassifier, "fit", vague)
    with pytest.raises(AssertionError, match="no column is named"):
        check(wide(2, 12, 0), "fast")


def test_an_error_about_labels_needs_no_column() -> None:
    assert check(replace(wide(2, 12, 0), y=["same"] * 12), "fast") == "refused by fast"
