"""Why a row gets its class, what would change it, and how far a network can be trusted.

`explain` says why a row gets its class, `find_counterfactual` what would change it. `coverage` and `importance` say
what rules, concepts and columns are worth, `audit` how good a network is on rows whose classes are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptrules._lazy import lazy_names

if TYPE_CHECKING:
    from conceptrules.explain.auditing import Audit, audit
    from conceptrules.explain.contributions import Contributions
    from conceptrules.explain.counterfactual import Counterfactual, find_counterfactual
    from conceptrules.explain.explanation import Explanation, explain
    from conceptrules.explain.importance_scores import Importance, importance
    from conceptrules.explain.reasons import Reason, Reasons
    from conceptrules.explain.rule_coverage import RuleCoverage, coverage
    from conceptrules.explain.score_explanation import ScoreExplanation

__all__ = [
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
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Audit": "auditing",
        "Contributions": "contributions",
        "Counterfactual": "counterfactual",
        "Explanation": "explanation",
        "Importance": "importance_scores",
        "Reason": "reasons",
        "Reasons": "reasons",
        "RuleCoverage": "rule_coverage",
        "ScoreExplanation": "score_explanation",
        "audit": "auditing",
        "coverage": "rule_coverage",
        "explain": "explanation",
        "find_counterfactual": "counterfactual",
        "importance": "importance_scores",
    },
)
