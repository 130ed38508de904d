"""What can be decided about networks for all rows there can be: simpler forms, equivalence, differences.

`simplify` and `minimise` return smaller networks that decide alike, `split_into_bins` a scorecard with the same scores
whose rules of a column are apart. `equivalent`, `implies`, `find_difference` and
`find_counterexample` compare two networks on every row there can be: the answer is proved, not sampled. `diff` says
what differs between two networks, rule by rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptrules._lazy import lazy_names

if TYPE_CHECKING:
    from conceptrules.logic.bins import split_into_bins
    from conceptrules.logic.difference import Difference, diff
    from conceptrules.logic.equivalence import equivalent, find_counterexample, find_difference, implies
    from conceptrules.logic.minimisation import minimise
    from conceptrules.logic.simplification import simplify
    from conceptrules.logic.solver import Undecided

__all__ = [
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
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Difference": "difference",
        "Undecided": "solver",
        "diff": "difference",
        "equivalent": "equivalence",
        "find_counterexample": "equivalence",
        "find_difference": "equivalence",
        "implies": "equivalence",
        "minimise": "minimisation",
        "simplify": "simplification",
        "split_into_bins": "bins",
    },
)
