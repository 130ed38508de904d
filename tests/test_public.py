"""The public surface is a list."""

from __future__ import annotations

import inspect

import pytest

import conceptrules


def test_the_public_names_are_exactly_these():
    assert sorted(conceptrules.__all__) == [
        "Binarizer",
        "ConceptRuleClassifier",
        "ConceptRulesError",
        "InputError",
        "RuleNetwork",
        "__version__",
        "datasets",
        "fit_cohort",
        "load",
        "plots",
        "save",
        "simplify",
    ]
    assert dir(conceptrules) == sorted(conceptrules.__all__)


@pytest.mark.parametrize("name", sorted(set(conceptrules.__all__) - {"__version__"}))
def test_each_public_name_is_there_and_explained(name):
    assert inspect.getdoc(getattr(conceptrules, name))


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'Classifier'"):
        _ = conceptrules.Classifier
