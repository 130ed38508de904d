"""Warnings have a class of ours, and point at the user's line."""

from __future__ import annotations

import warnings

import pytest

from conceptrules.model.errors import ColumnWarning, ConceptRulesWarning, DateWarning, warn


@pytest.mark.parametrize("message", ["something", ColumnWarning("column 'a' is odd", ["a"]), DateWarning(["a"])])
def test_every_warning_is_ours(message: str | Warning) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn(message)
    (one,) = caught
    assert issubclass(one.category, ConceptRulesWarning)
    assert one.filename == __file__
