"""The public surface is a list."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

import conceptrules


def test_the_public_names_are_exactly_these():
    assert sorted(conceptrules.__all__) == [
        "Binarizer",
        "ColumnWarning",
        "ConceptRuleClassifier",
        "ConceptRulesError",
        "InputError",
        "MLLPClassifier",
        "Policy",
        "RuleNetwork",
        "ScorecardClassifier",
        "ScorecardRegressor",
        "__version__",
        "audit",
        "coverage",
        "datasets",
        "diff",
        "equivalent",
        "explain",
        "fit_cohort",
        "implies",
        "importance",
        "load",
        "minimise",
        "plots",
        "save",
        "simplify",
    ]
    assert dir(conceptrules) == sorted(conceptrules.__all__)


@pytest.mark.parametrize("name", sorted(set(conceptrules.__all__) - {"__version__"}))
def test_each_public_name_is_there_and_explained(name):
    assert inspect.getdoc(getattr(conceptrules, name))


ROOMS = {
    "binarize": ["Binarizer"],
    "explain": [
        "Audit",
        "Contributions",
        "Counterfactual",
        "Explanation",
        "Importance",
        "Reason",
        "Reasons",
        "RuleCoverage",
        "ScoreExplanation",
        "audit",
        "coverage",
        "explain",
        "find_counterfactual",
        "importance",
    ],
    "io": ["dumps", "load", "loads", "save", "schema"],
    "logic": [
        "Difference",
        "Undecided",
        "diff",
        "equivalent",
        "find_counterexample",
        "find_difference",
        "implies",
        "minimise",
        "simplify",
        "split_into_bins",
    ],
    "model": [
        "Column",
        "ColumnTypeError",
        "Concept",
        "ConceptRulesError",
        "Equals",
        "InputError",
        "Interval",
        "Level",
        "Literal",
        "Missing",
        "OneOf",
        "Points",
        "Predicate",
        "Rule",
        "RuleNetwork",
        "Statistics",
    ],
    "monitor": ["Figure", "FiredTrigger", "Monitoring", "RuleDrift", "Shift", "monitoring_sql"],
}


@pytest.mark.parametrize("room", ROOMS)
def test_the_public_names_of_a_room_are_exactly_these(room):
    module = import_module(f"conceptrules.{room}")
    assert sorted(module.__all__) == ROOMS[room]
    assert set(ROOMS[room]) <= set(dir(module))
    for name in ROOMS[room]:
        assert not inspect.ismodule(getattr(module, name))
        assert inspect.getdoc(getattr(module, name))
    with pytest.raises(AttributeError, match="no attribute 'Classifier'"):
        _ = module.Classifier


@pytest.mark.parametrize(
    ("function", "subjects"),
    [
        ("audit", ["network", "table", "labels"]),
        ("coverage", ["network"]),
        ("diff", ["old", "new"]),
        ("equivalent", ["first", "second"]),
        ("implies", ["first", "second", "label"]),
        ("importance", ["network", "table"]),
        ("load", ["path"]),
        ("minimise", ["network"]),
        ("save", ["model", "path"]),
        ("simplify", ["network", "bits"]),
    ],
)
def test_only_the_subjects_are_positional(function, subjects):
    parameters = inspect.signature(getattr(conceptrules, function)).parameters.values()
    assert [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD] == subjects


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'Classifier'"):
        _ = conceptrules.Classifier
