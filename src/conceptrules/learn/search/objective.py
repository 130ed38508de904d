"""What a search is after: the score less a penalty for each edge, within a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from conceptrules.kernels.search import bit_planes as planes
from conceptrules.learn.examples import Bits
from conceptrules.learn.scoring import Floats
from conceptrules.learn.search.mutable_network import MutableNetwork

UNLIMITED = 1_000_000_000
_STANDSTILL = 2e-4
"""A sweep that adds less than this to the score is the last."""


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """What a network may be like."""

    penalty: float
    """What an edge costs, in units of the score."""
    longest: int = 12
    """Literals in a rule."""
    rules: int = UNLIMITED
    """Rules in all."""
    edges: int = UNLIMITED
    """Edges in all."""
    sweeps: int = 6
    """Times that the whole network is gone over, at most."""
    literals: Bits | None = None
    """Which of the predicates and their negations may be used; None: all."""
    regrow: int = 0
    """Rules that are taken out at a time, at most, to grow others in their place; 0: none."""
    seeds: int = 3
    """Rows that a new rule is grown around, besides one that is grown around none."""
    priority: bool = True
    """Whether it is learned who wins."""

    def usable(self, depth: int) -> Bits | None:
        """Of the inputs of a layer; above the first level there is no choice to make."""
        return None if depth else self.literals


def objective(net: MutableNetwork, terms: Terms) -> float:
    return net.score() - terms.penalty * net.edges


def repeat(net: MutableNetwork, terms: Terms, sweep: Callable[[], None]) -> None:
    """Until a sweep adds next to nothing."""
    score = objective(net, terms)
    for _ in range(terms.sweeps):
        sweep()
        before, score = score, objective(net, terms)
        if score < before + max(terms.penalty / 2, _STANDSTILL):
            break


def within(net: MutableNetwork, terms: Terms) -> bool:
    """Whether a network keeps the budget."""
    longest = max((len(rule) for layer in net.layers[::2] for rule in layer), default=0)
    return net.edges <= terms.edges and net.rules <= terms.rules and longest <= terms.longest


def benefit(net: MutableNetwork, depth: int, node: int) -> Floats:
    """What each row gains when the node holds there: decided once with it held false and once with it held true."""
    rows, result = net.rows, np.empty(len(net.rows.target))
    off, on = (net.forced(depth, node, value) for value in (np.zeros_like(rows.full), rows.full))
    order = np.array(net.order)
    planes.differences(off, on, order, net.default, rows.target, rows.weight, net.slope(), result)
    return result
