"""The settings of the search, checked on creation."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

from conceptrules.kernels.search import scores
from conceptrules.kernels.search.values import CODES, Limits
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork

SCORINGS = {
    "f1_macro": scores.F1_MACRO,
    "accuracy": scores.ACCURACY,
    "balanced_accuracy": scores.BALANCED_ACCURACY,
    "neg_log_loss": scores.NEG_LOG_LOSS,
}
MOST_RULES = 20_000
"""Rules of any network."""
_LONGEST = 24
"""Edges of any rule: it has at most 12 conditions, but a set of categories counts an edge for each category."""
_CATEGORIES = 16
"""Categories in one condition, so that it can be read."""


@dataclass(frozen=True, slots=True)
class SearchEffort:
    """How hard to try. `sweeps` are those of `Limits`."""

    sweeps: int
    lowest: float
    """The lowest penalty, in rows."""
    lowest_of_small: float
    """The same on tables of up to 1,000 different rows, where a lower penalty means little."""
    trees: int
    """Trees of the forest that labels mixed rows; 0: no such rows."""
    folds: int = 3
    """Folds that are held out in turn, up to 5,000 different rows; larger tables have fewer, and small ones five."""


EFFORTS = {
    "fast": SearchEffort(sweeps=3, lowest=0.3, lowest_of_small=0.3, trees=0),
    "default": SearchEffort(sweeps=4, lowest=0.07, lowest_of_small=0.15, trees=40),
    "best": SearchEffort(sweeps=4, lowest=0.03, lowest_of_small=0.03, trees=40),
}


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What `ConceptRuleClassifier` asks of the search."""

    effort: str = "default"
    scoring: str = "f1_macro"
    max_edges: int | None = None
    max_rules: int | None = None
    max_rule_length: int | None = None
    negation: bool = True
    fixed_priority: bool = False
    fixed_default: bool = False
    least_rows: float = 0.0
    least_precision: float = 0.0
    deviations: float = 0.0
    """What a policy asks of the rows that a rule covers, as in `Limits`."""
    usual_support: bool = True
    """Whether rules of fewer rows than suit the size of the table are dropped: the user did not say how many."""

    def __post_init__(self) -> None:
        for name, known in (("effort", EFFORTS), ("scoring", SCORINGS)):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise InputError(f"{name} is {value!r}; use one of {', '.join(map(repr, known))}")
        for name in ("max_edges", "max_rules", "max_rule_length"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, Integral) or isinstance(value, bool) or value < 1):
                raise InputError(f"{name} is {value!r}; it needs a whole number of at least 1, or None for no limit")
        if not isinstance(self.negation, bool):
            raise InputError(f"negation is {self.negation!r}; use True or False")

    @property
    def effort_level(self) -> SearchEffort:
        return EFFORTS[self.effort]

    def choose_bins(self, rows: int) -> int:
        """Return the most bins of a column: the search takes as many as there are codes."""
        return CODES - 1

    def make_limits(self, penalty: float) -> Limits:
        """Return the limits of a search at a penalty, which is in units of the score."""
        effort_level = self.effort_level
        return Limits(
            penalty=float(penalty),
            conditions=int(min(self.max_rule_length or _LONGEST, _LONGEST)),
            rules=int(min(self.max_rules or MOST_RULES, MOST_RULES)),
            edges=float(self.max_edges or 1e12),
            categories=_CATEGORIES,
            negation=bool(self.negation),
            scoring=SCORINGS[self.scoring],
            sweeps=effort_level.sweeps,
            locked=0,
            fixed_priority=self.fixed_priority,
            fixed_default=self.fixed_default,
            least_rows=self.least_rows,
            least_precision=self.least_precision,
            deviations=self.deviations,
        )

    def allows(self, network: RuleNetwork) -> bool:
        """Return whether a network is within the limits."""
        rules = [rule for level in network.levels for rule in level.rules]
        longest = max((len(rule.literals) for rule in rules), default=0)
        limits = ((network.edges, self.max_edges), (len(rules), self.max_rules), (longest, self.max_rule_length))
        return all(limit is None or count <= limit for count, limit in limits)
