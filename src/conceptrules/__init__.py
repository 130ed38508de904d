"""Learn Concept Rule Sets: small networks of AND/OR rules that a person can read, check and run anywhere.

Names are loaded when first used (PEP 562), so that `import conceptrules` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conceptrules import datasets, explain
    from conceptrules.binarize import Binarizer
    from conceptrules.classifier import ConceptRuleClassifier
    from conceptrules.cohort import fit_cohort
    from conceptrules.draw import plots
    from conceptrules.explain import audit, coverage, importance
    from conceptrules.io import load, save
    from conceptrules.logic import diff, equivalent, implies, minimise, simplify
    from conceptrules.mllp import MLLPClassifier
    from conceptrules.model import RuleNetwork
    from conceptrules.model.errors import ColumnWarning, ConceptRulesError, InputError
    from conceptrules.model.policy import Policy
    from conceptrules.regressor import ScorecardRegressor
    from conceptrules.scorecard import ScorecardClassifier

__version__ = "0.1.0"

__all__ = [
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

_MODULES = {
    "datasets": "conceptrules.datasets",
    "explain": "conceptrules.explain",
    "plots": "conceptrules.draw.plots",
}
_HOMES = {
    "Binarizer": "conceptrules.binarize",
    "ColumnWarning": "conceptrules.model.errors",
    "ConceptRuleClassifier": "conceptrules.classifier",
    "ConceptRulesError": "conceptrules.model.errors",
    "InputError": "conceptrules.model.errors",
    "MLLPClassifier": "conceptrules.mllp",
    "Policy": "conceptrules.model.policy",
    "RuleNetwork": "conceptrules.model",
    "ScorecardClassifier": "conceptrules.scorecard",
    "ScorecardRegressor": "conceptrules.regressor",
    "audit": "conceptrules.explain",
    "coverage": "conceptrules.explain",
    "diff": "conceptrules.logic",
    "equivalent": "conceptrules.logic",
    "fit_cohort": "conceptrules.cohort",
    "implies": "conceptrules.logic",
    "importance": "conceptrules.explain",
    "load": "conceptrules.io",
    "minimise": "conceptrules.logic",
    "save": "conceptrules.io",
    "simplify": "conceptrules.logic",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'conceptrules' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
