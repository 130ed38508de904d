"""Weights to levels: an edge wherever a weight is above 0.5."""

from __future__ import annotations

import numpy as np

from conceptrules.kernels.mllp.cohort import Cohort, Flags, Floats
from conceptrules.model.network import Concept, Level, Literal, Rule


def extract(sizes: tuple[int, ...], weights: Floats, predicates: int) -> tuple[Level, ...]:
    """Return the levels of one network; inputs past the predicates are their negations, in the same order."""
    chosen: list[Flags] = [layer[0] for layer in Cohort.layers(sizes, weights[None] > 0.5)]
    return tuple(
        Level(
            tuple(_rule(row, predicates if depth == 0 else len(row)) for row in rules),
            tuple(Concept(tuple(np.flatnonzero(row).tolist())) for row in concepts),
        )
        for depth, (rules, concepts) in enumerate(zip(chosen[::2], chosen[1::2], strict=True))
    )


def _rule(chosen: Flags, below: int) -> Rule:
    literals = [Literal(index) for index in np.flatnonzero(chosen[:below]).tolist()]
    negated = [Literal(index, negated=True) for index in np.flatnonzero(chosen[below:]).tolist()]
    return Rule((*literals, *negated))
