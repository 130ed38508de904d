"""The settings of a scorecard, checked on creation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptrules.kernels.search.values import CODES
from conceptrules.learn.points.losses import LOSSES
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Value

if TYPE_CHECKING:
    from conceptrules.learn.points.constraints import CardConstraints

SCORINGS = (
    "neg_log_loss",
    "roc_auc",
    "roc_auc_ovr",
    "neg_brier_score",
    "f1_macro",
    "accuracy",
    "balanced_accuracy",
)
OF_ANSWERS = ("f1_macro", "accuracy", "balanced_accuracy")
"""The scorings that are about the class that is answered, and so about cut-offs."""
MOST_EDGES = 4_000
"""Edges of any scorecard."""
FEW_ROWS, _FEW_BINS, _MANY_BINS = 4_000, 32, 64
"""Rows up to which a table gets mixed rows that a forest labels, bins of its columns, and those of larger tables."""
MAX_STEP = 1e298
"""The largest step of a number that is predicted."""
LONGEST = 3
"""Conditions of a rule, unless the user asks for more: what people add up should be read at a glance."""


@dataclass(frozen=True, slots=True)
class CardEffort:
    """How hard to try."""

    folds: int
    """Folds that are held out in turn, up to 5,000 different rows; larger tables have fewer."""
    trees: int
    """Trees of the forest that labels mixed rows of a small table; 0: no such rows."""
    beam: int
    """Unfinished rules that are kept while one is grown."""
    exchanges: int
    """Rules for a number that are tried to be exchanged after each new one."""


EFFORTS = {
    "fast": CardEffort(folds=2, trees=0, beam=1, exchanges=0),
    "default": CardEffort(folds=3, trees=100, beam=4, exchanges=6),
    "best": CardEffort(folds=5, trees=400, beam=8, exchanges=12),
}


@dataclass(frozen=True, slots=True)
class CardSettings:
    """What `ScorecardClassifier` asks of the learner."""

    effort: str = "default"
    scoring: str = "neg_log_loss"
    max_edges: int | None = None
    max_columns: int | None = None
    max_rule_length: int | None = None
    max_points: int = 20
    cutoff: float | None = None
    costs: tuple[tuple[float, ...], ...] | None = None
    """[true class, answer]: what an answer costs."""
    least_rows: float = 0.0
    """The least weight of the rows that a rule covers, whatever their classes weigh."""
    max_rules: int | None = None
    constraints: CardConstraints | None = None
    """What a policy asks of rules."""
    point: float | None = None
    """What a point of a locked rule weighs, in units of margins; None: what suits the rows."""
    usual_support: bool = True
    """Whether that grows with the table: the user did not say it."""

    def __post_init__(self) -> None:
        for name, known in (("effort", tuple(EFFORTS)), ("scoring", SCORINGS)):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise InputError(f"{name} is {value!r}; use one of {', '.join(map(repr, known))}")
        for name, least in (("max_edges", 2), ("max_columns", 1), ("max_rule_length", 1), ("max_points", 1)):
            value = getattr(self, name)
            if value is None and name != "max_points":
                continue
            if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
                why = ": a rule with one condition and its points are two" if name == "max_edges" else ""
                raise InputError(f"{name} is {value!r}; it needs a whole number of at least {least}{why}")
        if self.cutoff is not None and self.costs is not None:
            raise InputError("cutoff and costs both say where to cut; give one of them")
        _check_cutoff(self.cutoff)

    @property
    def effort_level(self) -> CardEffort:
        return EFFORTS[self.effort]

    def choose_bins(self, rows: int) -> int:
        """Return the most bins of a column: on few rows, more of them make cut points that chance sets."""
        return _FEW_BINS if rows <= FEW_ROWS else _MANY_BINS

    @property
    def edges(self) -> int:
        """The most edges of the card."""
        return min(self.max_edges or MOST_EDGES, MOST_EDGES)

    @property
    def length(self) -> int:
        """The most conditions of a rule."""
        return self.max_rule_length or LONGEST


@dataclass(frozen=True, slots=True)
class NumberSettings(CardSettings):
    """What `ScorecardRegressor` asks of the learner."""

    loss: str = "squared_error"
    step: float | None = None

    @property
    def effort_level(self) -> CardEffort:
        level = EFFORTS[self.effort]
        return level if LOSSES[self.loss].mixes else replace(level, trees=0)

    def choose_bins(self, rows: int) -> int:
        return _FEW_BINS if rows <= FEW_ROWS else CODES - 1  # the tails of large tables tell enough for fine bins

    def __post_init__(self) -> None:
        CardSettings.__post_init__(self)
        if not isinstance(self.loss, str) or self.loss not in LOSSES:
            raise InputError(f"loss is {self.loss!r}; use one of {', '.join(map(repr, LOSSES))}")
        if self.step is not None and (
            not isinstance(self.step, Real) or isinstance(self.step, bool) or not 0 < self.step < MAX_STEP
        ):
            raise InputError(f"step is {self.step!r}; give what a point adds, a positive number, such as 0.5, or None")


def _check_cutoff(cutoff: object) -> None:
    if cutoff is None or (isinstance(cutoff, Integral) and not isinstance(cutoff, bool)):
        return
    if not isinstance(cutoff, Real) or isinstance(cutoff, bool) or not 0 < float(cutoff) < 1:
        raise InputError(
            f"cutoff is {cutoff!r}; give a probability of the second class between 0 and 1, such as 0.2, or a score as "
            "a whole number"
        )


def read_costs(costs: Any) -> tuple[tuple[float, ...], ...] | None:
    """Return costs as a value, or raise an `InputError`."""
    if costs is None:
        return None
    try:
        matrix = np.array(costs, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"costs is {costs!r}; give a number for each true class and each answer") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
        raise InputError(
            f"costs is {costs!r}; it needs a row for each true class and a column for each answer, all finite numbers"
        )
    return tuple(map(tuple, matrix.tolist()))


def check_classes(settings: CardSettings, classes: Sequence[Value]) -> None:
    """Raise an `InputError` if cut-offs or costs are for other classes."""
    count = len(classes)
    if settings.scoring == "roc_auc" and count > 2:
        raise InputError(f"scoring='roc_auc' is for two classes, and there are {count}; use scoring='roc_auc_ovr'")
    if settings.cutoff is not None and count > 2:
        raise InputError(f"cutoff is for two classes, and there are {count}; give costs instead, or leave it out")
    if settings.costs is not None and len(settings.costs) != count:
        raise InputError(
            f"costs are for {len(settings.costs)} classes, and there are {count}: {', '.join(map(repr, classes))}; "
            "give a row and a column for each, in this order"
        )
