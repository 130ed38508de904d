"""Local search on the discrete network: one node after another gets better inputs, on the training rows.

What a node is worth on a row is found exactly: the rows are decided once with the node held true and once with it held
false. Which inputs it then needs is a search of its own (kernels/planes.py), over all that can be dropped, added or
swapped. A change stays only if the score, less a penalty for each edge, is not lower for it.
"""

from __future__ import annotations

import numpy as np

from conceptrules.kernels.search import bit_planes as planes
from conceptrules.kernels.search.bit_planes import Planes, Words
from conceptrules.learn.examples import Bits
from conceptrules.learn.search.mutable_network import Inputs, MutableNetwork
from conceptrules.learn.search.objective import Terms, benefit, objective


def improve_rule(net: MutableNetwork, depth: int, node: int, terms: Terms, score: float) -> float:
    """Better inputs for a rule. `score` is the objective; returns that of after, which is never lower."""
    gains = planes.planes_of(benefit(net, depth, node))
    better, _ = improved(net.below(depth), net.layers[depth][node], gains, terms, terms.usable(depth))
    return _put(net, depth, node, better, terms, score)


def improve_concept(net: MutableNetwork, depth: int, node: int, terms: Terms, score: float) -> float:
    """Better inputs for a concept: an OR is an AND of what is not so, where not to hold is a gain."""
    inputs = net.below(depth) ^ net.rows.full
    gains = planes.planes_of(-benefit(net, depth, node))
    better, _ = planes.improve(inputs, net.layers[depth][node], gains, terms.penalty, len(inputs), 0)
    return _put(net, depth, node, better, terms, score)


def improve_rules(net: MutableNetwork, depth: int, concept: int, terms: Terms) -> None:
    """All rules of a concept or class: each gets better inputs, or goes if it does not earn its penalty."""
    score, place = objective(net, terms), 0
    while place < len(net.layers[depth][concept]):
        rule = int(net.layers[depth][concept][place])
        score = improve_rule(net, depth - 1, rule, terms, score)
        without = _without(net, depth - 1, rule, terms)
        if without >= score:
            net.drop_rule(depth - 1, rule)
            score = without
        else:
            place += 1


def improved(inputs: Words, chosen: Inputs, gains: Planes, terms: Terms, some: Bits | None) -> tuple[Inputs, float]:
    """Better inputs for a conjunction, and what they are worth; of `some` of the inputs and those that it has."""
    if some is None:
        better, worth = planes.improve(inputs, chosen, gains, terms.penalty, terms.longest, 1)
        return better, worth
    allowed = np.union1d(np.flatnonzero(some), chosen)
    places = np.searchsorted(allowed, chosen)
    better, worth = planes.improve(inputs[allowed], places, gains, terms.penalty, terms.longest, 1)
    return allowed[better], worth


def _without(net: MutableNetwork, depth: int, rule: int, terms: Terms) -> float:
    """The objective without a rule."""
    fired = net.forced(depth, rule, np.zeros_like(net.rows.full))
    edges = len(net.layers[depth][rule]) + sum(int(np.count_nonzero(c == rule)) for c in net.layers[depth + 1])
    return net.score(fired) - terms.penalty * (net.edges - edges)


def _put(net: MutableNetwork, depth: int, node: int, better: Inputs, terms: Terms, score: float) -> float:
    """Gives a node these inputs unless the objective is lower for it, or the budget exceeded."""
    before = net.layers[depth][node]
    if np.array_equal(np.sort(before), np.sort(better)):
        return score
    net.put(depth, node, better)
    after = objective(net, terms)
    if after >= score and net.edges <= max(terms.edges, net.edges - len(better) + len(before)):
        return after
    net.put(depth, node, before)
    return score
