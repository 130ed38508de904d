"""What the search gets: the rows, what counts as good, how hard to try, and the budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conceptrules.learn.examples import Examples
from conceptrules.learn.search.ablation import ALL, Ablation
from conceptrules.learn.search.packed_rows import Rows


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to try."""

    starts: int
    sweeps: int
    regrow: int
    seeds: int
    descent: bool
    noise_filter: bool
    voting: bool
    most_splits: int
    lowest: float
    """The lowest penalty, in rows."""


EFFORTS = {
    "fast": Effort(
        1, sweeps=3, regrow=0, seeds=1, descent=False, noise_filter=False, voting=False, most_splits=3, lowest=0.3
    ),
    "default": Effort(
        2, sweeps=6, regrow=2, seeds=3, descent=True, noise_filter=True, voting=True, most_splits=10, lowest=0.15
    ),
    "best": Effort(
        6, sweeps=20, regrow=3, seeds=6, descent=True, noise_filter=True, voting=True, most_splits=20, lowest=0.03
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What there is to learn, and what a network may be like."""

    examples: Examples
    classes: int
    class_weight: NDArray[np.float64]
    scoring: str
    literals: NDArray[np.bool_]
    effort: Effort
    seed: int
    most_edges: int | None = None
    most_rules: int | None = None
    longest: int = 12
    ablation: Ablation = ALL
    columns: NDArray[np.int64] | None = None
    """Which column of the table each predicate is of; None: each of one of its own."""

    def weighted(self, examples: Examples) -> Examples:
        """By class; rows of classes that weigh nothing are gone."""
        return examples.weighted(examples.weight * self.class_weight[examples.target])

    def rows(self, examples: Examples) -> Rows:
        return Rows.of(self.weighted(examples), self.classes, self.scoring)
